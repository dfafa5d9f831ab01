/* The block descriptor table (Vaswani IV.A): how entries are made, grow and are unlocked, what
 * fetch skips by them, and what happens when that was wrong. */
#include "tests/xprof/model.h"

#include <stdlib.h>
#include <string.h>

enum { X_N = 8, X_PATTERN = 7, X_ONE = 6, ROUND = 96, BLOCK = 24 };

static void as_the_model_says(const struct guest *g, const struct log *l)
{
	struct model *model = model_run(g);
	model_agrees(model, l->m);
	model_agrees_trace(model, l);
	model_free(model);
}

static const struct bdt_entry *entry_of(const struct log *l, uint64_t leader)
{
	return bdt_find(&machine_pipe(l->m)->xprof.bdt, leader);
}

static unsigned entries(const struct log *l)
{
	const struct bdt *t = &machine_pipe(l->m)->xprof.bdt;
	unsigned n = 0;
	for (size_t i = 0; i < ((size_t)t->mask + 1) * t->ways; i++)
		n += t->entry[i].leader != 0;
	return n;
}

/* Writes a block; returns its leader. */
typedef uint64_t block_fn(struct guest *g, int arg);

static uint64_t adds(struct guest *g, int n)
{
	const uint64_t leader = here(g);
	for (int i = 0; i < n; i++)
		prof(g, 0, rv_addi(16, 16, 1));
	return leader;
}

/* Rounds around a block, bit i of `bits` being flag 0 in round i. On both sides there are more
 * ordinary instructions than the queue has places, so that decode has done with the block before
 * fetch comes to it again. */
static struct guest *around(block_fn *block, int arg, uint64_t bits, unsigned rounds,
                            uint64_t *leader)
{
	struct guest *g = guest_new();
	g->x[X_PATTERN] = bits;
	g->x[X_N] = rounds;
	g->x[X_ONE] = 1;
	const uint64_t top = here(g);
	put(g, rv_andi(5, X_PATTERN, 1));
	put(g, rv_srli(X_PATTERN, X_PATTERN, 1));
	put(g, rv_csrw(CSR_PFLAGS, 5));
	nops(g, 40);
	*leader = block(g, arg);
	put(g, rv_addi(15, 15, 1));
	nops(g, 40);
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - here(g))));
	finish(g);
	return g;
}

/* Runs until the n-th event (from 1) of this kind at pc. */
static void run_until(struct log *l, enum event_id id, uint64_t pc, unsigned n)
{
	while (count(l, id, pc) < n)
		assert_true(machine_step(l->m));
}

/* Made at the leader, locked; grows with each instruction; unlocked when the leader comes again;
 * only then fetch reads it. */
static void the_life_of_an_entry(void **state)
{
	(void)state;
	enum { N = 5, ROUNDS = 9 };
	uint64_t leader;
	struct guest *g = around(adds, N, 0, ROUNDS, &leader);
	struct log *l = log_new(boot(g, "pipe.decode_width=1"));
	run_until(l, EV_FETCH, leader, 1);
	assert_null(entry_of(l, leader));
	for (unsigned i = 0; i < N; i++) {
		run_until(l, EV_DROP, leader + 6 * i, 1);
		const struct bdt_entry *e = entry_of(l, leader);
		assert_non_null(e);
		assert_int_equal(e->follow, leader + 6 * (i + 1));
		assert_int_equal(e->count, i + 1);
		assert_int_equal(e->locked, 1);
		assert_int_equal(e->on, 0);
	}
	/* The second time it is still locked when it is fetched. */
	run_until(l, EV_FETCH, leader, 2);
	assert_int_equal(entry_of(l, leader)->locked, 1);
	run_until(l, EV_DROP, leader, 2);
	assert_int_equal(entry_of(l, leader)->locked, 0);
	assert_int_equal(entry_of(l, leader)->follow, leader + 6 * N);
	run_until(l, EV_DROP, leader + 6, 2);
	run_to_end(l->m);
	/* From the third on it is skipped; the leader is queued and dropped all the same. */
	assert_int_equal(count(l, EV_FETCH, leader), ROUNDS);
	assert_int_equal(count(l, EV_DROP, leader), ROUNDS);
	assert_int_equal(count(l, EV_SKIP, leader), ROUNDS - 2);
	for (unsigned i = 1; i < N; i++)
		assert_int_equal(count(l, EV_FETCH, leader + 6 * i), 2);
	assert_int_equal(nth(l, EV_SKIP, leader, 0)->skip.follow, leader + 6 * N);
	assert_int_equal(stat(l->m, "xprof.skips"), ROUNDS - 2);
	assert_int_equal(stat(l->m, "xprof.skipped_insts"), (ROUNDS - 2) * (N - 1));
	assert_int_equal(stat(l->m, "xprof.fetched"), ROUNDS + 2 * (N - 1));
	assert_int_equal(stat(l->m, "xprof.dropped"), ROUNDS + 2 * (N - 1));
	assert_int_equal(stat(l->m, "xprof.flag_mispredicts"), 0);
	assert_int_equal(entries(l), 1);
	as_the_model_says(g, l);
	log_free(l);
	free(g);
}

