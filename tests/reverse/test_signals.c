/* Time travel over signals: walks over a storm of faults, of timers and of signals out of handlers,
 * and over calls that wait for one. */
#include "tests/reverse/rig.h"

#include <stdlib.h>

#include "core/machine/machine.h"
#include "core/run/run.h"

static const struct subject storm = {.program = "build/tests/signals/guest",
                                     .arguments = "storm",
                                     .settings = "",
                                     .history = {.history = true},
                                     .stdin_fd = -1};

enum { WALKS = 200, PLACES = 400 };

struct place {
	uint64_t cycle, hash;
};

/* Places found going forwards only. */
static struct place *places_of(const struct subject *how, size_t n)
{
	struct subject plain = *how;
	plain.history.history = false;
	struct rig *g = rig_open(&plain);
	struct machine *m = g->s->machine;
	struct place *p = calloc(n, sizeof *p);
	assert_non_null(p);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	const uint64_t end = machine_cycle(m);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	rig_close(g);
	g = rig_open(&plain);
	m = g->s->machine;
	for (size_t i = 0; i < n; i++) {
		machine_run(m, end * (i + 1) / (n + 1), UINT64_MAX);
		p[i] = (struct place){machine_cycle(m), rig_hash(g)};
	}
	rig_close(g);
	return p;
}

static void signals_test_walk(const struct subject *how)
{
	struct place *p = places_of(how, PLACES);
	struct rig *g = rig_open(how);
	uint64_t random = 0x51617;
	rig_continue(g);
	const unsigned walks = rig_small() ? WALKS / 10 : WALKS;
	for (unsigned i = 0; i < walks; i++) {
		const struct place *at = &p[random_below(&random, PLACES)];
		if (random_below(&random, 2))
			rig_back_insts(g, 1 + random_below(&random, 2000));
		else
			rig_back_cycles(g, 1 + random_below(&random, 2000));
		rig_goto(g, at->cycle);
		assert_int_equal(rig_cycle(g), at->cycle);
		assert_int_equal(rig_hash(g), at->hash);
	}
	rig_close(g);
	free(p);
}

TEST(walks_over_a_storm)
{
	rig_go_top();
	signals_test_walk(&storm);
}

TEST(walks_over_timers)
{
	struct subject timed = storm;
	timed.arguments = "timed_storm";
	rig_go_top();
	signals_test_walk(&timed);
}

TEST(walks_over_waits)
{
	struct subject waits = storm;
	waits.arguments = "restart";
	rig_go_top();
	signals_test_walk(&waits);
}

TEST_GROUP(rig_enter, rig_leave)
