/* The pipeline's queries to the system about signals; and streams of instructions as events of
 * handlers entered, and for devices. */
#include "core/defs/event_fields.h"
#include "core/machine/machine_priv.h"
#include "core/os/linux.h"

/* Address in a fault's siginfo, else 0. */
static uint64_t told_address(const struct signal_info *info)
{
	return info->code > LX_SI_USER && info->code < LX_SI_KERNEL ? info->word[0] : 0;
}

static void machine_tell_handler(struct event_sink *sink, uint64_t cycle, const struct os_stream *s)
{
	struct event *ev = event_put(sink, EV_SIGNAL, cycle, 0, s->from, EVENT_NO_SLOT, OP_ILLEGAL);
	if (ev)
		ev->signal = (struct ev_signal){.signal = (uint64_t)s->info.signo,
		                                .code = (uint64_t)(int64_t)s->info.code,
		                                .addr = told_address(&s->info),
		                                .handler = s->pc};
}

void machine_tell_streams(struct machine *m, bool by_call)
{
	struct event_sink *sink = &m->pipe.events;
	const struct os_stream *s;
	const unsigned n = os_streams(m->os, &s);
	const bool tells = !m->prof.functional && (sink->mask & EV_BIT(SIGNAL));
	for (unsigned i = 0; i < n; i++) {
		if (tells && s[i].kind == OS_STREAM_HANDLER)
			machine_tell_handler(sink, m->pipe.st->cycle, &s[i]);
		prof_stream(&m->prof, &s[i]);
	}
	if (!by_call)
		prof_tell_streams(&m->prof);
}

static uint64_t signals_due(void *ctx)
{
	const struct machine *m = ctx;
	return machine_pipe_cycle(m, os_signals_due(m->os));
}

static bool signals_wanted(void *ctx)
{
	const struct machine *m = ctx;
	return os_signals_wanted(m->os, machine_guest_cycle(m));
}

static void machine_signals_deliver(void *ctx, struct hart *h)
{
	struct machine *m = ctx;
	os_signals_deliver(m->os, h, m->mem);
	machine_tell_streams(m, false);
}

static bool machine_signals_can_catch(void *ctx, const struct hart *h, enum trap trap, uint64_t at)
{
	const struct machine *m = ctx;
	return os_catches(m->os, h, m->pipe.st->commit_pc, trap, at);
}

static void machine_signals_raise_fault(void *ctx, struct hart *h, enum trap trap, uint64_t at)
{
	struct machine *m = ctx;
	os_fault(m->os, h, m->mem, trap, at);
	machine_tell_streams(m, false);
}

void machine_connect_signals(struct machine *m)
{
	m->os_port.signals_due = signals_due;
	m->os_port.signals_wanted = signals_wanted;
	m->os_port.signals = machine_signals_deliver;
	m->os_port.catches = machine_signals_can_catch;
	m->os_port.fault = machine_signals_raise_fault;
}
