/* Checks relocations and symbols of code against its instructions. Each relocation implies what the
 * linked instruction encodes. A function whose bytes disagree is left alone: it moves by its bytes,
 * and nothing is inserted. Code that cannot be moved by its bytes is refused: halves of an address
 * that don't belong together, and jumps to places without an instruction. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

enum {
	GP = 3,
	TP = 4,
	ZERO = 0,
	LOOKED_AT = 256 /* instructions searched for the other half of an address */
};

static bool check_code_report_inst(const struct edit *e, const struct edit_inst *i,
                                   const char *what, struct err *err)
{
	char where[256], text[96];
	return err_set(err, "%s: damaged: %s at %s (0x%" PRIx64 ") %s", e->p->path,
	               inst_disasm(&i->in, i->addr, text, sizeof text),
	               program_addr_text(e->p, i->addr, where, sizeof where), i->addr, what);
}

static bool check_code_inst_is_code(const struct edit *e, uint32_t i)
{
	return i != EDIT_NONE && !(e->insts[i].flags & EDIT_DATA);
}

/* ---- relocations ---- */
static int32_t check_code_hi20_part(uint64_t value)
{
	return (int32_t)(((uint32_t)value + 0x800) & 0xfffff000);
}

static int32_t low_of(uint64_t value)
{
	return (int32_t)((uint32_t)value - (uint32_t)check_code_hi20_part(value));
}

struct checker {
	struct edit *e;
	uint64_t gp; /* the linker's; 0: not known */
};

static bool is_thread(const struct edit *e, const struct edit_reloc *r)
{
	return ELF64_ST_TYPE(e->symbols[r->symbol].st_info) == STT_TLS;
}

static bool check_code_names_ifunc(const struct edit *e, const struct edit_reloc *r)
{
	return ELF64_ST_TYPE(e->symbols[r->symbol].st_info) == STT_GNU_IFUNC;
}

/* Whether a branch or jump of this size leads to the relocation's target. Indirect functions are
 * called through the linkage table. */
static bool leads_there(const struct edit *e, const struct edit_inst *i, const struct edit_reloc *r,
                        unsigned bytes)
{
	if (i->ref != REF_NEAR || (bytes && i->in.len != bytes))
		return false;
	return check_code_names_ifunc(e, r) ? !edit_code_section(e, i->target, false)
	                                    : i->target == r->value;
}

static bool check_code_inst_is_store(const struct edit_inst *i)
{
	return inst_flags(&i->in) & OPF_STORE;
}

static bool is_lui(const struct edit_inst *i, uint64_t value)
{
	if (i->in.op == OP_LUI)
		return i->in.imm == check_code_hi20_part(value);
	/* for 0 there is no short lui */
	return i->in.op == OP_ADDI && i->in.len == 2 && i->in.rs1 == ZERO && i->in.imm == 0 &&
	       check_code_hi20_part(value) == 0;
}

/* Whether the slot of the global offset table holds the relocation's value. */
static bool slot_says(const struct edit *e, const struct edit_inst *i, const struct edit_reloc *r)
{
	for (uint32_t k = 1; k < e->section_count; k++) {
		const struct edit_section *s = &e->sections[k];
		const uint64_t offset = i->target - s->head.sh_addr;
		uint64_t value;
		if (!(s->head.sh_flags & SHF_ALLOC) || !s->bytes ||
		    s->head.sh_size < sizeof value || offset > s->head.sh_size - sizeof value)
			continue;
		memcpy(&value, s->bytes + offset, sizeof value);
		return check_code_names_ifunc(e, r) ? !edit_code_section(e, value, false)
		                                    : value == r->value;
	}
	return false;
}

