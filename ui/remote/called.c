#include "ui/remote/called.h"

#include <stdio.h>
#include <string.h>

#include "core/isa/regs.h"
#include "core/machine/change.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/run/trial.h"
#include "ui/console/command_state.h"

enum { CALLED_FCSR = 3 };

bool called_set(struct mover *v, enum journal_kind kind, uint64_t a, uint64_t b,
                         struct err *err)
{
	return mover_change(v, &(struct change){.kind = kind, .a = a, .b = b}, err);
}

/* The thread, if it does not execute next at the place; else NULL. */
static const struct os_thread *called_parked_thread(const struct mover *v, uint32_t tid)
{
	const struct os *os = machine_os_const(v->s->machine);
	const int i = tid == spot_tid(v->at) ? -1 : os_thread_find(os, tid);
	return i < 0 ? NULL : &os_threads(os)[i];
}

void called_begin(const struct mover *v, const struct c_invocation *call, uint32_t tid,
                  struct called *out)
{
	const struct os_thread *t = called_parked_thread(v, tid);
	*out = (struct called){.back = call->back,
	                       .sp = call->sp,
	                       .pc = t ? os_thread_call_pc(t) : spot_pc(v->at),
	                       .fcsr = t ? t->fcsr : spot_fcsr(v->at),
	                       .tid = tid};
	memcpy(out->name, call->name, sizeof out->name);
	for (unsigned i = 1; i < REG_SINK; i++)
		out->reg[i] = t ? t->r[i] : spot_reg(v->at, i);
}

bool called_enter(struct mover *v, const struct c_invocation *call, const struct called *from,
                  struct err *err)
{
	for (unsigned i = 0; i < REG_SINK; i++) {
		struct change c = {.kind = JOURNAL_REG, .a = i, .b = call->reg[i]};
		if (!i)
			c = (struct change){.kind = JOURNAL_PC, .a = call->function};
		else if (!(call->set >> i & 1) || from->reg[i] == call->reg[i])
			continue;
		if (!change_of_thread(called_parked_thread(v, from->tid), &c, err) ||
		    !mover_change(v, &c, err))
			return false;
	}
	return true;
}

static uint64_t called_insts_done(const struct mover *v)
{
	return machine_committed(v->s->machine) + v->at->ahead - v->at->back;
}

static void called_note_end(const struct mover *v, const struct called *call)
{
	struct command_state *st = v->c->state;
	struct run_history h;
	run_history(v->s->run, &h);
	st->ended[st->ended_count++ % CALLED_ENDED_MAX] =
		(struct called_ended){.begin = call->insts,
	                              .end = called_insts_done(v),
	                              .sp = call->sp,
	                              .cycle = machine_cycle(v->s->machine) - 1,
	                              .cuts = h.cuts};
}

uint64_t called_begins(const struct mover *v)
{
	const struct command_state *st = v->c->state;
	const uint64_t done = called_insts_done(v), sp = spot_reg(v->at, REG_SP);
	for (unsigned i = st->called_count; i-- > 0;)
		if (st->called[i].insts <= done && st->called[i].sp >= sp)
			return st->called[i].insts;
	for (unsigned i = 0; i < CALLED_ENDED_MAX && i < st->ended_count; i++) {
		const struct called_ended *e = &st->ended[i];
		if (e->begin <= done && done <= e->end && e->sp >= sp &&
		    trial_lasts(v->s->run, e->cycle, e->cuts))
			return e->begin;
	}
	return UINT64_MAX;
}

unsigned called_ahead(const struct mover *v, struct called_ended out[CALLED_ENDED_MAX])
{
	const struct command_state *st = v->c->state;
	const uint64_t done = called_insts_done(v);
	unsigned n = 0;
	for (unsigned i = 0; i < CALLED_ENDED_MAX && i < st->ended_count; i++)
		if (st->ended[i].begin >= done &&
		    trial_lasts(v->s->run, st->ended[i].cycle, st->ended[i].cuts))
			out[n++] = st->ended[i];
	return n;
}

bool called_restore(struct mover *v, const struct called *from, struct err *err)
{
	called_note_end(v, from);
	for (unsigned i = 1; i < REG_SINK; i++)
		if (spot_reg(v->at, i) != from->reg[i] &&
		    !called_set(v, JOURNAL_REG, i, from->reg[i], err))
			return false;
	return (spot_fcsr(v->at) == from->fcsr ||
	        called_set(v, JOURNAL_CSR, CALLED_FCSR, from->fcsr, err)) &&
	       called_set(v, JOURNAL_PC, from->pc, 0, err);
}

bool called_is_back(const struct mover *v, const struct called *of)
{
	return (v->halt.kind == HALT_SWBREAK || v->halt.kind == HALT_STEP) &&
	       spot_pc(v->at) == of->back && spot_reg(v->at, REG_SP) == of->sp;
}

void called_keep(struct mover *v, const struct called *call)
{
	struct command_state *st = v->c->state;
	if (st->called_count == CALLED_MAX) {
		points_remove(v, &(struct point){.addr = st->called[0].back});
		memmove(st->called, st->called + 1, sizeof st->called - sizeof *st->called);
		st->called_count--;
	}
	st->called[st->called_count++] = *call;
}

bool called_returned(struct mover *v, char *name, size_t n)
{
	struct command_state *st = v->c->state;
	struct err err;
	for (unsigned i = st->called_count; i-- > 0;) {
		const struct called call = st->called[i];
		if (!called_is_back(v, &call))
			continue;
		st->called_count = i;
		points_remove(v, &(struct point){.addr = call.back});
		snprintf(name, n, "%s", call.name);
		return called_restore(v, &call, &err);
	}
	return false;
}
