/* Unwinding one frame by DWARF call frame information. libdw finds and runs the rules; the expressions
 * that they yield are evaluated here, over guest registers and memory. */
#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/cfi_check.h"
#include "loader/debug_limit.h"
#include "loader/program_priv.h"

struct cfi {
	Dwarf_CFI *eh;    /* .eh_frame, owned, or NULL */
	Dwarf_CFI *debug; /* .debug_frame, owned by libdw's handle, or NULL */
	Elf *alone;       /* owned: what eh reads, or NULL */
	uint8_t *image;   /* owned: of that */
};

enum { ENTRY_BYTES_PER_BYTE = 8 }; /* what libdw keeps of entries once it has met them */

/* Whether libdw may read this section. */
static bool may_read(const struct program *p, Elf_Data *data, bool eh)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(p->elf, NULL);
	return data && data->d_buf && data->d_size && ident && debug_limit_take(&p->debug->limit, data->d_size * ENTRY_BYTES_PER_BYTE) &&
	       cfi_is_tame(ident, data, eh);
}

/* An ELF file with this section and nothing else: whatever else the program's says of where to look for entries leads nowhere. */
static Dwarf_CFI *open_alone(struct cfi *c, const Elf_Data *data, uint64_t addr)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr section[3];
		char names[sizeof names];
	} front = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC, .e_machine = EM_RISCV,
		         .e_version = EV_CURRENT, .e_shoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
		         .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2},
		.section = {[1] = {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = addr, .sh_offset = sizeof front,
		                   .sh_size = data->d_size, .sh_addralign = 1},
		            [2] = {.sh_name = 11, .sh_type = SHT_STRTAB, .sh_size = sizeof names, .sh_addralign = 1}},
	};
	front.section[2].sh_offset = (Elf64_Off)((const char *)front.names - (const char *)&front);
	memcpy(front.names, names, sizeof names);
	c->image = malloc(sizeof front + data->d_size);
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
	return dwarf && may_read(p, debug_section_data(p->elf, ".debug_frame", ".zdebug_frame"), false) ? dwarf_getcfi(dwarf) : NULL;
}