/* Whether the instruction encodes the relocation. */
static bool check_code_inst_matches_reloc(const struct checker *c, const struct edit_inst *i,
                                          const struct edit_reloc *r)
{
	const struct edit *e = c->e;
	const bool thread = is_thread(e, r);
	switch (r->type) {
	case R_RISCV_BRANCH:
		return !thread && (inst_flags(&i->in) & OPF_BRANCH) && leads_there(e, i, r, 4);
	case R_RISCV_RVC_BRANCH:
		return !thread && (inst_flags(&i->in) & OPF_BRANCH) && leads_there(e, i, r, 2);
	case R_RISCV_JAL:
		return !thread && i->in.op == OP_JAL && leads_there(e, i, r, 4);
	case R_RISCV_RVC_JUMP:
		return !thread && i->in.op == OP_JAL && leads_there(e, i, r, 2);
	case R_RISCV_CALL: case R_RISCV_CALL_PLT: case R_RISCV_PCREL_HI20:
		if (i->in.op == OP_JAL)
			return !thread && leads_there(e, i, r, 0);
		return !thread && !(i->flags & EDIT_DENIED) &&
		       !(check_code_names_ifunc(e, r) && edit_code_section(e, i->target, false));
	case R_RISCV_GOT_HI20:
		return !thread && slot_says(e, i, r);
	case R_RISCV_TLS_GOT_HI20:
		return thread &&
		       (e->symbols[r->symbol].st_shndx == SHN_UNDEF || slot_says(e, i, r));
	case R_RISCV_TLS_GD_HI20:
		return thread;
	case R_RISCV_PCREL_LO12_I: case R_RISCV_PCREL_LO12_S:
		return !thread && check_code_inst_is_store(i) == (r->type == R_RISCV_PCREL_LO12_S);
	case R_RISCV_HI20:
		return !thread && i->in.op == OP_LUI && is_lui(i, r->value);
	case R_RISCV_RVC_LUI:
		return !thread && i->in.len == 2 && is_lui(i, r->value);
	case R_RISCV_LO12_I: case R_RISCV_LO12_S:
		return !thread && check_code_inst_is_store(i) == (r->type == R_RISCV_LO12_S) &&
		       i->in.imm == low_of(r->value);
	case R_RISCV_GPREL_I: case R_RISCV_GPREL_S:
		if (check_code_inst_is_store(i) != (r->type == R_RISCV_GPREL_S) || thread)
			return false;
		/* The linker turns pc-relative into gp-relative if it fits, else into absolute. */
		if ((uint64_t)(int64_t)i->in.imm == r->value &&
		    (i->in.rs1 == ZERO || i->in.rs1 == GP))
			return true;
		return i->in.rs1 == GP &&
		       (!c->gp || c->gp + (uint64_t)(int64_t)i->in.imm == r->value);
	case R_RISCV_TPREL_HI20:
		return thread && is_lui(i, r->value);
	case R_RISCV_TPREL_LO12_I: case R_RISCV_TPREL_LO12_S:
		return thread && check_code_inst_is_store(i) == (r->type == R_RISCV_TPREL_LO12_S) &&
		       i->in.imm == low_of(r->value);
	case R_RISCV_TPREL_I: case R_RISCV_TPREL_S:
		return thread && i->in.rs1 == TP &&
		       check_code_inst_is_store(i) == (r->type == R_RISCV_TPREL_S) &&
		       (uint64_t)(int64_t)i->in.imm == r->value;
	case R_RISCV_TPREL_ADD:
		return thread && i->in.op == OP_ADD;
	default:
		return false;
	}
}

static void check_code_deny_function(struct edit *e, uint32_t i)
{
	if (e->function_count)
		e->functions[e->insts[i].function].denied = true;
}

/* Whether the symbol's function begins in the middle of another one, by their symbols. */
static bool is_in_the_middle(const struct edit *e, const Elf64_Sym *s)
{
	for (uint32_t i = 1; edit_is_function(s) && i < e->symbol_count; i++) {
		const Elf64_Sym *other = &e->symbols[i];
		if (edit_is_function(other) && other->st_value < s->st_value &&
		    s->st_value - other->st_value < other->st_size)
			return true;
	}
	return false;
}

enum { MIDDLES = 256 /* mismatches whose symbols are checked: each is slow */ };

