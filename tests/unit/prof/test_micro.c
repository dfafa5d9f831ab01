/* The co-processor's microinstructions: their table and its drawing, and the pipeline's clocks
 * counted by hand. tests/cop/ compares microinstructions with a reference. */
#include "core/prof/cop/micro.h"

#include "tests/unit/prof/micro_fixture.h"

#include "core/base/arena.h"
#include "core/defs/events.h"
#include "core/prof/cop/micro_code.h"

/* ---- the table ---- */
TEST(test_drawing)
{
	size_t n;
	char *def = micro_fixture_read_file("core/prof/cop/micro.def", &n), line[160], *at = def;
	(void)state;
	for (unsigned i = 0; i < MICRO_DRAW_LINES; i++) {
		char wanted[180];
		snprintf(wanted, sizeof wanted, "\n * %s\n", micro_draw_line(i, line, sizeof line));
		assert_true(strlen(line) <= MICRO_DRAW_COLUMNS);
		char *found = strstr(at, wanted);
		if (!found)
			fail_msg("core/prof/cop/micro.def does not draw this, or not here:%s",
			         wanted);
		at = found + strlen(wanted) - 1;
	}
	assert_string_equal(micro_draw_line(MICRO_DRAW_LINES, line, sizeof line), "");
	free(def);
}

/* Fields lie side by side, and each is packed at its row's place. */
TEST(test_fields)
{
	uint64_t taken[2] = {0, 0};
	(void)state;
	for (unsigned i = 0; i < MF_COUNT; i++) {
		const struct micro_field_info *f = &micro_fields[i];
		const uint64_t mask = ((UINT64_C(1) << f->bits) - 1) << f->low;
		assert_true(f->word < 2 && f->low + f->bits <= 64);
		assert_true(!(taken[f->word] & mask));
		taken[f->word] |= mask;
		struct micro_word w = {{0, 0}};
		w.w[f->word] = mask;
		const struct micro_inst in = micro_unpack(w);
		const struct micro_word back = micro_pack(&in);
		assert_int_equal(((const uint16_t *)&in)[i], (UINT64_C(1) << f->bits) - 1);
		assert_memory_equal(&back, &w, sizeof w);
	}
}

/* Source numbers don't overlap, and each register has one. */
TEST(test_sources)
{
	const struct {
		const struct micro_source_info *rows;
		unsigned count, bits;
	} tables[] = {{micro_sources, micro_source_count, 6},
	              {micro_index_sources, micro_index_source_count, 5},
	              {micro_data_indexes, micro_data_index_count, 4}};
	(void)state;
	for (unsigned t = 0; t < sizeof tables / sizeof *tables; t++) {
		uint64_t taken = 0;
		for (unsigned i = 0; i < tables[t].count; i++) {
			const struct micro_source_info *row = &tables[t].rows[i];
			const uint64_t mask = ((UINT64_C(1) << row->count) - 1) << row->number;
			assert_true(row->number + row->count <= 1 << tables[t].bits);
			assert_true(!(taken & mask));
			taken |= mask;
		}
	}
}

/* ---- the pipeline, by hand ---- */
enum { RING = 8 };

struct bench {
	struct micro m;
	struct cop_record ring[RING];
	struct micro_records records;
	uint8_t *memory;
	unsigned clock;
};

static void bench_init(struct bench *b, const char *text)
{
	const struct micro_sizes sizes = {64, 16, 32, 0};
	struct arena a = {0};
	struct err err;
	*b = (struct bench){.records = {.capacity = RING}};
	micro_place(&b->m, &a, &sizes);
	const size_t bytes = (a.used + 63) & ~(size_t)63;
	b->memory = aligned_alloc(64, bytes);
	assert_non_null(b->memory);
	memset(b->memory, 0, bytes);
	a = (struct arena){.base = b->memory};
	micro_place(&b->m, &a, &sizes);
	micro_reset(&b->m, 1);
	b->records.ring = b->ring;
	struct micro_image image = micro_fixture_assemble_text(text);
	assert_true(micro_load(&b->m, &image, &err));
	micro_image_free(&image);
}

