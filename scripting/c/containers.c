/* Shows containers of GNU's C++ library by their contents, as gdb's printers do.
 *
 * Their members are read from memory that may hold anything: each kind has functions that recognise
 * it and step from element to element, and only elements that are shown are read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/dwarf/scoped.h"
#include "scripting/c/value_show.h"

/* Styles of elements. */
enum container_style { IN_A_ROW, BY_NUMBER, BY_KEY };

/* A container, and the present position in it. */
struct walker {
	struct text *t;
	const struct c_value *whole;
	const char *name;     /* "std::map" */
	struct ctype element; /* type of elements in memory; unknown if it varies */
	enum container_style style;
	uint64_t count;      /* elements; UINT64_MAX: unknown, up to the end */
	uint64_t at, end;    /* addresses; use varies by kind */
	uint64_t last, node; /* of a deque */
	unsigned bit;
	unsigned word; /* bytes of a pointer: 8, in RV32 4 */
};

/* Limits: steps from one element of a tree to the next, and bytes of a string. */
enum { TREE_STEPS_MAX = 128, STRING_MAX = 1 << 16 };
/* Words of a node before its element. */
enum { TREE_NODE = 4, LIST_NODE = 2, HASH_NODE = 1 };

/* ---- reading ---- */
/* Finds a member by path, "_M_impl._M_start"; false if there is none. */
static bool container_member(const struct c_value *of, const char *path, struct c_value *out)
{
	char name[64];
	struct cmember m;
	*out = *of;
	while (*path) {
		const size_t n = strcspn(path, ".");
		if (n >= sizeof name)
			return false;
		memcpy(name, path, n);
		name[n] = '\0';
		if (!ctype_member_named(&out->type, name, &m) || m.is_static)
			return false;
		c_part(out, &m, out);
		path += n + (path[n] == '.');
	}
	return true;
}

static bool container_number(const struct walker *w, const struct c_value *of, const char *path,
                             uint64_t *out)
{
	struct c_value v;
	struct err err;
	return container_member(of, path, &v) && ctype_is_scalar(&v.type) &&
	       c_bits(w->t->calls, &v, out, &err);
}

/* The same of a pointer, whose size it notes. */
static bool container_pointer(struct walker *w, const struct c_value *of, const char *path,
                              uint64_t *out)
{
	struct c_value v;
	if (!container_member(of, path, &v) || (v.type.size != 4 && v.type.size != 8))
		return false;
	w->word = (unsigned)v.type.size;
	return container_number(w, of, path, out);
}

static bool container_read_word(const struct walker *w, uint64_t addr, uint64_t *out)
{
	*out = 0;
	return frame_read(&w->t->calls->mem, addr, out, w->word);
}

/* The i-th type argument of a template. */
static bool container_argument(struct walker *w, const struct ctype *of, unsigned i,
                               struct ctype *out)
{
	return ctype_argument(of, i, &w->t->walk, out);
}

static struct c_value value_at(const struct ctype *type, uint64_t addr)
{
	return (struct c_value){.type = *type, .where = C_MEMORY, .addr = addr, .reg = -1};
}

/* ---- next element: false after the last ---- */
static bool next_in_row(struct walker *w, struct c_value *out)
{
	if (w->at >= w->end)
		return false;
	*out = value_at(&w->element, w->at);
	w->at += w->element.size;
	return true;
}

static bool next_bit(struct walker *w, struct c_value *out)
{
	uint64_t word;
	if (!container_read_word(w, w->at, &word))
		return false;
	*out = c_integer(word >> w->bit & 1, 1, false);
	out->type = ctype_made(CTYPE_BOOL, 1, false);
	w->bit = (w->bit + 1) % (8 * w->word);
	w->at += w->bit ? 0 : w->word;
	return true;
}

/* Steps in lists, and in a hash table's elements: a node begins with the next one's address. */
static bool next_node(struct walker *w, struct c_value *out, uint64_t skip)
{
	if (!w->at || w->at == w->end)
		return false;
	*out = value_at(&w->element, w->at + skip * w->word);
	if (!container_read_word(w, w->at, &w->at))
		w->at = 0;
	return true;
}