static bool check_relocs(const struct checker *c, struct err *err)
{
	struct edit *e = c->e;
	unsigned looked = 0;
	for (size_t k = 0; k < e->reloc_count; k++) {
		const struct edit_reloc *r = &e->relocs[k];
		if (!e->sections[r->section].code || edit_field_bytes(r->type))
			continue;
		const uint32_t i = edit_inst_at(e, r->at);
		if (check_code_inst_is_code(e, i) &&
		    check_code_inst_matches_reloc(c, &e->insts[i], r))
			continue;
		/* The symbol may be wrong, and not an entry. */
		if (looked++ == MIDDLES)
			return err_set(
				err, "%s: damaged: more than %d relocations do not match the code",
				e->p->path, MIDDLES);
		if (is_in_the_middle(e, &e->symbols[r->symbol]))
			return edit_bad_symbol(e, &e->symbols[r->symbol],
			                       "is not where relocations need it", err);
		if (i == EDIT_NONE && edit_inst_at(e, r->at - 2) == EDIT_NONE)
			return err_set(err,
			               "%s: damaged: relocation %s in %s is about 0x%" PRIx64
			               ", where no instruction begins",
			               e->p->path, edit_reloc_name(r->type),
			               e->sections[r->section].name, r->at);
		check_code_deny_function(e, i == EDIT_NONE ? edit_inst_at(e, r->at - 2) : i);
	}
	return true;
}

/* ---- halves of addresses ---- */
static bool check_code_inst_reads_reg(const struct inst *in, unsigned reg)
{
	return in->rs1 == reg || in->rs2 == reg || in->rs3 == reg;
}

/* Whether control reaches k only from k - 1, without a jump, or by returning from a call there. */
static bool check_code_is_straight_line(const struct edit *e, uint32_t k)
{
	const struct edit_inst *at = &e->insts[k];
	return k && k < e->inst_count && !((at->flags | at[-1].flags) & EDIT_DATA) &&
	       !(at->flags & EDIT_ENTRY) && !(inst_flags(&at[-1].in) & OPF_JUMP) &&
	       at->addr == at[-1].addr + at[-1].in.len;
}

static bool are_pair(const struct edit *e, uint32_t high, uint32_t low)
{
	const struct edit_inst *h = &e->insts[high], *l = &e->insts[low];
	if (h->ref == REF_HIGH)
		return l->ref == REF_LOW && l->high == high;
	return h->ref == REF_ABS_HIGH && l->ref == REF_ABS_LOW &&
	       check_code_hi20_part(h->target) == check_code_hi20_part(l->target);
}

/* Whether only the low parts of high part i read its result. */
static bool is_read_as_said(const struct edit *e, uint32_t i)
{
	const unsigned reg = e->insts[i].in.rd;
	for (uint32_t k = i + 1;
	     reg != ZERO && k - i < LOOKED_AT && check_code_is_straight_line(e, k); k++) {
		if (check_code_inst_reads_reg(&e->insts[k].in, reg) && !are_pair(e, i, k))
			return false;
		if (e->insts[k].in.rd == reg)
			break;
	}
	return true;
}

/* Whether the low part i adds to its high part, as far as the code shows. */
static bool is_written_as_said(const struct edit *e, uint32_t i)
{
	const unsigned reg = e->insts[i].in.rs1;
	for (uint32_t k = i; i - k < LOOKED_AT && check_code_is_straight_line(e, k); k--)
		if (e->insts[k - 1].in.rd == reg)
			return are_pair(e, k - 1, i);
	return reg != ZERO;
}

static int by_target(const void *a, const void *b)
{
	const struct edit_inst *x = *(const struct edit_inst *const *)a,
			       *y = *(const struct edit_inst *const *)b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->target != y->target ? (x->target < y->target ? -1 : 1)
	                              : (x->ref > y->ref) - (x->ref < y->ref);
}

