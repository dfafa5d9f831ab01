/* Random programs with all of Xprof in them, against a functional model, in machines with random
 * parameters, and with models of the table and the prediction bits beside them. */
#include "tests/by_hand.h"
#include "tests/reverse/plugins.h"
#include "tests/xprof/checks.h"
#include "tests/xprof/model.h"
#include "tests/xprof/random.h"

#include <stdlib.h>
#include <string.h>

enum { X_GP = 3, X_TP = 4 };

static struct guest *random_guest(uint64_t seed)
{
	struct guest *g = guest_new();
	uint64_t r = seed + 1;
	g->size = (uint32_t)random_text(seed, g->text, TEXT_BYTES);
	for (unsigned i = 1; i < 32; i++)
		g->x[i] = bench_random_below(&r, 2) ? random_of(&r) : bench_random_below(&r, 100);
	g->x[X_GP] = random_gp;
	g->x[X_TP] = random_tp;
	g->pflags = random_of(&r) & 0xff;
	/* Mostly an address in a stack: its end, or a random address. */
	if (bench_random_below(&r, 8))
		g->x[X_SP] =
			SP - (bench_random_below(&r, 2) ? 0 : bench_random_below(&r, DATA_BYTES));
	return g;
}

/* Constants and scratch memory, and flags that poppf finds. */
static struct machine *random_fill_memory(struct machine *m, uint64_t seed)
{
	uint64_t r = seed + 77;
	struct mem *mem = machine_mem(m);
	for (uint64_t at = DATA; at < DATA + 0x3000; at += 8) {
		const uint64_t v =
			bench_random_below(&r, 3) ? random_of(&r) : bench_random_below(&r, 50);
		assert_true(mem_poke(mem, at, &v, 8));
	}
	for (uint64_t sp = SP - 32768; sp < SP; sp += 16) {
		const uint64_t v = random_of(&r) & UINT64_C(0x0101010101010101);
		assert_true(mem_poke(mem, bench_saved_flag_address(sp, 0), &v, 8));
	}
	/* Or where the program's own loads and stores see them. */
	if (bench_random_below(&r, 4) == 0)
		machine_hart(m)->pfbase = (DATA + 0x2000 + 8 * bench_random_below(&r, 128)) -
		                          (machine_hart(m)->r[X_SP] >> 1 & ~UINT64_C(7));
	return m;
}

static struct machine *random_machine(const struct guest *g, uint64_t seed, const char *options)
{
	struct machine *m = random_fill_memory(boot(g, options), seed);
	machine_start(m, SP);
	return m;
}

static struct model *random_model(const struct guest *g, uint64_t seed)
{
	return model_run_machine(random_fill_memory(boot(g, ""), seed));
}

static const char *random_pick_string(uint64_t *r, const char *const *of, unsigned n)
{
	return of[bench_random_below(r, n)];
}

