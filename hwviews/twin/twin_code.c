#include "hwviews/twin/twin_code.h"

#include <stdlib.h>

#include "core/base/alloc.h"

enum { APART = 4096 /* least distance of marks, in instructions */ };
#define NOT_COUNTED UINT64_MAX

struct twin_code *twin_code_new(const struct program *now)
{
	struct twin_code *c = alloc_zeroed(1, sizeof *c);
	struct own_mark *marks = alloc_bytes(sizeof *marks);
	if (!c || !marks) {
		free(c);
		free(marks);
		return NULL;
	}
	*marks = (struct own_mark){0};
	*c = (struct twin_code){.marks = marks, .count = 1, .room = 1};
	program_moved_code(now, &c->moved);
	return c;
}

void twin_code_free(struct twin_code *c)
{
	if (c)
		free(c->marks);
	free(c);
}

/* Pointers to original code still execute it, at its original address. */
uint64_t twin_code_was(const struct twin_code *c, uint64_t pc)
{
	return moved_code_covers(&c->moved, pc) ? moved_code_from(&c->moved, pc) : pc;
}

/* ---- counting ---- */
struct counting {
	struct twin_code *code;
	struct own_mark begin; /* at the cycle of the last commit */
	uint64_t own, aim;
};

/* Adds a mark, at least APART after the last one. If memory is out, marks are farther apart. */
static void twin_code_append_mark(struct twin_code *c, struct own_mark at)
{
	if (at.own < c->marks[c->count - 1].own + APART)
		return;
	if (c->count == c->room) {
		struct own_mark *more = alloc_resize(c->marks, 2 * c->room * sizeof *more);
		if (!more)
			return;
		c->marks = more;
		c->room *= 2;
	}
	c->marks[c->count++] = at;
}

static bool twin_code_count_commit(void *ctx, const struct machine *m, const struct event *ev)
{
	struct counting *k = ctx;
	(void)m;
	if (ev->cycle != k->begin.cycle) {
		k->begin = (struct own_mark){ev->cycle, k->own};
		twin_code_append_mark(k->code, k->begin);
	}
	k->own += twin_code_was(k->code, ev->pc) != 0;
	return k->own >= k->aim;
}

static void twin_code_on_commit_event(void *ctx, const struct machine *m, const struct event *ev)
{
	twin_code_count_commit(ctx, m, ev);
}

/* The last mark not after a cycle, or before an instruction. */
static struct own_mark mark_before(const struct twin_code *c, uint64_t cycle, uint64_t aim)
{
	size_t lo = 0, hi = c->count;
	while (hi - lo > 1) {
		const size_t mid = lo + (hi - lo) / 2;
		if (c->marks[mid].cycle <= cycle && c->marks[mid].own < aim)
			lo = mid;
		else
			hi = mid;
	}
	return c->marks[lo];
}

static bool count_from(struct twin_code *c, struct run *r, struct own_mark from, uint64_t to,
                       struct err *err)
{
	const struct event_filter commits = {.mask = EVENT_BIT(commit)};
	struct counting k = {c, from, from.own, UINT64_MAX};
	c->now.cycle = NOT_COUNTED;
	if (from.cycle < to &&
	    !run_replay(r, from.cycle, to, &commits, twin_code_on_commit_event, &k, err))
		return false;
	c->now = (struct own_mark){to, k.own};
	return true;
}

bool twin_code_count(struct twin_code *c, struct run *r, const struct machine *m, uint64_t *own,
                     struct err *err)
{
	const uint64_t now = machine_cycle(m);
	if (c->now.cycle != now &&
	    !count_from(c, r, mark_before(c, now, UINT64_MAX), now, err))
		return false;
	*own = c->now.own;
	return true;
}

/* After its goal is met in a cycle, the listener gets no more events of that cycle. */
bool twin_code_to(struct twin_code *c, struct run *r, const struct machine *m, uint64_t aim,
                  struct run_stop_info *info, struct err *err)
{
	const struct own_mark near = mark_before(c, UINT64_MAX, aim);
	struct own_mark from = c->now;
	*info = (struct run_stop_info){.reason = STOPPED_DONE};
	if (from.cycle != machine_cycle(m) || from.own >= aim || from.own < near.own) {
		from = near;
		if (machine_cycle(m) != from.cycle &&
		    (!run_goto_cycle(r, from.cycle, info, err) || machine_cycle(m) != from.cycle))
			return info->reason != STOPPED_DONE;
	}
	struct counting k = {c, from, from.own, aim};
	c->now = from;
	if (!aim)
		return true;
	c->now.cycle = NOT_COUNTED;
	if (!run_until(r, twin_code_count_commit, &k, info, err))
		return false;
	if (k.own >= aim)
		return count_from(c, r, k.begin, machine_cycle(m), err);
	if (machine_has_ended(m))
		c->now = (struct own_mark){machine_cycle(m), k.own};
	return true;
}
