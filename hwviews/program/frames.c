#include "hwviews/program/frames.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "loader/dwarf/inlined.h"

/* The calls, at most max in calls[max], and their frames, at most max in out[max]. */
static size_t frames_walk(const struct program *program, const struct machine *m,
                          struct frame *calls, struct frame *out, size_t max)
{
	uint64_t r[32];
	for (unsigned i = 0; i < 32; i++)
		r[i] = machine_seen_reg(m, i);
	const struct frame_memory mem = {machine_mem_const(m), session_peek, m};
	const size_t n = program_backtrace_in(program, &mem, r, machine_seen_pc(m), calls, max);
	return inlined_frames(program, calls, n, out, max);
}

size_t frames_in(const struct program *program, const struct machine *m, struct frame *out,
                 size_t max)
{
	struct frame calls[FRAMES_MAX];
	return frames_walk(program, m, calls, out, max < FRAMES_MAX ? max : FRAMES_MAX);
}

struct frame *frames_list(const struct session *s, size_t wanted, size_t *n)
{
	for (size_t max = FRAMES_MAX;; max *= 4) {
		struct frame *calls = alloc_bytes(max * sizeof *calls),
			     *out = alloc_bytes(max * sizeof *out);
		*n = calls && out ? frames_walk(s->program, s->machine, calls, out, max) : 0;
		free(calls);
		if (*n && (*n < max || *n >= wanted || max >= FRAMES_ALL))
			return out;
		free(out);
		if (!*n)
			return NULL;
	}
}

bool frames_level(const struct session *s, size_t level, struct frame *out)
{
	size_t n;
	struct frame *list = level < FRAMES_ALL ? frames_list(s, level + 1, &n) : NULL;
	const bool found = list && level < n;
	if (found)
		*out = list[level];
	free(list);
	return found;
}

size_t frames_of(const struct session *s, struct frame *out, size_t max)
{
	return frames_in(s->program, s->machine, out, max);
}

size_t frames_selected(const struct session *s)
{
	return s->frame_cycle == machine_cycle(s->machine) ? s->frame : 0;
}

uint64_t frames_register(const struct session *s, unsigned reg)
{
	const struct machine *m = s->machine;
	const uint64_t here = reg == FRAMES_PC ? machine_seen_pc(m) : machine_seen_reg(m, reg);
	struct frame at;
	struct unwind_regs now = {.known = UINT64_MAX, .pc = machine_seen_pc(m)};
	const size_t level = frames_selected(s);
	if (!level || !frames_level(s, level, &at) || !at.call)
		return here;
	for (unsigned i = 0; i < 64; i++)
		now.r[i] = machine_seen_reg(m, i);
	const struct frame_memory mem = {machine_mem_const(m), session_peek, m};
	const size_t needed = (size_t)at.call + 1;
	struct frame *calls = alloc_bytes(needed * sizeof *calls);
	struct unwind_regs *regs = alloc_bytes(needed * sizeof *regs);
	uint64_t value = here;
	/* A call leaves the address after it in ra. */
	if (reg == FRAMES_PC || (reg == REG_RA && at.kind == FRAME_CALLER))
		value = at.pc;
	else if (calls && regs &&
	         program_unwind(s->program, &mem, &now, calls, regs, needed) == needed &&
	         regs[at.call].known >> reg & 1)
		value = regs[at.call].r[reg];
	free(calls);
	free(regs);
	return value;
}

/* The last line of main, if its file can be read. */
static bool frames_end_of_main(struct program *p, struct source_line *out)
{
	const struct symbol *in = program_symbol_by_name(p, "main");
	struct source_line at;
	unsigned count;
	if (!in || !in->code || !program_line_at(p, in->addr, out) || !out->line)
		return false;
	for (uint64_t pc = in->addr; pc < in->addr + in->size; pc += 2)
		if (program_line_at(p, pc, &at) && at.line > out->line &&
		    !strcmp(at.file, out->file))
			*out = at;
	return program_source_text(p, out->file, 1, &count);
}

size_t frames_nearest_line(const struct session *s, struct frame *out, struct source_line *line)
{
	struct frame frames[FRAMES_MAX];
	unsigned count;
	struct source_line here = {0}, at;
	*line = here;
	if (session_line_here(s, &here) && here.line) {
		*line = here;
		if (program_source_text(s->program, here.file, 1, &count))
			return 0;
	}
	const size_t n = frames_of(s, frames, FRAMES_MAX);
	for (size_t i = 0; i < n; i++)
		if (inlined_line(s->program, &frames[i], &at) && at.line &&
		    program_source_text(s->program, at.file, 1, &count)) {
			*out = frames[i];
			*line = at;
			return i ? i : 1;
		}
	if (machine_status(s->machine) != MACHINE_EXITED || !frames_end_of_main(s->program, &at))
		return 0;
	*out = (struct frame){.pc = 0};
	*line = at;
	return 1;
}