static bool next_in_list(struct walker *w, struct c_value *out)
{
	return next_node(w, out, LIST_NODE);
}

static bool next_in_table(struct walker *w, struct c_value *out)
{
	return next_node(w, out, HASH_NODE);
}

/* Steps in a tree. A node has colour, parent, left and right, a word each. */
static bool next_in_tree(struct walker *w, struct c_value *out)
{
	const unsigned parent_at = w->word, left = 2 * w->word, right = 3 * w->word;
	uint64_t node = w->at, other;
	if (!node)
		return false;
	*out = value_at(&w->element, node + TREE_NODE * w->word);
	w->at = 0;
	if (!container_read_word(w, node + right, &other))
		return true;
	if (other) {
		unsigned steps = 0;
		do
			node = other;
		while (container_read_word(w, node + left, &other) && other &&
		       steps++ < TREE_STEPS_MAX);
		w->at = node;
		return true;
	}
	for (unsigned steps = 0; steps < TREE_STEPS_MAX; steps++) {
		uint64_t parent;
		if (!container_read_word(w, node + parent_at, &parent) ||
		    !container_read_word(w, parent + right, &other))
			return true;
		if (other != node) {
			w->at = parent;
			return true;
		}
		node = parent;
	}
	return true;
}

static bool next_in_deque(struct walker *w, struct c_value *out)
{
	const uint64_t size = w->element.size, block = size < 512 ? 512 / size * size : size;
	if (w->at == w->end)
		return false;
	*out = value_at(&w->element, w->at);
	w->at += size;
	if (w->at == w->last) {
		w->node += w->word;
		if (!container_read_word(w, w->node, &w->at))
			w->at = w->end;
		w->last = w->at + block;
	}
	return true;
}

/* ---- writing ---- */
/* Writes the text before the i-th element in braces, and after the last; named: elements have
 * names. */
static void container_open(struct walker *w, uint64_t i, unsigned depth, bool named)
{
	struct text *t = w->t;
	const bool lines = t->limits.pretty && named;
	textbuf_add(&t->out, "%s%s", i ? "," : "", i && !lines ? " " : "");
	if (lines)
		textbuf_add(&t->out, "\n%*s", (int)(2 + 2 * depth), "");
}

/* Whether the limit of elements shown is reached; gdb then prints "..." even if no more follow. */
static bool container_full(const struct walker *w, uint64_t shown)
{
	return w->t->limits.elements && shown >= w->t->limits.elements;
}

static void container_close(struct walker *w, unsigned depth, bool more, bool named)
{
	textbuf_add(&w->t->out, "%s", more ? "..." : "");
	if (w->t->limits.pretty && named)
		textbuf_add(&w->t->out, "\n%*s", (int)(2 * depth), "");
	textbuf_add(&w->t->out, "}");
}

static void container_show_element(struct walker *w, uint64_t i, const struct c_value *v,
                                   unsigned depth)
{
	struct c_value first, second;
	struct text *t = w->t;
	container_open(w, i, depth, w->style != IN_A_ROW);
	if (w->style == BY_NUMBER)
		textbuf_add(&t->out, "[%" PRIu64 "] = ", i);
	if (w->style == BY_KEY && container_member(v, "first", &first) &&
	    container_member(v, "second", &second)) {
		textbuf_add(&t->out, "[");
		show_value(t, &first, depth + 1);
		textbuf_add(&t->out, "] = ");
		if (!container_full(w, 2 * i + 1))
			show_value(t, &second, depth + 1);
	} else {
		show_value(t, v, depth + 1);
	}
}

static void container_show_elements(struct walker *w,
                                    bool (*next)(struct walker *w, struct c_value *out),
                                    unsigned depth)
{
	struct c_value v;
	/* A key counts as much as a value. */
	const uint64_t each = w->style == BY_KEY ? 2 : 1;
	uint64_t i = 0;
	textbuf_add(&w->t->out, " = {");
	while (i < w->count && !container_full(w, each * i) && w->t->out.used + 1 < w->t->out.n &&
	       next(w, &v))
		container_show_element(w, i++, &v, depth);
	container_close(w, depth, container_full(w, each * i), w->style != IN_A_ROW);
}

