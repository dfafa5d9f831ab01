/* Walks up the stack by call frame information. */
#include "loader/program_priv.h"

/* In a function without rules that has not touched ra: the innermost one, or a jump to nowhere. */
static enum unwind_result leaf_step(const struct unwind_regs *frame, uint64_t *cfa,
                                    struct unwind_regs *caller)
{
	*caller = *frame;
	*cfa = frame->r[REG_SP];
	caller->pc = frame->r[REG_RA];
	return UNWIND_OK;
}

static bool executable(const struct mem *mem, uint64_t pc)
{
	return !(pc & 1) && mem_prot_at(mem, pc) & PROT_X;
}

/* The function at the entry point has no caller, whatever ra holds there. */
static bool outermost(const struct program *p, uint64_t look)
{
	const struct symbol *s = program_symbol_at(p, look);
	return s && s->addr == p->entry;
}

size_t program_backtrace(const struct program *p, const struct mem *mem, const uint64_t *r,
                         uint64_t pc, struct frame *out, size_t max)
{
	return program_backtrace_in(p, &(struct frame_memory){ .mem = mem }, r, pc, out, max);
}

size_t program_backtrace_in(const struct program *p, const struct frame_memory *mem,
                            const uint64_t *r, uint64_t pc, struct frame *out, size_t max)
{
	struct unwind_regs innermost = { .known = UINT32_MAX, .pc = pc };
	for (unsigned i = 0; i < 32; i++)
		innermost.r[i] = r[i];
	return program_unwind(p, mem, &innermost, out, NULL, max);
}

size_t program_unwind(const struct program *p, const struct frame_memory *mem,
                      const struct unwind_regs *innermost, struct frame *out,
                      struct unwind_regs *regs, size_t max)
{
	struct unwind_regs frame = *innermost, caller;
	for (size_t n = 0; n < max; n++) {
		/* A call may be a function's last instruction: its return address belongs to the
		 * next one. */
		uint64_t look = n ? frame.pc - 1 : frame.pc, cfa = frame.r[REG_SP];
		const struct program *in = program_image(p, look);
		enum unwind_result result = cfi_step(in, mem, &frame, look, &cfa, &caller);
		if (result == UNWIND_NONE)
			result = prologue_step(in, mem, &frame, look, &cfa, &caller);
		if (result == UNWIND_NONE && n == 0)
			result = leaf_step(&frame, &cfa, &caller);
		out[n] = (struct frame){ frame.pc, cfa };
		if (regs)
			regs[n] = frame;
		if (result != UNWIND_OK || outermost(in, look) || !executable(mem->mem, caller.pc))
			return n + 1;
		/* The stack grows down; only the innermost function may do without a frame. */
		if (caller.r[REG_SP] < frame.r[REG_SP] ||
		    (n && caller.r[REG_SP] == frame.r[REG_SP]))
			return n + 1;
		frame = caller;
		/* What the call itself wrote is not what the caller had in it. */
		frame.known &= ~(UINT64_C(1) << REG_RA);
	}
	return max;
}
