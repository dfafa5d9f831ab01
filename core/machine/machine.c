/* Answers queries about a machine, and requests to stop it. */
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine_priv.h"
#include "core/os/thread.h"

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
	return m->stats->insts + m->stats->functional_insts;
}

uint64_t machine_committed(const struct machine *m)
{
	return machine_insts(m) + m->stats->firmware_insts;
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

enum { STUCK_STATUS = 125 }; /* as for Cyclops's own errors: the program has no status */

bool machine_ended(const struct machine *m, struct outcome *out)
{
	const struct os_state *os = os_state_const(m->os);
	if (os->exited)
		*out = (struct outcome){.status = MACHINE_EXITED, .exit_status = os->exit_status};
	else if (os->killed_by)
		*out = (struct outcome){.status = MACHINE_KILLED,
		                        .exit_status = 128 + os->killed_by};
	else if (os->waits)
		*out = (struct outcome){.status = MACHINE_STUCK, .exit_status = STUCK_STATUS};
	return os->exited || os->killed_by || os->waits;
}

uint16_t machine_thread(const struct machine *m)
{
	const unsigned n = os_thread_number(&os_threads(m->os)[os_running(m->os)]) - 1;
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
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
