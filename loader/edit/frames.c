/* Writes unwind tables anew: .eh_frame, which the running program reads, and .debug_frame. Their rows advance by distances in code that
 * have grown, maybe out of their fields. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loader/edit/edit_priv.h"

struct buffer {
	uint8_t *bytes; /* [n], owned */
	size_t n, room;
	bool failed;    /* out of memory */
};

static void put(struct buffer *b, const void *bytes, size_t n)
{
	if (n > b->room - b->n) {
		size_t room = 2 * (b->room + n);
		uint8_t *more = realloc(b->bytes, room);
		if (!more) {
			b->failed = true;
			return;
		}
		b->bytes = more;
		b->room = room;
	}
	memcpy(b->bytes + b->n, bytes, n);
	b->n += n;
}

/* A number of n bytes, lowest first. */
static void put_number(struct buffer *b, uint64_t value, unsigned n)
{
	put(b, &value, n);
}

/* One table, read from `at` on. */
struct table {
	const struct edit *e;
	const uint8_t *bytes; /* [n] */
	size_t n, at;
	bool eh;              /* .eh_frame, else .debug_frame */
	uint64_t addr, new_addr; /* of its first byte; .debug_frame: 0 */
	bool damaged;
	struct buffer out;
	struct edit_entry *entries; /* [entry_count], owned */
	size_t entry_count, entry_room;
};

static uint64_t get_number(struct table *t, unsigned n)
{
	uint64_t value = 0;
	if (n > t->n - t->at) {
		t->damaged = true;
		t->at = t->n;
		return 0;
	}
	memcpy(&value, t->bytes + t->at, n);
	t->at += n;
	return value;
}

/* Over an LEB128 number; its value as far as it is unsigned. */
static uint64_t get_leb(struct table *t)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = get_number(t, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80) || t->damaged)
			return value;
	}
}

/* ---- common information ---- */
/* What of a CIE its FDEs need. */
struct cie {
	size_t at, new_at; /* offsets in the tables */
	uint64_t code_factor;
	uint8_t pointers;  /* DW_EH_PE_* of an FDE's addresses */
	uint8_t lsda;      /* of its language-specific data's; DW_EH_PE_omit: none */
	bool augmented;
};

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

/* Sign-extended if it is relative. */
static uint64_t get_pointer(struct table *t, uint8_t encoding, uint64_t field)
{
	const unsigned n = pointer_bytes(encoding);
	uint64_t value = get_number(t, n);
	if ((encoding & 0x70) != DW_EH_PE_pcrel)
		return value;
	if (n < 8 && value >> (8 * n - 1))
		value |= ~UINT64_C(0) << (8 * n);
	return value + field;
}

/* What a pointer names has moved, and maybe the pointer itself. */
static void move_pointer(struct table *t, uint8_t encoding)
{
	const uint64_t field = t->addr + t->at, new_field = t->new_addr + t->out.n;
	uint64_t value = get_pointer(t, encoding, field);
	if (value != 0 && value != field) /* neither is no pointer at all */
		value = edit_new_address(t->e, value);
	else if (value == field)
		value = new_field;
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		value -= new_field;
	put_number(&t->out, value, pointer_bytes(encoding));
}

/* Copies the bytes from `from` to where the table is read now. */
static void copy_from(struct table *t, size_t from)
{
	put(&t->out, t->bytes + from, t->at - from);
}

static void read_augmentation(struct table *t, const char *letters, struct cie *c)
{
	for (; *letters && !t->damaged; letters++) {
		size_t from = t->at;
		uint8_t encoding;
		switch (*letters) {
		case 'L':
			c->lsda = (uint8_t)get_number(t, 1);
			copy_from(t, from);
			break;
		case 'R':
			c->pointers = (uint8_t)get_number(t, 1);
			copy_from(t, from);
			break;
		case 'P':
			encoding = (uint8_t)get_number(t, 1);
			copy_from(t, from);
			move_pointer(t, encoding);
			break;
		case 'S': case 'B':
			break;
		default:
			t->damaged = true;
		}
	}
}

