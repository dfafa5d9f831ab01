/* Execution with timing: a cycle at a time, or many. */
#include "core/defs/event_fields.h"
#include "core/defs/stats_fields.h"
#include "core/host/arriving_signals.h"
#include "core/machine/machine_priv.h"
#include "core/os/thread.h"
#include "core/pipe/interrupt/interpret.h"
#include "core/pipe/new_code.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/variant.h"

/* Adds events for the guest's output after the others of its cycle. */
static void tell_output(struct machine *m, uint64_t cycle)
{
	struct event_sink *sink = &m->pipe.events;
	for (unsigned i = 0; i < 2; i++) {
		struct event *ev;
		if (sink->wrote[i] && (sink->mask & EV_BIT(OUTPUT)) &&
		    (ev = event_put(sink, EV_OUTPUT, cycle, 0, 0, EVENT_NO_SLOT, OP_ILLEGAL)))
			ev->output = (struct ev_output){.fd = i + 1, .bytes = sink->wrote[i]};
	}
}

static void begin_events(struct machine *m)
{
	struct event_sink *sink = &m->pipe.events;
	sink->count = 0;
	sink->wrote[0] = sink->wrote[1] = 0;
}

/* Delivers the events of the last cycle, if any. */
static void end_events(struct machine *m, bool stepped)
{
	tell_output(m, m->pipe.st->cycle - stepped);
	if (m->pipe.events.count)
		events_deliver(m);
}

/* True if the running thread's slice is over and a switch is allowed (no syscall in progress, not
 * in firmware or the value sampler's handler). */
static bool slice_is_over(const struct machine *m)
{
	return machine_guest_cycle(m) >= os_slice_end(m->os) &&
	       m->pipe.st->outcome.status == MACHINE_RUNNING &&
	       m->pipe.st->serial_slot == NO_SLOT && m->pipe.hart->mode == MODE_U &&
	       !interpret_holds(&m->pipe);
}

/* Squashes uncommitted instructions, as an interrupt does, and lets another thread take its
 * turn. */
static void machine_end_time_slice(struct machine *m)
{
	struct pipe_state *st = m->pipe.st;
	m->pipe.events.count = 0;
	m->prof.squash = (struct squash_cause){.fate = PROFILEME_FATE_INTERRUPT};
	pipe_squash(&m->pipe, 0, st->commit_pc, st->cycle, SLOT_interrupted);
	m->pipe.hart->cycle = machine_guest_cycle(m);
	if (os_take_turns(m->os, m->pipe.hart, m->mem)) {
		m->stats->os_slices++;
		pipe_switch_thread(&m->pipe);
		machine_tell_streams(m, false);
	}
	(void)pipe_new_code(&m->pipe, NULL);
	m->pipe.st->signals_at = m->os_port.signals_due(m);
	machine_ended(m, &m->pipe.st->outcome);
	events_deliver(m);
}

void machine_end_slice(struct machine *m)
{
	if (slice_is_over(m))
		machine_end_time_slice(m);
}

/* Does everything that comes after the events of a cycle, or of several cycles if nothing was due
 * between them. */
static void machine_end_cycle(struct machine *m, bool was_running)
{
	machine_end_slice(m);
	thread_stats_credit(m, m->pipe.st->cycle);
	if (m->alarmed)
		alarms_ring(m, was_running && machine_status(m) != MACHINE_RUNNING);
	if (changes_due(m))
		changes_repeat(m);
	changes_make(m);
}

bool machine_step(struct machine *m)
{
	bool watched = m->pipe.events.mask, running = machine_status(m) == MACHINE_RUNNING;
	const struct variant *v = variant_of(&m->pipe, watched);
	uint64_t cycle, insts;
	m->request = 0;
	if (changes_due(m) && !changes_catch_up(m))
		return false;
	if (m->alarmed)
		alarms_aim(m, &cycle, &insts);
	begin_events(m);
	bool stepped = (!m->interrupt || machine_has_memory(m)) && v->step(&m->pipe);
	while (!stepped && m->scarce.refused && machine_has_memory(m))
		stepped = v->step(&m->pipe);
	if (watched)
		end_events(m, stepped);
	if (stepped)
		machine_end_cycle(m, running);
	return stepped;
}

/* Runs until something may be due at the end of a cycle. insts: committed with timing, firmware's
 * included. */
static void run_unchanged(struct machine *m, uint64_t until_cycle, uint64_t insts)
{
	const struct pipe_state *st = m->pipe.st;
	bool watched = m->pipe.events.mask || m->pipe.probes.count, went = true;
	const struct variant *v = variant_of(&m->pipe, watched);
	if (!watched) {
		prof_put_off(&m->prof);
		v->run(&m->pipe, until_cycle, insts);
		prof_catch_up(&m->prof, machine_guest_cycle(m) - 1);
		m->prof.puts_off = false;
		return;
	}
	while (went && st->cycle < until_cycle &&
	       m->stats->insts + m->stats->firmware_insts < insts && !m->interrupt && !m->request &&
	       !probes_changed(&m->pipe.probes)) {
		begin_events(m);
		went = v->run(&m->pipe, until_cycle, insts);
		end_events(m, went);
	}
}

static uint64_t machine_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Runs at most to the next change or alarm; may return earlier, because firmware's instructions do
 * not count. False if there was nothing to do. */
static bool run_leg(struct machine *m, uint64_t until_cycle, uint64_t insts)
{
	const struct stats *s = m->stats;
	enum { CYCLES_MAX = 1 << 20 }; /* between two calls of arriving_signals_take() */
	bool running = machine_status(m) == MACHINE_RUNNING, due = changes_due(m);
	uint64_t from = m->pipe.st->cycle;
	arriving_signals_take();
	until_cycle = machine_min_u64(until_cycle, from + CYCLES_MAX);
	uint64_t change = journal_next_change(&m->journal), cycle, place;
	if (change != UINT64_MAX)
		until_cycle = machine_min_u64(until_cycle, change - s->functional_cycles);
	if (os_slice_end(m->os) != UINT64_MAX) {
		const uint64_t end = os_slice_end(m->os) - s->functional_cycles;
		until_cycle = machine_min_u64(until_cycle, end > from ? end : from + 1);
	}
	until_cycle = machine_min_u64(until_cycle, thread_stats_due(m));
	if (m->alarmed) {
		alarms_aim(m, &cycle, &place);
		until_cycle = machine_min_u64(until_cycle, cycle);
		if (place != UINT64_MAX)
			insts = machine_min_u64(insts,
			                        place - s->functional_insts + s->firmware_insts);
	}
	run_unchanged(m, until_cycle, insts);
	machine_end_cycle(m, running);
	m->request &= ~(unsigned)REQUEST_TURN;
	if (probes_changed(&m->pipe.probes))
		m->request |= REQUEST_LOOK;
	return due || m->pipe.st->cycle != from;
}

void machine_run(struct machine *m, uint64_t until_cycle, uint64_t until_insts)
{
	const struct pipe_state *st = m->pipe.st;
	uint64_t functional = m->stats->functional_insts;
	uint64_t insts = until_insts > functional ? until_insts - functional : 0;
	m->request = 0;
	while (st->cycle < until_cycle && m->stats->insts + m->stats->firmware_insts < insts &&
	       !m->request && machine_goes_on(m))
		if (!run_leg(m, until_cycle, insts) && !m->interrupt)
			break;
	if (changes_due(m)) /* even if no cycle was run */
		changes_catch_up(m);
}
