/* Moves the program for debuggers: to places between two instructions, in either direction.
 *
 * The machine moves by whole cycles; after a stop, the instructions that committed in that cycle
 * are examined one by one, and the place is put at the first of them, backwards the last, that
 * meets the goal. */
#include <string.h>

#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/field_text.h"
#include "loader/dwarf/inlined.h"
#include "ui/console/motion.h"
#include "ui/remote/mover_priv.h"

enum mode { MODE_STEP, MODE_RANGE, MODE_CONTINUE };

struct forward {
	enum mode mode;
	uint64_t lo, hi;  /* MODE_RANGE: bytes to stay within */
	bool firmware;    /* the motion begins in M-mode; other motions pass over M-mode */
	uint32_t tid;     /* the stepping thread; others don't end the step */
	bool away;        /* ended with a call in which the thread waits */
};

void mover_halt(struct mover *v, enum halt_kind kind, uint64_t addr)
{
	v->halt = (struct halt){.kind = kind, .addr = addr};
	v->at->cycle = machine_cycle(v->s->machine);
}

bool mover_own(struct mover *v)
{
	if (v->halt.kind == HALT_FAILED)
		return true;
	v->halt.stop_id = motion_hits(v->c)->hit[0].stop_id;
	v->halt.reason = STOPPED_BREAK;
	return true;
}

static bool mover_in_firmware(const struct mover *v)
{
	return machine_pipe(v->s->machine)->hart->mode == MODE_M;
}

/* True if the instruction that executes next at the place is firmware's. */
static bool firmware_next(const struct mover *v)
{
	const struct group g = spot_group(v->at);
	return v->at->back && v->at->back <= g.n ? (g.u[g.n - v->at->back]->flags & UF_MACHINE) != 0
	                                       : mover_in_firmware(v);
}

/* ---- the group of a cycle ---- */
static uint32_t tid_of(const struct group *g, unsigned i)
{
	return i < g->n ? GUEST_PID + g->u[i]->thread : 0;
}

void mover_landed(struct mover *v)
{
	struct err err;
	if (!spot_is_changed(v->at) || !spot_before_changes(v->at, &err))
		return;
	v->at->back = v->at->ahead;
	if (!v->at->ahead)
		spot_after_changes(v->at, &err);
}

bool mover_has_passed(const struct mover *v, uint64_t insts)
{
	return machine_insts(v->s->machine) - (v->at->ahead ? 0 : spot_group(v->at).n) != insts;
}

void mover_pass_group(struct mover *v)
{
	v->at->back = 0;
	if (!v->at->ahead || spot_after_changes(v->at, &v->halt.why))
		return;
	v->halt.kind = HALT_FAILED;
}

bool mover_enter_earlier(struct mover *v)
{
	struct err err;
	if (!v->at->ahead && !spot_is_changed(v->at))
		return false;
	spot_reset(v->at);
	while (spot_is_changed(v->at))
		if (!spot_before_changes(v->at, &err) || v->at->ahead)
			return v->at->ahead;
	return spot_group(v->at).n;
}

bool mover_before(struct mover *v, unsigned i, enum halt_kind kind, uint64_t addr)
{
	const struct group g = spot_group(v->at);
	mover_halt(v, kind, addr);
	v->halt.tid = tid_of(&g, i);
	if (!spot_before(v->at, i, &v->halt.why))
		v->halt.kind = HALT_FAILED;
	return true;
}

bool mover_behind(struct mover *v, const struct group *g, unsigned i, enum halt_kind kind,
                  uint64_t addr)
{
	v->at->back = g->n - i - 1;
	mover_halt(v, kind, addr);
	v->halt.tid = tid_of(g, i);
	if (!v->at->back)
		mover_pass_group(v);
	return true;
}

enum halt_kind mover_break_kind(const struct point *p)
{
	return p->type ? HALT_HWBREAK : HALT_SWBREAK;
}

/* True if the point stops the program after i instructions of the group. */
bool mover_stops(struct mover *v, const struct group *g, unsigned i, const struct point *p,
                 bool forward)
{
	const unsigned back = v->at->back;
	if (!p || !p->conditional || !v->stops)
		return p;
	v->at->back = g->n - i;
	const bool yes = v->stops(v->ctx, p, forward);
	v->at->back = back;
	return yes;
}