static void bench_push(struct bench *b, enum inst_kind kind, uint64_t pc)
{
	assert_true(b->records.count < RING);
	b->ring[(b->records.head + b->records.count++) % RING] =
		(struct cop_record){.kind = (uint16_t)kind, .pc = pc};
}

/* Runs one clock; *t: the executed microinstruction. */
static enum micro_outcome bench_clock(struct bench *b, struct micro_trace *t)
{
	const enum micro_outcome o = micro_cycle(&b->m, &b->records, t);
	assert_null(micro_check(&b->m, b->records.count));
	b->clock++;
	if (o) {
		b->records.head = (b->records.head + 1) % RING;
		b->records.count--;
	}
	return o;
}

/* Runs so many clocks, and draws them: "..0 1 D": a blank for nothing, else the executed address
 * (0-9), s a skip; then ! for a fault, i for an interrupt. */
static const char *bench_run(struct bench *b, unsigned clocks, char *out)
{
	char *at = out;
	for (unsigned i = 0; i < clocks; i++) {
		struct micro_trace t;
		const enum micro_outcome o = bench_clock(b, &t);
		*at++ = t.kind == MICRO_SLOT_EMPTY  ? '.'
		        : t.kind == MICRO_SLOT_SKIP ? 's'
		                                    : (char)('0' + t.at);
		if (o == MICRO_FAULT)
			*at++ = '!';
		if (o == MICRO_INTERRUPT)
			*at++ = 'i';
	}
	*at = '\0';
	return out;
}

static const char header[] = ".fields load, store: pc\n.on load: l\n.on store: s\n";

static void check_clocks(const char *program, const char *kinds, const char *wanted)
{
	struct bench b;
	char text[512], out[64];
	snprintf(text, sizeof text, "%s%s", header, program);
	bench_init(&b, text);
	for (const char *k = kinds; *k; k++)
		bench_push(&b, *k == 'l' ? INST_LOAD : *k == 's' ? INST_STORE : INST_DIV, 0);
	bench_run(&b, (unsigned)strlen(wanted) - (strpbrk(wanted, "!i") ? 1 : 0), out);
	assert_string_equal(out, wanted);
	free(b.memory);
}

TEST(test_clocks)
{
	/* Two clocks through the pipeline, then one clock per instruction; `done` costs no clock,
	 * whatever routine follows. */
	check_clocks("l: nop\ndone\ns: done", "ll", "..0101....");
	check_clocks("l: nop\ndone\ns: done", "lssl", "..012201..");
	check_clocks("l: done\ns: done", "lslsls", "..010101..");
	/* No routine: one clock. */
	check_clocks("l: done\ns: done", "ldds", "..0ss1..");
	/* Taken as predicted: no clock is lost. */
	check_clocks("l: goto x\nnop\nx: done\ns: done", "ll", "..0202..");
	/* Wrong predictions cost two clocks. */
	check_clocks("l: goto x unlikely\nnop\nx: done\ns: done", "l", "..0..2..");
	check_clocks("l: if never goto x likely\nnop\nx: done\ns: done", "l", "..0..12..");
	check_clocks("l: done unlikely\nnop\nx: done\ns: done", "ls", "..0..3..");
	check_clocks("l: if never done likely\nnop\nx: done\ns: done", "ls", "..0..123..");
	check_clocks("l: interrupt unlikely\ns: done", "ls", "..0i......");
	/* The predicted direction does not matter when the target is the next microinstruction. */
	check_clocks("l: if never goto +1 likely\ndone\ns: done", "l", "..01..");
	/* A jump through a register is predicted as well. */
	check_clocks(".target t1 = x\nl: goto t1\nnop\nx: done\ns: done", "ll", "..0202..");
	/* A fetch past the microcode on a wrong path is no fault; on the right path, the fault
	 * comes at execution. */
	check_clocks(".target t1 = x\nl: goto t1 unlikely\nx: done\ns: goto t1 unlikely", "s",
	             "..2..1..");
	check_clocks("l: goto -1\ns: done", "ls", "..0/!....");
}

