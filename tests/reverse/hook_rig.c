/* A program with hooks on all its events; the hooks request later actions. */
#include "tests/reverse/hook_rig.h"

#include "core/machine/alarm.h"
#include "core/machine/change.h"
#include "core/prof/common/attachment.h"
#include "tests/reverse/rig.h"

const struct subject hooked = {.program = "build/tests/reverse/hooked",
                               .settings = "",
                               .history = {.history = true, .first_spacing = 100},
                               .stdin_fd = -1};

void hook_set_later(struct rig *g, unsigned reg, uint64_t value)
{
	struct err err;
	if (!machine_change_later(g->s->machine,
	                          &(struct change){.kind = JOURNAL_REG, .a = reg, .b = value},
	                          &err))
		fail_msg("%s", err.msg);
}

void hook_told(void *ctx, const struct machine *m, const struct event *ev)
{
	struct hook *h = ctx;
	(void)ev;
	h->told++;
	if (machine_cycle(m) < h->at || h->acted)
		return;
	h->acted = machine_cycle(m);
	h->act(h);
}

static void hook_on_alarm(void *ctx, const struct machine *m)
{
	hook_told(ctx, m, NULL);
}

void hook_listen_all(struct hook *h)
{
	assert_true(machine_listen(h->g->s->machine, &(struct event_filter){.mask = EV_BIT(FETCH)},
	                           hook_told, h) > 0);
}

void hook_wake_at(struct hook *h)
{
	struct err err;
	assert_true(machine_alarm(h->g->s->machine,
	                          &(struct alarm){.unit = ALARM_CYCLES, .first = h->at},
	                          hook_on_alarm, h, &err) > 0);
}
