/* .include "FILE": another text is assembled in this place. It is looked up beside the file that
 * includes it, then where the reader finds the name itself, and read once. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/asm/directives.h"

enum { INCLUDE_NAME_MAX = 256 };

/* Of .include's argument, without its quotes. False: it has another form. */
static bool include_read_name(struct span s, char *name)
{
	s = span_trim(s);
	if (s.n < 3 || s.n >= INCLUDE_NAME_MAX || *s.at != '"' || s.at[s.n - 1] != '"')
		return false;
	memcpy(name, s.at + 1, s.n - 2);
	name[s.n - 2] = '\0';
	return true;
}

/* Writes the name of a file that is beside `from`. */
static void include_beside(const char *from, const char *name, char *out, size_t n)
{
	const char *slash = *name == '/' ? NULL : strrchr(from, '/');
	snprintf(out, n, "%.*s%s", slash ? (int)(slash - from + 1) : 0, from, name);
}

static struct included *include_add(struct assembler *a, char *name, uint8_t *bytes, size_t n,
                                    struct err *err)
{
	const bool fits = a->included_count < ASM_INCLUDED_MAX && n <= ASM_TEXT_MAX &&
	                  n <= ASM_BYTES_MAX - a->included_bytes;
	char *text = name && bytes && fits ? alloc_bytes(n + 1) : NULL;
	size_t zero;
	if (!text) {
		free(name);
		free(bytes);
		if (fits)
			err_set(err, "out of memory");
		else
			err_set(err, "expected at most %d included files of %d MB",
			        ASM_INCLUDED_MAX, ASM_BYTES_MAX >> 20);
		return NULL;
	}
	memcpy(text, bytes, n);
	text[n] = '\0';
	free(bytes);
	struct included *made = &a->included[a->included_count++];
	*made = (struct included){.name = name, .text = text, .n = n};
	a->included_bytes += n;
	made->whole = strlen(text) == n && scan_comments(text, n, &zero);
	return made;
}

static struct included *include_read(struct assembler *a, const char *path, struct err *err)
{
	size_t n = 0;
	for (unsigned i = 0; i < a->included_count; i++)
		if (!strcmp(a->included[i].name, path))
			return &a->included[i];
	uint8_t *bytes = a->options->read(a->options->reader, path, true, &n, err);
	return bytes ? include_add(a, alloc_text(path), bytes, n, err) : NULL;
}

/* The file that source `from` includes by this name; NULL with *err. */
static struct included *include_find(struct assembler *a, unsigned from, const char *name,
                                     struct err *err)
{
	char beside[PATH_MAX];
	struct err other;
	include_beside(asm_source_name(a, from), name, beside, sizeof beside);
	struct included *found = include_read(a, beside, err);
	return found || !strcmp(beside, name) ? found : include_read(a, name, &other);
}

void include_look_ahead(struct assembler *a)
{
	struct err unused; /* reported where the directive is executed */
	for (unsigned i = 0; a->options->read && i < a->source_count + a->included_count; i++) {
		const char *at = i < a->source_count ? a->texts[i]
		                                     : a->included[i - a->source_count].text;
		while ((at = strstr(at, ".include"))) {
			char name[INCLUDE_NAME_MAX];
			at += strlen(".include");
			if (include_read_name((struct span){at, strcspn(at, "\r\n;")}, name))
				include_find(a, i, name, &unused);
		}
	}
}

void include_free(struct assembler *a)
{
	for (unsigned i = 0; i < a->included_count; i++) {
		free(a->included[i].name);
		free(a->included[i].text);
	}
}

/* Assembles an included text in this place. */
static void include_assemble(struct assembler *a, struct included *from)
{
	const struct assembler before = *a;
	from->by = (uint8_t)a->main_source;
	a->source = a->source_count + (unsigned)(from - a->included);
	a->text = from->text;
	a->n = from->n;
	a->line = 1;
	a->line_start = a->text;
	a->frozen = 0;
	a->include_depth++;
	assemble_text(a, a->text, a->text + a->n);
	a->source = before.source;
	a->text = before.text;
	a->n = before.n;
	a->line = before.line;
	a->line_start = before.line_start;
	a->frozen = before.frozen;
	a->statement = before.statement;
	a->include_depth--;
	a->fault_at = NULL;
}

static bool include_execute(struct assembler *a, struct arguments *g)
{
	char name[INCLUDE_NAME_MAX];
	struct err err;
	if (!include_read_name(g->rest, name))
		return directive_usage(a, ".include \"FILE\"");
	if (!a->options->read)
		return asm_fault(a, a->statement.at,
		                 ".include is not allowed in a hand-in: only `cyclops asm` and "
		                 "`cyclops run` read files");
	if (a->include_depth == ASM_INCLUDE_DEPTH)
		return asm_fault(a, g->rest.at,
		                 "files include each other %d deep: %.80s includes itself",
		                 ASM_INCLUDE_DEPTH, name);
	struct included *from = include_find(a, a->source, name, &err);
	if (!from)
		return asm_fault(a, g->rest.at, "%s", err.msg);
	if (!from->whole)
		return asm_fault(a, g->rest.at,
		                 "%.80s is no text of assembly: it holds zeros, or a comment "
		                 "without an end",
		                 name);
	include_assemble(a, from);
	return true;
}

const struct directive include_directives[] = {
	{".include", include_execute, 0, false},
	{0},
};
