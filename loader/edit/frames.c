/* Rewrites unwind tables: .eh_frame, which the running program reads, and .debug_frame. Their rows
 * advance by code distances that have grown, perhaps beyond their fields. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/edit/edit_priv.h"
#include "loader/edit/frame_table.h"

/* ---- CIEs ---- */
struct cies {
	struct cie *all; /* [count], owned */
	size_t count, room;
};

static unsigned pointer_bytes(uint8_t encoding)
{
	switch (encoding & 7) {
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	default:
		return 8;
	}
}

/* Reads a pointer; a relative one is sign-extended. */
static uint64_t get_pointer(struct table *t, uint8_t encoding, uint64_t field)
{
	const unsigned n = pointer_bytes(encoding);
	uint64_t value = frame_number(t, n);
	if ((encoding & 0x70) != DW_EH_PE_pcrel)
		return value;
	if (n < 8 && value >> (8 * n - 1))
		value |= ~UINT64_C(0) << (8 * n);
	return value + field;
}

/* Rewrites a pointer whose target, and perhaps itself, has moved. */
static void move_pointer(struct table *t, uint8_t encoding)
{
	const uint64_t field = t->addr + t->at, new_field = t->new_addr + t->out.n;
	uint64_t value = get_pointer(t, encoding, field);
	if (value != 0 && value != field) /* both mean: no pointer */
		value = edit_new_address(t->e, value);
	else if (value == field)
		value = new_field;
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		value -= new_field;
	frame_put_number(&t->out, value, pointer_bytes(encoding));
}

static void edit_frames_copy_augmentation(struct table *t, const char *letters, struct cie *c)
{
	for (; *letters && !t->damaged; letters++) {
		size_t from = t->at;
		uint8_t encoding;
		switch (*letters) {
		case 'L':
			c->lsda = (uint8_t)frame_number(t, 1);
			frame_copy_from(t, from);
			break;
		case 'R':
			c->pointers = (uint8_t)frame_number(t, 1);
			frame_copy_from(t, from);
			break;
		case 'P':
			encoding = (uint8_t)frame_number(t, 1);
			frame_copy_from(t, from);
			move_pointer(t, encoding);
			break;
		case 'S': case 'B':
			break;
		default:
			t->damaged = true;
		}
	}
}

/* Rewrites a CIE, from after its id to `end`. */
static void write_cie(struct table *t, size_t end, struct cie *c)
{
	size_t from = t->at;
	uint64_t version = frame_number(t, 1);
	const char *letters = (const char *)t->bytes + t->at;
	while (!t->damaged && frame_number(t, 1))
		;
	if (!t->eh && version >= 4)
		frame_number(t, 2); /* sizes of addresses and segments */
	c->code_factor = frame_leb(t);
	frame_leb(t);
	if (version == 1)
		frame_number(t, 1);
	else
		frame_leb(t);
	c->augmented = !t->damaged && letters[0] == 'z';
	if (c->augmented)
		frame_leb(t);
	frame_copy_from(t, from);
	if (c->augmented)
		edit_frames_copy_augmentation(t, letters + 1, c);
	from = t->at;
	c->cfa = (struct frame_cfa){.at_sp = false};
	while (t->at < end && !t->damaged)
		frame_instruction(t, (unsigned)frame_number(t, 1), &c->cfa);
	t->at = end;
	frame_copy_from(t, from);
}

static const struct cie *find_cie(const struct cies *all, size_t at)
{
	for (size_t i = all->count; i-- > 0;)
		if (all->all[i].at == at)
			return &all->all[i];
	return NULL;
}

static struct cie *add_cie(struct cies *all)
{
	if (all->count == all->room) {
		size_t room = 2 * all->room + 8;
		struct cie *more = alloc_resize(all->all, room * sizeof *more);
		if (!more)
			return NULL;
		all->all = more;
		all->room = room;
	}
	return &all->all[all->count++];
}

/* Rewrites an FDE, from after its CIE pointer to `end`. */
static void write_fde(struct table *t, size_t end, const struct cie *c)
{
	const unsigned n = pointer_bytes(c->pointers);
	size_t at = t->at;
	const uint64_t pc = get_pointer(t, c->pointers, t->addr + at);
	t->at = at;
	move_pointer(t, c->pointers);
	t->entries[t->entry_count - 1].pc = edit_new_address(t->e, pc);
	t->entries[t->entry_count - 1].is_fde = true;
	const uint64_t bytes = frame_number(t, n);
	frame_put_number(&t->out, edit_new_end(t->e, pc + bytes) - edit_new_address(t->e, pc), n);
	if (c->augmented) {
		at = t->at;
		uint64_t size = frame_leb(t);
		size_t behind = t->at + size;
		frame_copy_from(t, at);
		if (c->lsda != DW_EH_PE_omit && size)
			move_pointer(t, c->lsda);
		at = t->at;
		if (behind < at || behind > end) {
			t->damaged = true;
			return;
		}
		t->at = behind;
		frame_copy_from(t, at);
	}
	frame_rows(t, end, c, pc, bytes);
}

