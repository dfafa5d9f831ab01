#include "core/defs/config_fields.h"

#include "core/run/stall.h"

#include <string.h>

#include "core/defs/devices.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine_priv.h"
#include "core/machine/params.h"

enum {
	FIRST = 1 << 20, /* cycles until the first look */
	PLACES = 4096,   /* more than the entries of all queues together */
	TIMER_LOG2 = 36  /* cycles that firmware may wait for an interrupt */
};

/* Whether a parameter is a latency that an instruction may wait for. */
static bool waits_for(const struct config *cfg, const struct param *p)
{
	return strcmp(p->unit, "cycles") == 0 && p->type == PARAM_INT && param_exists(cfg, p) &&
	       strcmp(p->name, "lsq.predictor_clear") != 0 &&
	       strcmp(p->name, "os.slice") != 0 && /* os.switch is less than the constant below */
	       strcmp(p->name, "os.switch") != 0 &&
	       strcmp(p->name, "vsample.deadline") != 0;
}

/* Cycles within which any instruction commits, or the window fills with one that will. */
static uint64_t stall_max_wait(const struct config *cfg)
{
	const uint64_t line = (uint64_t)cfg->l2_line, transfers = line / (uint64_t)cfg->bus_bytes;
	uint64_t all = 1000 + transfers * (uint64_t)cfg->bus_cycles;
	for (size_t i = 0; i < param_count; i++)
		all += waits_for(cfg, &params[i]) ? (uint64_t)config_get(cfg, &params[i]) : 0;
	return PLACES * all;
}

/* The cycle until which an operation may legitimately take longer; a past one: none. */
static uint64_t busy_until(const struct stall *s, const struct machine *m)
{
	const struct uop *oldest = m->pipe.st->rob_count ? pipe_rob_at(&m->pipe, 0) : NULL;
	return oldest && oldest->trap == TRAP_WFI ? s->since + (UINT64_C(1) << TIMER_LOG2) : 0;
}

/* Instructions that have left the machine: committed ones, and those that decode drops or executes
 * itself. */
static uint64_t done_by(const struct machine *m)
{
	return machine_committed(m) + m->stats->xprof_dropped + m->stats->xprof_control;
}

void stall_begin(struct stall *s, const struct machine *m)
{
	const uint64_t now = machine_cycle(m);
	*s = (struct stall){.done = done_by(m), .since = now, .due = now + FIRST};
}

bool stall_stands(struct stall *s, const struct machine *m)
{
	const uint64_t now = machine_cycle(m), busy = busy_until(s, m);
	if (s->done != done_by(m)) {
		stall_begin(s, m);
		return false;
	}
	if (busy > now) {
		s->due = busy + 1;
		return false;
	}
	if (s->again)
		return true;
	s->again = true;
	s->due = now + stall_max_wait(&m->cfg);
	return false;
}