#define ONE_OF(r, ...)                                                                             \
	random_pick_string(r, (const char *const[]){__VA_ARGS__},                                  \
	                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void random_make_options(uint64_t seed, char *options, size_t n)
{
	uint64_t r = seed * 3 + 1;
	snprintf(options, n,
	         "xprof.bpred=%s bdt.sets=%s bdt.ways=%s bdt.min_block=%s bdt.skip_penalty=%s "
	         "bdt.replacement=%s bdt.fence_i=%s "
	         "pipe.fetch_width=%s pipe.fetch_lines=%s pipe.fetch_queue=%s pipe.decode_width=%s "
	         "pipe.rob_size=%s pipe.in_order=%s "
	         "pipe.fetch_past_taken=%s lsq.size=%s lsq.speculate=%s l1i.line=%s l1i.latency=%s "
	         "l1d.latency=%s l1i.size=%s "
	         "bpred.kind=%s bpred.update=%s bpred.penalty=%s btb.sets=%s ras.size=%s "
	         "mem.latency=%s pipe.commit_width=%s "
	         "pipe.completion=%s pipe.int_writes=%s pipe.fp_writes=%s l1d.ports=%s l2.ports=%s "
	         "l2.mshrs=%s",
	         ONE_OF(&r, "flag", "prediction-bit", "prediction-bit", "ignored-update"),
	         ONE_OF(&r, "0", "1", "4", "64", "64"), ONE_OF(&r, "1", "2", "4"),
	         ONE_OF(&r, "1", "2", "4"), ONE_OF(&r, "0", "0", "3"), ONE_OF(&r, "lru", "fifo"),
	         ONE_OF(&r, "0", "1"), ONE_OF(&r, "1", "2", "4", "8"),
	         ONE_OF(&r, "1", "1", "2", "16"), ONE_OF(&r, "1", "2", "4", "16", "32"),
	         ONE_OF(&r, "1", "2", "4", "8"), ONE_OF(&r, "2", "3", "8", "64", "128"),
	         ONE_OF(&r, "0", "0", "1"), ONE_OF(&r, "0", "1"), ONE_OF(&r, "1", "2", "8", "64"),
	         ONE_OF(&r, "0", "1"), ONE_OF(&r, "8", "16", "32", "64"), ONE_OF(&r, "1", "1", "3"),
	         ONE_OF(&r, "1", "2", "9"), ONE_OF(&r, "512", "4096", "65536"),
	         ONE_OF(&r, "bimodal", "gshare", "combined", "taken", "nottaken"),
	         ONE_OF(&r, "dispatch", "commit"), ONE_OF(&r, "0", "3", "12"),
	         ONE_OF(&r, "0", "4", "128"), ONE_OF(&r, "0", "1", "8"),
	         ONE_OF(&r, "1", "20", "100"), ONE_OF(&r, "1", "4"),
	         ONE_OF(&r, "in-order", "out-of-order"), ONE_OF(&r, "0", "0", "1"),
	         ONE_OF(&r, "0", "1"), ONE_OF(&r, "0", "1"), ONE_OF(&r, "0", "1"),
	         ONE_OF(&r, "0", "1", "4"));
}

/* A program that patches itself would not be what the table's model reads; a store to its text
 * shows. */
static bool patches_itself(const struct model *model, const struct guest *g)
{
	static uint8_t text[TEXT_BYTES];
	assert_true(mem_peek(machine_mem_const(model->m), TEXT, text, g->size));
	return memcmp(text, g->text, g->size) != 0;
}

/* The CPI stack has a row for each slot, and types add up. */
static void statistics_add_up(const struct machine *m)
{
	const struct stats *s = machine_stats(m);
	double slots = 0;
	uint64_t fetched = 0, dropped = 0, dispatched = 0;
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, "cpi.", 4) && !stat_rows[i].derived)
			slots += stat_value(s, &stat_rows[i]);
	assert_true(slots ==
	            (double)(machine_cycle(m) * (uint64_t)machine_config(m)->commit_width));
	for (unsigned k = 0; k < 8; k++) {
		char name[32];
		snprintf(name, sizeof name, "xprof.fetched_%u", k);
		fetched += (uint64_t)stat(m, name);
		snprintf(name, sizeof name, "xprof.dropped_%u", k);
		dropped += (uint64_t)stat(m, name);
		snprintf(name, sizeof name, "xprof.dispatched_%u", k);
		dispatched += (uint64_t)stat(m, name);
	}
	assert_int_equal(fetched, s->xprof_fetched);
	assert_int_equal(dropped, s->xprof_dropped);
	assert_int_equal(dispatched, s->xprof_dispatched);
	/* one that can't be fetched whole is dispatched, to fault */
	assert_true(s->xprof_fetched >= dropped);
}

