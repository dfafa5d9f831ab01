/* Blocks that fetch skips: permitted contents, ends, and sets and ways of the table. */
#include <stdlib.h>
#include <string.h>

#include "tests/xprof/bdt_rounds.h"

/* A block that begins with a jump to its middle, and has a branch, a load and a store. */
static uint64_t with_all_kinds(struct guest *g, int leader)
{
	const uint64_t at = bench_next_pc(g);
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

TEST(branches_loads_and_stores_inside)
{
	for (int kind = 0; kind < 4; kind++)
		for (uint64_t bits = small() ? 85 : 0; bits < (small() ? 86 : 1 << 8); bits += 5)
			for (unsigned i = small() ? (unsigned)kind % 2 : 0; i < SETTINGS;
			     i += small() ? 2 : 1) {
				uint64_t leader;
				struct guest *g =
					bdt_around(with_all_kinds, kind, bits, 8, &leader);
				struct log *l = run(g, settings[i]);
				as_the_model_says(g, l);
				log_free(l);
				free(g);
			}
}

/* The skip comes before the branch predictor, which is not used. */
TEST(skips_override_branch_prediction)
{
	uint64_t leader;
	/* Flag on for eight rounds, to learn the target; then off. */
	struct guest *g = bdt_around(with_all_kinds, 0, 0xff, 16, &leader);
	struct log *l = run(g, "xprof.bpred=ignored-update");
	assert_int_equal(count(l, EV_SKIP, leader), 16 - 8 - 2);
	assert_int_equal(count(l, EV_PREDICT, leader), 8 + 2);
	for (unsigned i = 10; i < 16; i++)
		assert_int_equal(nth(l, EV_FETCH, leader, i)->fetch.predicted,
		                 bdt_entry_of(l, leader)->follow);
	as_the_model_says(g, l);
	/* A skip is no mis-fetch. */
	struct guest *shorter = bdt_around(with_all_kinds, 0, 0xff, 10, &leader);
	struct log *s = run(shorter, "xprof.bpred=ignored-update");
	assert_true(stat(s->m, "xprof.misfetches") >= 1);
	assert_int_equal(stat(l->m, "xprof.misfetches"), stat(s->m, "xprof.misfetches"));
	log_free(s);
	free(shorter);
	log_free(l);
	free(g);
}

/* A block entered at its third instruction, which is also a leader; both blocks have the same end.
 */
static uint64_t entered_in_the_middle(struct guest *g, int arg)
{
	(void)arg;
	put(g, rv_andi(5, X_N, 1));
	put(g, rv_beq(5, 0, 4 + 12));
	return bdt_adds(g, 7);
}

TEST(a_block_entered_in_its_middle)
{
	for (unsigned i = 0; i < SETTINGS; i++)
		for (uint64_t bits = 0; bits < 0x1000000; bits += small() ? 0x8f00f0 : 0x0f00f0) {
			uint64_t leader;
			struct guest *g = bdt_around(entered_in_the_middle, 0, bits, 24, &leader);
			struct log *l = run(g, settings[i]);
			as_the_model_says(g, l);
			log_free(l);
			free(g);
		}
	/* The whole first, or the part first: then the whole's entry ends where the part begins,
	 * since the part's entry skips the rest. */
	for (unsigned part_first = 0; part_first < 2; part_first++) {
		uint64_t leader;
		struct guest *g = bdt_around(entered_in_the_middle, 0, 0, 25 - part_first, &leader);
		struct log *l = run(g, "");
		const struct bdt_entry *whole = bdt_entry_of(l, leader),
				       *part = bdt_entry_of(l, leader + 12);
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
	return bdt_adds(g, 14);
}

TEST(a_block_cut_off_by_a_squash)
{
	for (int latency = 1; latency < 30; latency++) {
		uint64_t leader;
		char options[96];
		struct guest *g = bdt_around(on_a_wrong_path, 0, 0, 21, &leader);
		snprintf(options, sizeof options,
		         "bpred.kind=nottaken pipe.decode_width=1 lat.idiv=%d occ.idiv=1", latency);
		struct log *l = log_new(boot(g, options));
		bdt_run_until(l, EV_SQUASH, leader - 4, 1);
		const unsigned decoded = count_all(l, EV_DROP);
		const struct bdt_entry *e = bdt_entry_of(l, leader);
		/* Whole if the path went that far, and an ordinary instruction after it. */
		if (e) {
			assert_true(decoded == 14);
			assert_int_equal(e->count, 14);
		}
		run_to_end(l->m);
		assert_int_equal(bdt_entry_of(l, leader)->count, 14);
		assert_true(count(l, EV_SKIP, leader) > 4);
		as_the_model_says(g, l);
		log_free(l);
		free(g);
	}
}

/* Separators of blocks: ordinary instructions, control, another type. */
static uint64_t bdt_blocks_emit_parted(struct guest *g, int by)
{
	const uint64_t at = bench_next_pc(g);
	for (int i = 0; i < 4; i++)
		prof(g, 0, rv_addi(16, 16, 1));
	if (by == 1)
		put(g, rv_nop());
	if (by == 2)
		bench_emit_setpf(g, 6);
	if (by == 3)
		pblen(g, 24);
	if (by == 4)
		bench_emit_pushpf(g, 5);
	for (int i = 0; i < 4; i++)
		prof(g, by == 5, rv_addi(16, 16, 1));
	if (by == 4)
		bench_emit_poppf(g, 5);
	return at;
}

TEST(what_ends_a_block)
{
	static const unsigned between[] = {0, 4, 2, 4, 2, 0};
	for (int by = 0; by < 6; by++) {
		uint64_t leader;
		struct guest *g = bdt_around(bdt_blocks_emit_parted, by, 0, 12, &leader);
		struct log *l = run(g, "");
		const struct bdt_entry *first = bdt_entry_of(l, leader),
				       *second = bdt_entry_of(l, leader + 24 + between[by]);
		assert_non_null(first);
		assert_int_equal(first->follow, leader + (by ? 24 : 48));
		assert_int_equal(first->count, by ? 4 : 8);
		assert_int_equal(second != NULL, by != 0);
		if (second)
			assert_int_equal(second->follow, leader + 48 + between[by]);
		assert_int_equal(bdt_entries(l), by ? 2 : 1);
		as_the_model_says(g, l);
		log_free(l);
		free(g);
	}
}

/* Eight types in turn: each instruction is a block, and no block is long enough. */
static uint64_t bdt_blocks_emit_interleaved(struct guest *g, int wide)
{
	const uint64_t at = bench_next_pc(g);
	g->wide = wide;
	for (unsigned i = 0; i < 24; i++)
		prof(g, i * 3 % 8, rv_addi(18 + i * 3 % 8, 18 + i * 3 % 8, 1));
	return at;
}

TEST(eight_types_interleaved)
{
	for (int wide = 0; wide < 2; wide++)
		for (unsigned i = 0; i < SETTINGS; i++) {
			uint64_t leader;
			struct guest *g =
				bdt_around(bdt_blocks_emit_interleaved, wide, 0, 12, &leader);
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
				assert_int_equal(bdt_entries(l), 24);
			}
			log_free(l);
			free(g);
		}
}

/* ---- sets, ways, replacement ---- */
/* Three blocks whose leaders lie `stride` bytes apart, visited in the order of `order`, in octal
 * digits. */
static struct guest *three_blocks(unsigned stride, const char *order, unsigned rounds,
                                  uint64_t leader[3])
{
	struct guest *g = guest_new();
	g->x[X_N] = rounds;
	const uint32_t first = 2048;
	const uint64_t top = bench_next_pc(g);
	for (const char *c = order; *c; c++) {
		put(g, rv_jal(1, (int32_t)(TEXT + first - 4 + (uint32_t)(*c - 'A') * stride -
		                           bench_next_pc(g))));
		nops(g, 8);
	}
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	for (unsigned i = 0; i < 3; i++) {
		go_to(g, first - 4 + i * stride);
		put(g, rv_nop());
		leader[i] = bdt_adds(g, 4);
		put(g, rv_jalr(0, 1));
	}
	return g;
}

TEST(sets_and_ways)
{
	static const struct {
		const char *options;
		unsigned stride;
		bool fits;
	} rows[] = {
		/* 64 sets of 2-byte steps: all three in one */
		{"bdt.sets=64 bdt.ways=2", 128, false},  {"bdt.sets=64 bdt.ways=3", 128, true},
		{"bdt.sets=128 bdt.ways=2", 128, true}, /* two of them meet */
		{"bdt.sets=32 bdt.ways=2", 64, false},   {"bdt.sets=64 bdt.ways=2", 64, true},
		{"bdt.sets=128 bdt.ways=1", 128, false}, {"bdt.sets=256 bdt.ways=1", 128, true},
		{"bdt.sets=1 bdt.ways=3", 66, true},     {"bdt.sets=1 bdt.ways=2", 66, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t leader[3];
		struct guest *g = three_blocks(rows[i].stride, "ABC", 10, leader);
		struct log *l = run(g, rows[i].options);
		const int64_t skips = stat(l->m, "xprof.skips");
		if (rows[i].fits)
			assert_int_equal(skips, 3 * (10 - 2));
		else if (strstr(rows[i].options, "ways=1"))
			assert_int_equal(skips, 10 - 2); /* A and C evict each other, B stays */
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
TEST(test_bdt_blocks_replacement)
{
	for (int fifo = 0; fifo < 2; fifo++) {
		uint64_t leader[3];
		struct guest *g = three_blocks(128, "AABAC", 1, leader);
		struct log *l = run(g, fifo ? "bdt.replacement=fifo" : "bdt.replacement=lru");
		assert_true((bdt_entry_of(l, leader[0]) != NULL) == !fifo);
		assert_true((bdt_entry_of(l, leader[1]) != NULL) == fifo);
		assert_non_null(bdt_entry_of(l, leader[2]));
		log_free(l);
		free(g);
	}
}
