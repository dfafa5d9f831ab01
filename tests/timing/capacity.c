/* Capacity of caches: size, ways, lines. A ring of loads; in steady state all miss or all hit. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

/* One traversal of a ring of pointers through one cache. */
struct walk {
	const char *parameter, *options;
	int loads, stride, misses; /* of one traversal */
};

/* A body's argument: loads and stride. */
static int64_t capacity_pack_ring_arg(int loads, int stride)
{
	return (int64_t)loads << 32 | stride;
}

static void capacity_emit_traversal(struct program *p, int64_t arg)
{
	int64_t loads = arg >> 32, stride = arg & 0xffffffff;
	p->x[10] = DATA;
	set_ring(p, loads, stride);
	for (int64_t i = 0; i < loads; i++)
		emit(p, rv_ld(10, 0, 10));
}

/* Least recently used leaves: one line more than a set holds, in turn, and the whole set misses. */
static void data_caches(struct bench *b)
{
	static const struct walk l1d[] = {
		{"l1d.size", "l1d.size=1K", 32, 32, 0},
		{"l1d.size", "l1d.size=512", 32, 32, 32},
		{"l1d.size", "l1d.size=1K l1d.ways=2", 33, 32, 3}, /* 3 lines in one of 16 sets */
		{"l1d.size", "l1d.size=2K l1d.ways=2", 65, 32, 3},
		{"l1d.ways", "l1d.size=1K l1d.ways=1", 33, 32, 2},
		{"l1d.ways", "l1d.size=1K l1d.ways=4", 33, 32, 5},
		{"l1d.ways", "l1d.size=1K l1d.ways=2", 3, 512, 3}, /* one set */
		{"l1d.ways", "l1d.size=1K l1d.ways=4", 3, 512, 0},
		{"l1d.ways", "l1d.size=1K l1d.ways=32", 32, 512, 0}, /* one set in all */
		{"l1d.line", "l1d.size=256 l1d.line=16", 64, 8, 32},
		{"l1d.line", "l1d.size=256 l1d.line=32", 64, 8, 16},
		{"l1d.line", "l1d.size=256 l1d.line=64", 64, 8, 8},
	};
	static const struct walk l2[] = { /* each load misses the L1D's 8 lines */
		{"l2.size", "l1d.size=256 l2.size=2K", 32, 64, 0},
		{"l2.size", "l1d.size=256 l2.size=1K", 32, 64, 32},
		{"l2.ways", "l1d.size=256 l2.size=2K l2.ways=4", 33, 64, 5},
		{"l2.ways", "l1d.size=256 l2.size=2K l2.ways=2", 33, 64, 3},
		{"l2.ways", "l1d.size=256 l2.size=8K l2.ways=8", 10, 1024, 10},
		{"l2.ways", "l1d.size=256 l2.size=8K l2.ways=16", 10, 1024, 0},
		{"l2.line", "l1d.size=256 l2.size=1K l2.line=64", 64, 32, 32},
		{"l2.line", "l1d.size=256 l2.size=1K l2.line=128 bus.bytes=128", 64, 32, 16},
	};
	for (size_t i = 0; i < sizeof l1d / sizeof *l1d; i++)
		check_rounds(b, l1d[i].parameter, "wide", l1d[i].options, capacity_emit_traversal,
		             capacity_pack_ring_arg(l1d[i].loads, l1d[i].stride),
		             with("%d loads, %d bytes apart: %d miss", l1d[i].loads, l1d[i].stride,
		                  l1d[i].misses),
		             l1d[i].loads * (1 + 2) + 10 * l1d[i].misses);
	for (size_t i = 0; i < sizeof l2 / sizeof *l2; i++)
		check_rounds(b, l2[i].parameter, "wide", l2[i].options, capacity_emit_traversal,
		             capacity_pack_ring_arg(l2[i].loads, l2[i].stride),
		             with("%d loads, %d bytes apart: %d miss", l2[i].loads, l2[i].stride,
		                  l2[i].misses),
		             l2[i].loads * (1 + 2 + 10) + (100 + 1) * l2[i].misses);
}