/* ---- kinds: false if the memory does not hold one ---- */
static bool container_show_vector(struct walker *w, unsigned depth)
{
	uint64_t start, finish, end, from, to;
	struct c_value pointer;
	if (container_pointer(w, w->whole, "_M_impl._M_start._M_p", &start)) {
		if (!container_number(w, w->whole, "_M_impl._M_finish._M_p", &finish) ||
		    !container_number(w, w->whole, "_M_impl._M_start._M_offset", &from) ||
		    !container_number(w, w->whole, "_M_impl._M_finish._M_offset", &to) ||
		    !container_number(w, w->whole, "_M_impl._M_end_of_storage", &end) ||
		    finish < start || end < finish)
			return false;
		w->at = start;
		w->bit = (unsigned)from % (8 * w->word);
		w->count = (finish - start) * 8 + to - from;
		textbuf_add(&w->t->out,
		            "std::vector<bool> of length %" PRIu64 ", capacity %" PRIu64, w->count,
		            (end - start) * 8);
		if (w->count)
			container_show_elements(w, next_bit, depth);
		return true;
	}
	if (!container_member(w->whole, "_M_impl._M_start", &pointer) ||
	    !container_number(w, w->whole, "_M_impl._M_start", &start) ||
	    !container_number(w, w->whole, "_M_impl._M_finish", &finish) ||
	    !container_number(w, w->whole, "_M_impl._M_end_of_storage", &end) || finish < start ||
	    end < finish)
		return false;
	w->element = ctype_target(&pointer.type);
	const uint64_t size = w->element.size;
	if (!size || (finish - start) % size)
		return false;
	w->at = start;
	w->end = finish;
	w->count = (finish - start) / size;
	textbuf_add(&w->t->out, "std::vector of length %" PRIu64 ", capacity %" PRIu64, w->count,
	            (end - start) / size);
	if (w->count)
		container_show_elements(w, next_in_row, depth);
	return true;
}

static bool container_show_string(struct walker *w, unsigned depth)
{
	uint64_t at, n;
	struct c_value pointer;
	(void)depth;
	if (!container_member(w->whole, "_M_dataplus._M_p", &pointer) ||
	    !container_number(w, w->whole, "_M_dataplus._M_p", &at) ||
	    !container_number(w, w->whole, "_M_string_length", &n) ||
	    ctype_target(&pointer.type).kind != CTYPE_CHAR)
		return false;
	const uint64_t limit = w->t->limits.elements, most = limit ? limit : STRING_MAX;
	const uint64_t shown = n < most ? n : most < STRING_MAX ? most : STRING_MAX;
	unsigned char *s = alloc_bytes(shown + 1);
	const bool ok = s && (!shown || frame_read(&w->t->calls->mem, at, s, shown));
	if (ok)
		show_string(w->t, &(struct chars){s, shown, 1, 0}, shown < n);
	else if (s)
		textbuf_add(&w->t->out, "<error: Cannot access memory at address 0x%" PRIx64 ">",
		            at);
	free(s);
	return s != NULL;
}

static void with_count(struct walker *w)
{
	textbuf_add(&w->t->out, "%s with %" PRIu64 " element%s", w->name, w->count,
	            w->count == 1 ? "" : "s");
}

static bool container_show_tree(struct walker *w, unsigned depth)
{
	struct c_value inner;
	if (!container_member(w->whole, "_M_t", &inner) ||
	    !container_argument(w, &inner.type, 1, &w->element) ||
	    !container_number(w, &inner, "_M_impl._M_node_count", &w->count) ||
	    !container_pointer(w, &inner, "_M_impl._M_header._M_left", &w->at))
		return false;
	with_count(w);
	w->style = strstr(w->name, "map") ? BY_KEY : BY_NUMBER;
	if (w->count)
		container_show_elements(w, next_in_tree, depth);
	return true;
}

