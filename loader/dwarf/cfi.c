/* Unwinding one frame by DWARF call frame information. libdw finds and runs the rules. */
#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/dwarf/cfi_check.h"
#include "loader/dwarf/debug_limit.h"
#include "loader/dwarf/place.h"
#include "loader/program_priv.h"

struct cfi {
	Dwarf_CFI *eh;    /* .eh_frame, owned, or NULL */
	Dwarf_CFI *debug; /* .debug_frame, owned by libdw's handle, or NULL */
	Elf *alone;       /* owned: ELF file that eh is read from, or NULL */
	uint8_t *image;   /* owned: its bytes */
};

enum { ENTRY_BYTES_PER_BYTE = 8 }; /* libdw's memory for each entry it has read */

/* Whether libdw may read this section: its memory is within the limit, and its entries are
 * harmless. */
static bool may_read(const struct program *p, Elf_Data *data, bool eh)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(p->elf, NULL);
	return data && data->d_buf && data->d_size && ident &&
	       debug_limit_take(&p->debug->limit, data->d_size * ENTRY_BYTES_PER_BYTE) &&
	       cfi_is_tame(ident, data, eh);
}

/* Opens an ELF file with this section and nothing else: the program's own hints on where entries
 * are cannot mislead libdw. */
static Dwarf_CFI *open_alone(struct cfi *c, const Elf_Data *data, uint64_t addr)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr section[3];
		char names[sizeof names];
	} front = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
	                             EV_CURRENT},
	                 .e_type = ET_EXEC,
	                 .e_machine = EM_RISCV,
	                 .e_version = EV_CURRENT,
	                 .e_shoff = sizeof(Elf64_Ehdr),
	                 .e_ehsize = sizeof(Elf64_Ehdr),
	                 .e_shentsize = sizeof(Elf64_Shdr),
	                 .e_shnum = 3,
	                 .e_shstrndx = 2},
		.section = {[1] = {.sh_name = 1,
	                           .sh_type = SHT_PROGBITS,
	                           .sh_flags = SHF_ALLOC,
	                           .sh_addr = addr,
	                           .sh_offset = sizeof front,
	                           .sh_size = data->d_size,
	                           .sh_addralign = 1},
	                    [2] = {.sh_name = 11,
	                           .sh_type = SHT_STRTAB,
	                           .sh_size = sizeof names,
	                           .sh_addralign = 1}},
	};
	front.section[2].sh_offset = (Elf64_Off)((const char *)front.names - (const char *)&front);
	memcpy(front.names, names, sizeof names);
	c->image = alloc_bytes(sizeof front + data->d_size);
	if (!c->image)
		return NULL;
	memcpy(c->image, &front, sizeof front);
	memcpy(c->image + sizeof front, data->d_buf, data->d_size);
	c->alone = elf_memory((char *)c->image, sizeof front + data->d_size);
	return c->alone ? dwarf_getcfi_elf(c->alone) : NULL;
}

static Dwarf_CFI *open_eh(const struct program *p, struct cfi *c)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = debug_section(p->elf, ".eh_frame", &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_PROGBITS ? elf_rawdata(scn, NULL) : NULL;
	return may_read(p, data, true) ? open_alone(c, data, shdr.sh_addr) : NULL;
}

static Dwarf_CFI *open_debug(const struct program *p)
{
	Dwarf *dwarf = program_dwarf(p);
	return dwarf && may_read(p,
	                         debug_section_data(program_debug_elf(p), ".debug_frame",
	                                            ".zdebug_frame"),
	                         false)
	               ? dwarf_getcfi(dwarf)
	               : NULL;
}

static const struct cfi *cfi_of(const struct program *p)
{
	struct program_debug *d = p->debug;
	if (!d->cfi) {
		d->cfi = alloc_zeroed(1, sizeof *d->cfi);
		if (!d->cfi)
			return NULL;
		d->cfi->eh = open_eh(p, d->cfi);
		d->cfi->debug = open_debug(p);
	}
	return d->cfi;
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	if (cfi->eh)
		dwarf_cfi_end(cfi->eh);
	if (cfi->alone)
		elf_end(cfi->alone);
	free(cfi->image);
	free(cfi);
}

/* Restores one of the caller's registers, by the rules. */
static void restore_register(const struct place_frame *e, Dwarf_Frame *rules, unsigned reg,
                             struct unwind_regs *caller)
{
	Dwarf_Op room[3], *ops;
	size_t n;
	uint64_t value;
	if (dwarf_frame_register(rules, (int)reg, room, &ops, &n) != 0)
		return;
	if (n == 0 && ops == room)
		return;
	if (n == 0 && !ops) {
		if (!(e->regs->known >> reg & 1))
			return;
		value = e->regs->r[reg];
	} else if (!place_read(e, ops, n, &value)) {
		return;
	}
	caller->r[reg] = value;
	caller->known |= UINT64_C(1) << reg;
}

/* Whether the caller's register has the value that it has in this frame. */
static bool cfi_register_is_unchanged(Dwarf_Frame *rules, int reg)
{
	Dwarf_Op room[3], *ops;
	size_t n;
	return dwarf_frame_register(rules, reg, room, &ops, &n) == 0 && n == 0 && !ops;
}

static enum unwind_result apply_rules(const struct program *p, Dwarf_Frame *rules,
                                      const struct frame_memory *mem,
                                      const struct unwind_regs *frame, uint64_t *cfa,
                                      struct unwind_regs *caller, struct code_range *bare)
{
	struct place_frame e = { .image = p, .mem = mem, .regs = frame };
	Dwarf_Addr start, end;
	bool signal;
	int ra = dwarf_frame_info(rules, &start, &end, &signal);
	Dwarf_Op *ops;
	size_t n;
	if (ra <= 0 || ra >= 32 || dwarf_frame_cfa(rules, &ops, &n) != 0 ||
	    !place_compute(&e, ops, n, &e.cfa))
		return UNWIND_NONE;
	e.cfa_known = true;
	if (e.cfa == frame->r[REG_SP] && cfi_register_is_unchanged(rules, ra))
		*bare = (struct code_range){start + p->bias, end + p->bias, p->is_32bit};
	*cfa = e.cfa;
	*caller = (struct unwind_regs){ 0 };
	for (unsigned reg = 1; reg < 64; reg++)
		restore_register(&e, rules, reg, caller);
	caller->r[REG_ZERO] = 0;
	caller->r[REG_SP] = e.cfa;
	caller->known |= 1 | UINT64_C(1) << REG_SP;
	if (!(caller->known >> ra & 1))
		return UNWIND_OUTER;
	caller->pc = caller->r[ra];
	return UNWIND_OK;
}

enum unwind_result cfi_step(const struct program *p, const struct frame_memory *mem,
                            const struct unwind_regs *frame, uint64_t look, uint64_t *cfa,
                            struct unwind_regs *caller, struct code_range *bare)
{
	const struct cfi *cfi = cfi_of(p);
	Dwarf_CFI *tables[2] = { cfi ? cfi->eh : NULL, cfi ? cfi->debug : NULL };
	for (size_t i = 0; i < 2; i++) {
		Dwarf_Frame *rules;
		if (!tables[i] || dwarf_cfi_addrframe(tables[i], look - p->bias, &rules) != 0)
			continue;
		enum unwind_result result = apply_rules(p, rules, mem, frame, cfa, caller, bare);
		free(rules);
		if (result != UNWIND_NONE)
			return result;
	}
	return UNWIND_NONE;
}
