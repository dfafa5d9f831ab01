/* Landing pads: where an exception goes on in a function, by the tables that the unwinder reads.
 * Each function's entry in .eh_frame names its language-specific data, which lists regions of calls
 * and the pad of each. Their other numbers, starts and ends of regions, are no places where control
 * arrives. */
#include <dwarf.h>

#include "loader/edit/frame_table.h"

struct pads {
	struct edit *e;
	bool damaged;
};

/* A pointer in one of DWARF's encodings, at address `field` of the table; 0: none. */
static uint64_t landing_pads_pointer(struct table *t, uint8_t encoding)
{
	const uint64_t field = t->addr + t->at;
	uint64_t value;
	switch (encoding & 0xf) {
	case DW_EH_PE_absptr: case DW_EH_PE_udata8: case DW_EH_PE_sdata8:
		value = frame_number(t, 8);
		break;
	case DW_EH_PE_uleb128:
		value = frame_leb(t);
		break;
	case DW_EH_PE_udata4:
		value = frame_number(t, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int64_t)(int32_t)frame_number(t, 4);
		break;
	case DW_EH_PE_udata2:
		value = frame_number(t, 2);
		break;
	default:
		t->damaged = true;
		return 0;
	}
	if ((encoding & 0x70) != DW_EH_PE_pcrel && (encoding & 0x70) != 0)
		t->damaged = true;
	return value && (encoding & 0x70) == DW_EH_PE_pcrel ? value + field : value;
}

static bool landing_pads_open(const struct edit *e, uint64_t addr, struct table *out)
{
	for (uint32_t s = 1; s < e->section_count; s++) {
		const struct edit_section *section = &e->sections[s];
		const Elf64_Shdr *head = &section->head;
		if (!(head->sh_flags & SHF_ALLOC) || !section->bytes || addr < head->sh_addr ||
		    addr - head->sh_addr >= head->sh_size)
			continue;
		*out = (struct table){.e = e,
		                      .bytes = section->bytes,
		                      .n = head->sh_size,
		                      .at = addr - head->sh_addr,
		                      .addr = head->sh_addr};
		return true;
	}
	return false;
}

static void landing_pads_mark(struct pads *p, uint64_t addr)
{
	const uint32_t i = edit_inst_at(p->e, addr);
	if (i == EDIT_NONE || (p->e->insts[i].flags & EDIT_DATA))
		p->damaged = true;
	else
		p->e->insts[i].flags |= EDIT_TARGET | EDIT_PAD;
}

/* The language-specific data at addr, of the function at pc. */
static void landing_pads_read_regions(struct pads *p, uint64_t addr, uint64_t pc)
{
	struct table t;
	if (!landing_pads_open(p->e, addr, &t)) {
		p->damaged = true;
		return;
	}
	const uint8_t from = (uint8_t)frame_number(&t, 1);
	const uint64_t start = from == DW_EH_PE_omit ? pc : landing_pads_pointer(&t, from);
	if (frame_number(&t, 1) != DW_EH_PE_omit)
		frame_leb(&t); /* where types are */
	const uint8_t encoding = (uint8_t)frame_number(&t, 1);
	const uint64_t bytes = frame_leb(&t);
	const size_t end = t.at + bytes;
	if (bytes > t.n - t.at)
		t.damaged = true;
	while (t.at < end && !t.damaged) {
		landing_pads_pointer(&t, encoding); /* the region's start and length */
		landing_pads_pointer(&t, encoding);
		const uint64_t pad = landing_pads_pointer(&t, encoding);
		frame_leb(&t); /* what is done there */
		if (pad && !t.damaged)
			landing_pads_mark(p, start + pad);
	}
	p->damaged |= t.damaged;
}

/* The encodings of a CIE at `at` in the table; lsda DW_EH_PE_omit: none. */
static struct cie landing_pads_read_cie(const struct table *table, size_t at)
{
	struct table t = *table;
	struct cie c = {.lsda = DW_EH_PE_omit};
	t.at = at + 8; /* length and id */
	const uint64_t version = frame_number(&t, 1);
	const char *letters = (const char *)t.bytes + t.at;
	while (!t.damaged && frame_number(&t, 1))
		;
	frame_leb(&t);
	frame_leb(&t);
	if (version == 1)
		frame_number(&t, 1);
	else
		frame_leb(&t);
	if (t.damaged || *letters != 'z')
		return c;
	c.augmented = true;
	frame_leb(&t);
	for (letters++; *letters && !t.damaged; letters++) {
		if (*letters == 'L')
			c.lsda = (uint8_t)frame_number(&t, 1);
		else if (*letters == 'R')
			c.pointers = (uint8_t)frame_number(&t, 1);
		else if (*letters == 'P')
			landing_pads_pointer(&t, (uint8_t)frame_number(&t, 1) & 0x7f);
	}
	return c;
}

static void landing_pads_read_frames(struct pads *p, const struct edit_section *s)
{
	struct table t = {.e = p->e, .bytes = s->bytes, .n = s->head.sh_size,
	                  .addr = s->head.sh_addr};
	while (t.at < t.n && !t.damaged) {
		const uint64_t length = frame_number(&t, 4);
		const size_t body = t.at;
		if (!length)
			continue;
		if (length < 4 || length > t.n - t.at) {
			t.damaged = true;
			break;
		}
		const uint64_t id = frame_number(&t, 4);
		if (id && id <= body) {
			const struct cie c = landing_pads_read_cie(&t, body - id);
			const uint64_t pc = landing_pads_pointer(&t, c.pointers);
			landing_pads_pointer(&t, c.pointers & 0xf); /* how long it is */
			const uint64_t augmented = c.augmented ? frame_leb(&t) : 0;
			const uint64_t lsda = augmented && c.lsda != DW_EH_PE_omit
			                              ? landing_pads_pointer(&t, c.lsda)
			                              : 0;
			if (lsda && !t.damaged)
				landing_pads_read_regions(p, lsda, pc);
		}
		t.at = body + length;
	}
	p->damaged |= t.damaged;
}

/* Without tables that can be followed, pads are all places that language-specific data names. */
static void landing_pads_mark_all(struct edit *e)
{
	for (size_t k = 0; k < e->reloc_count; k++) {
		const struct edit_reloc *r = &e->relocs[k];
		const uint32_t i = edit_is_exception_table(&e->sections[r->section])
		                           ? edit_inst_at(e, r->value)
		                           : EDIT_NONE;
		if (i != EDIT_NONE && !(e->insts[i].flags & (EDIT_DATA | EDIT_ENTRY)))
			e->insts[i].flags |= EDIT_TARGET | EDIT_PAD;
	}
}

void edit_find_landing_pads(struct edit *e)
{
	struct pads p = {.e = e, .damaged = true};
	for (uint32_t s = 1; s < e->section_count; s++) {
		if (strcmp(e->sections[s].name, ".eh_frame") != 0 || !e->sections[s].bytes)
			continue;
		p.damaged = false;
		landing_pads_read_frames(&p, &e->sections[s]);
	}
	if (p.damaged)
		landing_pads_mark_all(e);
}
