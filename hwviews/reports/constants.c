/* Values fixed by the code alone: registers that have the same value at an instruction whatever the
 * function's arguments.
 *
 * Constants are propagated along all paths through a function: a register is known where every path
 * to the instruction has put the same value into it. Unknown are the registers at the function's
 * start (except zero, sp and gp), those that calls may change, and loads from writable memory. An
 * indirect jump may lead to any instruction that no other path reaches. */
#include "core/isa/op.h"
#include "hwviews/reports/value_hints.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/isa/exec.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"

/* x1, x5 to x7, x10 to x17, x28 to x31 and the caller-saved floating-point registers. */
#define CALLER_SAVED (UINT64_C(0xf003fce2) | UINT64_C(0xf003fcff) << 32)

enum { LONGEST = 8192 }; /* longest function analysed, in instructions */

static void at_entry(struct constants *k)
{
	*k = (struct constants){0};
	k->base[REG_ZERO] = BASE_NUMBER;
	k->base[REG_SP] = BASE_SP;
	k->base[REG_GP] = BASE_GP;
}

static bool constants_reg_is_number(const struct constants *k, unsigned reg)
{
	return constants_base(k, reg) == BASE_NUMBER;
}

/* ---- an instruction's effect on them ---- */
struct constant {
	enum constant_base base;
	uint64_t value;
};

/* A load of read-only data: the linker's constants. */
static struct constant constants_eval_load(const struct session *s, const struct constants *k,
                                           const struct inst *in)
{
	const unsigned bytes = op_info[in->op].mem_bytes;
	const uint64_t at = k->value[in->rs1] + (uint64_t)(int64_t)in->imm;
	const unsigned prot = mem_prot_at(machine_mem_const(s->machine), at);
	uint64_t v = 0;
	if (!constants_reg_is_number(k, in->rs1) || (inst_flags(in) & OPF_MEMORY) != OPF_LOAD ||
	    !(prot & PROT_R) || (prot & PROT_W) || !bytes ||
	    !machine_peek(s->machine, at, &v, bytes))
		return (struct constant){BASE_UNKNOWN, 0};
	const unsigned unused = 64 - 8 * bytes;
	if (in->op == OP_LB || in->op == OP_LH || in->op == OP_LW)
		v = (uint64_t)((int64_t)(v << unused) >> unused);
	if (in->op == OP_FLW)
		v |= UINT64_MAX << 32;
	return (struct constant){BASE_NUMBER, v};
}

/* A sum of sp (or a copy of it) and a number keeps its base. */
static struct constant of_sum(const struct constants *k, const struct inst *in)
{
	const unsigned reg = in->op == OP_ADD && constants_reg_is_number(k, in->rs1) ? in->rs2
	                                                                             : in->rs1,
		       other = reg == in->rs1 ? in->rs2 : in->rs1;
	if (in->op == OP_ADDI)
		return (struct constant){constants_base(k, in->rs1),
		                         k->value[in->rs1] + (uint64_t)(int64_t)in->imm};
	if (in->op == OP_ADD && constants_reg_is_number(k, other))
		return (struct constant){constants_base(k, reg), k->value[reg] + k->value[other]};
	return (struct constant){BASE_UNKNOWN, 0};
}

static struct constant of_inst(const struct session *s, const struct constants *k,
                               const struct code *c)
{
	const struct inst *in = &c->inst;
	const unsigned flags = inst_flags(in);
	const unsigned from[] = {in->rs1, in->rs2, in->rs3};
	struct hart h = {.pc = c->pc + c->prefix};
	struct exec out = {.next_pc = c->pc + c->len};
	if (flags & OPF_MEMORY)
		return constants_eval_load(s, k, in);
	if (flags & OPF_JUMP)
		return (struct constant){BASE_NUMBER, c->pc + c->len};
	for (unsigned i = 0; i < 3; i++)
		if (!constants_reg_is_number(k, from[i]))
			return of_sum(k, in);
	if ((flags & (OPF_CSR | OPF_SERIAL | OPF_XPROF | OPF_HINT | OPF_CONTROL)) ||
	    inst_class(in) == CLASS_SYSTEM)
		return (struct constant){BASE_UNKNOWN, 0};
	for (unsigned i = 0; i < 3; i++)
		h.r[from[i]] = k->value[from[i]];
	if (exec_table[in->op](&h, NULL, in, &out) != TRAP_NONE)
		return (struct constant){BASE_UNKNOWN, 0};
	return (struct constant){BASE_NUMBER, h.r[in->rd]};
}

bool constants_fix_result(const struct session *s, const struct constants *before,
                          const struct code *c)
{
	return c->inst.rd < 64 && of_inst(s, before, c).base != BASE_UNKNOWN;
}

