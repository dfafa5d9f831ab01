/* Unwinds one frame without DWARF, by the function's code. Follows it from its first instruction
 * along every branch until the instruction in question, tracking sp, and where the return address
 * and saved registers were stored. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/program_priv.h"

enum {
	PARCELS_MAX = 1 << 15, /* a larger function is not followed */
	IN_REGISTER = INT32_MIN,
	LOST = INT32_MAX,
	KEPT_REGS = 13
};

/* Callee-saved registers: ra and s0..s11. */
static const uint8_t kept_regs[KEPT_REGS] = { 1, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 };

struct account {
	int32_t sp, fp;          /* sp and s0 minus sp at entry, bytes */
	bool sp_known, fp_known; /* s0 used as a frame pointer */
	/* bit i: register i holds constant[i]; large frames are made with them */
	uint32_t constants;
	int32_t constant[32];
	/* where the caller's value is: bytes from sp at entry, IN_REGISTER or LOST */
	int32_t slot[KEPT_REGS];
};

enum seen {
	UNSEEN,
	INSTRUCTION, /* one starts here */
	REST         /* its second half */
};

struct flow {
	uint64_t lo;
	size_t parcels;
	struct account *at; /* [parcels], owned: before the instruction there */
	uint8_t *seen;      /* [parcels], owned: enum seen */
	uint16_t *work;     /* [parcels], owned: seen but not followed yet */
	size_t work_count;
	struct account jump; /* at the indirect jump with the deepest stack, if any_jump */
	bool any_jump;
	unsigned isa, word; /* how code is decoded, bytes of a register */
};

static int kept_index(unsigned reg)
{
	for (int i = 0; i < KEPT_REGS; i++)
		if (kept_regs[i] == reg)
			return i;
	return -1;
}

/* The offset from sp at entry of base + imm; false if base is neither sp nor a frame pointer. */
static bool stack_offset(const struct account *a, unsigned base, int32_t imm, int32_t *offset)
{
	if (base == REG_SP && a->sp_known)
		return !__builtin_add_overflow(a->sp, imm, offset);
	if (base == REG_FP && a->fp_known)
		return !__builtin_add_overflow(a->fp, imm, offset);
	return false;
}

static void write_sp(struct account *a, const struct inst *in)
{
	int32_t to;
	bool known = false;
	if (in->op == OP_ADDI)
		known = stack_offset(a, in->rs1, in->imm, &to);
	else if (in->op == OP_ADD && in->rs1 == REG_SP && a->constants >> in->rs2 & 1)
		known = stack_offset(a, REG_SP, a->constant[in->rs2], &to);
	else if (in->op == OP_SUB && in->rs1 == REG_SP && a->constants >> in->rs2 & 1)
		known = a->sp_known && !__builtin_sub_overflow(a->sp, a->constant[in->rs2], &to);
	a->sp_known = known;
	if (known)
		a->sp = to;
}

static void track_constant(struct account *a, const struct inst *in)
{
	uint32_t bit = UINT32_C(1) << in->rd;
	bool known = false;
	if (in->op == OP_LUI) {
		a->constant[in->rd] = in->imm;
		known = true;
	} else if ((in->op == OP_ADDI || in->op == OP_ADDIW) && a->constants >> in->rs1 & 1) {
		known = !__builtin_add_overflow(a->constant[in->rs1], in->imm,
		                                &a->constant[in->rd]);
	}
	if (inst_flags(in) & OPF_JUMP)
		a->constants = 1; /* the callee may have changed all constants but x0 */
	else
		a->constants = known ? a->constants | bit : a->constants & ~bit;
}

/* Updates the account for one instruction. */
static void prologue_execute_inst(const struct flow *f, struct account *a, const struct inst *in)
{
	int32_t offset;
	if (in->op == (f->word == 8 ? OP_SD : OP_SW)) {
		int kept = kept_index(in->rs2);
		if (kept >= 0 && a->slot[kept] == IN_REGISTER &&
		    stack_offset(a, in->rs1, in->imm, &offset))
			a->slot[kept] = offset;
		return;
	}
	if (in->rd >= 32)
		return;
	int kept = kept_index(in->rd);
	bool restored = in->op == (f->word == 8 ? OP_LD : OP_LW) && kept >= 0 &&
	                stack_offset(a, in->rs1, in->imm, &offset) && a->slot[kept] == offset;
	bool frame_pointer = in->rd == REG_FP && in->op == OP_ADDI &&
	                     stack_offset(a, in->rs1, in->imm, &offset);
	if (in->rd == REG_FP) {
		a->fp_known = frame_pointer;
		if (frame_pointer)
			a->fp = offset;
	}
	if (restored)
		a->slot[kept] = IN_REGISTER;
	else if (kept >= 0 && a->slot[kept] == IN_REGISTER)
		a->slot[kept] = LOST;
	if (in->rd == REG_SP)
		write_sp(a, in);
	else
		track_constant(a, in);
}

static void prologue_enqueue_inst(struct flow *f, uint64_t pc, const struct account *a)
{
	uint64_t i = (pc - f->lo) / 2;
	if (pc < f->lo || i >= f->parcels || f->seen[i])
		return;
	f->seen[i] = INSTRUCTION;
	f->at[i] = *a;
	f->work[f->work_count++] = (uint16_t)i;
}

/* Keeps the stack's state at an indirect jump; a jump table's targets are not known. */
static void note_jump(struct flow *f, const struct account *a)
{
	if (!f->any_jump || (a->sp_known && a->sp < f->jump.sp))
		f->jump = *a;
	f->any_jump = true;
}

