/* Parts of traces: numbers written by hand, their file, the ring of instructions in flight, and
 * labels printed once. tests/cmd checks the files. */
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "hwviews/session/view_text.h"
#include "tests/cases.h"
#include "tests/unit/ui/console_fixture.h"
#include "ui/trace/flight.h"
#include "ui/trace/label.h"
#include "ui/trace/out.h"

static void trace_expect_number(uint64_t n)
{
	char got[64], right[64];
	*out_append_number(got, n) = '\0';
	snprintf(right, sizeof right, "%" PRIu64, n);
	assert_string_equal(got, right);
	*put_hex(got, n) = '\0';
	snprintf(right, sizeof right, "%" PRIx64, n);
	assert_string_equal(got, right);
}

/* Near and distant numbers in one row. */
TEST(near_numbers)
{
	static const uint64_t from[] = {0,
	                                7,
	                                95,
	                                995,
	                                1,
	                                12345678,
	                                12345600,
	                                12345699,
	                                12345700,
	                                50,
	                                UINT64_MAX - 250,
	                                0,
	                                1999999950};
	struct out_near last = {0};
	(void)state;
	for (size_t i = 0; i < sizeof from / sizeof *from; i++)
		for (uint64_t off = 0; off < 250; off++) {
			char got[OUT_NUMBER + 3], right[64];
			*out_append_near(&last, got, from[i] + off) = '\0';
			snprintf(right, sizeof right, "%" PRIu64, from[i] + off);
			assert_string_equal(got, right);
		}
}

TEST(test_trace_numbers)
{
	uint64_t random = 1;
	(void)state;
	for (uint64_t power = 1; power; power = power > UINT64_MAX / 10 ? 0 : power * 10)
		for (uint64_t off = 0; off < 3; off++)
			trace_expect_number(power + off - 1);
	for (unsigned bit = 0; bit < 64; bit++)
		for (uint64_t off = 0; off < 3; off++)
			trace_expect_number((UINT64_C(1) << bit) + off - 1);
	trace_expect_number(UINT64_MAX);
	for (unsigned i = 0; i < 10000; i++)
		trace_expect_number(hash_splitmix64_next(&random) >> i % 64);
}

/* ---- the file ---- */
TEST(test_trace_file)
{
	char path[] = "/tmp/cyclops-trace-XXXXXX";
	struct trace_out o;
	struct err err;
	(void)state;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_true(out_open(&o, path, &err));
	for (uint64_t i = 0; i < 100000; i++)
		out_end(&o, PUT(out_append_number(out_room(&o), i), "\n"));
	size_t n = 3 * OUT_BYTES;
	char *text = malloc(n);
	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + i % 23);
	out_text(&o, text, n);
	assert_true(out_close(&o, path, &err));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	for (uint64_t i = 0; i < 100000; i++) {
		uint64_t got;
		assert_int_equal(fscanf(f, "%" SCNu64, &got), 1);
		assert_int_equal(got, i);
	}
	assert_int_equal(fgetc(f), '\n');
	for (size_t i = 0; i < n; i++)
		if (fgetc(f) != text[i])
			fail_msg("byte %zu of a long text", i);
	assert_int_equal(fgetc(f), EOF);
	fclose(f);
	free(text);
	unlink(path);
}

/* A full disk is noticed when the buffer is written, and reported at the end: later output doesn't
 * hide it. */
TEST(test_trace_full_disk)
{
	struct trace_out o;
	struct err err;
	(void)state;
	assert_true(out_open(&o, "/dev/full", &err));
	out_end(&o, PUT(out_room(&o), "one\n"));
	assert_int_equal(o.error, 0);
	for (unsigned i = 0; i < OUT_BYTES; i++)
		out_end(&o, PUT(out_room(&o), "more\n"));
	assert_int_not_equal(o.error, 0);
	assert_false(out_close(&o, "trace.json", &err));
	assert_string_equal(err.msg, "trace.json: not written in full: No space left on device");
	/* A file smaller than the buffer. */
	assert_true(out_open(&o, "/dev/full", &err));
	out_end(&o, PUT(out_room(&o), "one\n"));
	assert_false(out_close(&o, "trace.json", &err));
	assert_false(out_open(&o, "no/such/folder", &err));
	assert_string_equal(err.msg, "no/such/folder: No such file or directory");
}

/* ---- instructions in flight ---- */
enum { SEQS = 40000, STUCK = 5 };

/* One instruction in STUCK stays in flight for long, the others leave soon; each refers to its
 * predecessor, as a consumer to its producer. */
