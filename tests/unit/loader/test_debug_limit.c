/* Small files whose debug information takes much memory to read: line tables of one row in each
 * byte, plain and packed. The tables are left out, with a message and little memory; with a
 * sufficient limit they are read. Tables that a query does not need take no memory. */
#include <stdint.h>

#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"
#include "tests/peak.h"

enum { ROWS = 2000000, PACKED = 50000000, LITTLE = 8 << 20, MUCH = 1 << 30, FEW_KIB = 16 << 10 };

/* A unit and its line table; opcode 15 makes a row with the same address and the next line. */
static const char hostile[] =
	".globl _start\n"
	"_start: nop\n"
	"j _start\n"
	".section .debug_abbrev\n"
	".byte 1, 0x11, 0\n"          /* a unit without children */
	".byte 0x10, 0x17, 0, 0, 0\n" /* where its lines are */
	".section .debug_info\n"
	".4byte 2f - 1f\n1: .2byte 4\n.4byte 0\n.byte 8\n"
	".byte 1\n.4byte 0\n2:\n"
	".section .debug_line\n"
	".4byte 2f - 1f\n1: .2byte 4\n.4byte 4f - 3f\n"
	"3: .byte 1, 1, 1, 0xff, 12, 13\n" /* minimum length, operations, is_stmt, line base -1,
                                              line range, opcode base */
	".byte 0,1,1,1,1,0,0,0,1,0,0,1\n"
	".byte 0\n.asciz \"guest.c\"\n.byte 0,0,0, 0\n"
	"4: .byte 0, 9, 2\n.8byte _start\n"
	".fill %d, 1, 0x0f\n"
	".byte 0, 1, 1\n2:\n";

static struct cross debug_limit_build_guest(const char *flags, unsigned rows)
{
	struct cross c;
	char text[2048], all[128];
	if (!cross_available())
		skip();
	snprintf(text, sizeof text, hostile, rows);
	snprintf(all, sizeof all, "-nostdlib -static %s", flags);
	assert_true(cross_build(&c, "S", text, all));
	return c;
}

static bool has_lines(const struct cross *c, uint64_t most, char *why, size_t n)
{
	struct err err;
	struct source_line at;
	struct program *p = program_open(c->program, &err);
	if (!p)
		fail_msg("%s", err.msg);
	program_limit_debug(p, most);
	const bool has = program_line_at(p, program_entry(p), &at);
	snprintf(why, n, "%s", program_no_lines(p));
	program_free(p);
	return has;
}

static void assert_left_out(const struct cross *c)
{
	char why[256];
	const long before = peak_kib();
	assert_false(has_lines(c, LITTLE, why, sizeof why));
	assert_string_equal(
		why, "its debug information would take more memory than sim.debug_memory allows");
	assert_true(peak_kib() - before < FEW_KIB);
}

TEST(packed_tables_are_not_unpacked)
{
	const struct cross c =
		debug_limit_build_guest("-Wl,--compress-debug-sections=zlib", PACKED);
	assert_left_out(&c);
	cross_remove(&c);
}

TEST(tables_of_many_rows_are_left_out)
{
	char why[256];
	const struct cross c = debug_limit_build_guest("", ROWS);
	assert_left_out(&c);
	assert_true(has_lines(&c, MUCH, why, sizeof why));
	assert_string_equal(why, "compile with -g");
	cross_remove(&c);
}

/* Two units, each with its range and its table: a table of one row, and one of very many. */
#define TABLE(symbol, rows) \
	".4byte 2f - 1f\n1: .2byte 4\n.4byte 4f - 3f\n" \
	"3: .byte 1, 1, 1, 0xff, 12, 13\n" \
	".byte 0,1,1,1,1,0,0,0,1,0,0,1\n" \
	".byte 0\n.asciz \"" symbol ".c\"\n.byte 0,0,0, 0\n" \
	"4: .byte 0, 9, 2\n.8byte " symbol "\n" \
	".fill " rows ", 1, 0x0f\n" \
	".byte 2, 8, 0, 1, 1\n2:\n"
#define UNIT(symbol) \
	".4byte 2f - 1f\n1: .2byte 4\n.4byte 0\n.byte 8\n" \
	".byte 1\n.8byte " symbol ", 8\n.4byte " symbol "_lines - lines\n2:\n"
