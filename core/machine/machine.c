/* Moves a machine, one cycle or many, and answers queries about it. */
#include "core/defs/event_fields.h"
#include "core/defs/config_fields.h"
#include "core/machine/machine_priv.h"
#include "core/defs/stats_fields.h"
#include "core/os/thread.h"

#include <stdlib.h>

#include "core/pipe/interrupt/interpret.h"
#include "core/pipe/variant.h"
#include "core/trap/trap.h"

void machine_set_words(struct machine *m, bool words)
{
	bpred_set_words(&m->pipe.bpred, words, m->cfg.bpred_shift);
}

const struct config *machine_config(const struct machine *m)
{
	return &m->cfg;
}

struct mem *machine_mem(struct machine *m)
{
	return m->mem;
}

const struct mem *machine_mem_const(const struct machine *m)
{
	return m->mem;
}

struct os *machine_os(struct machine *m)
{
	return m->os;
}

const struct os *machine_os_const(const struct machine *m)
{
	return m->os;
}

const struct journal *machine_journal(const struct machine *m)
{
	return &m->journal;
}

struct hart *machine_hart(struct machine *m)
{
	return m->pipe.hart;
}

void machine_start(struct machine *m, uint64_t brk)
{
	struct os_state *os = os_state(m->os);
	os->brk_start = os->brk = brk;
	machine_adopt_hart(m);
}

bool machine_boot_firmware(struct machine *m, uint64_t entry, struct err *err)
{
	if (!m->cfg.firmware)
		return err_set(err,
		               "this machine has no M-mode for firmware: set firmware.enable=true");
	if ((entry & 1) || !(mem_prot_at(m->mem, entry) & PROT_X))
		return err_set(err, "firmware can't begin at 0x%llx: nothing may be executed there",
		               (unsigned long long)entry);
	trap_boot(m->pipe.hart, m->mem, entry);
	return true;
}

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
		machine_tell_signals(m);
	}
	m->pipe.st->signals_at = m->os_port.signals_due(m);
	machine_ended(m, &m->pipe.st->outcome);
	events_deliver(m);
}

/* Does everything that comes after the events of a cycle, or of several cycles if nothing was due
 * between them. */
static void machine_end_cycle(struct machine *m, bool was_running)
{
	if (slice_is_over(m))
		machine_end_time_slice(m);
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

/* Runs to the next change or alarm, or only part of the way, because firmware's instructions are
 * not the program's. False if there was nothing to do. */
static bool run_leg(struct machine *m, uint64_t until_cycle, uint64_t insts)
{
	const struct stats *s = m->stats;
	bool running = machine_status(m) == MACHINE_RUNNING, due = changes_due(m);
	uint64_t from = m->pipe.st->cycle;
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

void machine_interrupt(struct machine *m)
{
	m->asked = 1;
	m->interrupt = 1;
}

bool machine_interrupted(const struct machine *m)
{
	return m->asked;
}

void machine_request_stop(const struct machine *m)
{
	((struct machine *)(uintptr_t)m)->request |= REQUEST_STOP;
}

bool machine_stop_requested(const struct machine *m)
{
	return m->request & REQUEST_STOP;
}

uint64_t machine_cycle(const struct machine *m)
{
	return m->pipe.st->cycle;
}

uint64_t machine_insts(const struct machine *m)
{
	return m->stats->insts + m->stats->functional_insts + m->stats->firmware_insts;
}

enum machine_status machine_status(const struct machine *m)
{
	const enum machine_status status = (enum machine_status)m->pipe.st->outcome.status;
	return status == MACHINE_RUNNING && m->lacks ? MACHINE_STARVED : status;
}

bool machine_has_ended(const struct machine *m)
{
	return m->pipe.st->outcome.status != MACHINE_RUNNING;
}

int machine_exit_status(const struct machine *m)
{
	return m->pipe.st->outcome.exit_status;
}

const struct fault *machine_fault(const struct machine *m)
{
	return &m->pipe.st->outcome.fault;
}

void machine_forget_past(struct machine *m)
{
	m->journal.forgets = true;
}

const char *machine_failure(const struct machine *m)
{
	return m->pipe.plugins.record->text;
}

const struct stats *machine_stats(const struct machine *m)
{
	return m->stats;
}

const struct pipe *machine_pipe(const struct machine *m)
{
	return &m->pipe;
}

/* Whether a squash at the end of this cycle would do nothing: several changes in a cycle cost one
 * squash. */
static bool machine_is_drained(const struct machine *m)
{
	const struct pipe_state *st = m->pipe.st;
	return !st->rob_count && !st->fetchq_count && st->fetch_pc == st->commit_pc &&
	       m->pipe.hart->pc == st->commit_pc && st->fetch_line == UINT64_MAX &&
	       !st->fetch_waits && !st->fetch_blocked && !st->dispatch_blocked &&
	       st->after_squash && st->redirect_until == st->cycle;
}

void machine_drain(struct machine *m)
{
	struct pipe_state *st = m->pipe.st;
	if (machine_is_drained(m))
		return;
	m->pipe.events.count = 0;
	m->prof.squash = (struct squash_cause){.fate = PROFILEME_FATE_OTHER};
	pipe_squash(&m->pipe, 0, st->commit_pc, st->cycle, SLOT_interrupted);
	events_deliver(m);
}
