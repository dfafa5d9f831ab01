#include "hwviews/frames.h"

static bool peek_committed(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	return machine_peek(ctx, addr, buf, n);
}

size_t frames_of(const struct session *s, struct frame *out, size_t max)
{
	uint64_t r[32];
	for (unsigned i = 0; i < 32; i++)
		r[i] = machine_reg(s->machine, i);
	const struct frame_memory mem = {machine_mem_const(s->machine), peek_committed, s->machine};
	return program_backtrace_in(s->program, &mem, r, machine_pc(s->machine), out, max);
}