/* Checks that each absolute address of code has both halves in its function. */
static bool check_absolute(struct edit *e, struct err *err)
{
	const struct edit_inst **all = alloc_bytes((e->inst_count + 1) * sizeof *all);
	size_t n = 0;
	if (!all)
		return err_set(err, "out of memory for the code of %s", e->p->path);
	for (uint32_t i = 0; i < e->inst_count; i++)
		if (e->insts[i].ref == REF_ABS_HIGH || e->insts[i].ref == REF_ABS_LOW)
			all[n++] = &e->insts[i];
	sort_stable(all, n, sizeof *all, by_target);
	for (size_t first = 0, k = 0; first < n; first = k) {
		while (k < n && all[k]->function == all[first]->function &&
		       all[k]->target == all[first]->target)
			k++;
		if (all[first]->ref == all[k - 1]->ref)
			check_code_deny_function(e, (uint32_t)(all[first] - e->insts));
	}
	free(all);
	return true;
}

static bool check_halves(struct edit *e, struct err *err)
{
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		const bool high = at->ref == REF_HIGH || at->ref == REF_ABS_HIGH,
			   low = at->ref == REF_LOW || at->ref == REF_ABS_LOW;
		if ((!high || is_read_as_said(e, i)) && (!low || is_written_as_said(e, i)))
			continue;
		if (at->ref == REF_HIGH || at->ref == REF_LOW)
			return check_code_report_inst(e, at,
			                              "is half of an address, and relocations of "
			                              "the other half do not match",
			                              err);
		check_code_deny_function(e, i);
	}
	return check_absolute(e, err);
}

/* ---- edges ---- */
/* Jumps through linkage tables leave the moved code; undefined symbols have address 0. */
static bool check_code_address_is_outside_code(const struct edit *e, uint64_t addr)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		if ((s->head.sh_flags & SHF_EXECINSTR) && !s->code &&
		    addr - s->head.sh_addr < s->head.sh_size)
			return true;
	}
	return !addr;
}

/* Whether c.unimp is there, to which compilers lead code that must not go on. */
static bool check_code_is_trap(const struct edit *e, uint32_t i)
{
	return i != EDIT_NONE && (e->insts[i].flags & EDIT_DATA) && !e->insts[i].in.raw;
}

static bool check_edges(const struct edit *e, struct err *err)
{
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		const bool far = at->ref == REF_LOW && (inst_flags(&at->in) & OPF_INDIRECT);
		const uint32_t to = edit_inst_at(e, at->target);
		if ((at->ref == REF_NEAR || far) && !check_code_inst_is_code(e, to) &&
		    !check_code_is_trap(e, to) &&
		    !check_code_address_is_outside_code(e, at->target))
			return check_code_report_inst(
				e, at, "leads to a place without an instruction", err);
	}
	return true;
}

/* ---- symbols ---- */
static int check_code_compare_by_value(const void *a, const void *b)
{
	const Elf64_Sym *x = *(const Elf64_Sym *const *)a, *y = *(const Elf64_Sym *const *)b;
	return x->st_value != y->st_value ? (x->st_value < y->st_value ? -1 : 1)
	       : x->st_size < y->st_size  ? -1
	                                  : x->st_size > y->st_size;
}

/* Refuses functions that partly overlap. A function may lie within another, as the entries of
 * libgcc's __riscv_save_12 do. */
static void check_overlaps(struct edit *e, const Elf64_Sym **all, size_t n)
{
	sort_stable(all, n, sizeof *all, check_code_compare_by_value);
	const Elf64_Sym *widest = NULL;
	for (size_t k = 0; k < n; k++) {
		const Elf64_Sym *s = all[k];
		const uint64_t end = s->st_value + s->st_size,
			       open = widest ? widest->st_value + widest->st_size : 0;
		if (widest && s->st_value > widest->st_value && s->st_value < open && end > open) {
			check_code_deny_function(e, edit_inst_at(e, widest->st_value));
			check_code_deny_function(e, edit_inst_at(e, s->st_value));
		}
		if (end >= open)
			widest = s;
	}
}

