/* A session's selected instruction, its program, and places of code. */
#include "hwviews/session/session.h"

#include <stdio.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "loader/dwarf/inlined.h"
#include "loader/profile_code.h"

struct uop *session_uop(const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct uop *u = s->selected_seq ? pipe_find(p, s->selected_seq) : NULL;
	if (!u && s->event_cycle == machine_cycle(s->machine))
		u = pipe_find(p, s->event_seq);
	if (u)
		return u;
	if (p->st->rob_count)
		return pipe_rob_at(p, 0);
	return p->st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
}

bool session_uses_xprof(const struct session *s)
{
	const struct profile_code *code = program_profile_code(s->program);
	const struct stats *st = machine_stats(s->machine);
	uint64_t insts = code->control + STAT(st, xprof_fetched) + STAT(st, xprof_control);
	for (unsigned k = 0; k < PROFILE_TYPES; k++)
		insts += code->insts[k];
	return machine_pipe(s->machine)->xprof.enabled && insts;
}

static char *session_place_text(const struct session *s, uint64_t pc, const struct source_line *at,
                                char *buf, size_t n)
{
	program_addr_text(s->program, pc, buf, n);
	size_t used = strlen(buf);
	if (!at->file)
		return buf;
	const char *base = strrchr(at->file, '/');
	snprintf(buf + used, n - used, " (%s:%u)", base ? base + 1 : at->file, at->line);
	return buf;
}

char *session_where(const struct session *s, uint64_t pc, char *buf, size_t n)
{
	struct source_line at = {0};
	if (!program_stop_line_at(s->program, pc, &at))
		at.file = NULL;
	return session_place_text(s, pc, &at, buf, n);
}

bool session_line_here(const struct session *s, struct source_line *out)
{
	const uint64_t pc = machine_seen_pc(s->machine);
	struct inlined at;
	inlined_at(s->program, pc, &at);
	const struct frame f = {.pc = pc, .kind = FRAME_AT, .inlined = at.count};
	return inlined_line(s->program, &f, out);
}

char *session_where_here(const struct session *s, char *buf, size_t n)
{
	struct source_line at = {0};
	if (!session_line_here(s, &at))
		at.file = NULL;
	return session_place_text(s, machine_seen_pc(s->machine), &at, buf, n);
}

bool session_peek(const void *machine, uint64_t addr, void *buf, size_t n)
{
	return machine_peek(machine, addr, buf, n);
}
