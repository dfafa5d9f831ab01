/* Places: branches become as long as they must be, sections follow each other by kind. */
#include "core/isa/encode.h"
#include "loader/asm/asm_priv.h"

enum { PAGE = 0x1000, PASSES_MAX = 100 };

static uint64_t up(uint64_t x, uint64_t align)
{
	return (x + align - 1) & ~(align - 1);
}

static void place(struct section *s)
{
	uint64_t at = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct piece *p = &s->pieces[i];
		p->at = at;
		if (p->kind == PIECE_ALIGN) {
			p->size = up(at, p->from) - at;
			if ((p->most && p->size > p->most) || (p->code && p->from <= (p->rvc ? 2 : 4)))
				p->size = 0;
		}
		at += p->size;
	}
	s->size = at;
}

static bool fits(int64_t v, unsigned bits)
{
	return v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1);
}

/* What a branch or jump needs, from where pieces are now. */
static uint64_t needed(const struct assembler *a, const struct section *s, const struct piece *p)
{
	const bool branch = inst_flags(&p->in) & OPF_BRANCH;
	const uint64_t most = branch ? (p->in.len == 2 ? 6 : 8) : 4;
	const struct symbol *to = &a->symbols[p->value.plus];
	if (!p->value.plus || p->value.minus || to->state != SYMBOL_PLACE ||
	    &a->sections[to->section] != s)
		return most;
	const uint64_t target = to->piece < s->count ? s->pieces[to->piece].at : s->size;
	const int64_t offset = (int64_t)(target + (uint64_t)p->value.add - p->at);
	if (p->in.len == 2 && fits(offset, branch ? 9 : 12))
		return 2;
	return !branch || fits(offset, 13) ? 4 : most;
}

static bool grow(const struct assembler *a, struct section *s, bool all)
{
	bool grown = false;
	for (size_t i = 0; i < s->count; i++) {
		struct piece *p = &s->pieces[i];
		if (p->kind != PIECE_NEAR)
			continue;
		const uint64_t most = inst_flags(&p->in) & OPF_BRANCH ? 8 : 4;
		const uint64_t size = all ? most : needed(a, s, p);
		if (size > p->size) {
			p->size = size;
			grown = true;
		}
	}
	return grown;
}

void layout(struct assembler *a)
{
	for (uint32_t i = 0; i < a->section_count; i++) {
		struct section *s = &a->sections[i];
		unsigned pass = 0;
		do {
			place(s);
		} while (s->kind == SECTION_TEXT && grow(a, s, pass++ > PASSES_MAX));
	}
	uint64_t at = ASM_TEXT_BASE;
	for (unsigned kind = 0; kind < SECTION_KINDS; kind++) {
		if (kind != SECTION_BSS)
			at = up(at, PAGE);
		for (uint32_t i = 0; i < a->section_count; i++) {
			struct section *s = &a->sections[i];
			if (s->kind != kind)
				continue;
			s->addr = at = up(at, s->align);
			at += s->size;
		}
	}
}
