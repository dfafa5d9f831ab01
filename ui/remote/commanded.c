#include "ui/remote/commanded.h"

#include "core/base/alloc.h"
#include "core/os/thread.h"
#include "ui/console/command_state.h"
#include "ui/remote/called.h"

static struct mover *commanded_mover(struct console *c)
{
	struct command_state *st = c->state;
	if (!st->mover) {
		st->own_mover = alloc_zeroed(1, sizeof *st->own_mover);
		if (st->own_mover)
			mover_init(st->own_mover, c->session, c);
	}
	return st->mover;
}

struct mover *commanded_begin(struct console *c, bool forward)
{
	const struct os_thread *t = machine_parked(c->session->machine);
	struct mover *v = commanded_mover(c);
	if (!v) {
		console_fail(c, "out of memory for a motion");
		return NULL;
	}
	if (!motion_depart(c, forward))
		return NULL;
	v->stepped = t && t->tid != spot_tid(v->at) ? t->tid : 0;
	v->commanded = true;
	v->told_end = false;
	v->info = (struct run_stop_info){0};
	v->halt = (struct halt){.kind = HALT_STEP};
	return v;
}

bool commanded_goes_on(const struct mover *v)
{
	return v->halt.kind == HALT_STEP && v->halt.reason == STOPPED_DONE;
}

static bool commanded_returned(struct mover *v)
{
	char name[80];
	const bool returned = called_returned(v, name, sizeof name);
	if (returned)
		console_print(v->c, "%s has returned\n", name);
	return returned;
}

void commanded_cycles_end(struct console *c, struct run_stop_info *info)
{
	struct mover *v = c->state->called_count ? commanded_mover(c) : NULL;
	if (v && commanded_returned(v))
		*info = (struct run_stop_info){.reason = STOPPED_DONE};
}

enum command_result commanded_end(struct mover *v, enum motion_style style)
{
	if (commanded_returned(v))
		v->halt = (struct halt){.kind = HALT_STEP};
	const bool began = v->halt.kind != HALT_FAILED;
	const struct run_stop_info info = mover_info(v);
	const struct err err = v->halt.why;
	v->commanded = false;
	v->stepped = 0;
	v->at->cycle = machine_cycle(v->s->machine);
	v->at->reached = info.reason == STOPPED_DONE || info.reason == STOPPED_BREAK;
	if (v->halt.tid && v->halt.tid != spot_tid(v->at))
		machine_see_thread(v->s->machine, v->halt.tid);
	return motion_end_report(v->c, began, &info, &err, style);
}
