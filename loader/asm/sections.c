/* Sections, their directives, and adding pieces to them. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/asm/directives.h"

struct section *section_now(struct assembler *a)
{
	return &a->sections[a->section];
}

static int sections_kind_by_name(const char *name, size_t n)
{
	static const struct {
		const char *name;
		enum section_kind kind;
	} known[] = {
		{".text", SECTION_TEXT},     {".init", SECTION_TEXT},      {".fini", SECTION_TEXT},
		{".rodata", SECTION_RODATA}, {".srodata", SECTION_RODATA}, {".data", SECTION_DATA},
		{".sdata", SECTION_DATA},    {".bss", SECTION_BSS},        {".sbss", SECTION_BSS},
		{"COMMON", SECTION_BSS},     {".tdata", SECTION_TDATA},    {".tbss", SECTION_TBSS},
		{".got", SECTION_DATA},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const size_t m = strlen(known[i].name);
		if (n >= m && !memcmp(name, known[i].name, m) && (n == m || name[m] == '.'))
			return (int)known[i].kind;
	}
	return SECTION_DROPPED;
}

bool section_enter(struct assembler *a, const char *name, size_t n, int kind)
{
	const uint32_t before = a->section;
	for (uint32_t i = 0; i < a->section_count; i++) {
		if (strlen(a->sections[i].name) == n && !memcmp(a->sections[i].name, name, n)) {
			a->section = i;
			a->section_before = before;
			return true;
		}
	}
	if (a->section_count == ASM_SECTIONS_MAX)
		return asm_fault(a, name, "too many sections; at most %d", ASM_SECTIONS_MAX);
	char *copy = alloc_text_n(name, n);
	if (!copy)
		return asm_out_of_memory(a);
	if (kind < 0)
		kind = sections_kind_by_name(name, n);
	a->sections[a->section_count] = (struct section){
		.name = copy,
		.kind = (uint8_t)kind,
		.align = kind == SECTION_TEXT ? (a->rvc ? 2 : 4) : 1,
	};
	a->section_before = before;
	a->section = a->section_count++;
	return true;
}

struct piece *piece_add(struct assembler *a, enum piece_kind kind, uint64_t size)
{
	struct section *s = section_now(a);
	if (size > ASM_BYTES_MAX || (a->bytes += size) > ASM_BYTES_MAX) {
		a->stop = true;
		asm_fault(a, a->statement.at, "the program is larger than %d MB, which is the most",
		          ASM_BYTES_MAX >> 20);
		return NULL;
	}
	struct piece *pieces = alloc_grow(s->pieces, s->count, &s->cap, sizeof *pieces, 64);
	if (!pieces) {
		asm_out_of_memory(a);
		return NULL;
	}
	s->pieces = pieces;
	struct piece *p = &s->pieces[s->count++];
	*p = (struct piece){.size = size,
	                    .kind = (uint8_t)kind,
	                    .line = a->line,
	                    .source = (uint8_t)a->source,
	                    .column = asm_column(a, a->statement.at),
	                    .rvc = a->rvc};
	if (kind == PIECE_NEAR || kind == PIECE_ALIGN || kind == PIECE_ORG || kind == PIECE_LEB)
		s->variable++;
	else
		s->fixed += size;
	return p;
}

bool piece_bytes(struct assembler *a, const void *bytes, size_t n)
{
	struct section *s = section_now(a);
	if (!n)
		return true;
	if (s->kind == SECTION_BSS || s->kind == SECTION_TBSS) {
		const uint8_t *b = bytes;
		for (size_t i = 0; i < n; i++)
			if (b[i])
				return asm_fault(a, a->statement.at,
				                 "%s holds zeros only; expected .data before this",
				                 s->name);
		return piece_add(a, PIECE_SPACE, n) != NULL;
	}
	if (s->byte_count + n > s->byte_cap) {
		size_t cap = s->byte_cap ? 2 * s->byte_cap : 256;
		while (cap < s->byte_count + n)
			cap *= 2;
		uint8_t *room = alloc_resize(s->bytes, cap);
		if (!room)
			return asm_out_of_memory(a);
		s->bytes = room;
		s->byte_cap = cap;
	}
	const size_t from = s->byte_count;
	struct piece *p = piece_add(a, PIECE_BYTES, n);
	if (!p)
		return false;
	p->from = from;
	memcpy(s->bytes + from, bytes, n);
	s->byte_count += n;
	return true;
}

/* ---- directives ---- */
static bool section_enter_named(struct assembler *a, struct arguments *g)
{
	static const char *const names[] = {".text", ".data", ".bss", ".rodata"};
	return section_enter(a, names[g->with], strlen(names[g->with]), -1);
}

static bool section_enter_any(struct assembler *a, struct arguments *g)
{
	if (!directive_split(a, g))
		return false;
	if (!g->count || !g->o[0].n)
		return directive_usage(a, ".section NAME[,\"FLAGS\"[,@progbits]]; flags a, w, x");
	struct span name = g->o[0], flags = g->count > 1 ? g->o[1] : (struct span){"", 0};
	if (*name.at == '"' && name.n > 2)
		name = (struct span){name.at + 1, name.n - 2};
	int kind = -1;
	if (flags.n && *flags.at == '"') {
		const bool bits = g->count < 3 || !span_is(g->o[2], "@nobits");
		kind = memchr(flags.at, 'x', flags.n)    ? SECTION_TEXT
		       : !memchr(flags.at, 'a', flags.n) ? SECTION_DROPPED
		       : memchr(flags.at, 'T', flags.n)  ? (bits ? SECTION_TDATA : SECTION_TBSS)
		       : !memchr(flags.at, 'w', flags.n) ? SECTION_RODATA
		       : bits                            ? SECTION_DATA
		                                         : SECTION_BSS;
	}
	return section_enter(a, name.at, name.n, kind);
}

static bool section_push(struct assembler *a, struct arguments *g)
{
	const uint32_t section = a->section, before = a->section_before;
	if (a->pushed_depth == ASM_OPTIONS_DEPTH)
		return asm_fault(a, a->statement.at, "at most %d sections are kept",
		                 ASM_OPTIONS_DEPTH);
	if (!section_enter_any(a, g))
		return false;
	a->pushed[a->pushed_depth].section = section;
	a->pushed[a->pushed_depth++].before = before;
	return true;
}

static bool section_pop(struct assembler *a, struct arguments *g)
{
	(void)g;
	if (!a->pushed_depth)
		return asm_fault(a, a->statement.at, ".popsection without .pushsection");
	a->section = a->pushed[--a->pushed_depth].section;
	a->section_before = a->pushed[a->pushed_depth].before;
	return true;
}

static bool section_swap(struct assembler *a, struct arguments *g)
{
	(void)g;
	const uint32_t before = a->section;
	a->section = a->section_before;
	a->section_before = before;
	return true;
}

const struct directive section_directives[] = {
	{".text", section_enter_named, 0, false},
	{".data", section_enter_named, 1, false},
	{".bss", section_enter_named, 2, false},
	{".rodata", section_enter_named, 3, false},
	{".section", section_enter_any, 0, false},
	{".sect", section_enter_any, 0, false},
	{".previous", section_swap, 0, false},
	{".pushsection", section_push, 0, false},
	{".popsection", section_pop, 0, false},
	{0},
};