/* A later record begins as soon as it arrives; the engine waits before the first stage. */
TEST(test_late_record)
{
	for (unsigned late = 0; late < 8; late++) {
		struct bench b;
		char out[32], wanted[32];
		bench_init(&b, ".fields load: pc\n.on load: l\nl: nop\nnop\ndone");
		bench_push(&b, INST_LOAD, 0);
		bench_run(&b, late, out);
		const bool waits = micro_waits(&b.m, &b.records);
		assert_int_equal(waits, late >= 5);
		bench_push(&b, INST_LOAD, 0);
		bench_run(&b, 12 - late, out + strlen(out));
		/* Fetch reaches the second record in clock 3 at the earliest. */
		strcpy(wanted, "..012.......");
		memcpy(wanted + (late > 3 ? late : 3) + 2, "012", 3);
		wanted[12] = '\0';
		assert_string_equal(out, wanted);
		free(b.memory);
	}
}

/* An interrupt ends the record, also with a full buffer, and the engine stops until a resume. */
TEST(test_micro_interrupt)
{
	struct bench b;
	char out[64];
	(void)state;
	bench_init(&b, ".fields load: pc\n.on load: l\nl: mov v1, pc | interrupt");
	for (unsigned i = 0; i < RING; i++)
		bench_push(&b, INST_LOAD, 100 + i);
	assert_string_equal(bench_run(&b, 8, out), "..0i.....");
	assert_true(micro_waits(&b.m, &b.records));
	assert_int_equal(b.records.count, RING - 1);
	bench_push(&b, INST_LOAD, 200);
	assert_string_equal(bench_run(&b, 3, out), "...");
	micro_resume(&b.m);
	assert_string_equal(bench_run(&b, 4, out), "..0i.");
	assert_int_equal(b.m.st->v[1], 101);
	micro_resume(&b.m);
	micro_resume(&b.m);
	assert_string_equal(bench_run(&b, 3, out), "..0i");
	assert_int_equal(b.m.st->v[1], 102);
	free(b.memory);
}

/* The pipeline is empty after a restart, and the record at the head begins anew. */
TEST(test_restart)
{
	struct bench b;
	char out[64];
	(void)state;
	bench_init(&b, ".fields load: pc\n.on load: l\nl: nop\ninc b0\nnop\ndone");
	bench_push(&b, INST_LOAD, 1);
	bench_push(&b, INST_LOAD, 2);
	assert_string_equal(bench_run(&b, 6, out), "..0123");
	micro_restart(&b.m);
	assert_string_equal(bench_run(&b, 8, out), "..0123..");
	assert_int_equal(b.m.data[0], 2);
	bench_push(&b, INST_LOAD, 3);
	bench_run(&b, 2, out);
	b.records.count = 0;
	micro_restart(&b.m);
	assert_true(micro_waits(&b.m, &b.records));
	assert_string_equal(bench_run(&b, 3, out), "...");
	free(b.memory);
}

/* The host invalidates entries while a program runs: `match` misses them from the next clock on. */
TEST(test_invalidate)
{
	struct bench b;
	char out[64];
	(void)state;
	bench_init(&b, ".fields load: pc\n.on load: l\nl: match x1, pc | if hit done likely\n "
	               "write cam[x2], pc | inc x2 | done");
	for (unsigned i = 0; i < 3; i++)
		bench_push(&b, INST_LOAD, 0x40);
	assert_string_equal(bench_run(&b, 7, out), "..0..10");
	micro_invalidate_cam(&b.m);
	bench_push(&b, INST_LOAD, 0x40);
	assert_string_equal(bench_run(&b, 5, out), "0..10");
	assert_int_equal(b.m.st->x[2], 2);
	assert_int_equal(b.m.st->x[1], 1);
	assert_int_equal(b.m.valid[0], 2);
	assert_int_equal(b.m.cam[0], 0x40);
	free(b.memory);
}

