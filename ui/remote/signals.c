/* Signals for debuggers: stops before a signal acts, and the signal delivered in its place.
 *
 * A signal acts in a cycle of its own; the place before it is then the end of the previous cycle.
 * Or the signal acts at the end of the system call that sent it, in the same cycle; the place
 * before it is then read from the signal's frame. At a fatal signal the program stops at its end. A
 * stop changes nothing; delivering another signal is a change by hand. */
#include <stddef.h>
#include <string.h>

#include "core/defs/event_fields.h"
#include "core/os/os.h"
#include "core/os/signals.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "ui/remote/mover_priv.h"

enum { FRAMES_MAX = OS_SIGNALS };

static bool signals_has(uint64_t set, uint64_t number)
{
	return number && number < OS_SIGNALS && (set & signal_bit(number));
}

static bool signals_event_counts(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct mover *v = ctx;
	(void)m;
	return signals_has(v->signals, ev->signal.signal);
}

bool signals_arm(struct mover *v, uint64_t set)
{
	struct stop_point sp = {.kind = STOP_POINT_EVENT,
	                        .filter.mask = EV_BIT(SIGNAL),
	                        .event_condition = signals_event_counts,
	                        .ctx = v,
	                        .text = "a debugger's signals",
	                        .enabled = true};
	v->signals = set;
	if (!set && v->signal_stop)
		run_delete_stop(v->s->run, v->signal_stop);
	if (!set)
		v->signal_stop = 0;
	else if (!run_stop(v->s->run, v->signal_stop))
		v->signal_stop = run_add_stop(v->s->run, &sp);
	return !set || v->signal_stop;
}

/* True if a signal that counts acted in the cycle of this stop. */
static bool signals_hit(const struct mover *v, const struct run_stop_info *info)
{
	unsigned n;
	const struct run_stop_info *also = run_also_hit(v->s->run, &n);
	if (info->reason != STOPPED_BREAK || !v->signal_stop)
		return false;
	bool hit = info->stop_id == v->signal_stop;
	for (unsigned i = 0; i < n && i < RUN_ALSO_MAX; i++)
		hit |= also[i].stop_id == v->signal_stop;
	return hit;
}

/* The cycle's only instruction, if it is a system call. */
static const struct uop *signals_call(const struct mover *v)
{
	const struct group g = spot_group(v->at);
	return g.n == 1 && g.u[0]->trap == TRAP_ECALL ? g.u[0] : NULL;
}

/* The next signal frame made by the cycle's system call whose signal counts: inwards from
 * v->at->frame (0: from outside), or outwards. 0: none. */
static uint64_t signals_next_frame(const struct mover *v, bool inwards)
{
	const struct uop *call = signals_call(v);
	struct lx_sigframe f;
	uint64_t at[FRAMES_MAX], next = machine_reg(v->s->machine, REG_SP);
	bool counts[FRAMES_MAX];
	unsigned n = 0, here = 0;
	for (bool outermost = !call; !outermost && n < FRAMES_MAX; n++) {
		if (!spot_frame(v->at, next, &f))
			break;
		at[n] = next;
		counts[n] = signals_has(v->signals, (uint64_t)f.info.signo);
		outermost = f.context.pc - call->pc <= uop_len(call);
		next = f.context.x[REG_SP - 1];
	}
	if (!v->at->frame)
		here = inwards ? n : UINT32_MAX; /* + 1: the innermost */
	else
		while (here < n && at[here] != v->at->frame)
			here++;
	if (inwards)
		while (here-- > 0)
			if (counts[here])
				return at[here];
	while (!inwards && ++here < n)
		if (counts[here])
			return at[here];
	return 0;
}