/* From behind its id to `end`. */
static void write_cie(struct table *t, size_t end, struct cie *c)
{
	size_t from = t->at;
	uint64_t version = get_number(t, 1);
	const char *letters = (const char *)t->bytes + t->at;
	while (!t->damaged && get_number(t, 1))
		;
	if (!t->eh && version >= 4)
		get_number(t, 2); /* sizes of addresses and segments */
	c->code_factor = get_leb(t);
	get_leb(t);
	if (version == 1)
		get_number(t, 1);
	else
		get_leb(t);
	c->augmented = !t->damaged && letters[0] == 'z';
	if (c->augmented)
		get_leb(t);
	copy_from(t, from);
	if (c->augmented)
		read_augmentation(t, letters + 1, c);
	from = t->at;
	t->at = end;
	copy_from(t, from);
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
		struct cie *more = realloc(all->all, room * sizeof *more);
		if (!more)
			return NULL;
		all->all = more;
		all->room = room;
	}
	return &all->all[all->count++];
}

/* ---- rows ---- */
static void put_advance(struct buffer *b, uint64_t delta)
{
	if (delta < 64) {
		put_number(b, DW_CFA_advance_loc | delta, 1);
	} else {
		unsigned n = delta < 256 ? 1 : delta < 65536 ? 2 : 4;
		put_number(b, n == 1 ? DW_CFA_advance_loc1 : n == 2 ? DW_CFA_advance_loc2 : DW_CFA_advance_loc4, 1);
		put_number(b, delta, n);
	}
}

/* Over the operands of a call frame instruction that says nothing about places. */
static void skip_operands(struct table *t, unsigned op)
{
	unsigned lebs = 0;
	bool block = false;
	switch (op) {
	case DW_CFA_nop: case DW_CFA_remember_state: case DW_CFA_restore_state: case DW_CFA_GNU_window_save:
		break;
	case DW_CFA_restore_extended: case DW_CFA_undefined: case DW_CFA_same_value: case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset: case DW_CFA_def_cfa_offset_sf: case DW_CFA_GNU_args_size:
		lebs = 1;
		break;
	case DW_CFA_offset_extended: case DW_CFA_register: case DW_CFA_def_cfa: case DW_CFA_offset_extended_sf:
	case DW_CFA_def_cfa_sf: case DW_CFA_val_offset: case DW_CFA_val_offset_sf:
		lebs = 2;
		break;
	case DW_CFA_def_cfa_expression:
		block = true;
		break;
	case DW_CFA_expression: case DW_CFA_val_expression:
		lebs = 1;
		block = true;
		break;
	default:
		if ((op & 0xc0) == DW_CFA_offset)
			lebs = 1;
		else if ((op & 0xc0) != DW_CFA_restore)
			t->damaged = true;
	}
	for (unsigned i = 0; i < lebs; i++)
		get_leb(t);
	if (block) {
		uint64_t n = get_leb(t);
		if (n > t->n - t->at)
			t->damaged = true;
		else
			t->at += n;
	}
}

static void write_rows(struct table *t, size_t end, const struct cie *c, uint64_t pc)
{
	const uint64_t factor = c->code_factor ? c->code_factor : 1;
	while (t->at < end && !t->damaged) {
		const size_t from = t->at;
		const unsigned op = (unsigned)get_number(t, 1);
		uint64_t delta;
		if ((op & 0xc0) == DW_CFA_advance_loc)
			delta = op & 0x3f;
		else if (op >= DW_CFA_advance_loc1 && op <= DW_CFA_advance_loc4)
			delta = get_number(t, 1u << (op - DW_CFA_advance_loc1));
		else {
			skip_operands(t, op);
			copy_from(t, from);
			continue;
		}
		const uint64_t next = pc + delta * factor;
		put_advance(&t->out, (edit_new_end(t->e, next) - edit_new_address(t->e, pc)) / factor);
		pc = next;
	}
}

