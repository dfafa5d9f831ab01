#include "hwviews/program/frames.h"

#include "loader/dwarf/inlined.h"

size_t frames_in(const struct program *program, const struct machine *m, struct frame *out,
                 size_t max)
{
	uint64_t r[32];
	for (unsigned i = 0; i < 32; i++)
		r[i] = machine_seen_reg(m, i);
	const struct frame_memory mem = {machine_mem_const(m), session_peek, m};
	struct frame calls[FRAMES_MAX];
	const size_t n = program_backtrace_in(program, &mem, r, machine_seen_pc(m), calls,
	                                      FRAMES_MAX);
	return inlined_frames(program, calls, n, out, max);
}

size_t frames_of(const struct session *s, struct frame *out, size_t max)
{
	return frames_in(s->program, s->machine, out, max);
}