/* A faulting microinstruction has no effect. */
TEST(test_faults)
{
	static const struct {
		const char *op;
		enum micro_fault fault;
	} faults[] = {
		{"read v2, cam[x1]", MICRO_FAULT_CAM},   {"write cam[x1], pc", MICRO_FAULT_CAM},
		{"invalidate cam[x1]", MICRO_FAULT_CAM}, {"inc b1[x2]", MICRO_FAULT_DATA},
		{"read v2, b2[x3]", MICRO_FAULT_DATA},   {"write b1[7], pc", MICRO_FAULT_DATA},
		{"clear b2", MICRO_FAULT_DATA}};
	(void)state;
	for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct bench b;
		struct micro_trace t;
		char text[256];
		/* One beyond the last: 16 entries, 32 words; 65535 + 65535 does not wrap. */
		snprintf(text, sizeof text,
		         ".fields load: pc\n.on load: l\n.index x1 = 16\n.index x2 = 7\n.index x3 "
		         "= 65535\n.base b1 = 25\n.base b2 = 65535\n"
		         ".const k0 = 1\nl: %s | add v1, v1, k0 | inc x4 | goto +1\ndone",
		         faults[i].op);
		bench_init(&b, text);
		bench_push(&b, INST_LOAD, 0);
		for (unsigned c = 0; c < 2; c++)
			bench_clock(&b, &t);
		assert_int_equal(bench_clock(&b, &t), MICRO_FAULT);
		assert_int_equal(t.fault, faults[i].fault);
		assert_int_equal(b.m.st->fault, faults[i].fault);
		assert_int_equal(b.m.st->fault_at, 0);
		assert_int_equal(b.m.st->v[1], 0);
		assert_int_equal(b.m.st->x[4], 0);
		assert_int_equal(b.m.st->conditions, 0);
		assert_true(b.m.st->halted);
		free(b.memory);
	}
}

/* ---- random numbers ---- */
/* A step of the register as a matrix of bits: row i has the inputs of bit i. */
struct matrix {
	uint32_t row[32];
};

static struct matrix micro_multiply_matrices(const struct matrix *a, const struct matrix *b)
{
	struct matrix out = {{0}};
	for (unsigned i = 0; i < 32; i++)
		for (unsigned j = 0; j < 32; j++)
			if (a->row[i] >> j & 1)
				out.row[i] ^= b->row[j];
	return out;
}

static struct matrix micro_raise_matrix(struct matrix m, uint64_t n)
{
	struct matrix out;
	for (unsigned i = 0; i < 32; i++)
		out.row[i] = UINT32_C(1) << i;
	for (; n; n >>= 1, m = micro_multiply_matrices(&m, &m))
		if (n & 1)
			out = micro_multiply_matrices(&out, &m);
	return out;
}

static bool is_one(const struct matrix *m)
{
	for (unsigned i = 0; i < 32; i++)
		if (m->row[i] != UINT32_C(1) << i)
			return false;
	return true;
}

/* `rand` returns all numbers except 0 before it repeats one: its order is 2^32 - 1, not a divisor
 * of that. */
TEST(test_micro_random)
{
	static const unsigned primes[] = {3, 5, 17, 257, 65537};
	const uint64_t order = UINT32_MAX;
	struct matrix step;
	struct bench b;
	(void)state;
	bench_init(&b, ".fields load: pc\n.on load: l\n.const k0 = -1\nl: rand.32 v1, k0 | done");
	for (unsigned bit = 0; bit < 32; bit++) {
		struct micro_trace t;
		micro_set_lfsr(&b.m, UINT32_C(1) << bit);
		bench_push(&b, INST_LOAD, 0);
		do
			bench_clock(&b, &t);
		while (t.kind == MICRO_SLOT_EMPTY);
		assert_int_equal(b.m.st->v[1], UINT32_C(1) << bit);
		step.row[bit] = b.m.st->lfsr;
	}
	struct matrix all = micro_raise_matrix(step, order);
	assert_true(is_one(&all));
	for (unsigned i = 0; i < sizeof primes / sizeof *primes; i++) {
		struct matrix part = micro_raise_matrix(step, order / primes[i]);
		assert_false(is_one(&part));
	}
	micro_set_lfsr(&b.m, 0);
	assert_int_equal(b.m.st->lfsr, 1);
	free(b.memory);
}