enum halt_kind mover_watch_kind(const struct point *p)
{
	return p->type == 2 ? HALT_WATCH : p->type == 3 ? HALT_RWATCH : HALT_AWATCH;
}

static const struct os_thread *thread_of(const struct mover *v, uint32_t tid)
{
	const struct os *os = machine_os_const(v->s->machine);
	const int i = os_thread_find(os, tid);
	return i < 0 ? NULL : &os_threads(os)[i];
}

static bool is_running(const struct mover *v, const struct os_thread *t)
{
	const struct os *os = machine_os_const(v->s->machine);
	return t == &os_threads(os)[os_running(os)];
}

/* True if the motion has reached its goal after instruction i. */
static bool mover_has_arrived(const struct mover *v, struct forward *f, const struct group *g,
                              unsigned i)
{
	const bool last = i + 1 == g->n;
	const struct os_thread *t = thread_of(v, tid_of(g, i));
	const bool runs = t && is_running(v, t);
	const uint64_t next = !last          ? g->u[i + 1]->pc
	                      : v->at->ahead ? g->u[i]->exec.next_pc
	                      : runs || !t ? machine_pc(v->s->machine)
	                                   : t->pc;
	if (f->mode != MODE_CONTINUE && tid_of(g, i) != f->tid)
		return false;
	const bool firmware = last ? mover_in_firmware(v) : (g->u[i + 1]->flags & UF_MACHINE) != 0;
	if (f->mode == MODE_CONTINUE || (firmware && !f->firmware))
		return false;
	if (f->mode != MODE_STEP && next >= f->lo && next < f->hi)
		return false;
	f->away = last && t && t->state == THREAD_WAITS;
	return !f->away;
}

bool mover_over(struct mover *v, const struct group *g, unsigned i, bool check)
{
	const struct uop *u = g->u[i];
	const struct point *p = points_break(v, u->pc, false);
	if (v->held && held_thread(v, tid_of(g, i)))
		return false;
	if (check && mover_stops(v, g, i, p, true))
		return mover_before(v, i, mover_break_kind(p), u->pc);
	if (check && own_before(v, g, i, true))
		return mover_before(v, i, HALT_STEP, 0) && mover_own(v);
	p = points_watch(v, u);
	if (mover_stops(v, g, i + 1, p, true))
		return v->watches_early ? mover_before(v, i, mover_watch_kind(p), p->addr)
		                        : mover_behind(v, g, i, mover_watch_kind(p), p->addr);
	p = points_break(v, u->exec.next_pc, true);
	if (mover_stops(v, g, i + 1, p, true))
		return mover_behind(v, g, i, mover_break_kind(p), p->addr);
	return own_behind(v, g, i, true) && mover_behind(v, g, i, HALT_STEP, 0) && mover_own(v);
}

/* Moves the place over instructions [i, n) of the group, up to the first stop. check: a breakpoint
 * at the first counts. */
static bool mover_walk_forward(struct mover *v, struct forward *f, unsigned i, bool check)
{
	const struct group g = spot_group(v->at);
	for (; i < g.n; i++, check = true) {
		if (f->away && tid_of(&g, i) == f->tid)
			return mover_before(v, i, HALT_STEP, 0);
		if (mover_over(v, &g, i, check && f->mode != MODE_STEP))
			return true;
		if (mover_has_arrived(v, f, &g, i))
			return mover_behind(v, &g, i, HALT_STEP, 0);
	}
	mover_pass_group(v);
	const struct os_thread *t = thread_of(v, f->tid);
	if (f->mode == MODE_CONTINUE || (t && !(f->away && is_running(v, t))))
		return false;
	mover_halt(v, HALT_STEP, 0); /* the thread's call has returned, or the thread has ended */
	return true;
}