/* While the flag is on no entry is made. */
static void none_while_the_flag_is_on(void **state)
{
	(void)state;
	uint64_t leader;
	struct guest *g = around(adds, 5, 0xff, 8, &leader);
	struct log *l = run(g, "");
	assert_int_equal(entries(l), 0);
	assert_int_equal(stat(l->m, "xprof.skips"), 0);
	log_free(l);
	free(g);
}

/* off off off ON ON off off: the third is skipped; so is the fourth, wrongly; then the prediction
 * follows, a round late. */
static void the_prediction_follows_the_flag(void **state)
{
	(void)state;
	static const unsigned skipped[] = {0, 0, 1, 1, 0, 0, 1}, on[] = {0, 0, 0, 1, 1, 0, 0};
	uint64_t leader;
	struct guest *g = around(adds, 5, 0x18, 7, &leader);
	struct log *l = log_new(boot(g, ""));
	for (unsigned i = 0; i < 7; i++) {
		run_until(l, EV_FETCH, leader, i + 1);
		assert_int_equal(count(l, EV_SKIP, leader), skipped[i] + (i > 2) + (i > 3));
		while (count(l, EV_DROP, leader) + count(l, EV_DISPATCH, leader) <= i)
			assert_true(machine_step(l->m));
		assert_int_equal(entry_of(l, leader)->on, on[i]);
	}
	run_to_end(l->m);
	assert_int_equal(count(l, EV_SKIP, leader), 3);
	assert_int_equal(stat(l->m, "xprof.flag_mispredicts"), 1);
	assert_int_equal(machine_reg(l->m, 16), 2 * 5);
	assert_int_equal(machine_reg(l->m, 15), 7);
	as_the_model_says(g, l);
	log_free(l);
	free(g);
}

/* Found at decode, and the rest of the block is fetched in the next cycle. What stands behind it
 * was fetched, and is void. */
static void flag_misprediction(void **state)
{
	(void)state;
	uint64_t leader;
	struct guest *g = around(adds, 5, 1 << 3, 5, &leader);
	struct log *l = run(g, "");
	const uint64_t follow = leader + 30, decoded = cycle_of(l, EV_DISPATCH, leader, 0);
	assert_int_equal(stat(l->m, "xprof.flag_mispredicts"), 1);
	assert_int_equal(nth(l, EV_FETCH, leader, 3)->fetch.predicted, follow);
	assert_int_equal(cycle_of(l, EV_FETCH, leader + 6, 2), decoded + 1);
	bool void_one = false;
	for (size_t i = 0; i < l->count; i++)
		void_one |= l->event[i].id == EV_LEAVE && l->event[i].pc == follow &&
		            l->event[i].cycle == decoded && !l->event[i].leave.retired;
	assert_true(void_one);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(count(l, EV_COMMIT, leader + 6 * i), 1);
	as_the_model_says(g, l);
	log_free(l);
	free(g);
}

/* setpf right before the leader: fetch decides before decode knows. */
static uint64_t flipped_before(struct guest *g, int arg)
{
	(void)arg;
	put(g, rv_beq(5, 0, 6));
	setpf(g, 0);
	return adds(g, 5);
}

