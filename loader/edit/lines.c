/* Splits steps of line tables that outgrew their fields. The assembler advances addresses by 16
 * bits (DW_LNS_fixed_advance_pc), too few for a line with more than 64 KB of inserted code: such a
 * step becomes several, and references to places after it are updated. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/edit_priv.h"

enum { STEP_BYTES = 3, STEP_MOST = 65535 };

/* A split step: bytes inserted before it. */
struct growth {
	uint64_t at; /* offset of its opcode in the original section */
	uint64_t more;
	uint16_t rest;
};

struct growths {
	struct growth *all; /* [count], owned, by place */
	size_t count;
};

static uint64_t moved_value(const struct edit *e, const struct edit_reloc *r)
{
	return r->moves ? edit_new_end(e, r->value) : r->value;
}

/* Finds the steps that outgrew their fields. */
static bool edit_lines_find_outgrown_steps(const struct edit *e, uint32_t section,
                                           struct growths *g, struct err *err)
{
	const struct edit_section *s = &e->sections[section];
	size_t i, end;
	edit_relocs_of(e, section, &i, &end);
	g->all = alloc_bytes((end - i + 1) * sizeof *g->all);
	if (!g->all)
		return err_set(err, "out of memory for line tables");
	for (; i + 1 < end; i++) {
		const struct edit_reloc *r = &e->relocs[i], *next = r + 1;
		const bool subtracted = r->type == R_RISCV_SUB16;
		const uint64_t at = r->at - s->head.sh_addr;
		if (r->at != next->at || !at ||
		    (subtracted ? next->type != R_RISCV_ADD16
		                : r->type != R_RISCV_ADD16 || next->type != R_RISCV_SUB16))
			continue;
		const uint64_t step = moved_value(e, subtracted ? next : r) -
		                      moved_value(e, subtracted ? r : next);
		if (step <= STEP_MOST || step >> 32 || s->bytes[at - 1] != DW_LNS_fixed_advance_pc)
			continue;
		g->all[g->count++] =
			(struct growth){at - 1, step / STEP_MOST, (uint16_t)(step % STEP_MOST)};
	}
	return true;
}

/* Bytes inserted before a place. */
static uint64_t grown_before(const struct growths *g, uint64_t at)
{
	uint64_t n = 0;
	for (size_t i = 0; i < g->count && g->all[i].at < at; i++)
		n += STEP_BYTES * g->all[i].more;
	return n;
}

/* Updates each unit's length, at its beginning. */
static void lengthen_units(struct edit_section *s, const struct growths *g)
{
	for (uint64_t at = 0; at + 12 <= s->head.sh_size;) {
		uint32_t narrow;
		uint64_t length;
		memcpy(&narrow, s->bytes + at, sizeof narrow);
		memcpy(&length, s->bytes + at + 4, sizeof length);
		const bool wide = narrow == UINT32_MAX;
		const uint64_t begin = at + (wide ? 12 : 4);
		if (!wide)
			length = narrow;
		if (length > s->head.sh_size - begin)
			return;
		const uint64_t now = length + grown_before(g, begin + length) - grown_before(g, at);
		memcpy(s->bytes + begin - (wide ? 8 : 4), &now, wide ? 8 : 4);
		at = begin + length;
	}
}

static bool edit_lines_rewrite_section(struct edit_section *s, const struct growths *g,
                                       struct err *err)
{
	static const uint8_t step[STEP_BYTES] = {DW_LNS_fixed_advance_pc, STEP_MOST & 0xff,
	                                         STEP_MOST >> 8};
	const uint64_t size = s->head.sh_size + grown_before(g, s->head.sh_size);
	uint8_t *bytes = alloc_bytes(size), *to = bytes;
	uint64_t from = 0;
	if (!bytes)
		return err_set(err, "out of memory for line tables");
	lengthen_units(s, g);
	for (size_t i = 0; i < g->count; i++) {
		const struct growth *at = &g->all[i];
		memcpy(s->bytes + at->at + 1, &at->rest, sizeof at->rest);
		memcpy(to, s->bytes + from, at->at - from);
		to += at->at - from;
		from = at->at;
		for (uint64_t k = 0; k < at->more; k++, to += STEP_BYTES)
			memcpy(to, step, sizeof step);
	}
	memcpy(to, s->bytes + from, s->head.sh_size - from);
	free(s->bytes);
	s->bytes = bytes;
	s->head.sh_size = size;
	return true;
}

/* Updates units' references to their line tables. */
static void edit_lines_update_references(struct edit *e, uint32_t section, const struct growths *g)
{
	for (size_t i = 0; i < e->reloc_count; i++) {
		const struct edit_reloc *r = &e->relocs[i];
		struct edit_section *s = &e->sections[r->section];
		const uint64_t offset = r->at - s->head.sh_addr;
		const unsigned bytes = r->type == R_RISCV_32 ? 4 : r->type == R_RISCV_64 ? 8 : 0;
		if (r->of != section || r->section == section || !bytes || !s->bytes ||
		    bytes > s->head.sh_size - offset)
			continue;
		const uint64_t now = r->value + grown_before(g, r->value);
		memcpy(s->bytes + offset, &now, bytes);
	}
}

bool edit_lines(struct edit *e, struct err *err)
{
	bool ok = true;
	for (uint32_t i = 1; ok && i < e->section_count; i++) {
		struct growths g = {0};
		if (strcmp(e->sections[i].name, ".debug_line") != 0 || !e->sections[i].bytes)
			continue;
		ok = edit_lines_find_outgrown_steps(e, i, &g, err);
		if (ok && g.count && (ok = edit_lines_rewrite_section(&e->sections[i], &g, err)))
			edit_lines_update_references(e, i, &g);
		free(g.all);
	}
	return ok;
}