bool mover_walk_backward(struct mover *v, unsigned first, unsigned i)
{
	const struct group g = spot_group(v->at);
	while (i-- > first) {
		const struct point *p = points_watch(v, g.u[i]);
		if (mover_stops(v, &g, i + 1, p, false))
			return v->watches_early
			               ? mover_behind(v, &g, i, mover_watch_kind(p), p->addr)
			               : mover_before(v, i, mover_watch_kind(p), p->addr);
		if (own_behind(v, &g, i, false))
			return mover_before(v, i, HALT_STEP, 0) && mover_own(v);
		p = points_break(v, g.u[i]->pc, false);
		if (mover_stops(v, &g, i, p, false))
			return mover_before(v, i, mover_break_kind(p), g.u[i]->pc);
		if (own_before(v, &g, i, false))
			return mover_before(v, i, HALT_STEP, 0) && mover_own(v);
	}
	return false;
}

/* ---- the end of the program ---- */
static void mover_set_end_halt(struct mover *v)
{
	const struct machine *m = v->s->machine;
	spot_reset(v->at);
	switch (machine_status(m)) {
	case MACHINE_EXITED:
		v->halt = (struct halt){.kind = HALT_EXITED, .number = machine_exit_status(m)};
		break;
	case MACHINE_KILLED:
		v->halt =
			(struct halt){.kind = HALT_SIGNAL, .number = machine_exit_status(m) - 128};
		break;
	case MACHINE_FAULTED:
		v->halt = (struct halt){.kind = HALT_SIGNAL,
		                        .number = trap_signal(machine_fault(m)->trap)};
		break;
	default:
		mover_halt(v, HALT_STEP, 0);
		break;
	}
	if (v->halt.kind == HALT_SIGNAL && v->told_end)
		v->halt.kind = HALT_KILLED;
	signals_ended(v);
	v->told_end = v->halt.kind == HALT_SIGNAL;
	v->gone = v->halt.kind == HALT_EXITED || v->halt.kind == HALT_KILLED;
	v->halt.reason = STOPPED_EXIT;
}

/* ---- shared by all motions ---- */
bool mover_begin(struct mover *v, bool forward)
{
	v->moved = false;
	if (forward && machine_has_ended(v->s->machine)) {
		mover_set_end_halt(v);
		return false;
	}
	if (v->commanded)
		return true;
	v->quiet = true;
	const bool can = motion_depart(v->c, forward);
	v->quiet = false;
	if (can)
		return true;
	mover_halt(v, HALT_FAILED, 0);
	v->halt.why = v->c->err;
	return false;
}

void mover_leg(struct mover *v, const struct run_stop_info *info, bool forward)
{
	v->info = *info;
	own_landed(v, info, forward);
}

struct run_stop_info mover_info(const struct mover *v)
{
	struct run_stop_info info = {.reason = v->halt.reason};
	if (v->halt.reason == STOPPED_BREAK && motion_hits(v->c)->n)
		return motion_hits(v->c)->hit[0];
	switch (v->halt.kind) {
	case HALT_STEP:
		if (v->info.reason == info.reason)
			info = v->info;
		break;
	case HALT_INTERRUPT:
		info.reason = v->info.reason == STOPPED_INPUT ? STOPPED_INPUT : STOPPED_INTERRUPT;
		break;
	case HALT_BEGIN:
		info.reason = STOPPED_BEGIN;
		break;
	case HALT_SIGNAL:
	case HALT_KILLED:
	case HALT_EXITED:
		info.reason = STOPPED_EXIT;
		break;
	default: /* a debugger's own */
		info.reason = STOPPED_BREAK;
		for (unsigned i = 0; i < v->points; i++)
			if (v->point[i].addr == v->halt.addr)
				info.stop_id = v->point[i].id;
		break;
	}
	return info;
}

void mover_report(struct mover *v, bool began, const struct err *err, bool tell)
{
	const struct run_stop_info info = mover_info(v);
	if (v->commanded)
		return;
	v->quiet = !tell;
	if (motion_end_report(v->c, began, &info, err, MOTION_STATUS) == CMD_ERROR && began && tell)
		console_print(v->c, "%s\n", v->c->err.msg);
	v->quiet = false;
	machine_look_from(v->s->machine, NULL); /* debuggers read through the spot themselves */
}

bool mover_failed(struct mover *v, bool began, const struct err *err)
{
	if (began)
		return false;
	mover_halt(v, HALT_FAILED, 0);
	v->halt.why = *err;
	return true;
}