/* Straight code of so many bytes, the loop's own instructions included (two, or three in long
 * code). */
static void capacity_emit_straight_code(struct program *p, int64_t bytes)
{
	nops(p, bytes / 4 - (bytes > 4096 ? 3 : 2));
}

/* n pieces of code, so many bytes apart. */
static void capacity_emit_code_pieces(struct program *p, int64_t arg)
{
	int64_t n = arg >> 32, stride = arg & 0xffffffff;
	for (int64_t i = 1; i < n; i++) {
		emit(p, rv_jal(0, (int32_t)stride));
		p->size += (uint32_t)stride - 4;
	}
}

/* A line that hits is fetched in a cycle; one that comes from L2 takes l1i.latency + l2.latency. */
static void instruction_cache(struct bench *b)
{
	check_rounds(b, "l1i.size", "wide", "l1i.size=2K", capacity_emit_straight_code, 2048,
	             "32 lines of code in 32", 32);
	check_rounds(b, "l1i.size", "wide", "l1i.size=1K", capacity_emit_straight_code, 2048,
	             "32 lines of code in 16", 32 * (1 + 10));
	check_rounds(b, "l1i.perfect", "wide", "l1i.size=1K l1i.perfect=true",
	             capacity_emit_straight_code, 2048, "32 lines of code in 16", 32);
	check_rounds(b, "l2.perfect", "small caches", "l1i.size=512 l2.perfect=true",
	             capacity_emit_straight_code, 2048, "32 lines of code, from L2", 32 * (1 + 10));
	check_rounds(b, "l1i.latency", "wide", "l1i.latency=4", capacity_emit_straight_code, 2048,
	             "32 lines of code, pipelined", 32);
	check_rounds(b, "l1i.latency", "wide", "l1i.size=1K l1i.latency=4",
	             capacity_emit_straight_code, 2048, "32 lines of code in 16", 32 * (4 + 10));
	for (int latency = 5; latency <= 30; latency += 25)
		check_rounds(b, "l2.latency", "wide", with("l1i.size=1K l2.latency=%d", latency),
		             capacity_emit_straight_code, 2048, "32 lines of code in 16",
		             32 * (1 + latency));
	check_rounds(b, "l1i.ways", "wide", "l1i.size=1K l1i.ways=1", capacity_emit_straight_code,
	             1024 + 64, "17 lines of code in 16 x 1", 17 + 10 * 2);
	check_rounds(b, "l1i.ways", "wide", "l1i.size=1K l1i.ways=4", capacity_emit_straight_code,
	             1024 + 64, "17 lines of code in 4 x 4", 17 + 10 * 5);
	check_rounds(b, "l1i.ways", "wide", "l1i.size=1K l1i.ways=2", capacity_emit_code_pieces,
	             capacity_pack_ring_arg(3, 512), "3 pieces in a set of 2", 3 * (1 + 10));
	check_rounds(b, "l1i.ways", "wide", "l1i.size=1K l1i.ways=4", capacity_emit_code_pieces,
	             capacity_pack_ring_arg(3, 512), "3 pieces in a set of 4", 3);
	/* 1 KB of code in 512 bytes: each line misses. */
	for (int line = 16; line <= 64; line *= 2)
		check_rounds(b, "l1i.line", "wide", with("l1i.size=512 l1i.line=%d", line),
		             capacity_emit_straight_code, 1024, "1 KB of code in 512 bytes",
		             1024 / line * (1 + 10));
	/* From memory, with both caches too small. */
	for (int latency = 50; latency <= 150; latency += 100)
		check_rounds(b, "mem.latency", "small caches",
		             with("l1i.size=512 mem.latency=%d", latency),
		             capacity_emit_straight_code, 2048, "32 lines of code, from memory",
		             32 * (1 + 10 + latency + 1));
}

void group_capacity(struct bench *b)
{
	data_caches(b);
	instruction_cache(b);
}