static bool check_code_validate_symbols(struct edit *e, struct err *err)
{
	const Elf64_Sym **all = alloc_bytes((e->symbol_count + 1) * sizeof *all);
	size_t n = 0;
	bool ok = all || err_set(err, "out of memory for the functions of %s", e->p->path);
	for (uint32_t i = 1; ok && i < e->symbol_count; i++) {
		const Elf64_Sym *s = &e->symbols[i];
		const bool in_code = s->st_shndx != SHN_UNDEF && s->st_shndx < e->section_count &&
		                     e->sections[s->st_shndx].code;
		const uint32_t at = in_code ? edit_inst_at(e, s->st_value) : EDIT_NONE;
		if (!in_code)
			continue;
		if (edit_is_function(s) && at == EDIT_NONE)
			ok = edit_bad_symbol(e, s, "is a function where no instruction begins",
			                     err);
		else if (s->st_size && !edit_names_function(e, s) && check_code_inst_is_code(e, at))
			ok = edit_bad_symbol(e, s, "is marked as no function, but lies in code",
			                     err);
		else if (edit_is_function(s) && s->st_size)
			all[n++] = s;
	}
	if (ok)
		check_overlaps(e, all, n);
	free(all);
	return ok;
}

static bool is_padding(const struct edit_inst *i)
{
	return (i->flags & EDIT_DATA) ||
	       (i->in.op == OP_ADDI && (i->in.rd == ZERO || i->in.rd == REG_SINK));
}

/* Clears a function's end if more than padding follows it before the next function: hand-written
 * code has such symbols. */
static void check_ends(struct edit *e)
{
	for (uint32_t k = 0; k < e->function_count; k++) {
		struct edit_function *f = &e->functions[k];
		const struct edit_inst *last = &e->insts[f->first + f->count - 1];
		bool agreed = f->end <= last->addr + last->in.len;
		for (uint32_t i = f->first + f->count;
		     agreed && i-- > f->first && e->insts[i].addr >= f->end;)
			agreed = is_padding(&e->insts[i]);
		if (!agreed)
			f->end = 0;
	}
}

static bool check_code_validate_sections(const struct edit *e, struct err *err)
{
	uint8_t *named = alloc_zeroed(e->section_count + 1, 1);
	bool ok = named || err_set(err, "out of memory for the sections of %s", e->p->path);
	for (uint32_t i = 1; ok && i < e->symbol_count; i++)
		if (edit_names_function(e, &e->symbols[i]))
			named[e->symbols[i].st_shndx] = 1;
	for (size_t k = 0; ok && k < e->reloc_count; k++)
		named[e->relocs[k].section] |= !edit_field_bytes(e->relocs[k].type);
	for (uint32_t s = 1; ok && s < e->section_count; s++)
		if (e->sections[s].code && !named[s])
			ok = err_set(err,
			             "%s: damaged: section %s is marked as code, but no symbol or "
			             "relocation names code in it",
			             e->p->path, e->sections[s].name);
	free(named);
	return ok;
}

static uint64_t find_gp(const struct edit *e)
{
	for (uint32_t i = 1; i < e->symbol_count; i++)
		if (!strcmp(edit_symbol_name(e, &e->symbols[i]), "__global_pointer$"))
			return e->symbols[i].st_value;
	return 0;
}

/* Denied functions keep absolute addresses: the old code stays in its place. */
static void leave_absolute(struct edit *e)
{
	for (uint32_t i = 0; i < e->inst_count; i++) {
		struct edit_inst *at = &e->insts[i];
		if ((at->ref == REF_ABS_HIGH || at->ref == REF_ABS_LOW) &&
		    e->functions[at->function].denied)
			at->ref = REF_NONE;
	}
}

bool edit_check_code(struct edit *e, struct err *err)
{
	const struct checker c = {e, find_gp(e)};
	if (!check_code_validate_sections(e, err) || !check_code_validate_symbols(e, err) ||
	    !check_edges(e, err) || !check_halves(e, err) || !check_relocs(&c, err))
		return false;
	check_ends(e);
	leave_absolute(e);
	return true;
}
