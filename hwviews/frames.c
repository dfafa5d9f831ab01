#include "hwviews/frames.h"

size_t frames_of(const struct session *s, struct frame *out, size_t max)
{
	uint64_t r[32];
	for (unsigned i = 0; i < 32; i++)
		r[i] = machine_reg(s->machine, i);
	return program_backtrace(s->program, machine_mem_const(s->machine), r, machine_pc(s->machine), out, max);
}
