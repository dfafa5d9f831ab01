/* Reads the guest's records from standard input and computes each result again, by a formula of its
 * own. Each row is a test; the last line counts them, and the exit status is 0 if all passed. */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/isa/op.h"
#include "tests/diff/ext/record.h"

/* ---- the manuals' words, bit by bit ---- */
static uint64_t ext_bit(uint64_t v, uint64_t i)
{
	return v >> i & 1;
}

static uint64_t ext_power_of_two(uint64_t n)
{
	uint64_t v = 1;
	while (n-- > 0)
		v += v;
	return v;
}

static uint64_t with_bit(uint64_t v, uint64_t i, uint64_t to)
{
	return ext_bit(v, i) == to ? v : to ? v + ext_power_of_two(i) : v - ext_power_of_two(i);
}

static uint64_t ext_low_bits(uint64_t v, unsigned width)
{
	return v % ext_power_of_two(width);
}

static uint64_t ext_sign_extend(uint64_t v, unsigned width)
{
	for (unsigned i = width; i < 64; i++)
		v = with_bit(v, i, ext_bit(v, width - 1));
	return v;
}

/* By a truth table: the results of bits 00, 01 (b), 10 (a) and 11. */
static uint64_t ext_bitwise(uint64_t a, uint64_t b, uint64_t none, uint64_t only_b, uint64_t only_a,
                            uint64_t both)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < 64; i++)
		v = with_bit(v, i,
		             ext_bit(a, i) ? (ext_bit(b, i) ? both : only_a)
		                           : (ext_bit(b, i) ? only_b : none));
	return v;
}

static uint64_t zeros_above(uint64_t v, unsigned width)
{
	unsigned n = 0;
	while (n < width && !ext_bit(v, width - 1 - n))
		n++;
	return n;
}

static uint64_t zeros_below(uint64_t v, unsigned width)
{
	unsigned n = 0;
	while (n < width && !ext_bit(v, n))
		n++;
	return n;
}

static uint64_t ext_count_ones(uint64_t v, unsigned width)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < width; i++)
		n += ext_bit(v, i);
	return n;
}

static bool ext_signed_less(uint64_t a, uint64_t b)
{
	return ext_bit(a, 63) != ext_bit(b, 63) ? ext_bit(a, 63) : a < b;
}

/* To the right, within the low `width` bits. */
static uint64_t ext_rotate_right(uint64_t v, uint64_t by, unsigned width)
{
	uint64_t to = 0;
	for (unsigned i = 0; i < width; i++)
		to = with_bit(to, i, ext_bit(v, (i + by) % width));
	return to;
}

static uint64_t bytes_or(uint64_t v)
{
	for (unsigned i = 0; i < 64; i += 8)
		for (unsigned k = 0, any = ext_low_bits(v >> i, 8) != 0; k < 8; k++)
			v = with_bit(v, i + k, any);
	return v;
}

static uint64_t bytes_reversed(uint64_t v)
{
	uint64_t to = 0;
	for (unsigned i = 0; i < 64; i += 8)
		to = to * 256 + ext_low_bits(v >> i, 8);
	return to;
}

static uint64_t bits_of_bytes_reversed(uint64_t v)
{
	uint64_t to = 0;
	for (unsigned i = 0; i < 64; i++)
		to = with_bit(to, i, ext_bit(v, i / 8 * 8 + 7 - i % 8));
	return to;
}

/* 64 bits, from `from` on, of the product of polynomials over {0, 1}. */
static uint64_t ext_carryless_product(uint64_t a, uint64_t b, unsigned from)
{
	uint64_t to = 0;
	for (unsigned k = from; k < from + 64; k++) {
		uint64_t sum = 0;
		for (unsigned i = 0; i < 64; i++)
			sum += k >= i && k - i < 64 ? ext_bit(a, i) * ext_bit(b, k - i) : 0;
		to = with_bit(to, k - from, sum % 2);
	}
	return to;
}