static void follow_one(struct flow *f, const struct frame_memory *mem, size_t i)
{
	uint64_t pc = f->lo + 2 * i;
	uint16_t low, high = 0;
	if (!frame_read(mem, pc, &low, 2) || ((low & 3) == 3 && !frame_read(mem, pc + 2, &high, 2)))
		return;
	struct inst in;
	inst_decode_as(f->isa, (uint32_t)high << 16 | low, &in);
	in.op = inst_rv64_op(in.op) & OP_MASK;
	if (in.op == OP_ILLEGAL)
		return;
	if (in.len == 4 && i + 1 < f->parcels && f->seen[i + 1] == UNSEEN)
		f->seen[i + 1] = REST;
	struct account a = f->at[i];
	prologue_execute_inst(f, &a, &in);
	unsigned flags = inst_flags(&in);
	bool call = flags & OPF_JUMP && in.rd < 32;
	if (flags & OPF_BRANCH || (in.op == OP_JAL && !call))
		prologue_enqueue_inst(f, pc + (uint64_t)(int64_t)in.imm, &a);
	if (!(flags & OPF_JUMP) || call)
		prologue_enqueue_inst(f, pc + in.len, &a);
	else if (in.op == OP_JALR && in.rs1 != REG_RA)
		note_jump(f, &a);
}

/* Follows all code reached by branches from the start; then, if there are jump tables, the
 * remaining code, their cases, in order of addresses. */
static void prologue_follow_all_paths(struct flow *f, const struct frame_memory *mem)
{
	struct account a = { .sp_known = true, .constants = 1 };
	for (int i = 0; i < KEPT_REGS; i++)
		a.slot[i] = IN_REGISTER;
	prologue_enqueue_inst(f, f->lo, &a);
	for (size_t next = 0; next < f->parcels; next++) {
		while (f->work_count)
			follow_one(f, mem, f->work[--f->work_count]);
		if (!f->any_jump)
			return;
		if (f->seen[next] == UNSEEN)
			prologue_enqueue_inst(f, f->lo + 2 * next, &f->jump);
	}
}

/* The account at the instruction that holds `look`; NULL if it is not reached. */
static const struct account *account_at(const struct flow *f, uint64_t look)
{
	size_t i = (look - f->lo) / 2;
	if (f->seen[i] == REST)
		i--;
	return f->seen[i] == INSTRUCTION ? &f->at[i] : NULL;
}

static enum unwind_result prologue_restore_caller(const struct flow *f, const struct account *a,
                                                  const struct frame_memory *mem,
                                                  const struct unwind_regs *frame, uint64_t *cfa,
                                                  struct unwind_regs *caller)
{
	uint64_t entry_sp;
	if (a->sp_known)
		entry_sp = frame->r[REG_SP] - (uint64_t)(int64_t)a->sp;
	else if (a->fp_known && frame->known >> REG_FP & 1)
		entry_sp = frame->r[REG_FP] - (uint64_t)(int64_t)a->fp;
	else
		return UNWIND_NONE;
	*cfa = entry_sp;
	*caller = *frame;
	caller->r[REG_SP] = entry_sp;
	for (int i = 0; i < KEPT_REGS; i++) {
		unsigned reg = kept_regs[i];
		int32_t slot = a->slot[i];
		if (slot == IN_REGISTER)
			continue;
		if (slot == LOST ||
		    !frame_read(mem, entry_sp + (uint64_t)(int64_t)slot, &caller->r[reg], f->word))
			caller->known &= ~(UINT64_C(1) << reg);
		else
			caller->known |= UINT64_C(1) << reg;
	}
	if (!(caller->known >> REG_RA & 1))
		return UNWIND_OUTER;
	caller->pc = caller->r[REG_RA];
	return UNWIND_OK;
}

enum unwind_result prologue_step(const struct program *p, const struct frame_memory *mem,
                                 const struct unwind_regs *frame, uint64_t look, uint64_t *cfa,
                                 struct unwind_regs *caller)
{
	struct code_range in = {.is_32bit = p->is_32bit};
	return symbols_function(p, look, &in.lo, &in.hi)
	               ? prologue_within(&in, mem, frame, look, cfa, caller)
	               : UNWIND_NONE;
}

enum unwind_result prologue_within(const struct code_range *in, const struct frame_memory *mem,
                                   const struct unwind_regs *frame, uint64_t look, uint64_t *cfa,
                                   struct unwind_regs *caller)
{
	const uint64_t lo = in->lo, hi = in->hi;
	if (hi <= lo || hi - lo < 2 || lo & 1 || look < lo ||
	    look - lo >= hi - lo - (hi - lo) % 2 || (hi - lo) / 2 > PARCELS_MAX)
		return UNWIND_NONE;
	struct flow f = {.lo = lo,
	                 .parcels = (hi - lo) / 2,
	                 .isa = in->is_32bit ? ISA_RV32GC : ISA_ALL,
	                 .word = in->is_32bit ? 4 : 8};
	f.at = alloc_zeroed(f.parcels, sizeof *f.at);
	f.seen = alloc_zeroed(f.parcels, sizeof *f.seen);
	f.work = alloc_zeroed(f.parcels, sizeof *f.work);
	enum unwind_result result = UNWIND_NONE;
	if (f.at && f.seen && f.work) {
		prologue_follow_all_paths(&f, mem);
		const struct account *a = account_at(&f, look);
		if (a)
			result = prologue_restore_caller(&f, a, mem, frame, cfa, caller);
	}
	free(f.at);
	free(f.seen);
	free(f.work);
	return result;
}
