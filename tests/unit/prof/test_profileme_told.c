/* ProfileMe: events, changes, possible intervals and tables. */
#include "tests/unit/prof/profileme_fixture.h"

enum { OVERTAKES = CODE + 4 * 12, BRANCHES = CODE + 4 * 17 };

/* The device leaves the machine's cycles unchanged; the same seed gives the same records, another
 * seed others. */
TEST(it_changes_nothing)
{
	static const char *const off[] = {"lsq.speculate=true", NULL};
	static const char *const on[] = {"lsq.speculate=true", "profileme.enable=true",
	                                 "profileme.interval_max=50", NULL};
	static const char *const other[] = {"lsq.speculate=true", "profileme.enable=true",
	                                    "profileme.interval_max=50", "profileme.seed=2", NULL};
	struct machine *m[] = {
		profileme_fixture_busy_machine(off), profileme_fixture_busy_machine(on),
		profileme_fixture_busy_machine(on), profileme_fixture_busy_machine(other)};
	for (unsigned i = 0; i < 4; i++) {
		vsample_fixture_run_to_end(m[i]);
		assert_int_equal(machine_stats(m[i])->cycles, machine_stats(m[0])->cycles);
		assert_int_equal(machine_stats(m[i])->squashes, machine_stats(m[0])->squashes);
	}
	assert_int_equal(profileme_fixture_hash_table(m[1]), profileme_fixture_hash_table(m[2]));
	assert_true(profileme_fixture_hash_table(m[1]) != profileme_fixture_hash_table(m[3]));
	double cycles;
	assert_false(profileme_delay(profileme_fixture_prof(m[0]), OVERTAKES, &cycles));
	assert_int_equal(profileme_entries(profileme_fixture_prof(m[0])), 0);
	assert_false(profileme_delay(profileme_fixture_prof(m[1]), NOWHERE, &cycles));
	for (unsigned i = 0; i < 4; i++)
		machine_free(m[i]);
}

/* Only the load that overtook is replayed; only the one branch is mispredicted. */
TEST(events_name_the_instruction)
{
	static const char *const how[] = {"profileme.enable=true", "profileme.interval_max=9",
	                                  "lsq.speculate=true", NULL};
	struct machine *m = profileme_fixture_busy_machine(how);
	vsample_fixture_run_to_end(m);
	uint64_t pc, replays = 0, wrong = 0;
	for (uint32_t i = 0; i < profileme_entries(profileme_fixture_prof(m)); i++) {
		const struct profileme_counts *c =
			profileme_entry(profileme_fixture_prof(m), i, &pc);
		assert_int_equal(
			c->events[PROFILEME_REPLAY_SIZE] + c->events[PROFILEME_REPLAY_SYNONYM], 0);
		if (c->events[PROFILEME_REPLAY_ORDER])
			assert_int_equal(pc, OVERTAKES);
		replays += c->events[PROFILEME_REPLAY_ORDER];
		if (pc == BRANCHES)
			wrong = c->events[PROFILEME_MISPREDICTED];
		else
			assert_true(c->events[PROFILEME_MISPREDICTED] <=
			            3); /* the loop's, at its end */
	}
	assert_in_range(replays, 10, machine_stats(m)->order_violations);
	assert_true(wrong > 50);
	/* They are estimates: the tagged instruction is random. */
	const double estimate = (double)replays * profileme_scale(profileme_fixture_prof(m)),
		     truth = (double)machine_stats(m)->order_violations;
	assert_true(fabs(estimate - truth) <
	            5 * sqrt(truth * profileme_scale(profileme_fixture_prof(m))));
	machine_free(m);
}

/* Straight-line code outside the caches: the first fetch of a line misses, later fetches from it
 * hit. */
TEST(fetches_miss_line_by_line)
{
	enum { WORDS = 1000 };
	static uint32_t code[WORDS + 2];
	static const char *const how[] = {"profileme.enable=true", "profileme.interval_max=1",
	                                  "pipe.fetch_width=4", "l1i.line=64", NULL};
	uint64_t pc;
	unsigned first = 0, others = 0;
	for (unsigned i = 0; i < WORDS; i++)
		code[i] = enc_i(OP_ADDI, T1, T1, 1);
	code[WORDS] = enc_i(OP_ADDI, A7, X0, 93);
	code[WORDS + 1] = enc_i(OP_ECALL, X0, X0, 0);
	struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
	vsample_fixture_run_to_end(m);
	for (uint32_t i = 0; i < profileme_entries(profileme_fixture_prof(m)); i++) {
		const struct profileme_counts *c =
			profileme_entry(profileme_fixture_prof(m), i, &pc);
		const bool begins = pc % 64 < 16;
		assert_int_equal(c->events[PROFILEME_ICACHE_MISS],
		                 begins ? profileme_samples(c) : 0);
		first += begins;
		others += !begins;
	}
	assert_true(first > 5 && others > 20);
	machine_free(m);
}

/* More instructions than the table has room for: later ones are lost, and counted. */
TEST(a_full_table_loses)
{
	enum { HALVES = 1900 };
	static uint32_t code[1 + HALVES / 2 + 4];
	static const char *const how[] = {"profileme.enable=true", "profileme.interval_max=40",
	                                  "profileme.memory=262144", NULL};
	const uint32_t half = ENC_C(ADDI, .rd = T1, .rs1 = T1, .imm = 1);
	unsigned n = 0;
	code[n++] = enc_i(OP_ADDI, T0, X0, 100);
	while (n < 1 + HALVES / 2)
		code[n++] = half | half << 16;
	code[n++] = enc_i(OP_ADDI, T0, T0, -1);
	code[n++] = enc_b(OP_BNE, T0, X0, -4 * (1 + HALVES / 2));
	code[n++] = enc_i(OP_ADDI, A7, X0, 93);
	code[n++] = enc_i(OP_ECALL, X0, X0, 0);
	struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
	vsample_fixture_run_to_end(m);
	const struct profileme_table *t = profileme_fixture_prof(m)->profileme->table;
	uint64_t pc, records = 0;
	assert_int_equal(t->head.pcs, t->table.capacity);
	assert_in_range(t->head.pcs, 100, HALVES - 1);
	for (uint32_t i = 0; i < t->head.pcs; i++)
		records += profileme_samples(profileme_entry(profileme_fixture_prof(m), i, &pc));
	assert_true(machine_stats(m)->profileme_lost > 0);
	assert_int_equal(records + machine_stats(m)->profileme_lost,
	                 machine_stats(m)->profileme_records);
	machine_free(m);
}

TEST(intervals_must_be_possible)
{
	static const char *const wrong[] = {"profileme.interval_min=10", "profileme.interval_max=9",
	                                    NULL};
	const struct config cfg = vsample_fixture_config(wrong);
	struct err err;
	assert_false(config_check(&cfg, &err));
	assert_string_equal(err.msg,
	                    "profileme.interval_min: 10 is more than profileme.interval_max, 9");
}