static const struct cfi *cfi_of(const struct program *p)
{
	struct program_debug *d = p->debug;
	if (!d->cfi) {
		d->cfi = calloc(1, sizeof *d->cfi);
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

enum { STACK_MAX = 32 };

struct eval {
	const struct frame_memory *mem;
	const struct unwind_regs *regs;
	uint64_t cfa;
	bool cfa_known;
	uint64_t stack[STACK_MAX];
	size_t depth;
};

static bool push(struct eval *e, uint64_t v)
{
	if (e->depth == STACK_MAX)
		return false;
	e->stack[e->depth++] = v;
	return true;
}

static bool push_register(struct eval *e, uint64_t reg, uint64_t offset)
{
	if (reg >= 32 || !(e->regs->known >> reg & 1))
		return false;
	return push(e, e->regs->r[reg] + offset);
}

static bool deref(struct eval *e, uint64_t bytes)
{
	uint64_t v = 0;
	if (e->depth == 0 || bytes == 0 || bytes > 8 || !frame_read(e->mem, e->stack[e->depth - 1], &v, bytes))
		return false;
	e->stack[e->depth - 1] = v;
	return true;
}

static bool binary(struct eval *e, unsigned atom)
{
	if (e->depth < 2)
		return false;
	uint64_t b = e->stack[--e->depth], *a = &e->stack[e->depth - 1];
	switch (atom) {
	case DW_OP_plus: *a += b; return true;
	case DW_OP_minus: *a -= b; return true;
	case DW_OP_mul: *a *= b; return true;
	case DW_OP_and: *a &= b; return true;
	case DW_OP_or: *a |= b; return true;
	case DW_OP_xor: *a ^= b; return true;
	case DW_OP_shl: *a = b < 64 ? *a << b : 0; return true;
	case DW_OP_shr: *a = b < 64 ? *a >> b : 0; return true;
	case DW_OP_shra: *a = (uint64_t)((int64_t)*a >> (b < 64 ? b : 63)); return true;
	case DW_OP_eq: *a = *a == b; return true;
	case DW_OP_ne: *a = *a != b; return true;
	case DW_OP_lt: *a = (int64_t)*a < (int64_t)b; return true;
	case DW_OP_le: *a = (int64_t)*a <= (int64_t)b; return true;
	case DW_OP_gt: *a = (int64_t)*a > (int64_t)b; return true;
	case DW_OP_ge: *a = (int64_t)*a >= (int64_t)b; return true;
	default: return false;
	}
}

static bool eval_op(struct eval *e, const Dwarf_Op *op)
{
	unsigned atom = op->atom;
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(e, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(e, atom - DW_OP_breg0, op->number);
	switch (atom) {
	case DW_OP_addr:
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		return push(e, op->number);
	case DW_OP_bregx:
		return push_register(e, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return e->cfa_known && push(e, e->cfa);
	case DW_OP_plus_uconst:
		if (e->depth == 0)
			return false;
		e->stack[e->depth - 1] += op->number;
		return true;
	case DW_OP_neg:
		if (e->depth == 0)
			return false;
		e->stack[e->depth - 1] = -e->stack[e->depth - 1];
		return true;
	case DW_OP_not:
		if (e->depth == 0)
			return false;
		e->stack[e->depth - 1] = ~e->stack[e->depth - 1];
		return true;
	case DW_OP_dup:
		return e->depth && push(e, e->stack[e->depth - 1]);
	case DW_OP_over:
		return e->depth >= 2 && push(e, e->stack[e->depth - 2]);
	case DW_OP_drop:
		if (e->depth == 0)
			return false;
		e->depth--;
		return true;
	case DW_OP_swap:
		if (e->depth < 2)
			return false;
		uint64_t top = e->stack[e->depth - 1];
		e->stack[e->depth - 1] = e->stack[e->depth - 2];
		e->stack[e->depth - 2] = top;
		return true;
	case DW_OP_deref:
		return deref(e, 8);
	case DW_OP_deref_size:
		return deref(e, op->number);
	case DW_OP_nop:
		return true;
	default:
		return binary(e, atom);
	}
}

static bool eval_all(struct eval *e, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	e->depth = 0;
	for (size_t i = 0; i < n; i++)
		if (!eval_op(e, &ops[i]))
			return false;
	if (e->depth == 0)
		return false;
	*value = e->stack[e->depth - 1];
	return true;
}

/* The value at a location description: a register, a computed value, or memory at a computed address. */
static bool eval_location(struct eval *e, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	uint64_t reg = UINT64_MAX;
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		reg = ops[0].atom - (uint64_t)DW_OP_reg0;
	else if (n == 1 && ops[0].atom == DW_OP_regx)
		reg = ops[0].number;
	if (reg != UINT64_MAX) {
		if (reg >= 32 || !(e->regs->known >> reg & 1))
			return false;
		*value = e->regs->r[reg];
		return true;
	}
	if (n > 0 && ops[n - 1].atom == DW_OP_stack_value)
		return eval_all(e, ops, n - 1, value);
	return eval_all(e, ops, n, value) && frame_read(e->mem, *value, value, sizeof *value);
}

/* What the rules say about one of the caller's registers. */
static void restore_register(struct eval *e, Dwarf_Frame *rules, unsigned reg,
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
	} else if (!eval_location(e, ops, n, &value)) {
		return;
	}
	caller->r[reg] = value;
	caller->known |= UINT32_C(1) << reg;
}

static enum unwind_result apply_rules(Dwarf_Frame *rules, const struct frame_memory *mem,
                                      const struct unwind_regs *frame, uint64_t *cfa,
                                      struct unwind_regs *caller)
{
	struct eval e = { .mem = mem, .regs = frame };
	Dwarf_Addr start, end;
	bool signal;
	int ra = dwarf_frame_info(rules, &start, &end, &signal);
	Dwarf_Op *ops;
	size_t n;
	if (ra <= 0 || ra >= 32 || dwarf_frame_cfa(rules, &ops, &n) != 0 ||
	    !eval_all(&e, ops, n, &e.cfa))
		return UNWIND_NONE;
	e.cfa_known = true;
	*cfa = e.cfa;
	*caller = (struct unwind_regs){ 0 };
	for (unsigned reg = 1; reg < 32; reg++)
		restore_register(&e, rules, reg, caller);
	caller->r[REG_ZERO] = 0;
	caller->r[REG_SP] = e.cfa;
	caller->known |= 1 | UINT32_C(1) << REG_SP;
	if (!(caller->known >> ra & 1))
		return UNWIND_OUTER;
	caller->pc = caller->r[ra];
	return UNWIND_OK;
}

enum unwind_result cfi_step(const struct program *p, const struct frame_memory *mem,
                            const struct unwind_regs *frame, uint64_t look, uint64_t *cfa,
                            struct unwind_regs *caller)
{
	const struct cfi *cfi = cfi_of(p);
	Dwarf_CFI *tables[2] = { cfi ? cfi->eh : NULL, cfi ? cfi->debug : NULL };
	for (size_t i = 0; i < 2; i++) {
		Dwarf_Frame *rules;
		if (!tables[i] || dwarf_cfi_addrframe(tables[i], look - p->bias, &rules) != 0)
			continue;
		enum unwind_result result = apply_rules(rules, mem, frame, cfa, caller);
		free(rules);
		if (result != UNWIND_NONE)
			return result;
	}
	return UNWIND_NONE;
}