TEST(functional_and_warm)
{
	for (uint64_t seed = 1; seed <= (small() ? 40u : large() ? 600u : 100u); seed++) {
		struct guest *g = random_guest(seed);
		struct model *model = random_model(g, seed);
		for (int warm = 0; warm < 2; warm++) {
			struct machine *m = random_machine(g, seed, "");
			machine_run_functional(m, 1000000, warm);
			model_agrees(model, m);
			/* Dropped and control instructions do not count as the program's; the exit
			 * does. */
			assert_int_equal(stat(m, "sim.functional_insts"), model->count + 1);
			machine_free(m);
		}
		model_free(model);
		free(g);
	}
}

/* Random parameters, now and then a part of it without timing at first, or firmware that
 * interrupts. */
TEST(test_random_detailed)
{
	for (uint64_t seed = 1; seed <= (small() ? 40u : large() ? 600u : 100u); seed++) {
		char options[1024] = "";
		uint64_t r = seed + 99;
		struct guest *g = random_guest(seed);
		struct model *model = random_model(g, seed);
		for (unsigned i = 0; i < 4; i++) {
			if (i)
				random_make_options(seed * 4 + i, options, sizeof options);
			struct machine *m = random_machine(g, seed, options);
			const bool ahead = i == 3;
			if (ahead)
				machine_run_functional(m, bench_random_below(&r, 400),
				                       bench_random_below(&r, 2));
			struct log *l = log_new(m);
			machine_run(m, CYCLES_MAX, UINT64_MAX);
			if (machine_status(m) == MACHINE_RUNNING)
				fail_msg("seed %llu does not end with %s", (unsigned long long)seed,
				         options);
			model_agrees(model, m);
			if (!ahead) {
				model_agrees_trace(model, l);
				statistics_add_up(m);
			}
			log_free(l);
		}
		model_free(model);
		free(g);
	}
}

TEST(test_random_interrupted)
{
	unsigned compared = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= (small() ? 10u : large() ? 150u : 35u); seed++) {
		char options[1024];
		uint64_t r = seed + 5;
		struct guest *g = random_guest(seed);
		struct model *model = random_model(g, seed);
		random_make_options(seed + 1000, options, sizeof options);
		struct machine *m = random_fill_memory(
			boot_interrupted(g, options, 400 + bench_random_below(&r, 1500)), seed);
		machine_start(m, SP);
		machine_run(m, CYCLES_MAX, UINT64_MAX);
		if (machine_status(m) == MACHINE_RUNNING)
			fail_msg("seed %llu does not end with %s", (unsigned long long)seed,
			         options);
		if (!model->reserves) {
			model_agrees(model, m);
			compared++;
		}
		machine_free(m);
		model_free(model);
		free(g);
	}
	assert_true(compared > (small() ? 1 : large() ? 20 : 5));
}

/* The table and the bits in every cycle; flags at commit; and nothing is changed by watching. */
TEST(models_in_every_cycle)
{
	struct checks_seen all = {0};
	for (uint64_t seed = 1; seed <= (small() ? 20u : large() ? 300u : 80u); seed++) {
		char options[1024];
		struct guest *g = random_guest(seed);
		struct model *model = random_model(g, seed);
		random_make_options(seed + 7000, options, sizeof options);
		if (!patches_itself(model, g)) {
			struct machine *m = random_machine(g, seed, options),
				       *alone = random_machine(g, seed, options);
			struct checks *c = checks_new(m);
			while (machine_status(m) == MACHINE_RUNNING &&
			       machine_cycle(m) < CYCLES_MAX) {
				machine_step(m);
				checks_cycle(c);
				const uint64_t n = machine_insts(m);
				if (n && n <= model->count)
					assert_int_equal(flags_committed(m),
					                 model->trace[n - 1].flags);
			}
			model_agrees(model, m);
			machine_run(alone, CYCLES_MAX, UINT64_MAX);
			assert_int_equal(machine_hash(alone), machine_hash(m));
			const struct checks_seen *s = checks_seen(c);
			all.made += s->made, all.grew += s->grew, all.unlocked += s->unlocked,
				all.updated += s->updated;
			all.skips += s->skips, all.abandoned += s->abandoned, all.stale += s->stale;
			checks_free(c);
			machine_free(m);
			machine_free(alone);
		}
		model_free(model);
		free(g);
	}
	/* Checks that all cases occurred; often, if there are many rounds. */
	const unsigned least = large() ? 10 : small() ? 0 : 1; /* entries whose flag changed are rare: 20 */
	assert_true(all.made > least && all.grew > least && all.unlocked > least &&
	            all.updated > least && all.skips > least);
	assert_true(all.abandoned > least && all.stale > least);
}

