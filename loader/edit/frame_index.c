/* Rewrites .eh_frame_hdr: a table of functions and their entries in .eh_frame, by rising address,
 * which unwinders search. It keeps its place and size. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/edit_priv.h"

enum {
	HEAD_BYTES = 12,
	ROW_BYTES = 8,
	VERSION = 1,
	RELATIVE = DW_EH_PE_pcrel | DW_EH_PE_sdata4,
	TABLE = DW_EH_PE_datarel | DW_EH_PE_sdata4
};

struct index_row {
	int32_t pc, entry; /* distances from the section */
};

static int frame_index_compare_by_pc(const void *a, const void *b)
{
	const struct index_row *x = a, *y = b;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void frame_index_write_word(uint8_t *at, uint64_t value)
{
	const uint32_t word = (uint32_t)value;
	memcpy(at, &word, sizeof word);
}

static bool frame_index_write_rows(const struct edit *e, struct edit_section *s, uint32_t count,
                                   struct err *err)
{
	struct index_row *rows = alloc_bytes(((size_t)count + 1) * sizeof *rows);
	uint32_t n = 0;
	if (!rows)
		return err_set(err, "out of memory for the unwind table of %s", e->p->path);
	for (size_t i = 0; i < e->entry_count && n <= count; i++) {
		const struct edit_entry *entry = &e->entries[i];
		if (!entry->is_fde)
			continue;
		if (n < count)
			rows[n] = (struct index_row){
				(int32_t)(entry->pc - s->head.sh_addr),
				(int32_t)(e->frames + entry->now - s->head.sh_addr)};
		n++;
	}
	qsort(rows, n < count ? n : count, sizeof *rows, frame_index_compare_by_pc);
	if (n == count)
		memcpy(s->bytes + HEAD_BYTES, rows, n * sizeof *rows);
	free(rows);
	return n == count || err_set(err, "%s: .eh_frame_hdr has %u entries, .eh_frame %s",
	                             e->p->path, count, n < count ? "fewer" : "more");
}

bool edit_index_frames(struct edit *e, struct err *err)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		struct edit_section *s = &e->sections[i];
		uint32_t count;
		if (strcmp(s->name, ".eh_frame_hdr") != 0 || !s->bytes || !e->frames)
			continue;
		/* Version, and the encodings of .eh_frame's address, the number of rows and the
		 * rows: as linkers use. */
		const uint8_t *b = s->bytes;
		if (s->head.sh_size < 8 || b[0] != VERSION || b[1] != RELATIVE ||
		    (b[2] != DW_EH_PE_udata4 && b[2] != DW_EH_PE_omit))
			return err_set(err,
			               "%s: .eh_frame_hdr is not of a kind that the editor knows",
			               e->p->path);
		frame_index_write_word(s->bytes + 4, e->frames - (s->head.sh_addr + 4));
		if (b[2] == DW_EH_PE_omit || b[3] == DW_EH_PE_omit)
			continue; /* no table */
		if (s->head.sh_size >= HEAD_BYTES)
			memcpy(&count, s->bytes + 8, sizeof count);
		if (s->head.sh_size < HEAD_BYTES || b[3] != TABLE ||
		    count > (s->head.sh_size - HEAD_BYTES) / ROW_BYTES)
			return err_set(err,
			               "%s: .eh_frame_hdr is not of a kind that the editor knows",
			               e->p->path);
		if (!frame_index_write_rows(e, s, count, err))
			return false;
	}
	return true;
}