/* True if the program stands after a system call, which is alone in its cycle. */
static bool mover_is_behind_syscall(const struct mover *v)
{
	const struct group g = spot_group(v->at);
	return !v->at->back && g.n == 1 && g.u[0]->trap == TRAP_ECALL;
}

/* Describes the stopping event, for debuggers that can show a text. */
static void tell_event(struct mover *v, const struct event *ev)
{
	char where[160], fields[300];
	const bool more = event_info[ev->id].field_count;
	err_set(&v->halt.why, "%s at %s%s%s", event_info[ev->id].name,
	        session_where(v->s, ev->pc, where, sizeof where), more ? ": " : "",
	        more ? field_text_of_event(v->s, ev, fields, sizeof fields) : "");
}

bool mover_explain(struct mover *v, const struct run_stop_info *info)
{
	const struct point *p;
	spot_reset(v->at);
	switch (info->reason) {
	case STOPPED_EXIT:
		mover_set_end_halt(v);
		return true;
	case STOPPED_INTERRUPT:
	case STOPPED_INPUT:
		mover_halt(v, HALT_INTERRUPT, 0);
		return true;
	case STOPPED_BEGIN:
		mover_halt(v, HALT_BEGIN, 0);
		return true;
	case STOPPED_DONE:
		return false;
	case STOPPED_BREAK:
		if (own_at_end(v, true))
			break;
		p = points_by_id(v, info->stop_id);
		if (p && p->type == 2 && mover_is_behind_syscall(v) &&
		    mover_stops(v, &(struct group){0}, 0, p, true)) {
			mover_halt(v, HALT_WATCH, p->addr);
			return true;
		}
		return false;
	default:
		break;
	}
	mover_halt(v, HALT_STEP, 0);
	v->halt.reason = info->reason;
	if (info->reason != STOPPED_BREAK)
		return true;
	const struct run_stop_info *hit = &motion_hits(v->c)->hit[0];
	mover_own(v);
	if (hit->by_event)
		tell_event(v, &hit->event);
	return true;
}

bool mover_is_ours(const struct mover *v, const struct run_stop_info *info)
{
	return v->halt.stop_id || info->reason == STOPPED_ASKED ||
	       info->reason == STOPPED_STALLED ||
	       info->reason == STOPPED_STARVED;
}

bool mover_resumes(struct mover *v)
{
	return v->halt.kind == HALT_INTERRUPT && v->resumes && v->resumes(v->ctx);
}

bool mover_is_stopped(struct mover *v)
{
	if (!v->wants_stop || !v->wants_stop(v->ctx))
		return false;
	mover_halt(v, HALT_INTERRUPT, 0);
	return !mover_resumes(v);
}

/* Undoes instruction i of the group, the last one done. False: a watchpoint hit, or it failed. With
 * watches_early, a watchpoint leaves the place as it is. */
static bool undo_one(struct mover *v, unsigned i)
{
	const struct group g = spot_group(v->at);
	const struct point *p = points_watch(v, g.u[i]);
	const bool call = mover_is_behind_syscall(v);
	if (call)
		points_look(v);
	if (p && v->watches_early) {
		mover_halt(v, mover_watch_kind(p), p->addr);
		return false;
	}
	mover_before(v, i, p ? mover_watch_kind(p) : HALT_STEP, p ? p->addr : 0);
	if (call && v->halt.kind == HALT_STEP && (p = points_changed(v))) {
		if (v->watches_early && !spot_move(v->at, true, &v->halt.why))
			v->halt.kind = HALT_FAILED;
		else
			mover_halt(v, HALT_WATCH, p->addr);
	}
	return v->halt.kind == HALT_STEP;
}

/* ---- forwards ---- */
/* True if a step may end after this commit; mover_walk_forward() decides. */
static bool may_arrive(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct forward *f = ctx;
	const struct os *os = machine_os_const(m);
	const int i = os_thread_find(os, f->tid);
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (i < 0 || (f->away && (unsigned)i == os_running(os)))
		return true;
	if ((uint32_t)GUEST_PID + u->thread != f->tid)
		return false;
	if ((u->flags & UF_MACHINE) && !f->firmware)
		return u->trap == TRAP_MRET;
	return u->exec.next_pc < f->lo || u->exec.next_pc >= f->hi;
}