static bool container_show_hash_table(struct walker *w, unsigned depth)
{
	struct c_value inner;
	if (!container_member(w->whole, "_M_h", &inner) ||
	    !container_argument(w, &inner.type, 1, &w->element) ||
	    !container_number(w, &inner, "_M_element_count", &w->count) ||
	    !container_pointer(w, &inner, "_M_before_begin._M_nxt", &w->at))
		return false;
	with_count(w);
	w->style = strstr(w->name, "map") ? BY_KEY : BY_NUMBER;
	if (w->count)
		container_show_elements(w, next_in_table, depth);
	return true;
}

static bool container_show_list(struct walker *w, unsigned depth)
{
	struct c_value head, pointer;
	struct err err;
	if (!container_argument(w, &w->whole->type, 0, &w->element) ||
	    !container_member(w->whole, "_M_impl._M_node", &head) ||
	    !container_pointer(w, &head, "_M_next", &w->at) || !c_address(&head, &pointer, &err) ||
	    !c_bits(w->t->calls, &pointer, &w->end, &err))
		return false;
	w->count = UINT64_MAX;
	w->style = BY_NUMBER;
	/* gdb's name includes the version's inline namespace. */
	const bool is_empty = w->at == w->end;
	textbuf_add(&w->t->out, "%sstd::__cxx11::list", is_empty ? "empty " : "");
	if (!is_empty)
		container_show_elements(w, next_in_list, depth);
	return true;
}

static bool container_show_deque(struct walker *w, unsigned depth)
{
	uint64_t first_node, last_node, first;
	if (!container_argument(w, &w->whole->type, 0, &w->element) || !w->element.size ||
	    !container_pointer(w, w->whole, "_M_impl._M_start._M_node", &first_node) ||
	    !container_number(w, w->whole, "_M_impl._M_finish._M_node", &last_node) ||
	    !container_number(w, w->whole, "_M_impl._M_start._M_cur", &w->at) ||
	    !container_number(w, w->whole, "_M_impl._M_start._M_last", &w->last) ||
	    !container_number(w, w->whole, "_M_impl._M_finish._M_cur", &w->end) ||
	    !container_number(w, w->whole, "_M_impl._M_finish._M_first", &first))
		return false;
	const uint64_t size = w->element.size, per = size < 512 ? 512 / size : 1;
	const int64_t blocks = (int64_t)(last_node - first_node) / w->word - 1;
	const int64_t count = blocks * (int64_t)per + (int64_t)(w->last - w->at) / (int64_t)size +
	                      (int64_t)(w->end - first) / (int64_t)size;
	/* A deque that is not constructed yet is all zeros. */
	w->count = !first_node && !last_node ? 0 : (uint64_t)count;
	if ((int64_t)w->count < 0)
		return false;
	w->node = first_node;
	with_count(w);
	if (w->count)
		container_show_elements(w, next_in_deque, depth);
	return true;
}

/* Shows an iterator by its element. */
static bool in_vector(struct walker *w, unsigned depth)
{
	struct c_value pointer, value;
	struct err err;
	uint64_t at;
	if (!container_number(w, w->whole, "_M_current", &at) ||
	    !container_member(w->whole, "_M_current", &pointer))
		return false;
	if (!at)
		textbuf_add(&w->t->out, "non-dereferenceable iterator for std::vector");
	else if (c_pointed(w->t->calls, &pointer, &value, &err))
		show_value(w->t, &value, depth + 1);
	return true;
}

static bool in_tree(struct walker *w, unsigned depth)
{
	uint64_t at;
	if (!container_argument(w, &w->whole->type, 0, &w->element) ||
	    !container_pointer(w, w->whole, "_M_node", &at))
		return false;
	const struct c_value value = value_at(&w->element, at + TREE_NODE * w->word);
	if (at)
		show_value(w->t, &value, depth + 1);
	else
		textbuf_add(&w->t->out, "non-dereferenceable iterator for associative container");
	return true;
}