static void constants_step_inst(const struct session *s, const struct code *c, struct constants *k)
{
	const unsigned rd = c->inst.rd;
	if (rd && rd < 64) {
		const struct constant v = of_inst(s, k, c);
		k->base[rd] = (uint8_t)v.base;
		k->value[rd] = v.base == BASE_UNKNOWN ? 0 : v.value;
	}
	for (unsigned r = 0; inst_pushes_ras(&c->inst) && r < 64; r++)
		if (CALLER_SAVED >> r & 1) {
			k->base[r] = BASE_UNKNOWN;
			k->value[r] = 0;
		}
}

/* ---- along all paths ---- */
struct place {
	struct code code;
	struct constants before;
	bool reached, waits;
	bool led_to; /* reached, by a branch or from the previous instruction */
};

struct ways {
	struct place *at; /* [count], owned */
	size_t count;
};

static size_t constants_find_inst_index(const struct ways *w, uint64_t pc)
{
	size_t lo = 0, hi = w->count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (w->at[mid].code.pc < pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < w->count && w->at[lo].code.pc == pc ? lo : SIZE_MAX;
}

/* True for calls, which return, and for instructions that are no jumps. */
static bool constants_inst_falls_through(const struct inst *in)
{
	return !(inst_flags(in) & OPF_JUMP) || inst_pushes_ras(in);
}

/* Index of a jump's target in its function; SIZE_MAX: unknown or outside. */
static size_t constants_jump_target_index(const struct ways *w, const struct code *c)
{
	const unsigned flags = inst_flags(&c->inst);
	if (!(flags & OPF_CONTROL) || (flags & OPF_INDIRECT) || inst_pushes_ras(&c->inst))
		return SIZE_MAX;
	return constants_find_inst_index(w, c->pc + c->prefix + (uint64_t)(int64_t)c->inst.imm);
}

static bool jumps_anywhere(const struct inst *in)
{
	return (inst_flags(in) & OPF_INDIRECT) && !inst_pushes_ras(in) && !inst_pops_ras(in);
}

/* Adds a path to this block, with these constants. */
static void constants_merge_state(struct place *p, const struct constants *k)
{
	if (!p->reached) {
		p->before = *k;
		p->reached = p->waits = true;
		return;
	}
	for (unsigned r = 0; r < 64; r++)
		if (p->before.base[r] &&
		    (p->before.base[r] != k->base[r] || p->before.value[r] != k->value[r])) {
			p->before.base[r] = BASE_UNKNOWN;
			p->before.value[r] = 0;
			p->waits = true;
		}
}

static void lead_on(struct ways *w, size_t i, const struct constants *k)
{
	const struct code *c = &w->at[i].code;
	const size_t to = constants_jump_target_index(w, c);
	if (to != SIZE_MAX)
		constants_merge_state(&w->at[to], k);
	if (constants_inst_falls_through(&c->inst) && i + 1 < w->count)
		constants_merge_state(&w->at[i + 1], k);
	for (size_t j = 0; jumps_anywhere(&c->inst) && j < w->count; j++)
		if (!w->at[j].led_to)
			constants_merge_state(&w->at[j], k);
}

/* Reads the function that has pc. False: it has no instructions, or too many. */
static bool constants_read_function(const struct session *s, uint64_t pc, struct ways *w)
{
	const struct symbol *f = program_symbol_at(s->program, pc);
	struct code c;
	if (!f || !f->code)
		return false;
	for (uint64_t at = f->addr;
	     w->count < LONGEST && code_at(s, at, &c) &&
	     (f->size ? at < f->addr + f->size : program_symbol_at(s->program, at) == f);
	     at += c.len)
		w->at[w->count++] = (struct place){.code = c};
	if (w->count == LONGEST || constants_find_inst_index(w, pc) == SIZE_MAX)
		return false;
	w->at[0].led_to = true;
	for (size_t i = 0; i < w->count; i++) {
		const size_t to = constants_jump_target_index(w, &w->at[i].code);
		if (to != SIZE_MAX)
			w->at[to].led_to = true;
		if (constants_inst_falls_through(&w->at[i].code.inst) && i + 1 < w->count)
			w->at[i + 1].led_to = true;
	}
	return true;
}

void constants_before(const struct session *s, uint64_t pc, struct constants *out)
{
	struct ways w = {.at = alloc_bytes(LONGEST * sizeof *w.at)};
	bool more = w.at && constants_read_function(s, pc, &w);
	at_entry(out);
	if (more)
		constants_merge_state(&w.at[0], out);
	while (more) {
		more = false;
		for (size_t i = 0; i < w.count; i++) {
			if (!w.at[i].waits)
				continue;
			struct constants k = w.at[i].before;
			w.at[i].waits = false;
			constants_step_inst(s, &w.at[i].code, &k);
			lead_on(&w, i, &k);
			more = true;
		}
	}
	const size_t here = w.count ? constants_find_inst_index(&w, pc) : SIZE_MAX;
	if (here != SIZE_MAX && w.at[here].reached)
		*out = w.at[here].before;
	free(w.at);
}
