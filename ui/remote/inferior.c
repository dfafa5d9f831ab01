#include "ui/remote/inferior.h"

#include <stdio.h>
#include <string.h>

#include "core/isa/regs.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "core/run/trial.h"
#include "loader/dwarf/inlined.h"
#include "ui/console/command_state.h"
#include "ui/console/here.h"
#include "ui/console/location.h"
#include "ui/console/lua_motion.h"
#include "ui/remote/called.h"
#include "ui/remote/commanded.h"

static bool inferior_enter(struct mover *v, const struct c_invocation *call,
                           const struct called *from, struct err *err)
{
	const size_t n = (size_t)(call->top - call->sp);
	const struct change stack = {.kind = JOURNAL_MEMORY,
	                             .a = call->sp,
	                             .bytes = call->stack + sizeof call->stack - n,
	                             .n = n};
	return mover_change(v, &stack, err) && called_enter(v, call, from, err);
}

/* True if a stop point, the console's or a debugger's, ended the motion. */
static bool inferior_is_stopped(const struct mover *v)
{
	return v->halt.stop_id || (v->halt.kind >= HALT_SWBREAK && v->halt.kind <= HALT_AWATCH);
}

/* Formats why a call did not return. */
static void inferior_reason(const struct mover *v, struct err *err)
{
	const int n = v->halt.number;
	const char *signal = n > 0 ? os_signal_name((unsigned)n) : NULL;
	char where[256];
	location_at(v->c, spot_pc(v->at), where, sizeof where);
	switch (v->halt.kind) {
	case HALT_EXITED:
		err_set(err, "it ends the program with status %d; the call is undone", n);
		break;
	case HALT_SIGNAL:
	case HALT_KILLED:
		err_set(err, "it gets %s in %s; the call is undone", signal ? signal : "SIG?",
		        where);
		break;
	case HALT_INTERRUPT:
		err_set(err, "it was interrupted in %s; the call is undone", where);
		break;
	case HALT_FAILED:
		err_set(err, "it can't be called: %.300s", v->halt.why.msg);
		break;
	default:
		err_set(err, "it does not return, but ends in %s; the call is undone", where);
		break;
	}
}

/* Ends the call's motion without a report of a stop. */
static void inferior_end_motion(struct mover *v, unsigned level, bool reached, unsigned entered)
{
	inlined_enter(v->s->program, spot_pc(v->at), entered);
	v->commanded = false;
	v->stepped = 0;
	v->halt = (struct halt){.kind = HALT_STEP};
	v->at->cycle = machine_cycle(v->s->machine);
	v->at->reached = reached;
	run_keep_temporary(v->s->run, false);
	motion_hits(v->c)->n = 0;
	lua_motion_ends(v->c);
	here_look(v->c);
	motion_select(v->c, level);
}

static bool inferior_may_call(const struct console *c, struct err *err)
{
	const struct machine *m = c->session->machine;
	if (run_moving(c->session->run))
		return err_set(err, "the machine is moving: no function can be called now");
	if (machine_pipe(m)->hart->mode == MODE_M)
		return err_set(err, "firmware runs here: functions are called in the program");
	const struct os_thread *seen = machine_seen_thread(m);
	if (seen->state == THREAD_ENDED)
		return err_set(err, "thread %u has ended: no function can be called in it",
		               os_thread_number(seen));
	return true;
}

bool inferior_call(void *ctx, struct c_invocation *call, struct err *err)
{
	struct console *c = ctx;
	const struct spot was = *here_spot(c);
	const unsigned level = location_level(c);
	const unsigned entered = inlined_entered(c->session->program, spot_pc(&was));
	const uint32_t tid = machine_seen_thread(c->session->machine)->tid;
	struct called saved;
	struct point back = {.addr = call->back, .internal = true};
	if (!inferior_may_call(c, err))
		return false;
	struct snapshot *from = trial_begin(c->session->run, err);
	struct mover *v = from ? commanded_begin(c, true) : NULL;
	if (!v) {
		if (from) {
			trial_end(c->session->run, from, false);
			*err = c->err;
		}
		return false;
	}
	called_begin(v, call, tid, &saved);
	const bool waits = tid != spot_tid(v->at);
	const bool begun = inferior_enter(v, call, &saved, &v->halt.why);
	/* The thread that runs leaves its breakpoint; the called function's counts. */
	v->at->reached = waits;
	saved.insts = machine_committed(c->session->machine);
	if (begun && points_insert(v, &back, &v->halt.why))
		motion_continue(v);
	else
		v->halt.kind = HALT_FAILED;
	const bool returned = called_is_back(v, &saved);
	if (returned) {
		for (unsigned i = 0; i < 2; i++) {
			call->a[i] = spot_reg(v->at, REG_A0 + i);
			call->fa[i] = spot_reg(v->at, REG_F0 + 10 + i);
		}
		if (!called_restore(v, &saved, &v->halt.why))
			v->halt.kind = HALT_FAILED;
	} else if (inferior_is_stopped(v)) {
		called_keep(v, &saved);
		trial_end(c->session->run, from, false);
		commanded_end(v, MOTION_SOURCE);
		return err_set(err, "a stop point holds the call; the program stays in it: "
		                    "`continue` or `finish` returns, and sets registers back");
	}
	points_remove(v, &back);
	const bool ok = returned && v->halt.kind != HALT_FAILED;
	if (!ok)
		inferior_reason(v, err);
	trial_end(c->session->run, from, !ok);
	if (!ok) {
		spot_return(v->at, &was, true);
		v->gone = false; /* an end of the program is undone, too */
	}
	inferior_end_motion(v, level, was.reached, entered);
	return ok;
}