/* ---- containers of one value, or of several types: false, and nothing is written, if the memory
 * does not hold one ---- */
enum { TUPLE_MAX = 32 };

/* Shows only first and second, without the pair's base class. */
static bool container_pair(struct walker *w, unsigned depth)
{
	struct c_value part[2];
	if (!container_member(w->whole, "first", &part[0]) ||
	    !container_member(w->whole, "second", &part[1]))
		return false;
	textbuf_add(&w->t->out, "{");
	unsigned i = 0;
	for (; i < 2 && !container_full(w, i); i++) {
		container_open(w, i, depth, true);
		textbuf_add(&w->t->out, "%s = ", i ? "second" : "first");
		show_value(w->t, &part[i], depth + 1);
	}
	container_close(w, depth, container_full(w, i), true);
	return true;
}

/* Splits a tuple: one base is its first element (*head), another base is the tuple of all others
 * (*rest, if *has_rest). False: an empty tuple. */
static bool container_split_tuple(struct walker *w, const struct c_value *of, struct c_value *head,
                                  struct c_value *rest, bool *has_rest)
{
	struct cmembers all = ctype_members(&of->type, &w->t->walk);
	struct cmember m, inner;
	char name[SCOPED_MAX];
	bool found = false;
	*has_rest = false;
	while (cmember_next(&all, &m)) {
		Dwarf_Die die = m.type.die;
		if (!m.is_base || !die.addr)
			continue;
		scoped_name(&w->t->walk, &die, name, sizeof name);
		if (!strncmp(name, "std::_Tuple_impl<", 17)) {
			c_part(of, &m, rest);
			*has_rest = true;
		} else if (!strncmp(name, "std::_Head_base<", 16)) {
			c_part(of, &m, head);
			found = ctype_member_named(&m.type, "_M_head_impl", &inner);
			if (found)
				c_part(head, &inner, head);
		}
	}
	return found;
}

static bool container_tuple(struct walker *w, unsigned depth)
{
	struct c_value here = *w->whole, head, rest;
	bool has_rest;
	unsigned i = 0;
	container_split_tuple(w, &here, &head, &rest, &has_rest);
	if (!has_rest) {
		textbuf_add(&w->t->out, "empty std::tuple");
		return true;
	}
	textbuf_add(&w->t->out, "std::tuple containing = {");
	while (has_rest && i < TUPLE_MAX && !container_full(w, i)) {
		here = rest;
		if (!container_split_tuple(w, &here, &head, &rest, &has_rest))
			break;
		container_open(w, i, depth, true);
		textbuf_add(&w->t->out, "[%u] = ", ++i);
		show_value(w->t, &head, depth + 1);
	}
	container_close(w, depth, has_rest || container_full(w, i), true);
	return true;
}

/* Writes "std::unique_ptr<int>", with the template's first argument. */
static bool with_argument(struct walker *w)
{
	struct ctype of;
	char text[SCOPED_MAX];
	if (!container_argument(w, &w->whole->type, 0, &of))
		return false;
	textbuf_add(&w->t->out, "%s<%s>", w->name, ctype_text(&of, NULL, text, sizeof text));
	return true;
}

static void container_show_single(struct walker *w, const char *name, const struct c_value *v,
                                  unsigned depth)
{
	textbuf_add(&w->t->out, " = {");
	container_open(w, 0, depth, true);
	textbuf_add(&w->t->out, "%s = ", name);
	show_value(w->t, v, depth + 1);
	container_close(w, depth, container_full(w, 1), true);
}

static bool container_optional(struct walker *w, unsigned depth)
{
	uint64_t engaged;
	struct c_value value;
	if (!container_number(w, w->whole, "_M_payload._M_engaged", &engaged) ||
	    !container_member(w->whole, "_M_payload._M_payload._M_value", &value) ||
	    !with_argument(w))
		return false;
	if (engaged)
		container_show_single(w, "[contained value]", &value, depth);
	else
		textbuf_add(&w->t->out, " [no contained value]");
	return true;
}

