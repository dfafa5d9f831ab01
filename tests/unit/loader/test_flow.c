/* Flow graphs from machine code: blocks, edges, loops, derived counts; and arrows drawn beside
 * rows. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/gutter.h"
#include "loader/flow.h"
#include "tests/cases.h"
#include "tests/encode.h"

enum { BASE = 0x1000, T0 = 5, RA = 1, A0 = 10 };

struct text {
	uint8_t bytes[256];
	size_t n;
	uint64_t last; /* function that never returns; 0: none */
};

static void flow_append_inst(struct text *t, uint32_t raw)
{
	const size_t n = (raw & 3) == 3 ? 4 : 2;
	memcpy(t->bytes + t->n, &raw, n);
	t->n += n;
}

static bool flow_read_text(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct text *t = ctx;
	if (addr < BASE || addr - BASE + n > t->n)
		return false;
	memcpy(buf, t->bytes + (addr - BASE), n);
	return true;
}

static bool flow_is_last_inst(const void *ctx, uint64_t addr)
{
	const struct text *t = ctx;
	return addr == t->last;
}

static void flow_build_graph(const struct text *t, const struct flow_known *known, struct flow *out)
{
	struct err err;
	const struct flow_code code = {flow_read_text, flow_is_last_inst, t, ISA_ALL};
	if (!flow_of(&code, BASE, BASE + t->n, known ? known : &(struct flow_known){0}, out, &err))
		fail_msg("%s", err.msg);
}

/* 0: a0 == 0 ? 3 : 1;  1: ..., a call;  2: loop, a0 != 0 ? 2 : 3;  3: return */
static struct text loop_text(void)
{
	struct text t = {0};
	flow_append_inst(&t, enc_b(OP_BEQ, A0, 0, 0x18)); /* 1000 -> 1018 */
	flow_append_inst(&t, enc_i(OP_ADDI, A0, A0, 1));  /* 1004 */
	flow_append_inst(&t, enc_j(RA, 0x100));           /* 1008: a call */
	flow_append_inst(&t, enc_i(OP_ADDI, A0, A0, 2));  /* 100c */
	flow_append_inst(&t, enc_i(OP_ADDI, A0, A0, -1)); /* 1010 */
	flow_append_inst(&t, enc_b(OP_BNE, A0, 0, -4));   /* 1014 -> 1010 */
	flow_append_inst(&t, enc_i(OP_JALR, 0, RA, 0));   /* 1018 */
	return t;
}

TEST(blocks_end_at_branches_and_begin_at_targets)
{
	const struct text t = loop_text();
	static const uint64_t starts[] = {0x1000, 0x1004, 0x1010, 0x1018};
	struct flow f;
	flow_build_graph(&t, NULL, &f);
	assert_int_equal(f.block_count, 4);
	for (uint32_t k = 0; k < 4; k++)
		assert_int_equal(f.blocks[k].start, starts[k]);
	assert_int_equal(f.blocks[1].insts, 3);
	assert_int_equal(f.blocks[1].calls, 1);
	assert_int_equal(f.edge_count, 6);
	static const struct flow_edge edges[] = {
		{.from = 0, .to = 3, .kind = FLOW_TAKEN},
		{.from = 0, .to = 1, .kind = FLOW_NEXT},
		{.from = 1, .to = 2, .kind = FLOW_NEXT},
		{.from = 2, .to = 2, .kind = FLOW_TAKEN, .back = true},
		{.from = 2, .to = 3, .kind = FLOW_NEXT},
		{.from = 3, .to = FLOW_NONE, .kind = FLOW_UNKNOWN},
	};
	for (uint32_t k = 0; k < 6; k++) {
		assert_int_equal(f.edges[k].from, edges[k].from);
		assert_int_equal(f.edges[k].to, edges[k].to);
		assert_int_equal(f.edges[k].kind, edges[k].kind);
		assert_int_equal(f.edges[k].back, edges[k].back);
	}
	assert_false(f.indirect);
	assert_int_equal(flow_block_at(&f, 0x100e), 1);
	assert_int_equal(flow_block_at(&f, 0xffe), FLOW_NONE);
	assert_int_equal(flow_block_at(&f, 0x101c), FLOW_NONE);
	flow_free(&f);
}

TEST(a_call_that_never_returns_ends_a_block)
{
	struct text t = loop_text();
	t.last = 0x1108;
	struct flow f;
	flow_build_graph(&t, NULL, &f);
	assert_int_equal(f.block_count, 5);
	assert_int_equal(f.blocks[1].edges, 0);
	assert_int_equal(f.blocks[2].start, 0x100c);
	flow_free(&f);
}

TEST(leaders_and_jumps_are_taken_from_who_knows)
{
	struct text t = loop_text();
	flow_append_inst(&t, enc_i(OP_JALR, 0, T0 + 1, 0)); /* 101c: jr t1 */
	const uint64_t leaders[] = {0x1008, 0x100c};
	const struct flow_jump jumps[] = {{0x101c, 0x1000, 7}, {0x101c, 0x1004, 9}};
	const struct flow_known known = {.leaders = leaders,
	                                 .leader_count = 2,
	                                 .jumps = jumps,
	                                 .jump_count = 2,
	                                 .skip_behind_calls = true};
	struct flow f;
	flow_build_graph(&t, &known, &f);
	assert_int_equal(f.block_count, 6); /* 0x1008, but not 0x100c, which stands after a call */
	assert_int_equal(f.blocks[2].start, 0x1008);
	assert_true(f.indirect);
	assert_int_equal(f.blocks[5].edges, 3);
	const struct flow_edge *e = &f.edges[f.blocks[5].edge];
	assert_int_equal(e[0].to, 0);
	assert_int_equal(e[0].count.n, 7);
	assert_true(e[0].back == false); /* its only predecessor is itself */
	assert_int_equal(e[1].to, 1);
	assert_int_equal(e[2].kind, FLOW_UNKNOWN);
	flow_free(&f);
}