static void a_flag_flipped_between_fetch_and_decode(void **state)
{
	(void)state;
	/* The flag is on behind the loop's CSR write in rounds 5 and 9; the table doesn't know. */
	for (unsigned round = 3; round < 10; round++) {
		uint64_t leader;
		struct guest *g = around(flipped_before, 0, 0, 10, &leader);
		/* Flags stay off but for setpf: the pattern only steers the branch. */
		struct guest copy = *g;
		const uint32_t off = rv_csrw(CSR_PFLAGS, 0);
		memcpy(copy.text + 8, &off, 4);
		copy.x[X_PATTERN] = UINT64_C(1) << round;
		struct log *l = run(&copy, "bpred.kind=taken");
		assert_true(stat(l->m, "xprof.flag_mispredicts") >= 1);
		assert_int_equal(machine_reg(l->m, 16), 5);
		assert_int_equal(machine_reg(l->m, 15), 10);
		as_the_model_says(&copy, l);
		log_free(l);
		free(g);
	}
}

/* Shorter blocks are not skipped. */
static void minimum_length(void **state)
{
	(void)state;
	for (int n = 1; n <= 8; n++)
		for (int least = small() ? n : 1; least <= 8; least += small() ? 4 : 1) {
			uint64_t leader;
			char options[64];
			struct guest *g = around(adds, n, 0, 8, &leader);
			snprintf(options, sizeof options, "bdt.min_block=%d", least);
			struct log *l = run(g, options);
			assert_int_equal(stat(l->m, "xprof.skips"), n >= least ? 6 : 0);
			assert_int_equal(stat(l->m, "xprof.skipped_insts"),
			                 n >= least ? 6 * (n - 1) : 0);
			as_the_model_says(g, l);
			log_free(l);
			free(g);
		}
	/* By default 4. */
	for (int n = 3; n <= 4; n++) {
		uint64_t leader;
		struct guest *g = around(adds, n, 0, 8, &leader);
		struct log *l = run(g, "");
		assert_int_equal(stat(l->m, "xprof.skips") > 0, n == 4);
		log_free(l);
		free(g);
	}
}

/* The rest of the fetch group is lost, and so many cycles more. */
static void discontinuous_fetch(void **state)
{
	(void)state;
	for (int penalty = 0; penalty < 5; penalty += 2) {
		uint64_t leader;
		char options[64];
		struct guest *g = around(adds, 5, 0, 6, &leader);
		snprintf(options, sizeof options, "bdt.skip_penalty=%d l1i.line=256 l2.line=256",
		         penalty);
		struct log *l = run(g, options);
		for (unsigned i = 2; i < 6; i++)
			assert_int_equal(cycle_of(l, EV_FETCH, leader + 30, i) -
			                         cycle_of(l, EV_FETCH, leader, i),
			                 1 + penalty);
		log_free(l);
		free(g);
	}
}

/* What is not fetched reads no line: 40 instructions lie in several. */
static void fewer_lines_are_read(void **state)
{
	(void)state;
	uint64_t leader;
	struct guest *g = around(adds, 40, 0, 50, &leader);
	struct log *with = run(g, ""), *without = run(g, "bdt.sets=0");
	assert_true(stat(with->m, "l1i.accesses") + 48 * (40 * 6 / 32 - 2) <=
	            stat(without->m, "l1i.accesses"));
	assert_true(machine_cycle(with->m) < machine_cycle(without->m));
	assert_int_equal(stat(without->m, "xprof.skips"), 0);
	as_the_model_says(g, with);
	as_the_model_says(g, without);
	log_free(with);
	log_free(without);
	free(g);
}

/* A block that begins with a jump to its middle, and has a branch, a load and a store. */
static uint64_t with_all_kinds(struct guest *g, int leader)
{
	const uint64_t at = here(g);
	if (leader == 0)
		prof(g, 0, rv_jal(18, 6 + 4)); /* over the next */
	else if (leader == 1)
		prof(g, 0, rv_beq(0, 0, 6 + 4));
	else if (leader == 2)
		prof(g, 0, rv_bne(0, 0, 6 + 4));
	prof(g, 0, rv_addi(16, 16, 1));
	prof(g, 0, rv_ld(19, 0, X_DATA));
	prof(g, 0, rv_addi(19, 19, 3));
	prof(g, 0, rv_sd(19, 0, X_DATA));
	prof(g, 0, rv_beq(16, 0, 4 + 6)); /* over the next */
	prof(g, 0, rv_sd(16, 8, X_DATA));
	prof(g, 0, rv_addi(20, 20, 1));
	return at;
}

