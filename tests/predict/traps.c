/* Replay traps on guests and programs, with many settings: all as in the model of traps_model.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/defs/events.h"
#include "tests/predict/bench.h"
#include "tests/predict/traps_model.h"

/* Runs at most so many cycles. Unless `any`, every kind of trap that these options allow must
 * occur. */
static void traps_run_guest(struct bench *b, const char *path, const char *options, int arguments,
                            bool any, uint64_t most)
{
	struct config cfg;
	struct session *s = open_guest(path, arguments, options, &cfg);
	struct model *m = calloc(1, sizeof *m);
	struct event_filter filter = {.mask = EV_BIT(DISPATCH) | EV_BIT(ISSUE) | EV_BIT(MEM) |
	                                      EV_BIT(STORE) | EV_BIT(RESOLVE) | EV_BIT(REPLAY) |
	                                      EV_BIT(LEAVE)};
	if (!m || !machine_listen(s->machine, &filter, traps_hear, m))
		give_up("no memory");
	m->cfg = &cfg;
	m->p = machine_pipe(s->machine);
	m->lines = calloc((size_t)m->p->mem.l1d.sets * m->p->mem.l1d.ways, sizeof *m->lines);
	if (!m->lines || m->p->mem.l1d.ways > WAYS)
		give_up("no room for L1D");
	for (uint64_t cycle = 0; machine_status(s->machine) == MACHINE_RUNNING && cycle < most;
	     cycle++) {
		traps_look(m);
		machine_step(s->machine);
		traps_cycle_over(m, cycle);
	}
	const struct stats *st = machine_stats(s->machine);
	char config[600];
	snprintf(config, sizeof config, "%s %d, %s", path, arguments, options);
	check(b, m->different == 0, config, "traps that differ", m->different, 0);
	check(b, m->causes == 0, config, "causes that differ", m->causes, 0);
	check(b, m->unmarked == 0, config,
	      "squashed behind a misprediction, but not on the wrong path", m->unmarked, 0);
	check(b,
	      st->order_violations == m->traps[REPLAY_ORDER] &&
	              st->size_replays == m->traps[REPLAY_SIZE] &&
	              st->synonym_replays == m->traps[REPLAY_SYNONYM],
	      config, "statistics", st->order_violations + st->size_replays + st->synonym_replays,
	      m->traps[REPLAY_ORDER] + m->traps[REPLAY_SIZE] + m->traps[REPLAY_SYNONYM]);
	check(b, st->replays_again == m->again, config, "lsq.replays_again", st->replays_again,
	      m->again);
	if (!any) {
		check(b, !cfg.lsq_speculate == !m->traps[REPLAY_ORDER], config, "order traps",
		      m->traps[REPLAY_ORDER], (uint64_t)cfg.lsq_speculate);
		check(b, !cfg.lsq_replay_size == !m->traps[REPLAY_SIZE], config, "size traps",
		      m->traps[REPLAY_SIZE], (uint64_t)cfg.lsq_replay_size);
		check(b, !cfg.lsq_replay_synonym == !m->traps[REPLAY_SYNONYM], config,
		      "synonym traps", m->traps[REPLAY_SYNONYM], (uint64_t)cfg.lsq_replay_synonym);
	}
	if (getenv("TRAPS_VERBOSE"))
		printf("%s: order %" PRIu64 " size %" PRIu64 " synonym %" PRIu64 "\n", config,
		       m->traps[1], m->traps[2], m->traps[3]);
	free(m->lines);
	free(m);
	session_free(s);
}

/* All kinds; each alone; none; small caches, few registers, a shallow buffer, slow addresses. */
static const char *const shapes[] = {
	"lsq.speculate=1 lsq.replay_size=1 lsq.replay_synonym=32K",
	"lsq.speculate=1",
	"lsq.replay_size=1",
	"lsq.replay_synonym=32K",
	"",
	"lsq.speculate=1 lsq.replay_size=1 lsq.replay_synonym=4K lsq.predictor=wait-table "
        "l1d.size=2K l1d.mshrs=2 tlb.penalty=0",
	"lsq.speculate=1 lsq.replay_size=1 lsq.replay_synonym=64 l1d.size=1K l1d.ways=4 l2.size=4K "
        "lsq.agen_latency=3 l1d.write_buffer=1",
	"lsq.speculate=1 lsq.replay_size=1 lsq.replay_synonym=128 l1d.size=256 l1d.ways=1 "
        "l1d.line=128 l2.line=128 l1d.write_buffer=0 tlb.penalty=0",
	"lsq.speculate=1 lsq.replay_size=1 lsq.replay_synonym=32K pipe.rob_size=200 lsq.size=100 "
        "fu.mem=4 bpred.penalty=0 l1d.mshrs=0",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/*   traps [PROGRAM...]   also runs these programs, 200,000 cycles each, with all kinds */
int main(int argc, char **argv)
{
	struct bench b = {0, 0};
	for (int shape = 0; shape < SHAPES; shape++)
		for (int program = 0; program < 3; program++)
			traps_run_guest(&b, "build/tests/predict/traps_guest", shapes[shape],
			                program, program != 0, NEVER);
	for (int i = 1; i < argc; i++)
		for (int shape = 0; shape < SHAPES; shape += 5)
			traps_run_guest(&b, argv[i], shapes[shape], 0, true, 200000);
	printf("%d passed, %d failed\n", b.passed, b.failed);
	return b.failed != 0;
}
