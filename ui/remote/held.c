/* Threads that a debugger holds while others run.
 *
 * A hold is a change by hand, and made no sooner than a held thread would run: a step that ends
 * before changes nothing. It is kept until a motion forwards that does not hold the thread. If the
 * others can't go on without a held thread, it runs until they can, and stops nowhere. */
#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "ui/remote/mover_priv.h"

static const struct os *held_os(const struct mover *v)
{
	return machine_os_const(v->s->machine);
}

/* The thread's bit in sets of threads; 0: there is no such thread. */
static uint64_t held_bit(const struct mover *v, uint32_t tid)
{
	const int i = os_thread_find(held_os(v), tid);
	return i < 0 ? 0 : UINT64_C(1) << i;
}

bool held_thread(const struct mover *v, uint32_t tid)
{
	return v->held & held_bit(v, tid);
}

static uint64_t held_running(void *ctx, const struct machine *m)
{
	(void)ctx;
	return os_running(machine_os_const(m));
}

/* True if the hart belongs to a thread that is to be held, and is not yet. */
static bool held_runs_unheld(const struct mover *v)
{
	const uint64_t now = UINT64_C(1) << os_running(held_os(v));
	return v->held & ~os_held(held_os(v)) & now;
}

/* At the place: the rest of a held thread's group is undone. */
static bool held_change(struct mover *v, uint64_t set, struct err *err)
{
	const struct change c = {.kind = JOURNAL_HOLD, .a = set};
	const bool undoes = v->at->ahead || (v->at->back && (held_thread(v, spot_tid(v->at))));
	return (undoes && spot_change(v->at, &c, err)) || run_change(v->s->run, &c, err);
}

bool held_begin(struct mover *v)
{
	const uint64_t now = os_held(held_os(v));
	const bool waits = v->held && (held_runs_unheld(v) || held_thread(v, spot_tid(v->at)));
	bool good = true;
	if (!machine_has_ended(v->s->machine) && (waits || now & ~v->held))
		good = held_change(v, waits ? v->held : now & v->held, &v->halt.why);
	struct stop_point sp = {.kind = STOP_POINT_VALUE,
	                        .value = held_running,
	                        .text = "a debugger's held threads",
	                        .enabled = true};
	if (good && v->held && !v->switch_stop) {
		v->switch_stop = run_add_stop(v->s->run, &sp);
		good = v->switch_stop || err_set(&v->halt.why, "out of memory");
	}
	if (!good)
		v->halt.kind = HALT_FAILED;
	return good;
}

void held_end(struct mover *v)
{
	if (v->switch_stop)
		run_delete_stop(v->s->run, v->switch_stop);
	v->switch_stop = 0;
	v->held = 0;
}

bool held_keep(struct mover *v)
{
	struct err err;
	if (machine_has_ended(v->s->machine) || !held_runs_unheld(v))
		return true;
	/* before the thread got the hart */
	const struct change c = {.kind = JOURNAL_HOLD, .a = v->held};
	if (spot_move(v->at, false, &err) && run_change(v->s->run, &c, &err))
		return true;
	mover_halt(v, HALT_FAILED, 0);
	v->halt.why = err;
	return false;
}

bool held_alone(const struct mover *v)
{
	const struct os_thread *t = os_threads(held_os(v));
	for (unsigned i = 0; i < OS_THREADS; i++)
		if ((t[i].state == THREAD_READY || t[i].state == THREAD_WAITS) &&
		    !(v->held >> i & 1))
			return false;
	return v->held && !machine_has_ended(v->s->machine);
}

void held_release(struct mover *v)
{
	struct err err;
	held_end(v);
	if (os_held(held_os(v)) && !machine_has_ended(v->s->machine))
		held_change(v, 0, &err);
}