static const char *const settings[] = {"",
                                       "bdt.sets=0",
                                       "xprof.bpred=flag",
                                       "xprof.bpred=ignored-update",
                                       "bpred.kind=taken bdt.min_block=1",
                                       "l1i.line=8 pipe.decode_width=1",
                                       "lsq.speculate=true pipe.rob_size=8",
                                       "bpred.update=commit btb.sets=0",
                                       "bdt.sets=1 bdt.ways=1 bdt.skip_penalty=3"};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void branches_loads_and_stores_inside(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++)
		for (uint64_t bits = small() ? 85 : 0; bits < (small() ? 86 : 1 << 8); bits += 5)
			for (unsigned i = small() ? (unsigned)kind % 2 : 0; i < SETTINGS;
			     i += small() ? 2 : 1) {
				uint64_t leader;
				struct guest *g = around(with_all_kinds, kind, bits, 8, &leader);
				struct log *l = run(g, settings[i]);
				as_the_model_says(g, l);
				log_free(l);
				free(g);
			}
}

/* The skip comes before the branch predictor, which is not asked. */
static void skips_override_branch_prediction(void **state)
{
	(void)state;
	uint64_t leader;
	/* Eight times on, so that the target is known; then off. */
	struct guest *g = around(with_all_kinds, 0, 0xff, 16, &leader);
	struct log *l = run(g, "xprof.bpred=ignored-update");
	assert_int_equal(count(l, EV_SKIP, leader), 16 - 8 - 2);
	assert_int_equal(count(l, EV_PREDICT, leader), 8 + 2);
	for (unsigned i = 10; i < 16; i++)
		assert_int_equal(nth(l, EV_FETCH, leader, i)->fetch.predicted,
		                 entry_of(l, leader)->follow);
	as_the_model_says(g, l);
	/* What is skipped is no mis-fetch. */
	struct guest *shorter = around(with_all_kinds, 0, 0xff, 10, &leader);
	struct log *s = run(shorter, "xprof.bpred=ignored-update");
	assert_true(stat(s->m, "xprof.misfetches") >= 1);
	assert_int_equal(stat(l->m, "xprof.misfetches"), stat(s->m, "xprof.misfetches"));
	log_free(s);
	free(shorter);
	log_free(l);
	free(g);
}

/* Jumped into at its third instruction: that is a leader of its own, and both end at the same
 * place. */
static uint64_t entered_in_the_middle(struct guest *g, int arg)
{
	(void)arg;
	put(g, rv_andi(5, X_N, 1));
	put(g, rv_beq(5, 0, 4 + 12));
	return adds(g, 7);
}

static void a_block_entered_in_its_middle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SETTINGS; i++)
		for (uint64_t bits = 0; bits < 0x1000000; bits += small() ? 0x8f00f0 : 0x0f00f0) {
			uint64_t leader;
			struct guest *g = around(entered_in_the_middle, 0, bits, 24, &leader);
			struct log *l = run(g, settings[i]);
			as_the_model_says(g, l);
			log_free(l);
			free(g);
		}
	/* The whole first, or the part first: then the whole is known as far as it was fetched, for
	 * its rest is skipped by the part's entry. */
	for (unsigned part_first = 0; part_first < 2; part_first++) {
		uint64_t leader;
		struct guest *g = around(entered_in_the_middle, 0, 0, 25 - part_first, &leader);
		struct log *l = run(g, "");
		const struct bdt_entry *whole = entry_of(l, leader),
				       *part = entry_of(l, leader + 12);
		as_the_model_says(g, l);
		assert_non_null(whole);
		assert_non_null(part);
		assert_int_equal(part->count, 5);
		assert_int_equal(part->follow, leader + 42);
		assert_int_equal(whole->count, part_first ? 3 : 7);
		assert_int_equal(whole->follow, leader + (part_first ? 18 : 42));
		assert_true(count(l, EV_SKIP, leader + 12) > 6);
		assert_true(part_first == (count(l, EV_SKIP, leader) == 0));
		log_free(l);
		free(g);
	}
}