TEST(test_trace_in_flight)
{
	struct flight f;
	uint64_t random = 7, ends[STUCK * 100] = {0};
	const size_t window = sizeof ends / sizeof *ends;
	(void)state;
	assert_true(flight_init(&f));
	for (uint64_t seq = 1; seq <= SEQS; seq++) {
		struct traced *x = flight_add(&f, seq);
		assert_non_null(x);
		x->id = seq * 3;
		x->source[0] = flight_find(&f, seq - 1) ? seq - 1 : 0;
		ends[seq % window] = seq + 1 +
		                     (seq % STUCK ? hash_splitmix64_next(&random) % 8
		                                  : hash_splitmix64_next(&random) % (window - 1));
		for (uint64_t old = seq > window ? seq - window + 1 : 1; old <= seq; old++) {
			struct traced *y = flight_find(&f, old);
			assert_int_equal(y != NULL, ends[old % window] > seq);
			if (!y)
				continue;
			assert_int_equal(y->id, old * 3);
			if (y->source[0])
				assert_int_equal(flight_known(&f, y->source[0])->id, (old - 1) * 3);
			if (ends[old % window] == seq + 1)
				flight_drop(&f, y);
		}
	}
	assert_null(flight_known(&f, 0));
	assert_null(flight_find(&f, SEQS + 1));
	flight_deinit(&f);
}

/* The oldest waits for long: the ring grows, and it stays. Lanes grow, too: each takes the lowest
 * free one. */
TEST(test_trace_ring_grows)
{
	struct flight f;
	(void)state;
	assert_true(flight_init(&f));
	flight_add(&f, 10)->id = 42;
	flight_add(&f, 11)->source[0] = 10;
	for (uint64_t seq = 12; seq < 20000; seq++) {
		struct traced *x = flight_add(&f, seq);
		assert_int_equal(x->lane, 2);
		flight_drop(&f, x);
	}
	assert_int_equal(flight_find(&f, 10)->id, 42);
	flight_drop(&f, flight_find(&f, 10));
	assert_null(flight_find(&f, 10));
	for (uint64_t seq = 20000; seq < 60000; seq++) {
		struct traced *x = flight_add(&f, seq);
		assert_int_equal(x->lane, 0);
		flight_drop(&f, x);
		assert_int_equal(flight_known(&f, flight_find(&f, 11)->source[0])->id, 42);
	}
	flight_deinit(&f);
}

/* ---- labels ---- */
enum { ADDI_1 = 0x00150513, ADDI_2 = 0x00250513, JUMP_HERE = 0x0000006f };

static struct uop uop_at(uint64_t pc, uint32_t raw, unsigned prefix_len, unsigned type)
{
	struct uop u = {.seq = 1,
	                .pc = pc,
	                .prefix_len = (uint8_t)prefix_len,
	                .profile_type = (uint8_t)type};
	inst_decode(raw, &u.inst);
	u.op_flags = (uint16_t)inst_flags(&u.inst);
	return u;
}

static void expect_label(struct labels *l, const struct uop *u)
{
	char got[LABEL_BYTES_MAX + 1], right[512], place[160], text[256];
	*labels_put(l, u, got) = '\0';
	snprintf(right, sizeof right, l->json ? "\"%s: %s\"" : "%s: %s",
	         program_addr_text(l->s->program, u->pc, place, sizeof place),
	         format_uop(l->s, u, text, sizeof text));
	assert_string_equal(got, right);
}

/* Each uop differs from its predecessor in one property. */
static void expect_labels(struct labels *l, uint64_t pc)
{
	const uint64_t far = pc + (UINT64_C(1) << 20);
	const struct uop u[] = {
		uop_at(pc, ADDI_1, 0, 0),     uop_at(pc, ADDI_1, 0, 0),
		uop_at(far, ADDI_1, 0, 0),    uop_at(pc, ADDI_1, 0, 0),
		uop_at(pc, ADDI_2, 0, 0),     uop_at(pc, ADDI_2, 2, 0),
		uop_at(pc, ADDI_2, 2, 1),     uop_at(pc, ADDI_2, 2, 7),
		uop_at(pc, ADDI_2, 0, 7),     uop_at(pc, JUMP_HERE, 0, 0),
		uop_at(far, JUMP_HERE, 0, 0), uop_at(pc, JUMP_HERE, 0, 0),
	};
	for (size_t i = 0; i < sizeof u / sizeof *u; i++)
		expect_label(l, &u[i]);
}

/* Cached entries of another place, of other code there, or for another sp, are not reused. */
TEST(told_once)
{
	struct fixture *f = fixture_of(state);
	for (int json = 0; json < 2; json++) {
		struct labels l;
		assert_true(labels_init(&l, f->s, json));
		console_fixture_answer(f, "starti; delete");
		const struct symbol *twice = program_symbol_by_name(f->s->program, "twice");
		uint64_t sp = machine_reg(f->s->machine, 2);
		expect_labels(&l, twice->addr);
		expect_labels(&l, twice->addr + 4);
		const struct uop on_stack = uop_at(sp - 64, JUMP_HERE, 0, 0);
		expect_label(&l, &on_stack);
		console_fixture_answer(f, "tbreak twice; continue");
		assert_int_not_equal(machine_reg(f->s->machine, 2), sp);
		expect_label(&l, &on_stack);
		labels_deinit(&l);
	}
}

TEST_GROUP(fixture_up, fixture_down)