/* Rewrites one entry, whose length is at t->at. */
static bool edit_frames_write_entry(struct table *t, struct cies *cies)
{
	const size_t start = t->at, new_start = t->out.n;
	const uint64_t length = frame_number(t, 4);
	frame_put_number(&t->out, 0, 4);
	if (!length)
		return true; /* the end, or the end of one object's part */
	const size_t body = t->at, end = body + length;
	if (length >= 0xfffffff0 || length < 4 || end > t->n)
		return false;
	const uint64_t id = frame_number(t, 4);
	if (id == (t->eh ? 0u : 0xffffffffu)) {
		struct cie *c = add_cie(cies);
		if (!c)
			return false;
		*c = (struct cie){.at = start, .new_at = new_start, .lsda = DW_EH_PE_omit};
		frame_put_number(&t->out, id, 4);
		write_cie(t, end, c);
	} else {
		const struct cie *c = find_cie(cies, t->eh ? body - id : id);
		if (!c)
			return false;
		frame_put_number(&t->out, t->eh ? t->out.n - c->new_at : c->new_at, 4);
		write_fde(t, end, c);
	}
	while (t->out.n % 4 && !t->out.failed)
		frame_put_number(&t->out, DW_CFA_nop, 1);
	if (!t->out.failed) {
		uint32_t now = (uint32_t)(t->out.n - new_start - 4);
		memcpy(t->out.bytes + new_start, &now, sizeof now);
	}
	t->at = end;
	return !t->damaged && !t->out.failed;
}

static bool note_entry(struct table *t)
{
	if (t->entry_count == t->entry_room) {
		size_t room = 2 * t->entry_room + 64;
		struct edit_entry *more = alloc_resize(t->entries, room * sizeof *more);
		if (!more)
			return false;
		t->entries = more;
		t->entry_room = room;
	}
	t->entries[t->entry_count++] =
		(struct edit_entry){.old = (uint32_t)t->at, .now = (uint32_t)t->out.n};
	return true;
}

static bool edit_frames_write_table(struct edit *e, const struct edit_section *s, bool eh,
                                    unsigned which, struct err *err)
{
	struct table t = {.e = e,
	                  .bytes = s->bytes,
	                  .n = s->head.sh_size,
	                  .eh = eh,
	                  .addr = eh ? s->head.sh_addr : 0,
	                  .new_addr = eh ? e->frames : 0};
	struct cies cies = {0};
	bool ok = true;
	while (ok && t.at < t.n)
		ok = note_entry(&t) && edit_frames_write_entry(&t, &cies);
	free(cies.all);
	if (eh) {
		e->entries = t.entries;
		e->entry_count = t.entry_count;
	} else {
		free(t.entries);
	}
	if (!ok || !t.out.bytes) {
		free(t.out.bytes);
		return err_set(err, "%s: %s can't be followed after byte %zu", e->p->path, s->name,
		               t.at);
	}
	e->frame_bytes[which] = t.out.bytes;
	e->frame_size[which] = t.out.n;
	return true;
}

/* ---- .eh_frame_hdr ---- */

/* A table of functions and their entries in .eh_frame, by rising address,
 * which unwinders search. It keeps its place and size. */

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
	sort_stable(rows, n < count ? n : count, sizeof *rows, frame_index_compare_by_pc);
	if (n == count)
		memcpy(s->bytes + HEAD_BYTES, rows, n * sizeof *rows);
	free(rows);
	return n == count || err_set(err, "%s: .eh_frame_hdr has %u entries, .eh_frame %s",
	                             e->p->path, count, n < count ? "fewer" : "more");
}

static bool edit_index_frames(struct edit *e, struct err *err)
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
			               "%s: .eh_frame_hdr has an unknown encoding",
			               e->p->path);
		frame_index_write_word(s->bytes + 4, e->frames - (s->head.sh_addr + 4));
		if (b[2] == DW_EH_PE_omit || b[3] == DW_EH_PE_omit)
			continue; /* no table */
		if (s->head.sh_size >= HEAD_BYTES)
			memcpy(&count, s->bytes + 8, sizeof count);
		if (s->head.sh_size < HEAD_BYTES || b[3] != TABLE ||
		    count > (s->head.sh_size - HEAD_BYTES) / ROW_BYTES)
			return err_set(err,
			               "%s: .eh_frame_hdr has an unknown encoding",
			               e->p->path);
		if (!frame_index_write_rows(e, s, count, err))
			return false;
	}
	return true;
}

bool edit_frames(struct edit *e, struct err *err)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		const bool eh = !strcmp(s->name, ".eh_frame");
		if (!s->bytes || (!eh && strcmp(s->name, ".debug_frame") != 0))
			continue;
		if (e->frame_bytes[eh ? 0 : 1])
			return err_set(err, "%s: damaged: it has two sections %s", e->p->path,
			               s->name);
		if (eh)
			e->frames = (e->text_end + 7) & ~UINT64_C(7);
		if (!edit_frames_write_table(e, s, eh, eh ? 0 : 1, err))
			return false;
	}
	return edit_index_frames(e, err);
}
