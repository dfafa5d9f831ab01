/* Gives pieces addresses: branches get their sizes, sections follow each other by kind. */
#include <inttypes.h>

#include "core/isa/encode.h"
#include "loader/asm/asm_priv.h"

enum { PAGE = 0x1000, PASSES_MAX = 100 };

static uint64_t asm_layout_align_up(uint64_t x, uint64_t align)
{
	return (x + align - 1) & ~(align - 1);
}

static bool asm_layout_is_padding(const struct piece *p)
{
	return p->kind == PIECE_ALIGN || p->kind == PIECE_ORG;
}

/* The padding that an alignment or .org needs at a place. */
static uint64_t asm_layout_padding_at(const struct piece *p, uint64_t at)
{
	if (p->kind == PIECE_ORG)
		return p->from > at ? p->from - at : 0;
	const uint64_t n = asm_layout_align_up(at, p->from) - at;
	return (p->most && n > p->most) || (p->code && p->from <= (p->rvc ? 2 : 4)) ? 0 : n;
}

static void asm_layout_place_pieces(struct section *s)
{
	uint64_t at = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct piece *p = &s->pieces[i];
		p->at = at;
		if (asm_layout_is_padding(p))
			p->size = asm_layout_padding_at(p, at);
		at += p->size;
	}
	s->size = at;
}

static bool asm_layout_fits_signed_bits(int64_t v, unsigned bits)
{
	return v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1);
}

/* The size that a branch or jump needs with the pieces where they are now. */
static uint64_t asm_layout_branch_size(const struct assembler *a, const struct section *s,
                                       const struct piece *p)
{
	const bool branch = inst_flags(&p->in) & OPF_BRANCH;
	const uint64_t most = branch ? (p->in.len == 2 ? 6 : 8) : 4;
	const struct symbol *to = &a->symbols[p->value.plus];
	if (!p->value.plus || p->value.minus || to->state != SYMBOL_PLACE ||
	    &a->sections[to->section] != s)
		return most;
	const uint64_t target = to->piece < s->count ? s->pieces[to->piece].at : s->size;
	const int64_t offset = (int64_t)(target + (uint64_t)p->value.add - p->at);
	if (p->in.len == 2 && asm_layout_fits_signed_bits(offset, branch ? 9 : 12))
		return 2;
	return !branch || asm_layout_fits_signed_bits(offset, 13) ? 4 : most;
}

/* Finds sizes as GNU as does, because several solutions may be consistent: a branch that just
 * reaches when short does not when long. The first pass goes from the beginning and takes later
 * symbols as near address 0; each further pass uses the new places before a piece and, for those
 * after it, the places of the last pass. */
static void asm_layout_estimate_sizes(const struct assembler *a, struct section *s)
{
	uint64_t at = 0, since = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct piece *p = &s->pieces[i];
		const bool ends =
			p->kind == PIECE_NEAR || asm_layout_is_padding(p) || p->kind == PIECE_SPACE;
		p->at = since;
		since = ends ? 0 : since + p->size;
	}
	s->size = since;
	for (size_t i = 0; i < s->count; i++) {
		struct piece *p = &s->pieces[i];
		p->at = at;
		if (p->kind == PIECE_NEAR)
			p->size = asm_layout_branch_size(a, s, p);
		else if (asm_layout_is_padding(p))
			p->size = asm_layout_padding_at(p, at);
		at += p->size;
	}
	s->size = at;
}

/* Runs one pass; false if nothing has changed. */
static bool asm_layout_relax_once(const struct assembler *a, struct section *s)
{
	uint64_t stretch = 0;
	bool changed = false;
	for (size_t i = 0; i < s->count; i++) {
		struct piece *p = &s->pieces[i];
		p->at += stretch;
		if (p->kind != PIECE_NEAR && !asm_layout_is_padding(p))
			continue;
		const uint64_t size = p->kind == PIECE_NEAR ? asm_layout_branch_size(a, s, p)
		                                            : asm_layout_padding_at(p, p->at);
		stretch += size - p->size;
		changed |= size != p->size;
		p->size = size;
	}
	s->size += stretch;
	return changed;
}

/* Makes all branches as long as they can be if the passes do not converge. */
static void asm_layout_relax_section(const struct assembler *a, struct section *s)
{
	unsigned passes = 0;
	asm_layout_estimate_sizes(a, s);
	while (asm_layout_relax_once(a, s))
		if (++passes == PASSES_MAX) {
			for (size_t i = 0; i < s->count; i++)
				if (s->pieces[i].kind == PIECE_NEAR)
					s->pieces[i].size =
						inst_flags(&s->pieces[i].in) & OPF_BRANCH ? 8 : 4;
			asm_layout_place_pieces(s);
			return;
		}
}

unsigned leb_bytes(uint64_t v, bool is_signed, uint8_t *out)
{
	unsigned n = 0;
	for (bool last = false; !last; n++) {
		const uint8_t low = v & 0x7f;
		v = is_signed ? (uint64_t)((int64_t)v >> 7) : v >> 7;
		last = is_signed ? v == (low & 0x40 ? UINT64_MAX : 0) : v == 0;
		if (out)
			out[n] = low | (last ? 0 : 0x80);
	}
	return n;
}

/* Gives the section's LEB128 numbers their sizes, which only grow: they may count each other. Code
 * has its addresses already. */
static void asm_layout_size_numbers(struct assembler *a, struct section *s)
{
	bool changed = true;
	for (unsigned passes = 0; changed && passes < PASSES_MAX && !a->stop; passes++) {
		changed = false;
		for (size_t i = 0; i < s->count && !a->result->message_count; i++) {
			struct piece *p = &s->pieces[i];
			uint64_t v;
			if (p->kind != PIECE_LEB || !value_resolve(a, &p->value, p, &v))
				continue;
			const unsigned n = leb_bytes(v, p->fill, NULL);
			changed |= n > p->size;
			p->size = n > p->size ? n : p->size;
		}
		asm_layout_place_pieces(s);
	}
}

/* Reports each .org whose offset has passed. */
static void asm_layout_check_org(struct assembler *a, const struct section *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct piece *p = &s->pieces[i];
		a->source = p->source;
		if (p->kind == PIECE_ORG && p->at > p->from)
			asm_error(a, p->line, p->column,
			          "%" PRIu64 " has passed: the section has %" PRIu64 " bytes here",
			          p->from, p->at);
	}
}

void layout(struct assembler *a)
{
	for (uint32_t i = 0; i < a->section_count; i++) {
		asm_layout_relax_section(a, &a->sections[i]);
		asm_layout_check_org(a, &a->sections[i]);
	}
	const uint64_t data = abi_data_base(a->abi);
	uint64_t at = abi_text_base(a->abi);
	a->gap_at = UINT64_MAX;
	for (unsigned kind = 0; kind < SECTION_KINDS; kind++) {
		if (kind != SECTION_BSS && kind != SECTION_TBSS)
			at = asm_layout_align_up(at, PAGE);
		if (kind == SECTION_TDATA && data > at) {
			a->gap_at = data;
			a->gap_bytes = data - at;
			at = data;
		}
		if (kind == SECTION_TDATA)
			a->tls = at;
		for (uint32_t i = 0; i < a->section_count; i++) {
			struct section *s = &a->sections[i];
			if (s->kind != kind)
				continue;
			s->addr = at = asm_layout_align_up(at, s->align);
			if (s->variable)
				asm_layout_size_numbers(a, s);
			at += s->size;
		}
	}
}