static bool container_unique(struct walker *w, unsigned depth)
{
	struct c_value here, head, rest;
	bool has_rest;
	if (!container_member(w->whole, "_M_t._M_t", &here))
		return false;
	container_split_tuple(w, &here, &head, &rest, &has_rest);
	if (!has_rest)
		return false;
	here = rest;
	if (!container_split_tuple(w, &here, &head, &rest, &has_rest) || !with_argument(w))
		return false;
	container_show_single(w, "get()", &head, depth);
	return true;
}

static bool container_shared(struct walker *w, unsigned depth)
{
	struct c_value pointer, control, counts;
	struct err err;
	uint64_t at, uses, weak;
	if (!container_member(w->whole, "_M_ptr", &pointer) ||
	    !container_member(w->whole, "_M_refcount._M_pi", &control) ||
	    !c_bits(w->t->calls, &control, &at, &err) || !with_argument(w))
		return false;
	if (!at)
		textbuf_add(&w->t->out, " (empty)");
	else if (!c_pointed(w->t->calls, &control, &counts, &err) ||
	         !container_number(w, &counts, "_M_use_count", &uses) ||
	         !container_number(w, &counts, "_M_weak_count", &weak))
		textbuf_add(&w->t->out, " (<error: Cannot access memory at address 0x%" PRIx64 ">)",
		            at);
	else if (!(uint32_t)uses)
		textbuf_add(&w->t->out, " (expired, weak count %d)", (int)weak);
	else
		textbuf_add(&w->t->out, " (use count %d, weak count %d)", (int)uses, (int)weak - 1);
	container_show_single(w, "get()", &pointer, depth);
	return true;
}

/* ---- kinds ---- */
static const struct kind {
	const char *name; /* before the `<` */
	bool (*show)(struct walker *w, unsigned depth);
} kinds[] = {
	{"std::vector", container_show_vector},
	{"std::basic_string", container_show_string},
	{"std::map", container_show_tree},
	{"std::multimap", container_show_tree},
	{"std::set", container_show_tree},
	{"std::multiset", container_show_tree},
	{"std::unordered_map", container_show_hash_table},
	{"std::unordered_multimap", container_show_hash_table},
	{"std::unordered_set", container_show_hash_table},
	{"std::unordered_multiset", container_show_hash_table},
	{"std::list", container_show_list},
	{"std::deque", container_show_deque},
	{"std::pair", container_pair},
	{"std::tuple", container_tuple},
	{"std::optional", container_optional},
	{"std::unique_ptr", container_unique},
	{"std::shared_ptr", container_shared},
	{"std::weak_ptr", container_shared},
	{"__gnu_cxx::__normal_iterator", in_vector},
	{"std::_Rb_tree_iterator", in_tree},
	{"std::_Rb_tree_const_iterator", in_tree},
};

static const struct kind *container_find_kind(struct text *t, const struct c_value *v)
{
	char name[SCOPED_MAX];
	Dwarf_Die die = v->type.die;
	const char *plain = v->type.kind == CTYPE_STRUCT && die.addr ? dwarf_diename(&die) : NULL;
	if (!plain || !strchr(plain, '<') || !scoped_is_cplus(&die))
		return NULL;
	scoped_name(&t->walk, &die, name, sizeof name);
	const size_t n = strcspn(name, "<");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == n && !memcmp(kinds[i].name, name, n))
			return &kinds[i];
	return NULL;
}

bool show_container(struct text *t, const struct c_value *v, unsigned depth)
{
	const struct kind *kind = t->limits.raw ? NULL : container_find_kind(t, v);
	struct walker w = {.t = t, .whole = v, .name = kind ? kind->name : NULL};
	return kind && kind->show(&w, depth);
}

bool show_is_container(struct text *t, const struct c_value *v)
{
	return !t->limits.raw && container_find_kind(t, v) != NULL;
}

bool c_is_string(const struct c_value *v)
{
	struct text t = {.walk = walk_of_type()};
	const struct kind *kind = container_find_kind(&t, v);
	return kind && kind->show == container_show_string;
}