static void signals_halt(struct mover *v, const struct lx_siginfo *info)
{
	const int thread = os_thread_find(machine_os_const(v->s->machine), spot_tid(v->at));
	v->before = (struct mover_signal){
		.number = (unsigned)info->signo,
		.info = {.signo = info->signo,
	                 .code = info->code,
	                 .err = info->err,
	                 .word = {info->word[0], info->word[1]}}};
	if (thread >= 0)
		v->stopped[thread] = v->before.info;
	v->halt = (struct halt){
		.kind = HALT_SIGNAL, .number = info->signo, .tid = spot_tid(v->at)};
	v->told_end = false;
}

/* Halts at the next frame of this cycle's system call; false: none counts. */
static bool signals_halt_in_call(struct mover *v, bool inwards)
{
	struct lx_sigframe f;
	const uint64_t at = signals_next_frame(v, inwards);
	if (!at || !spot_frame(v->at, at, &f))
		return false;
	v->at->frame = at;
	signals_halt(v, &f.info);
	return true;
}

bool signals_send(struct mover *v)
{
	const struct os *os = machine_os_const(v->s->machine);
	const struct os_thread *t = os_threads(os);
	bool good = true;
	for (unsigned i = 0; good && i < OS_THREADS; i++)
		for (uint64_t set = v->to_send[i]; good && set; set &= set - 1) {
			struct signal_info info = {.signo = __builtin_ctzll(set) + 1,
			                           .code = LX_SI_USER};
			if (v->stopped[i].signo == info.signo)
				info = v->stopped[i];
			const struct change c = {.kind = JOURNAL_SIGNAL,
			                         .b = t[i].tid,
			                         .bytes = &info,
			                         .n = sizeof info};
			/* Registers and memory stay, and so does the place. A hold that goes to the
			 * place later must not undo the signal. */
			good = v->at->ahead ? spot_change(v->at, &c, &v->halt.why)
			                    : spot_settle(v->at, &v->halt.why) &&
			                              run_change(v->s->run, &c, &v->halt.why);
			v->sent[i] |= signal_bit((uint64_t)info.signo);
		}
	memset(v->to_send, 0, sizeof v->to_send);
	const int stopped = v->before.number ? os_thread_find(os, spot_tid(v->at)) : -1;
	for (int i = 0; i < OS_THREADS; i++)
		if (!(v->held >> i & 1) && i != stopped)
			v->stopped[i] = (struct signal_info){0};
	if (!good)
		v->halt.kind = HALT_FAILED;
	return good;
}

bool signals_met(struct mover *v, const struct run_stop_info *info, bool forward)
{
	struct lx_sigframe f;
	struct err err;
	const unsigned running = os_running(machine_os_const(v->s->machine));
	if (!signals_hit(v, info) || (forward && v->held >> running & 1))
		return false;
	spot_reset(v->at);
	const bool framed = spot_frame(v->at, machine_reg(v->s->machine, REG_SP), &f);
	if (forward && framed && signals_has(v->sent[running], (uint64_t)f.info.signo)) {
		v->sent[running] &= ~signal_bit((uint64_t)f.info.signo);
		return false;
	}
	if (signals_call(v))
		return signals_halt_in_call(v, forward);
	if (!framed)
		return false;
	if (!spot_group(v->at).n && !spot_move(v->at, false, &err))
		return false;
	signals_halt(v, &f.info);
	return true;
}

void signals_ended(struct mover *v)
{
	const struct fault *fault = machine_fault(v->s->machine);
	if (v->halt.kind != HALT_SIGNAL || !v->signal_stop)
		return;
	v->before = (struct mover_signal){.number = (unsigned)v->halt.number, .ended = true};
	v->before.info.signo = v->halt.number;
	if (machine_status(v->s->machine) == MACHINE_FAULTED) {
		signal_frame_describe_fault(machine_mem_const(v->s->machine), fault->trap, fault->pc,
		                            fault->addr, &v->before.info);
	} else {
		v->before.info.code = LX_SI_TKILL;
		v->before.info.word[0] = GUEST_PID;
	}
	if (!signals_has(v->signals, (uint64_t)v->halt.number))
		v->halt.kind = HALT_KILLED;
}

