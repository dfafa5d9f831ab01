// Containers of GNU's C++ library without a C library: its headers alone, so that they are built
// for RV32, too, of which Debian has no libraries.
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

static char containers_heap[1 << 16];
static unsigned containers_used;

void *operator new(std::size_t n)
{
	containers_used = (containers_used + 15) & ~15u;
	void *const at = containers_heap + containers_used;
	containers_used += n;
	return at;
}
void operator delete(void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}

namespace std {
void __throw_length_error(const char *) { __builtin_trap(); }
void __throw_bad_alloc() { __builtin_trap(); }
void __throw_bad_array_new_length() { __builtin_trap(); }
void __throw_logic_error(const char *) { __builtin_trap(); }

void __detail::_List_node_base::_M_hook(_List_node_base *before) noexcept
{
	_M_next = before;
	_M_prev = before->_M_prev;
	before->_M_prev->_M_next = this;
	before->_M_prev = this;
}

// Keys come in order here: each node is to the right of the one before.
void _Rb_tree_insert_and_rebalance(bool left, _Rb_tree_node_base *x, _Rb_tree_node_base *parent,
                                   _Rb_tree_node_base &header) throw()
{
	x->_M_parent = parent;
	x->_M_left = x->_M_right = nullptr;
	x->_M_color = _S_black;
	if (parent == &header)
		header._M_parent = header._M_left = header._M_right = x;
	else
		header._M_right = parent->_M_right = x;
	if (left && parent != &header)
		__builtin_trap();
}
_Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *x) throw() { return x; }
_Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *x) throw() { return x->_M_left; }
} // namespace std

extern "C" {
void *memmove(void *to, const void *from, std::size_t n)
{
	char *const a = (char *)to;
	const char *const b = (const char *)from;
	for (std::size_t i = 0; i < n; i++)
		a < b ? a[i] = b[i] : a[n - 1 - i] = b[n - 1 - i];
	return to;
}
void *memcpy(void *to, const void *from, std::size_t n) { return memmove(to, from, n); }
void *memset(void *to, int c, std::size_t n)
{
	for (std::size_t i = 0; i < n; i++)
		((char *)to)[i] = (char)c;
	return to;
}
std::size_t strlen(const char *s)
{
	std::size_t n = 0;
	while (s[n])
		n++;
	return n;
}
}

int main()
{
	std::vector<int> v{1, 2, 3};
	std::vector<bool> bits(70);
	bits[0] = bits[33] = bits[65] = true;
	std::string s("a text that is longer than its own room");
	std::list<int> l{4, 5, 6};
	std::deque<int> d{7, 8, 9};
	for (int i = 0; i < 180; i++)
		d.push_back(i);
	std::map<int, long> m{{1, 10}, {2, 20}, {3, 30}};
	return v.size() + bits.size() + s.size() + l.size() + d.size() + m.size() - 256;
}

extern "C" void _start()
{
	register int a0 __asm__("a0") = main();
	__asm__ volatile("li a7,93; ecall" : : "r"(a0));
}