static void flow_set_count(struct flow_count *c, uint64_t n)
{
	*c = (struct flow_count){n, true, false};
}

TEST(counts_follow_from_others)
{
	const struct text t = loop_text();
	struct flow f;
	flow_build_graph(&t, NULL, &f);
	/* From counts of blocks alone, those of edges follow. */
	static const uint64_t blocks[] = {10, 4, 100, 10}, edges[] = {6, 4, 4, 96, 4, 10};
	for (uint32_t k = 0; k < 4; k++)
		flow_set_count(&f.blocks[k].count, blocks[k]);
	flow_solve(&f);
	for (uint32_t k = 0; k < 6; k++) {
		assert_true(f.edges[k].count.known);
		assert_true(f.edges[k].count.derived);
		assert_int_equal(f.edges[k].count.n, edges[k]);
	}
	flow_free(&f);
	/* From counts of branches' edges alone, those of blocks follow. */
	flow_build_graph(&t, NULL, &f);
	flow_set_count(&f.edges[0].count, 6), flow_set_count(&f.edges[1].count, 4),
		flow_set_count(&f.edges[3].count, 96), flow_set_count(&f.edges[4].count, 4);
	flow_solve(&f);
	for (uint32_t k = 0; k < 4; k++) {
		assert_true(f.blocks[k].count.known);
		assert_int_equal(f.blocks[k].count.n, blocks[k]);
	}
	flow_free(&f);
	/* No count follows without known counts, nor beside a jump through a register to an unknown
	 * place. */
	struct text wild = t;
	flow_append_inst(&wild, enc_i(OP_JALR, 0, T0 + 1, 0));
	flow_build_graph(&wild, NULL, &f);
	flow_solve(&f);
	for (uint32_t k = 0; k < f.block_count; k++)
		assert_false(f.blocks[k].count.known);
	flow_set_count(&f.edges[0].count, 6), flow_set_count(&f.edges[4].count, 4);
	flow_solve(&f);
	assert_false(f.blocks[3].count.known);
	flow_free(&f);
}

TEST(what_has_no_way_out_never_returns)
{
	struct text t = {0};
	const struct flow_code code = {.read = flow_read_text, .ctx = &t};
	flow_append_inst(&t, enc_j(RA, 0x100));
	flow_append_inst(&t, enc_j(0, 0));
	assert_true(flow_never_returns(&code, BASE, BASE + t.n));
	flow_append_inst(&t, enc_i(OP_JALR, 0, RA, 0));
	assert_false(flow_never_returns(&code, BASE, BASE + t.n));
	t.n -= 8;
	flow_append_inst(&t, enc_j(0, 0x40)); /* goes on elsewhere */
	assert_false(flow_never_returns(&code, BASE, BASE + t.n));
	t.n -= 4;
	flow_append_inst(&t, enc_j(0, 4)); /* to the instruction right after it */
	assert_false(flow_never_returns(&code, BASE, BASE + t.n));
	struct err err;
	struct flow f;
	assert_false(flow_of(&code, BASE, BASE + 64, &(struct flow_known){0}, &f, &err));
	assert_non_null(strstr(err.msg, "no code lies between 0x1000 and 0x1040"));
}

static void expect_gutter(const struct gutter_arc *arcs, size_t n, uint32_t rows,
                          enum gutter_side side, uint32_t lanes, const char *const *want)
{
	struct gutter g;
	assert_true(gutter_draw(arcs, n, rows, side, lanes, &g));
	for (uint32_t i = 0; i < rows; i++)
		assert_string_equal(g.lines[i], want[i]);
	gutter_free(&g);
}

TEST(arrows_share_lanes_and_cross)
{
	/* Two arcs to row 4 share a lane, a longer arc encloses them, short arcs lie next to the
	 * text. */
	static const struct gutter_arc down[] = {{0, 5}, {1, 4}, {2, 4}, {6, 7}};
	static const char *const left[] = {"┌────", "│ ┌──", "│ ├──", "│ │  ",
	                                   "│ └─▶", "└───▶", "  ┌──", "  └─▶"};
	expect_gutter(down, 4, 8, GUTTER_LEFT, 9, left);
	static const struct gutter_arc up[] = {{5, 0}, {4, 1}, {4, 3}};
	/* Nested, from one row: the lines join. */
	static const char *const nested[] = {"◀─────┐", "◀───┐ │", "    │ │",
	                                     "◀─┐ │ │", "──┴─┘ │", "──────┘"};
	expect_gutter(up, 3, 6, GUTTER_RIGHT, 9, nested);
	/* Where an edge crosses another, its line is broken, not joined. */
	static const struct gutter_arc crossing[] = {{0, 2}, {1, 4}};
	static const char *const crossed[] = {"  ┌──", "┌────", "│ └─▶", "│    ", "└───▶"};
	expect_gutter(crossing, 2, 5, GUTTER_LEFT, 9, crossed);
	/* Without a lane there is no arrow. */
	struct gutter g;
	assert_true(gutter_draw(crossing, 2, 5, GUTTER_LEFT, 1, &g));
	assert_int_equal(g.undrawn, 1);
	assert_string_equal(g.lines[1], "│  ");
	gutter_free(&g);
	assert_true(gutter_draw(NULL, 0, 2, GUTTER_LEFT, 9, &g));
	assert_string_equal(g.lines[1], "");
	gutter_free(&g);
}