/* A wrong path into a block, cut off after two instructions: the entry that was begun is dropped,
 * or the part would be taken for the block when its leader comes again. */
static uint64_t on_a_wrong_path(struct guest *g, int arg)
{
	(void)arg;
	put(g, rv_andi(5, X_N, 1));
	put(g, rv_divu(5, 5, X_ONE));
	put(g, rv_bne(5, 0, 4 + 14 * 6));
	return adds(g, 14);
}

static void a_block_cut_off_by_a_squash(void **state)
{
	(void)state;
	for (int latency = 1; latency < 30; latency++) {
		uint64_t leader;
		char options[96];
		struct guest *g = around(on_a_wrong_path, 0, 0, 21, &leader);
		snprintf(options, sizeof options,
		         "bpred.kind=nottaken pipe.decode_width=1 lat.idiv=%d occ.idiv=1", latency);
		struct log *l = log_new(boot(g, options));
		run_until(l, EV_SQUASH, leader - 4, 1);
		const unsigned decoded = count_all(l, EV_DROP);
		const struct bdt_entry *e = entry_of(l, leader);
		/* Whole if the path went that far, and an ordinary instruction behind it. */
		if (e) {
			assert_true(decoded == 14);
			assert_int_equal(e->count, 14);
		}
		run_to_end(l->m);
		assert_int_equal(entry_of(l, leader)->count, 14);
		assert_true(count(l, EV_SKIP, leader) > 4);
		as_the_model_says(g, l);
		log_free(l);
		free(g);
	}
}

/* What parts blocks: ordinary instructions, control, another type. */
static uint64_t parted(struct guest *g, int by)
{
	const uint64_t at = here(g);
	for (int i = 0; i < 4; i++)
		prof(g, 0, rv_addi(16, 16, 1));
	if (by == 1)
		put(g, rv_nop());
	if (by == 2)
		setpf(g, 6);
	if (by == 3)
		pblen(g, 24);
	if (by == 4)
		pushpf(g, 5);
	for (int i = 0; i < 4; i++)
		prof(g, by == 5, rv_addi(16, 16, 1));
	if (by == 4)
		poppf(g, 5);
	return at;
}

static void what_ends_a_block(void **state)
{
	(void)state;
	static const unsigned between[] = {0, 4, 2, 4, 2, 0};
	for (int by = 0; by < 6; by++) {
		uint64_t leader;
		struct guest *g = around(parted, by, 0, 12, &leader);
		struct log *l = run(g, "");
		const struct bdt_entry *first = entry_of(l, leader),
				       *second = entry_of(l, leader + 24 + between[by]);
		assert_non_null(first);
		assert_int_equal(first->follow, leader + (by ? 24 : 48));
		assert_int_equal(first->count, by ? 4 : 8);
		assert_int_equal(second != NULL, by != 0);
		if (second)
			assert_int_equal(second->follow, leader + 48 + between[by]);
		assert_int_equal(entries(l), by ? 2 : 1);
		as_the_model_says(g, l);
		log_free(l);
		free(g);
	}
}

/* Eight types by turns: each instruction is a block of its own, and none is long enough. */
static uint64_t interleaved(struct guest *g, int wide)
{
	const uint64_t at = here(g);
	g->wide = wide;
	for (unsigned i = 0; i < 24; i++)
		prof(g, i * 3 % 8, rv_addi(18 + i * 3 % 8, 18 + i * 3 % 8, 1));
	return at;
}

static void eight_types_interleaved(void **state)
{
	(void)state;
	for (int wide = 0; wide < 2; wide++)
		for (unsigned i = 0; i < SETTINGS; i++) {
			uint64_t leader;
			struct guest *g = around(interleaved, wide, 0, 12, &leader);
			const uint64_t random[] = {0x9d, 0x00, 0xff, 0x35};
			/* All eight flags by the pattern: bits move through them. */
			const uint32_t take = rv_andi(5, X_PATTERN, 0xff);
			memcpy(g->text, &take, 4);
			g->x[X_PATTERN] =
				random[0] | random[1] << 8 | random[2] << 16 | random[3] << 24;
			struct log *l = run(g, settings[i]);
			as_the_model_says(g, l);
			if (i == 0) {
				assert_int_equal(stat(l->m, "xprof.skips"), 0);
				assert_int_equal(entries(l), 24);
			}
			log_free(l);
			free(g);
		}
}