/* The prediction bits as a plug-in: the same statistics and state of the program, whatever the
 * parameters. */
TEST(bits_as_a_plugin)
{
	const struct plugins plugins = {.at[PLUGIN_FLAGS] = &plugin_flag_bits};
	for (uint64_t seed = 1; seed <= (small() ? 20u : large() ? 300u : 80u); seed++) {
		char options[1024];
		struct guest *g = random_guest(seed);
		random_make_options(seed + 9000, options, sizeof options);
		struct machine *bits = random_machine(g, seed, options),
			       *m = random_fill_memory(boot_with(g, options, &plugins), seed);
		machine_start(m, SP);
		machine_run(bits, CYCLES_MAX, UINT64_MAX);
		machine_run(m, CYCLES_MAX, UINT64_MAX);
		if (machine_status(m) == MACHINE_RUNNING ||
		    memcmp(machine_stats(m), machine_stats(bits), sizeof(struct stats)) != 0)
			fail_msg("seed %llu: a plug-in is not the bits that it does, with %s",
			         (unsigned long long)seed, options);
		assert_int_equal(machine_cycle(m), machine_cycle(bits));
		machine_free(m);
		machine_free(bits);
		free(g);
	}
}

/* A machine restored from a snapshot in the middle continues as before; so does one after a change
 * by hand without effect. */
TEST(snapshots_and_changes)
{
	for (uint64_t seed = 1; seed <= (small() ? 10u : large() ? 150u : 35u); seed++) {
		char options[1024];
		uint64_t r = seed + 31;
		struct guest *g = random_guest(seed);
		struct model *model = random_model(g, seed);
		random_make_options(seed + 500, options, sizeof options);
		struct machine *m = random_machine(g, seed, options);
		struct snapshot *s[4];
		uint64_t hash[4], end;
		machine_run(m, CYCLES_MAX, UINT64_MAX);
		end = machine_cycle(m);
		const uint64_t last = machine_hash(m);
		machine_free(m);
		m = random_machine(g, seed, options);
		for (unsigned i = 0; i < 4; i++) {
			machine_run(m, end * (i + 1) / 6 + bench_random_below(&r, 20), UINT64_MAX);
			s[i] = machine_snapshot(m);
			hash[i] = machine_hash(m);
		}
		for (unsigned i = 4; i-- > 0;) {
			machine_restore(m, s[i]);
			assert_int_equal(machine_hash(m), hash[i]);
			machine_run(m, CYCLES_MAX, UINT64_MAX);
			assert_int_equal(machine_cycle(m), end);
			assert_int_equal(machine_hash(m), last);
			snapshot_free(s[i]);
		}
		machine_free(m);
		m = random_machine(g, seed, options);
		for (unsigned i = 0; i < 6 && machine_status(m) == MACHINE_RUNNING; i++) {
			struct err err;
			machine_run(
				m, machine_cycle(m) + 1 + bench_random_below(&r, (unsigned)end / 6),
				UINT64_MAX);
			if (machine_status(m) == MACHINE_RUNNING)
				assert_true(machine_set_reg(m, 5, machine_reg(m, 5), &err));
		}
		machine_run(m, CYCLES_MAX, UINT64_MAX);
		model_agrees(model, m);
		machine_free(m);
		model_free(model);
		free(g);
	}
}