bool mover_at_end(struct mover *v, bool placed)
{
	if (!own_at_end(v, placed))
		return false;
	mover_halt(v, HALT_STEP, 0);
	return mover_own(v);
}

static void mover_move_until(struct mover *v, struct forward *f)
{
	struct run_stop_info info = {0};
	struct err err;
	bool entered;
	const bool goes = signals_leave(v, f->mode != MODE_CONTINUE, &entered);
	if (!signals_send(v) || !goes || !held_begin(v))
		return;
	const unsigned n = spot_group(v->at).n;
	const bool off = v->commanded ? v->at->reached : v->moved || v->steps_off;
	bool check = f->mode == MODE_CONTINUE && (entered || !off);
	f->firmware = firmware_next(v);
	f->tid = v->stepped ? (uint32_t)v->stepped : spot_tid(v->at);
	const bool within = v->at->back;
	inlined_enter(v->s->program, 0, 0);
	if (within && (mover_walk_forward(v, f, n - v->at->back, check) || mover_at_end(v, true)))
		return;
	const struct point *p = points_break(v, machine_pc(v->s->machine), false);
	if (p && check && !(v->held && held_thread(v, spot_tid(v->at)))) {
		mover_halt(v, mover_break_kind(p), p->addr);
		return;
	}
	check |= within && f->mode == MODE_CONTINUE;
	if (!mover_begin(v, true))
		return;
	const uint64_t insts = machine_insts(v->s->machine);
	bool began, done = false;
	points_look(v);
	do {
		if (f->mode == MODE_CONTINUE && check)
			began = run_continue(v->s->run, &info, &err);
		else
			began = run_until(v->s->run, may_arrive, f, &info, &err);
		if (mover_failed(v, began, &err))
			break;
		mover_leg(v, &info, true);
		mover_landed(v);
		done = mover_walk_forward(v, f, 0, check || mover_has_passed(v, insts));
		if (!done && v->held) {
			done = !held_keep(v);
			if (!done && (done = held_alone(v)))
				mover_halt(v, HALT_ALONE, 0);
			if (done)
				break;
		}
		if (!done || v->halt.kind == HALT_STEP)
			done |= signals_met(v, &info, true);
		bool call = false; /* stopped by a watchpoint after a system call */
		if (!done && mover_explain(v, &info)) {
			call = v->halt.kind == HALT_WATCH;
			done = !mover_resumes(v);
		}
		done = done || mover_is_stopped(v);
		if (f->mode == MODE_STEP && mover_is_behind_syscall(v) &&
		    (p = points_changed(v))) {
			mover_halt(v, HALT_WATCH, p->addr);
			call = true;
		}
		if (done && call && v->watches_early)
			mover_before(v, 0, HALT_WATCH, v->halt.addr);
		check = true;
	} while (!done);
	mover_report(v, began, &err,
	             began && v->halt.kind == HALT_STEP && mover_is_ours(v, &info));
}

static void mover_move_forward(struct mover *v, struct forward *f)
{
	mover_move_until(v, f);
	held_end(v);
}

void motion_step(struct mover *v)
{
	mover_move_forward(v, &(struct forward){.mode = MODE_STEP});
}

void motion_range(struct mover *v)
{
	mover_move_forward(v, &(struct forward){.mode = MODE_RANGE, .lo = v->lo, .hi = v->hi});
}

void motion_continue(struct mover *v)
{
	mover_move_forward(v, &(struct forward){.mode = MODE_CONTINUE});
}

void motion_cycles(struct mover *v, int64_t n)
{
	struct run_stop_info info = {0};
	struct err err;
	spot_reset(v->at);
	v->told_end = false;
	if (!mover_begin(v, n > 0))
		return;
	const bool began = n > 0 ? run_cycles(v->s->run, (uint64_t)n, false, &info, &err)
	                         : run_back_cycles(v->s->run, -(uint64_t)n, &info, &err);
	if (began)
		mover_leg(v, &info, n > 0);
	if (!mover_failed(v, began, &err) && !mover_explain(v, &info))
		mover_halt(v, HALT_STEP, 0);
	mover_report(v, began, &err, false);
}

