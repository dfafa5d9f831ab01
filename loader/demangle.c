/* Demangles names of C++ and Rust by libiberty, as gdb and binutils do, and splits such names into
 * parts. */
#include "loader/demangle.h"

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* Fedora and its kin */
#include <demangle.h>
#endif
#include <setjmp.h>
#include <string.h>

/* The output so far. */
struct writer {
	char *buf; /* [DEMANGLED_MAX] */
	size_t used;
	jmp_buf too_long; /* libiberty's callback cannot return an error */
};

static void demangle_append_text(const char *text, size_t n, void *ctx)
{
	struct writer *w = ctx;
	if (n >= DEMANGLED_MAX - w->used)
		longjmp(w->too_long, 1);
	if (n)
		memcpy(w->buf + w->used, text, n);
	w->used += n;
}

static bool demangle_run_demanglers(const char *name, struct writer *w)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;
	/* Legacy names of Rust look like those of C++. */
	return !setjmp(w->too_long) &&
	       (rust_demangle_callback(name, options, demangle_append_text, w) ||
	        (w->used = 0, cplus_demangle_v3_callback(name, options, demangle_append_text, w)));
}

char *demangle(const char *name, char *buf)
{
	char own[1024];
	struct writer w = {.buf = buf};
	const size_t n = strcspn(name, "@");
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || n >= sizeof own)
		return NULL;
	memcpy(own, name, n);
	own[n] = '\0';
	if (!demangle_run_demanglers(own, &w) || strlen(name + n) >= DEMANGLED_MAX - w.used)
		return NULL;
	strcpy(buf + w.used, name + n);
	return buf;
}

/* ---- parts ---- */
static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

/* Length of an operator's name at s[at] whose characters look like brackets: "operator()",
 * "operator<". 0 if none begins there. */
static size_t operator_here(const char *s, size_t at)
{
	enum { WORD = 8 };
	size_t n = WORD;
	if (strncmp(s + at, "operator", WORD) != 0 || (at && is_name_char(s[at - 1])) ||
	    is_name_char(s[at + n]))
		return 0;
	if (!strncmp(s + at + n, "()", 2))
		return n + 2;
	return n + strspn(s + at + n, "<>=-!");
}

/* The index after the bracket that closes the one at s[at]; the text's end if none does. */
static size_t demangle_skip_brackets(const char *s, size_t at)
{
	unsigned depth = 0;
	for (size_t i = at; s[i];) {
		const size_t skip = operator_here(s, i);
		if (skip) {
			i += skip;
			continue;
		}
		depth += strchr("(<{[", s[i]) != NULL;
		/* "->" occurs only in operators' names. */
		if (strchr(")>}]", s[i]) && --depth == 0)
			return i + 1;
		i++;
	}
	return strlen(s);
}

size_t name_stem(const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";
	for (size_t i = 0; name[i];) {
		const size_t skip = operator_here(name, i);
		if (skip) {
			i += skip;
		} else if (!strncmp(name + i, anonymous, sizeof anonymous - 1)) {
			i += sizeof anonymous - 1;
		} else if (name[i] == '(') {
			/* A name local to a function: "f(int)::counter". */
			const size_t end = demangle_skip_brackets(name, i);
			const size_t more = !strncmp(name + end, " const", 6) ? 6 : 0;
			if (strncmp(name + end + more, "::", 2) != 0)
				return i;
			i = end + more;
		} else if (strchr("<{", name[i])) {
			i = demangle_skip_brackets(name, i);
		} else if (!strncmp(name + i, " [clone ", 8) || name[i] == '@') {
			return i;
		} else {
			i++;
		}
	}
	return strlen(name);
}

bool name_is_clone(const char *name)
{
	return strstr(name, " [clone ") || (!strpbrk(name, "(<: ") && strchr(name, '.'));
}

/* Copies without spaces, except between words; `bare` also drops template arguments and
 * "[abi:...]". */
static void demangle_copy_without_blanks(const char *s, size_t n, bool bare, char *out)
{
	size_t k = 0;
	for (size_t i = 0; i < n;) {
		const size_t skip = operator_here(s, i);
		if (skip && i + skip <= n) {
			memcpy(out + k, s + i, skip);
			k += skip;
			i += skip;
		} else if (bare && (s[i] == '<' || !strncmp(s + i, "[abi:", 5))) {
			i = demangle_skip_brackets(s, i);
		} else if (s[i] == ' ' && (!k || !is_name_char(out[k - 1]) || i + 1 >= n ||
		                           !is_name_char(s[i + 1]))) {
			i++;
		} else {
			out[k++] = s[i++];
		}
	}
	out[k] = '\0';
}

char *name_short(const char *name, char *buf)
{
	const size_t stem = name_stem(name);
	demangle_copy_without_blanks(name, stem < DEMANGLED_MAX ? stem : DEMANGLED_MAX - 1, true,
	                             buf);
	return buf;
}

/* Whether the last components of name are `end`. */
static bool demangle_has_last_components(const char *name, const char *end)
{
	const size_t n = strlen(name), k = strlen(end);
	return k && k <= n && !strcmp(name + n - k, end) &&
	       (k == n || (n - k >= 2 && !strncmp(name + n - k - 2, "::", 2)));
}

bool name_means(const char *name, const char *asked)
{
	char is[DEMANGLED_MAX], wanted[DEMANGLED_MAX];
	const size_t stem = name_stem(name), all = strlen(asked), part = name_stem(asked);
	if (strlen(name) >= sizeof is || all >= sizeof wanted || !part)
		return false;
	const bool bare = !memchr(asked, '<', part) || strstr(asked, "operator");
	const bool whole = !strncmp(asked, "::", 2);
	demangle_copy_without_blanks(name, stem, bare, is);
	demangle_copy_without_blanks(asked + (whole ? 2 : 0), part - (whole ? 2 : 0), false,
	                             wanted);
	if (whole ? strcmp(is, wanted) != 0 : !demangle_has_last_components(is, wanted))
		return false;
	if (part == all)
		return true;
	/* Compare arguments, and const if given. */
	demangle_copy_without_blanks(name + stem, strlen(name + stem), false, is);
	demangle_copy_without_blanks(asked + part, all - part, false, wanted);
	const size_t n = strlen(wanted);
	return !strcmp(wanted, "(void)")
	               ? !strncmp(is, "()", 2)
	               : !strncmp(is, wanted, n) && (!is[n] || wanted[n - 1] == ')');
}

bool name_is_copy(const char *name, const char *asked)
{
	char whole[DEMANGLED_MAX];
	const char *clone = strstr(name, " [clone ");
	const char *suffix = clone ? clone : strchr(name, '.');
	if (!name_is_clone(name) || strstr(suffix, ".cold"))
		return false;
	const size_t n = (size_t)(suffix - name);
	if (n >= sizeof whole || (!clone && n != strlen(asked)))
		return false;
	memcpy(whole, name, n);
	whole[n] = '\0';
	return clone ? name_means(whole, asked) : !strcmp(whole, asked);
}
