/* Numbers of 128 bits on hosts without such a type: long double is read from and written to their
 * bytes. On hosts with one, cvars/wide compares with gdb. */
#define QUAD_IS_LONG
#include "scripting/c/quad.c"
#include "tests/cases.h"

/* As IEEE's binary128 has them: the lower half, the higher one. */
static const struct number {
	const char *text;
	uint64_t low, high;
} numbers[] = {
	{"0", 0, 0},
	{"-0", 0, UINT64_C(0x8000000000000000)},
	{"1", 0, UINT64_C(0x3fff000000000000)},
	{"-1.5", 0, UINT64_C(0xbfff800000000000)},
	{"0.333333333333333333342", UINT64_C(0x5556000000000000), UINT64_C(0x3ffd555555555555)},
	{"18446744073709551615", UINT64_C(0xfffe000000000000), UINT64_C(0x403effffffffffff)},
	{"inf", 0, UINT64_C(0x7fff000000000000)},
	{"-inf", 0, UINT64_C(0xffff000000000000)},
	/* the smallest normal number, and a quarter of it */
	{"3.3621031431120935063e-4932", 0, UINT64_C(0x0001000000000000)},
	{"8.4052578577802337657e-4933", 0, UINT64_C(0x0000400000000000)},
};

TEST(bytes_and_back)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct number *n = &numbers[i];
		const struct halves is = {n->low, n->high};
		struct halves again;
		uint8_t bytes[QUAD_BYTES];
		char *end, text[64];
		memcpy(bytes, &is, sizeof bytes);
		const quad q = quad_from_bytes(bytes);
		quad_to_bytes(q, bytes);
		memcpy(&again, bytes, sizeof again);
		if (again.low != is.low || again.high != is.high)
			fail_msg("%s: 0x%016" PRIx64 "%016" PRIx64, n->text, again.high, again.low);
		if (LDBL_MANT_DIG == 64)
			assert_true(quad_read(n->text, &end) == q && !*end);
		assert_true(quad_read(quad_text(q, text, sizeof text), &end) == q);
	}
}

TEST(no_numbers)
{
	const struct halves is = {0, UINT64_C(0xffff800000000000)};
	uint8_t bytes[QUAD_BYTES];
	char text[64];
	memcpy(bytes, &is, sizeof bytes);
	assert_string_equal(quad_text(quad_from_bytes(bytes), text, sizeof text),
	                    "-nan(0x8000000000000000000000000000)");
}

TEST(test_quad_integers)
{
	const __int128 most = ~((__int128)1 << 127);
	const quad two = 2;
	assert_true(quad_integer(two * 0 - 3.75L) == -3);
	assert_true(quad_integer(ldexpl(two, 99)) == (__int128)1 << 100);
	assert_true(quad_integer(ldexpl(two, 126)) == most);
	assert_true(quad_integer(-ldexpl(two, 126)) == -most - 1);
	assert_true(quad_integer(ldexpl(two, 200)) == most);
	assert_true(quad_integer((quad)NAN) == -most - 1);
}