/* ---- backwards ---- */
bool mover_machine_back(struct mover *v)
{
	struct run_stop_info info = {0};
	struct err err;
	if (!mover_begin(v, false))
		return false;
	while (!mover_enter_earlier(v)) {
		const unsigned n = spot_group(v->at).n;
		bool began = run_back_insts(v->s->run, n ? n : 1, &info, &err);
		/* No commit in the cycle where the motion began: the last commit is one cycle
		 * later. */
		if (began && !n && info.reason == STOPPED_DONE)
			began = run_insts(v->s->run, 1, false, &info, &err);
		spot_reset(v->at);
		if (mover_failed(v, began, &err))
			return false;
		if (info.reason != STOPPED_DONE || !spot_is_changed(v->at))
			break;
	}
	mover_leg(v, &(struct run_stop_info){0}, false);
	mover_halt(v, HALT_STEP, 0);
	mover_report(v, true, &err, false);
	if (info.reason == STOPPED_INTERRUPT)
		mover_halt(v, HALT_INTERRUPT, 0);
	else if (info.reason == STOPPED_BEGIN || !spot_group(v->at).n)
		mover_halt(v, HALT_BEGIN, 0);
	else
		return true;
	return false;
}

/* Steps back over one instruction of the thread; passes over firmware unless the step begins in
 * firmware. */
void motion_back_step(struct mover *v)
{
	const bool firmware = firmware_next(v);
	const uint32_t tid = v->stepped ? (uint32_t)v->stepped : spot_tid(v->at);
	bool theirs;
	v->before = (struct mover_signal){0};
	memset(v->stopped, 0, sizeof v->stopped);
	inlined_enter(v->s->program, 0, 0);
	do {
		struct group g = spot_group(v->at);
		if (v->at->back >= g.n) {
			if (!mover_machine_back(v))
				return;
			g = spot_group(v->at);
		}
		theirs = tid_of(&g, g.n - v->at->back - 1) != tid;
		if (undo_one(v, g.n - v->at->back - 1) && v->wants_stop && v->wants_stop(v->ctx)) {
			mover_halt(v, HALT_INTERRUPT, 0);
			if (mover_resumes(v))
				mover_halt(v, HALT_STEP, 0);
		}
	} while (v->halt.kind == HALT_STEP && (theirs || (!firmware && firmware_next(v))));
	v->told_end = false;
}

void motion_back_continue(struct mover *v)
{
	struct run_stop_info info = {0};
	struct err err;
	v->told_end = false;
	inlined_enter(v->s->program, 0, 0);
	if (signals_back(v) || (mover_is_behind_syscall(v) && !undo_one(v, 0)))
		return;
	do
		if (mover_walk_backward(v, 0, spot_group(v->at).n - v->at->back))
			return;
	while (mover_enter_earlier(v));
	if (!mover_begin(v, false))
		return;
	bool began, done = false;
	do {
		began = run_back_continue(v->s->run, &info, &err);
		if (mover_failed(v, began, &err))
			break;
		if (info.reason == STOPPED_INTERRUPT) { /* the machine has not moved */
			mover_halt(v, HALT_INTERRUPT, 0);
			if (mover_resumes(v))
				continue;
			break;
		}
		spot_reset(v->at);
		mover_leg(v, &info, false);
		done = mover_at_end(v, false) || mover_walk_backward(v, 0, spot_group(v->at).n) ||
		       signals_met(v, &info, false);
		if (!done && mover_explain(v, &info)) {
			done = true;
			/* Stop before the system call that wrote to the watched bytes. */
			if (v->halt.kind == HALT_WATCH && !v->watches_early)
				mover_before(v, 0, HALT_WATCH, v->halt.addr);
			else if (v->halt.stop_id && mover_is_behind_syscall(v))
				done = mover_before(v, 0, HALT_STEP, 0) && mover_own(v);
		}
		while (!done && mover_enter_earlier(v))
			done = mover_walk_backward(v, 0, spot_group(v->at).n);
		done = done || mover_is_stopped(v);
	} while (!done);
	mover_report(v, began, &err,
	             began && v->halt.kind == HALT_STEP && mover_is_ours(v, &info));
}