#define EXT(id, who, text, formula)                                                                \
	static uint64_t compute_##id(uint64_t a, uint64_t b)                                       \
	{                                                                                          \
		(void)a, (void)b;                                                                  \
		return formula;                                                                    \
	}
#define ONE_IMMEDIATE(id, number, text, formula)                                                   \
	static uint64_t compute_##id##_##number(uint64_t a, uint64_t b)                            \
	{                                                                                          \
		const unsigned n = number;                                                         \
		(void)a, (void)b, (void)n;                                                         \
		return formula;                                                                    \
	}
#include "tests/diff/ext/ops.def"
#undef EXT
#undef ONE_IMMEDIATE

static const struct {
	const char *name;
	uint64_t (*compute)(uint64_t a, uint64_t b);
} rows[] = {
#define EXT(id, who, text, formula) {#id, compute_##id},
#define ONE_IMMEDIATE(id, n, text, formula) {#id "_" #n, compute_##id##_##n},
#include "tests/diff/ext/ops.def"
};

enum { ROWS = sizeof rows / sizeof *rows, SHOWN = 3 };

/* ---- integer operations of rv64.def beyond RV64GC: each has a row ---- */
static const struct {
	unsigned op;
	const char *id;
	enum op_class class;
} operations[] = {
#define OP(id, name, match, format, unit, ...) {OP_##id, #id, CLASS_##unit},
#include "core/isa/rv64.def"
};
static const struct {
	unsigned first, last;
} extensions[] = {
#define EXTENSION(id, name, probe, first, last) {OP_##first, OP_##last},
#include "core/isa/rv64.def"
};

/* True if the row is the operation's: it has the operation's name, maybe with an immediate. */
static bool ext_row_is_of(const char *row, const char *id)
{
	const size_t n = strlen(id);
	return !strncasecmp(row, id, n) && (!row[n] || (row[n] == '_' && isdigit(row[n + 1])));
}

static bool ext_has_row(const char *id)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (ext_row_is_of(rows[i].name, id))
			return true;
	return false;
}

static unsigned ext_report_missing_rows(void)
{
	unsigned missing = 0;
	for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
		const enum op_class class = operations[i].class;
		bool beyond = false;
		for (unsigned e = 0; e < sizeof extensions / sizeof *extensions; e++)
			beyond |= operations[i].op >= extensions[e].first &&
			          operations[i].op <= extensions[e].last;
		if (beyond && (class == CLASS_INT || class == CLASS_IMUL || class == CLASS_IDIV) &&
		    !ext_has_row(operations[i].id)) {
			printf("FAILED %s: expected a row of it in tests/diff/ext/ops.def\n",
			       operations[i].id);
			missing++;
		}
	}
	return missing;
}

int main(void)
{
	static uint64_t records[ROWS], wrong[ROWS];
	struct record r;
	unsigned passed = 0, failed = ext_report_missing_rows();
	while (fread(&r, sizeof r, 1, stdin) == 1) {
		if (r.op >= ROWS) {
			printf("record of unknown row %" PRIu64 "\n", r.op);
			return 1;
		}
		const uint64_t right = rows[r.op].compute(r.a, r.b);
		records[r.op]++;
		if (right != r.result && wrong[r.op]++ < SHOWN)
			printf("%s: a=%#" PRIx64 " b=%#" PRIx64 ": %#" PRIx64 ", expected %#" PRIx64
			       "\n",
			       rows[r.op].name, r.a, r.b, r.result, right);
	}
	for (unsigned op = 0; op < ROWS; op++) {
		const bool ok = records[op] && !wrong[op];
		passed += ok;
		failed += !ok;
		if (!ok)
			printf("FAILED %s: %" PRIu64 " of %" PRIu64 " records\n", rows[op].name,
			       wrong[op], records[op]);
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed == 0 ? 0 : 1;
}
