/* Walks up the stack by call frame information, and through signal frames. */
#include <string.h>

#include "core/os/linux.h"
#include "loader/program_priv.h"

/* Unwinds a function without rules that has not touched ra: the innermost one, or a jump to
 * nowhere. */
static enum unwind_result leaf_step(const struct unwind_regs *frame, uint64_t *cfa,
                                    struct unwind_regs *caller)
{
	*caller = *frame;
	*cfa = frame->r[REG_SP];
	caller->pc = frame->r[REG_RA];
	return UNWIND_OK;
}

static bool unwind_pc_is_executable(const struct mem *mem, uint64_t pc)
{
	return !(pc & 1) && mem_prot_at(mem, pc) & PROT_X;
}

/* The function at the entry point has no caller, whatever ra holds there. */
static bool unwind_is_outermost_frame(const struct program *p, uint64_t look)
{
	const struct symbol *s = program_symbol_at(p, look);
	return s && s->addr == p->entry;
}

/* Unwinds through code that only does rt_sigreturn, the return address of handlers: the frame above
 * has all registers of the interrupted code. */
static bool signal_step(const struct frame_memory *mem, const struct unwind_regs *frame,
                        uint64_t *cfa, struct unwind_regs *caller)
{
	static const uint32_t back[] = {0x08b00893 /* li a7, 139 */, 0x00000073 /* ecall */};
	uint32_t code[2];
	struct lx_sigframe f;
	if (!frame_read(mem, frame->pc, code, sizeof code) ||
	    memcmp(code, back, sizeof code) != 0 ||
	    !frame_read(mem, frame->r[REG_SP], &f, sizeof f))
		return false;
	*caller = (struct unwind_regs){.known = UINT64_MAX, .pc = f.context.pc};
	memcpy(&caller->r[1], f.context.x, sizeof f.context.x);
	memcpy(&caller->r[REG_F0], f.context.f, sizeof f.context.f);
	*cfa = caller->r[REG_SP];
	return true;
}

/* Unwinds by the code where rules claim that there is no frame: glibc's _dl_runtime_resolve, which
 * resolves a library function's first call, makes a frame that its rules omit. */
static enum unwind_result believe_code(const struct code_range *in, const struct frame_memory *mem,
                                       const struct unwind_regs *frame, uint64_t look,
                                       enum unwind_result said, uint64_t *cfa,
                                       struct unwind_regs *caller)
{
	struct unwind_regs by_code;
	uint64_t at;
	const enum unwind_result found = prologue_within(in, mem, frame, look, &at, &by_code);
	if (found != UNWIND_OK || at == *cfa)
		return said;
	*cfa = at;
	*caller = by_code;
	return found;
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
	enum frame_kind kind = FRAME_AT;
	for (size_t n = 0; n < max; n++) {
		uint64_t cfa = frame.r[REG_SP];
		const bool signal = signal_step(mem, &frame, &cfa, &caller);
		if (regs)
			regs[n] = frame;
		if (signal) {
			out[n] = (struct frame){frame.pc, cfa, FRAME_SIGNAL, 0, (unsigned)n};
			if (!unwind_pc_is_executable(mem->mem, caller.pc))
				return n + 1;
			frame = caller;
			kind = FRAME_AT;
			continue;
		}
		out[n] = (struct frame){frame.pc, cfa, kind, 0, (unsigned)n};
		const uint64_t look = frame_look(&out[n]);
		const struct program *in = program_image(p, look);
		struct code_range bare = {0};
		enum unwind_result result = cfi_step(in, mem, &frame, look, &cfa, &caller, &bare);
		if (bare.hi)
			result = believe_code(&bare, mem, &frame, look, result, &cfa, &caller);
		if (result == UNWIND_NONE)
			result = prologue_step(in, mem, &frame, look, &cfa, &caller);
		if (result == UNWIND_NONE && kind == FRAME_AT)
			result = leaf_step(&frame, &cfa, &caller);
		out[n].cfa = cfa;
		if (result != UNWIND_OK || unwind_is_outermost_frame(in, look) ||
		    !unwind_pc_is_executable(mem->mem, caller.pc))
			return n + 1;
		/* The stack grows down; only the innermost function, or one interrupted by a
		 * signal, may have no frame. */
		if (caller.r[REG_SP] < frame.r[REG_SP] ||
		    (kind != FRAME_AT && caller.r[REG_SP] == frame.r[REG_SP]))
			return n + 1;
		frame = caller;
		kind = FRAME_CALLER;
		/* The call itself overwrote ra: the caller's value is lost. */
		frame.known &= ~(UINT64_C(1) << REG_RA);
	}
	return max;
}