/* From behind its pointer to the CIE to `end`. */
static void write_fde(struct table *t, size_t end, const struct cie *c)
{
	const unsigned n = pointer_bytes(c->pointers);
	size_t at = t->at;
	const uint64_t pc = get_pointer(t, c->pointers, t->addr + at);
	t->at = at;
	move_pointer(t, c->pointers);
	const uint64_t bytes = get_number(t, n);
	put_number(&t->out, edit_new_end(t->e, pc + bytes) - edit_new_address(t->e, pc), n);
	if (c->augmented) {
		at = t->at;
		uint64_t size = get_leb(t);
		size_t behind = t->at + size;
		copy_from(t, at);
		if (c->lsda != DW_EH_PE_omit && size)
			move_pointer(t, c->lsda);
		at = t->at;
		if (behind < at || behind > end) {
			t->damaged = true;
			return;
		}
		t->at = behind;
		copy_from(t, at);
	}
	write_rows(t, end, c, pc);
}

/* One entry, whose length stands at t->at. */
static bool write_entry(struct table *t, struct cies *cies)
{
	const size_t start = t->at, new_start = t->out.n;
	const uint64_t length = get_number(t, 4);
	put_number(&t->out, 0, 4);
	if (!length)
		return true; /* the end, or where one object's part ends */
	const size_t body = t->at, end = body + length;
	if (length >= 0xfffffff0 || length < 4 || end > t->n)
		return false;
	const uint64_t id = get_number(t, 4);
	if (id == (t->eh ? 0u : 0xffffffffu)) {
		struct cie *c = add_cie(cies);
		if (!c)
			return false;
		*c = (struct cie){.at = start, .new_at = new_start, .lsda = DW_EH_PE_omit};
		put_number(&t->out, id, 4);
		write_cie(t, end, c);
	} else {
		const struct cie *c = find_cie(cies, t->eh ? body - id : id);
		if (!c)
			return false;
		put_number(&t->out, t->eh ? t->out.n - c->new_at : c->new_at, 4);
		write_fde(t, end, c);
	}
	while (t->out.n % 4 && !t->out.failed)
		put_number(&t->out, DW_CFA_nop, 1);
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
		struct edit_entry *more = realloc(t->entries, room * sizeof *more);
		if (!more)
			return false;
		t->entries = more;
		t->entry_room = room;
	}
	t->entries[t->entry_count++] = (struct edit_entry){(uint32_t)t->at, (uint32_t)t->out.n};
	return true;
}

uint64_t edit_new_frame(const struct edit *e, uint32_t old)
{
	size_t lo = 0, hi = e->entry_count;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (e->entries[mid].old <= old)
			lo = mid;
		else
			hi = mid;
	}
	return e->frames + (e->entry_count ? e->entries[lo].now + (old - e->entries[lo].old) : 0);
}

static bool write_table(struct edit *e, const struct edit_section *s, bool eh, unsigned which, struct err *err)
{
	struct table t = {.e = e, .bytes = s->bytes, .n = s->head.sh_size, .eh = eh, .addr = eh ? s->head.sh_addr : 0, .new_addr = eh ? e->frames : 0};
	struct cies cies = {0};
	bool ok = true;
	while (ok && t.at < t.n)
		ok = note_entry(&t) && write_entry(&t, &cies);
	free(cies.all);
	if (eh) {
		e->entries = t.entries;
		e->entry_count = t.entry_count;
	} else {
		free(t.entries);
	}
	if (!ok || !t.out.bytes) {
		free(t.out.bytes);
		return err_set(err, "%s: %s can't be followed behind byte %zu", e->p->path, s->name, t.at);
	}
	e->frame_bytes[which] = t.out.bytes;
	e->frame_size[which] = t.out.n;
	return true;
}

bool edit_frames(struct edit *e, struct err *err)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		const bool eh = !strcmp(s->name, ".eh_frame");
		if (!s->bytes || (!eh && strcmp(s->name, ".debug_frame") != 0))
			continue;
		if (eh)
			e->frames = (e->text_end + 7) & ~UINT64_C(7);
		if (!write_table(e, s, eh, eh ? 0 : 1, err))
			return false;
	}
	return true;
}
