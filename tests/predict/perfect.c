/* Perfect prediction marks its guesses: all other predictions are right, also for instructions
 * squashed later. */
#include <inttypes.h>
#include <stdio.h>

#include "core/defs/events.h"
#include "core/pipe/pipe.h"
#include "tests/predict/bench.h"

struct told {
	uint64_t known, wrong, guesses, wrong_guesses;
};

static void perfect_on_leave(void *ctx, const struct machine *m, const struct event *ev)
{
	struct told *t = ctx;
	const struct uop *u = &machine_pipe(m)->pool[ev->slot];
	if (!(u->op_flags & OPF_CONTROL) || u->trap != TRAP_NONE)
		return;
	const bool known = u->mark.flags & BPM_FORESEEN, executed = u->flags & UF_EXECUTED;
	const bool wrong = executed ? u->exec.next_pc != u->pred_next : u->state == UOP_DROPPED;
	t->known += known;
	t->guesses += !known;
	t->wrong += known && wrong;
	t->wrong_guesses += !known && executed && wrong;
}

/* guesses: the run must have had predictions, and wrong ones. */
static void perfect_run_guest(struct bench *b, const char *guest, const char *options, bool guesses)
{
	static const struct event_filter filter = {.mask = EV_BIT(LEAVE)};
	char text[256];
	struct config cfg;
	struct told t = {0};
	snprintf(text, sizeof text, "bpred.kind=perfect %s", options);
	struct session *s = open_guest(guest, 1, text, &cfg);
	if (!machine_listen(s->machine, &filter, perfect_on_leave, &t))
		give_up("no memory");
	machine_run(s->machine, 400000, UINT64_MAX);
	check(b, t.known > 500, text, "predictions that are known", t.known, 500);
	check(b, !t.wrong, text, "known ones that are wrong", t.wrong, 0);
	check(b, !guesses || t.guesses, text, "guesses", t.guesses, 1);
	check(b, !guesses || t.wrong_guesses, text, "wrong guesses", t.wrong_guesses, 1);
	session_free(s);
}

int main(void)
{
	static const char *const waits[] = {"",
	                                    "l1i.latency=4",
	                                    "l1i.latency=8",
	                                    "l1i.latency=12",
	                                    "l1i.latency=16",
	                                    "pipe.fetch_width=1"};
	struct bench b = {0, 0};
	for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
		perfect_run_guest(&b, "build/tests/predict/perfect_guest", waits[i], true);
	/* nothing stands before a branch */
	perfect_run_guest(&b, "build/tests/predict/perfect_guest", "pipe.fetch_queue=1", false);
	perfect_run_guest(&b, "build/tests/predict/guest", "lsq.speculate=true", false);
	perfect_run_guest(&b, "build/tests/predict/traps_guest",
	                  "lsq.speculate=true lsq.replay_size=true lsq.replay_synonym=4096", false);
	perfect_run_guest(&b, "build/tests/reverse/profiled", "xprof.bpred=flag", true);
	perfect_run_guest(&b, "build/tests/reverse/profiled",
	                  "xprof.bpred=ignored-update bdt.min_block=1", true);
	perfect_run_guest(&b, "build/demos/selfmod", "", false);
	perfect_run_guest(&b, "build/demos/longjmp", "pipe.fetch_queue=256", false);
	printf("%d passed, %d failed\n", b.passed, b.failed);
	return b.failed != 0;
}