/* ---- sets, ways, replacement ---- */
/* Three blocks whose leaders lie `stride` bytes apart, visited in the order that `order` tells in
 * octal digits. */
static struct guest *three_blocks(unsigned stride, const char *order, unsigned rounds,
                                  uint64_t leader[3])
{
	struct guest *g = guest_new();
	g->x[X_N] = rounds;
	const uint32_t first = 2048;
	const uint64_t top = here(g);
	for (const char *c = order; *c; c++) {
		put(g, rv_jal(1, (int32_t)(TEXT + first - 4 + (uint32_t)(*c - 'A') * stride -
		                           here(g))));
		nops(g, 8);
	}
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - here(g))));
	finish(g);
	for (unsigned i = 0; i < 3; i++) {
		go_to(g, first - 4 + i * stride);
		put(g, rv_nop());
		leader[i] = adds(g, 4);
		put(g, rv_jalr(0, 1));
	}
	return g;
}

static void sets_and_ways(void **state)
{
	(void)state;
	static const struct {
		const char *options;
		unsigned stride;
		bool fits;
	} rows[] = {
		/* 64 sets of 2-byte steps: all three in one */
		{"bdt.sets=64 bdt.ways=2", 128, false},
		{"bdt.sets=64 bdt.ways=3", 128, true},
		{"bdt.sets=128 bdt.ways=2", 128, true}, /* two of them meet */
		{"bdt.sets=32 bdt.ways=2", 64, false},
		{"bdt.sets=64 bdt.ways=2", 64, true},
		{"bdt.sets=128 bdt.ways=1", 128, false},
		{"bdt.sets=256 bdt.ways=1", 128, true},
		{"bdt.sets=1 bdt.ways=3", 66, true},
		{"bdt.sets=1 bdt.ways=2", 66, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t leader[3];
		struct guest *g = three_blocks(rows[i].stride, "ABC", 10, leader);
		struct log *l = run(g, rows[i].options);
		const int64_t skips = stat(l->m, "xprof.skips");
		if (rows[i].fits)
			assert_int_equal(skips, 3 * (10 - 2));
		else if (strstr(rows[i].options, "ways=1"))
			assert_int_equal(skips, 10 - 2); /* A and C drive each other out, B stays */
		else
			assert_int_equal(skips, 0);
		as_the_model_says(g, l);
		log_free(l);
		free(g);
	}
	uint64_t leader[3];
	struct guest *g = three_blocks(128, "ABC", 10, leader);
	struct log *l = run(g, "bdt.sets=0");
	assert_int_equal(stat(l->m, "xprof.skips"), 0);
	log_free(l);
	free(g);
}

/* A A B A C: the least recently used is B, the first to come A. */
static void replacement(void **state)
{
	(void)state;
	for (int fifo = 0; fifo < 2; fifo++) {
		uint64_t leader[3];
		struct guest *g = three_blocks(128, "AABAC", 1, leader);
		struct log *l = run(g, fifo ? "bdt.replacement=fifo" : "bdt.replacement=lru");
		assert_true((entry_of(l, leader[0]) != NULL) == !fifo);
		assert_true((entry_of(l, leader[1]) != NULL) == fifo);
		assert_non_null(entry_of(l, leader[2]));
		log_free(l);
		free(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_life_of_an_entry),
		cmocka_unit_test(none_while_the_flag_is_on),
		cmocka_unit_test(the_prediction_follows_the_flag),
		cmocka_unit_test(flag_misprediction),
		cmocka_unit_test(a_flag_flipped_between_fetch_and_decode),
		cmocka_unit_test(minimum_length),
		cmocka_unit_test(discontinuous_fetch),
		cmocka_unit_test(fewer_lines_are_read),
		cmocka_unit_test(branches_loads_and_stores_inside),
		cmocka_unit_test(skips_override_branch_prediction),
		cmocka_unit_test(a_block_entered_in_its_middle),
		cmocka_unit_test(a_block_cut_off_by_a_squash),
		cmocka_unit_test(what_ends_a_block),
		cmocka_unit_test(eight_types_interleaved),
		cmocka_unit_test(sets_and_ways),
		cmocka_unit_test(replacement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