/* True if the signal waits in a queue, so that it acts in the next cycle. */
static bool signals_is_pending(const struct mover *v, unsigned number)
{
	const struct os_state *st = os_state_const(machine_os_const(v->s->machine));
	return signal_is_sent(st, &st->thread[st->running].signals, number) ||
	       signal_is_sent(st, NULL, number);
}

/* Goes to a place before the signal at which changes can be made, and in which the program has not
 * ended. */
static bool signals_go_before(struct mover *v, const struct mover_signal *was, struct err *err)
{
	const bool killed = machine_status(v->s->machine) == MACHINE_KILLED;
	if (v->at->frame || (was->ended && killed && signals_call(v)))
		return spot_defer_signal(v->at, err);
	return !was->ended || !killed || spot_move(v->at, false, err);
}

/* Lets `sent` (0: none) act in place of the signal before which the program stands. */
static bool signals_replace(struct mover *v, const struct mover_signal *was, unsigned sent,
                            struct err *err)
{
	struct signal_info info = {.signo = (int32_t)sent, .code = LX_SI_USER};
	if (!signals_go_before(v, was, err))
		return false;
	if (sent == was->number || (was->edited && was->info.signo == (int32_t)sent))
		info = was->info;
	const struct change c = {.kind = JOURNAL_SIGNAL,
	                         .a = was->number,
	                         .bytes = &info,
	                         .n = sent ? sizeof info : 0};
	return spot_change(v->at, &c, err);
}

bool signals_leave(struct mover *v, bool step, bool *entered)
{
	const struct mover_signal was = v->before;
	const unsigned sent = v->deliver < 0 ? was.number : (unsigned)v->deliver;
	const bool same = sent == was.number && !was.edited;
	*entered = false;
	if (!v->signal_stop || (!was.number && !sent) || (same && was.ended))
		return true;
	v->before = (struct mover_signal){0};
	v->told_end = false;
	if (same && v->at->frame) {
		if (signals_halt_in_call(v, true))
			return false;
		spot_reset(v->at);
		*entered = true;
	} else {
		const bool changed = spot_is_changed(v->at);
		if ((!same || (changed && !signals_is_pending(v, sent))) &&
		    !signals_replace(v, &was, sent, &v->halt.why)) {
			v->halt.kind = HALT_FAILED;
			return false;
		}
		const uint64_t pc = machine_pc(v->s->machine);
		if (sent && !spot_move(v->at, true, &v->halt.why)) {
			v->halt.kind = HALT_FAILED;
			return false;
		}
		v->told_end = sent && machine_has_ended(v->s->machine);
		*entered = sent && machine_pc(v->s->machine) != pc;
	}
	if (*entered && step)
		mover_halt(v, HALT_STEP, 0);
	return !*entered || !step;
}

/* True if the place is the beginning of a handler. */
static bool signals_at_handler(const struct mover *v)
{
	const struct machine *m = v->s->machine;
	const struct signal_process *p = &os_state_const(machine_os_const(m))->signals;
	struct lx_sigframe f;
	return !v->at->back && !v->at->ahead && spot_frame(v->at, machine_reg(m, REG_SP), &f) &&
	       f.info.signo > 0 && f.info.signo < OS_SIGNALS &&
	       (p->action[f.info.signo][0] & ~UINT64_C(1)) == machine_pc(m);
}

bool signals_back(struct mover *v)
{
	struct err err;
	v->before = (struct mover_signal){0};
	memset(v->stopped, 0, sizeof v->stopped);
	if (v->at->frame && signals_halt_in_call(v, false))
		return true;
	/* A search passes over the cycle where it begins, in which the signal may have acted; the
	 * handler's first instruction does not commit in the next one. */
	if (!v->at->frame && v->signal_stop && signals_at_handler(v))
		spot_move(v->at, true, &err);
	v->at->frame = 0;
	return false;
}