static const char two_units[] =
	".globl _start\n"
	".option norvc\n"
	"_start: nop\n"
	"j _start\n"
	".globl large\n"
	"large: nop\n"
	"j large\n"
	".section .debug_abbrev\n"
	".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
	".section .debug_info\n" UNIT("_start") UNIT("large")
	".section .debug_line\nlines:\n"
	"_start_lines:\n" TABLE("_start", "1") "large_lines:\n" TABLE("large", "2000000");

TEST(only_the_tables_asked_for_are_read)
{
	struct cross c;
	struct err err;
	struct source_line at;
	uint64_t addr;
	if (!cross_available())
		skip();
	assert_true(cross_build(&c, "S", two_units, "-nostdlib -static"));
	const long before = peak_kib();
	struct program *p = program_open(c.program, &err);
	if (!p)
		fail_msg("%s", err.msg);
	program_limit_debug(p, LITTLE);
	assert_true(program_line_at(p, program_entry(p), &at));
	assert_string_equal(at.file, "_start.c");
	assert_true(program_addr_of_line(p, "_start.c", 1, &addr, &err));
	assert_int_equal(addr, program_entry(p));
	assert_null(program_left_out(p));
	assert_true(peak_kib() - before < FEW_KIB);
	assert_false(program_line_at(p, program_entry(p) + 8, &at));
	assert_non_null(program_left_out(p));
	program_free(p);
	cross_remove(&c);
}

/* Of three large tables, only those needed last are kept: without that, the third would
 * be left out. Dropped ones are read again. */
static const char three_units[] =
	".globl _start\n"
	".option norvc\n"
	"_start: nop\n"
	"j _start\n"
	"second: nop\n"
	"j second\n"
	"third: nop\n"
	"j third\n"
	".section .debug_abbrev\n"
	".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
	".section .debug_info\n" UNIT("_start") UNIT("second") UNIT("third")
	".section .debug_line\nlines:\n"
	"_start_lines:\n" TABLE("_start", "2000000") "second_lines:\n" TABLE("second", "2000000")
	"third_lines:\n" TABLE("third", "2000000");

TEST(rows_of_tables_are_dropped)
{
	enum { OF_TWO = 160 << 20 };
	static const char *const names[] = {"_start.c", "second.c", "third.c"};
	struct cross c;
	struct err err;
	struct source_line at;
	if (!cross_available())
		skip();
	assert_true(cross_build(&c, "S", three_units, "-nostdlib -static"));
	struct program *p = program_open(c.program, &err);
	if (!p)
		fail_msg("%s", err.msg);
	program_limit_debug(p, OF_TWO);
	for (unsigned round = 0; round < 6; round++) {
		assert_true(program_line_at(p, program_entry(p) + round % 3 * 8, &at));
		assert_string_equal(at.file, names[round % 3]);
		assert_int_equal(at.line, 2000001);
	}
	assert_null(program_left_out(p));
	program_free(p);
	cross_remove(&c);
}

/* Many units that share a table of abbreviations, and use its last entry: libdw keeps a copy of the
 * table for each. */
static const char crowd[] =
	".globl _start\n"
	"_start: nop\n"
	"j _start\n"
	".section .debug_abbrev\n"
	".set i, 2\n"
	".rept %u\n"
	".byte 0x80 | (i & 0x7f), i >> 7, 0x11, 0, 0, 0\n"
	".set i, i + 1\n"
	".endr\n"
	".byte 1, 0x11, 0, 0x10, 0x17, 0, 0, 0\n"
	".section .debug_info\n"
	".rept %u\n"
	".4byte 12\n.2byte 4\n.4byte 0\n.byte 8\n.byte 1\n.4byte 0\n"
	".endr\n";

TEST(units_that_share_abbreviations_are_left_out)
{
	char text[1024], why[256];
	struct cross c;
	(void)state;
	if (!cross_available())
		skip();
	snprintf(text, sizeof text, crowd, 16000, 20000);
	assert_true(cross_build(&c, "S", text, "-nostdlib -static"));
	assert_left_out(&c);
	cross_remove(&c);
	snprintf(text, sizeof text, crowd, 10, 20);
	assert_true(cross_build(&c, "S", text, "-nostdlib -static"));
	assert_false(has_lines(&c, LITTLE, why, sizeof why));
	assert_string_equal(why, "compile with -g");
	cross_remove(&c);
}
