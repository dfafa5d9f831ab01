/* Small files whose debug information takes for ever to go through, or much memory to hold: each
 * ends soon, with a message. Earlier results are right; an alarm ends an endless walk. */
#include <stdint.h>

#include <dwarf.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "loader/dwarf/ctype.h"
#include "loader/dwarf/index.h"
#include "loader/dwarf/inlined.h"
#include "loader/dwarf/variable.h"
#include "loader/program_priv.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"
#include "tests/peak.h"

enum { LITTLE = 8 << 20, FEW_KIB = 24 << 10, TOO_LONG_S = 120 };

/* A unit of eight bytes of code. Entries by their number in the table: 1 the unit, 2 a function
 * with its code, 3 a namespace with its sibling, 4 a function without, 5 an empty variable, 6 an
 * instance of a function, 7 of a variable, 8 a variable with a name, 9 a block with ranges, 11 and
 * 12 a variable with its place by an expression and a list, 13 a struct, 14 a member without a
 * name, 15 the type of a function, 16 a parameter with its type, 17 a variable with its sibling, 18
 * one whose name is among the strings, 19 a call's site, 20 what it passes. */
static const char head[] =
	".globl _start\n"
	"_start: .word 0x13, 0x13\n"
	".section .debug_abbrev\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 3, 0x39, 1, 0x01, 0x13, 0, 0\n"
	".byte 4, 0x2e, 1, 0, 0\n"
	".byte 5, 0x34, 0, 0, 0\n"
	".byte 6, 0x2e, 1, 0x31, 0x13, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 7, 0x34, 0, 0x31, 0x13, 0, 0\n"
	".byte 8, 0x34, 0, 0x03, 8, 0, 0\n"
	".byte 9, 0x0b, 0, 0x55, 0x17, 0, 0\n"
	".byte 11, 0x34, 0, 0x03, 8, 0x02, 0x18, 0, 0\n"
	".byte 12, 0x34, 0, 0x03, 8, 0x02, 0x17, 0, 0\n"
	".byte 13, 0x13, 1, 0x03, 8, 0, 0\n"
	".byte 14, 0x0d, 0, 0x49, 0x13, 0, 0\n"
	".byte 15, 0x15, 1, 0, 0\n"
	".byte 16, 0x05, 0, 0x49, 0x13, 0, 0\n"
	".byte 17, 0x34, 0, 0x01, 0x13, 0, 0\n"
	".byte 18, 0x34, 0, 0x03, 0x0e, 0, 0\n"
	".byte 19, 0x48, 1, 0x7d, 1, 0x7f, 0x13, 0, 0\n"
	".byte 20, 0x49, 0, 0x02, 0x18, 0x7e, 0x18, 0, 0\n"
	"%s\n"
	".byte 0\n"
	".section .debug_info\n"
	"unit: .4byte over - 1f\n1: %s\n"
	".byte 1\n.8byte _start, 8\n"
	"%s\n"
	".byte 0\n"
	"over:\n";

struct opened {
	struct cross file;
	struct program *p;
};

/* Ends the test after so many seconds of processor time; 0: never. */
static void limit_own_time(time_t seconds)
{
	const struct itimerval limit = {.it_value.tv_sec = seconds};
	assert_int_equal(setitimer(ITIMER_PROF, &limit, NULL), 0);
}

static struct opened open_unit(const char *unit, const char *abbreviations, const char *entries)
{
	struct opened o;
	struct err err;
	char text[8192];
	if (!cross_available())
		skip();
	assert_in_range(snprintf(text, sizeof text, head, abbreviations, unit, entries), 1,
	                sizeof text - 1);
	assert_true(cross_build(&o.file, "S", text, "-nostdlib -static"));
	o.p = program_open(o.file.program, &err);
	if (!o.p)
		fail_msg("%s", err.msg);
	limit_own_time(TOO_LONG_S);
	return o;
}

static struct opened open_it(const char *abbreviations, const char *entries)
{
	return open_unit(".2byte 5\n.byte 1, 8\n.4byte 0", abbreviations, entries);
}

static void close_it(struct opened *o)
{
	limit_own_time(0);
	program_free(o->p);
	cross_remove(&o->file);
}

static const char too_long[] =
	"its debug information is damaged, or takes too long to look through";
static const char too_much[] =
	"its debug information would take more memory than sim.debug_memory allows";

static unsigned blocks_at_entry(const struct opened *o, struct scope_chain *chain)
{
	walk_begin(o->p);
	return scope_chain(o->p, program_entry(o->p), chain) ? chain->count : 0;
}

static bool no_byte(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	(void)ctx, (void)addr, (void)buf, (void)n;
	return false;
}

struct seen {
	struct place_frame f;
	char last[16];
	unsigned count, placed;
};

static bool debug_walk_on_scope_name(void *ctx, const struct scope_name *n)
{
	struct seen *s = ctx;
	struct ctype type;
	struct place at;
	snprintf(s->last, sizeof s->last, "%s", n->name);
	s->count++;
	s->f.function = n->function;
	s->placed += variable_find(&s->f, n, &type, &at);
	return true;
}

static struct seen see_variables(const struct opened *o)
{
	static const struct unwind_regs regs = {.known = UINT64_MAX};
	const struct frame_memory mem = {.peek = no_byte};
	struct scope_chain chain;
	struct seen s = {
		.f = {.image = o->p, .mem = &mem, .regs = &regs, .look = program_entry(o->p)}};
	assert_int_not_equal(blocks_at_entry(o, &chain), 0);
	scope_each(&chain, debug_walk_on_scope_name, &s);
	s.f.mem = NULL;
	return s;
}

/* Values of the variables a, b, ... by their expressions. */
struct values {
	struct place_frame f;
	unsigned found; /* bit i: the i-th */
	uint64_t v[26];
};

static bool take_value(void *ctx, const struct scope_name *n)
{
	struct values *s = ctx;
	struct ctype type;
	struct place at;
	const unsigned i = (unsigned)(n->name[0] - 'a');
	s->f.function = n->function;
	if (variable_find(&s->f, n, &type, &at)) {
		s->found |= 1u << i;
		memcpy(&s->v[i], at.bytes, sizeof s->v[i]);
	}
	return true;
}

static struct values take_values(const struct opened *o, const struct unwind_regs *regs)
{
	static const struct frame_memory mem = {.peek = no_byte};
	struct scope_chain chain;
	struct values s = {
		.f = {.image = o->p, .mem = &mem, .regs = regs, .look = program_entry(o->p)}};
	assert_int_not_equal(blocks_at_entry(o, &chain), 0);
	scope_each(&chain, take_value, &s);
	return s;
}

TEST(long_expressions_are_not_unpacked)
{
	static const char *const entries[] = {
		".byte 2\n.8byte _start, 8\n.byte 12\n.asciz \"v\"\n.4byte 0\n.byte 0\n"
		".section .debug_loclists\n.byte 5\n.uleb128 2000000\n.fill 2000000, 1, "
	        "0x30\n.byte 0\n.section .debug_info\n",
		".byte 2\n.8byte _start, 8\n.byte 11\n.asciz \"v\"\n.uleb128 2000000\n.fill "
	        "2000000, 1, 0x30\n.byte 0\n",
	};
	for (unsigned i = 0; i < 2; i++) {
		const long before = peak_kib();
		struct opened o = open_it("", entries[i]);
		const struct seen s = see_variables(&o);
		assert_int_equal(s.count, 1);
		assert_int_equal(s.placed, 0);
		assert_in_range(peak_kib() - before, 0, FEW_KIB);
		close_it(&o);
	}
}

TEST(expressions_that_are_kept_are_counted)
{
	const long before = peak_kib();
	struct opened o = open_it(
		"", ".byte 2\n.8byte _start, 8\n.rept 400\n.byte 11\n.asciz \"v\"\n.uleb128 "
	            "4001\n.fill 4000, 1, 0x96\n.byte 0x30\n.endr\n.byte 0\n");
	program_limit_debug(o.p, LITTLE);
	struct seen s = see_variables(&o);
	assert_int_equal(s.count, 400);
	assert_string_equal(program_no_lines(o.p), too_much);
	assert_in_range(peak_kib() - before, 0, FEW_KIB);
	close_it(&o);
	/* Repeated entries count once. */
	struct opened again =
		open_it("", ".byte 2\n.8byte _start, 8\n.byte 11\n.asciz \"v\"\n.uleb128 "
	                    "1001\n.fill 1000, 1, 0x96\n.byte 0x30\n.byte 0\n");
	program_limit_debug(again.p, LITTLE);
	for (unsigned i = 0; i < 400; i++)
		assert_int_equal((s = see_variables(&again)).placed, 1);
	assert_string_equal(program_no_lines(again.p), "compile with -g");
	close_it(&again);
}

TEST(siblings_that_are_children_end)
{
	struct scope_chain chain;
	struct scope_name found;
	struct opened o = open_it(
		"",
		".rept 60\n.byte 3\n.4byte . + 4 - unit\n.endr\n.byte 8\n.asciz \"v\"\n.byte 0\n");
	assert_int_equal(blocks_at_entry(&o, &chain), 1);
	assert_string_equal(program_no_lines(o.p), too_long);
	close_it(&o);
	o = open_it(
		"",
		".rept 60\n.byte 3\n.4byte . + 4 - unit\n.endr\n.byte 8\n.asciz \"v\"\n.byte 0\n");
	assert_false(index_find(o.p, NULL, 0, "nothing", &found));
	assert_string_equal(program_no_lines(o.p), too_long);
	close_it(&o);
}

/* The last entry's empty list of children ends at once: Go's inlined functions have such. */
TEST(empty_lists_of_children_cost_little)
{
	uint64_t out[8];
	struct opened o = open_it("", ".rept 20000\n.byte 4\n.byte 4, 0\n.byte 0\n.endr\n");
	assert_int_equal(inlined_copies(o.p, "nothing", out, 8), 0);
	assert_string_equal(program_no_lines(o.p), "compile with -g");
	close_it(&o);
}

/* Many namespaces refer to the same heap of nested entries, without an end. */
TEST(ends_that_are_far_away_are_counted)
{
	struct scope_chain chain;
	struct opened o = open_it("", ".rept 3000\n.byte 3\n.4byte . + 9 - unit\n.byte 17\n.4byte "
	                              "heap - unit\n.endr\n.byte 0\n"
	                              "heap: .fill 4000000, 1, 4\n");
	assert_int_equal(blocks_at_entry(&o, &chain), 1);
	assert_string_equal(program_no_lines(o.p), too_long);
	close_it(&o);
}

TEST(names_without_end_are_left_out)
{
	struct scope_name found;
	struct opened o = open_it(
		"", ".set i, 0\n.rept 60000\n.byte 18\n.4byte i\n.set i, i + 1\n.endr\n.byte "
	            "8\n.asciz \"v\"\n"
		    ".section .debug_str\n.fill 2000000, 1, 0x61\n.byte 0\n.section .debug_info\n");
	assert_true(index_find(o.p, NULL, 0, "v", &found));
	assert_false(index_find(o.p, NULL, 0, "a", &found));
	close_it(&o);
}

TEST(instances_are_found_by_what_they_are_of)
{
	struct opened o = open_it("", "abstract: .byte 4\nfirst: .fill 300000, 1, 5\nhidden: .byte "
	                              "8\n.asciz \"hidden\"\n.byte 8\n.asciz \"last\"\n.byte 0\n"
	                              ".byte 6\n.4byte abstract - unit\n.8byte _start, 8\n"
	                              ".byte 7\n.4byte hidden - unit\n.rept 300000\n.byte "
	                              "7\n.4byte first - unit\n.endr\n.byte 0\n");
	const struct seen s = see_variables(&o);
	assert_int_equal(s.count, 2); /* "hidden" has a place in its instance alone */
	assert_string_equal(s.last, "last");
	assert_string_equal(program_no_lines(o.p), "compile with -g");
	close_it(&o);
}

TEST(ranges_that_all_blocks_share_end)
{
	struct scope_chain chain;
	struct opened o = open_it(
		"", ".byte 2\n.8byte _start, 8\n.rept 100000\n.byte 9\n.4byte 0\n.endr\n.byte 0\n"
		    ".section .debug_rnglists\n.rept 100000\n.byte 7\n.8byte 0x1000\n.byte "
	            "1\n.endr\n.byte 0\n.section .debug_info\n");
	assert_int_equal(blocks_at_entry(&o, &chain), 2);
	assert_string_equal(program_no_lines(o.p), too_long);
	close_it(&o);
}

/* Each call's argument is many times its caller's, over all calls; the first is 1. */
TEST(what_callers_pass_has_an_end)
{
	enum { CALLS = 8 };
	for (unsigned times = 1; times <= 24; times += 23) {
		char entries[1024];
		snprintf(entries, sizeof entries,
		         "f: .byte 2\n.8byte _start, 8\n.byte 11\n.asciz \"v\"\n.byte 3, 0xa3, 1, "
		         "0x5a\n"
		         ".byte 19\n.8byte _start + 4\n.4byte f - unit\n.byte 20, 1, "
		         "0x5a\n.uleb128 %u\n.rept %u\n.byte 0xa3, 1, 0x5a, 0x13\n.endr\n"
		         ".byte 0xa3, 1, 0x5a\n.byte 0\n"
		         ".byte 19\n.8byte _start + 8\n.4byte f - unit\n.byte 20, 1, 0x5a, 1, "
		         "0x31\n.byte 0\n.byte 0\n",
		         4 * (times - 1) + 3, times - 1);
		struct opened o = open_it("", entries);
		struct unwind_regs regs[CALLS];
		struct place_frame f[CALLS];
		const struct frame_memory mem = {.peek = no_byte};
		for (unsigned i = 0; i < CALLS; i++) {
			regs[i] = (struct unwind_regs){
				.known = 0, .pc = program_entry(o.p) + (i == CALLS - 1 ? 8 : 4)};
			f[i] = (struct place_frame){.image = o.p,
			                            .mem = &mem,
			                            .regs = &regs[i],
			                            .look = regs[i].pc - 1,
			                            .caller = i + 1 < CALLS ? &f[i + 1] : NULL};
		}
		struct scope_chain chain;
		struct seen s = {.f = f[0]};
		assert_int_equal(blocks_at_entry(&o, &chain), 2);
		scope_each(&chain, debug_walk_on_scope_name, &s);
		assert_int_equal(s.count, 1);
		assert_int_equal(s.placed, times == 1);
		/* the expression's own limit ends it, long before the walk's */
		assert_string_equal(program_no_lines(o.p), "compile with -g");
		close_it(&o);
	}
}

TEST(types_that_hold_themselves_end)
{
	struct scope_name found;
	struct cmember m;
	char text[4096];
	struct opened o =
		open_it("", "self: .byte 13\n.asciz \"self\"\n.rept 40\n.byte 14\n.4byte self - "
	                    "unit\n.endr\n.byte 0\n"
	                    "f: .byte 15\n.rept 60\n.byte 16\n.4byte f - unit\n.endr\n.byte 0\n"
	                    ".byte 13\n.asciz \"holds\"\n.byte 14\n.4byte f - unit\n.byte 0\n");
	assert_true(index_find(o.p, NULL, DW_TAG_structure_type, "self", &found));
	struct ctype t = ctype_at(&found.die);
	assert_false(ctype_member_named(&t, "nothing", &m));
	assert_non_null(strstr(ctype_long_text(&t, text, sizeof text), "struct self"));
	assert_true(index_find(o.p, NULL, DW_TAG_structure_type, "holds", &found));
	t = ctype_at(&found.die);
	assert_non_null(strstr(ctype_long_text(&t, text, sizeof text), "struct holds"));
	close_it(&o);
}

#define INT64_TYPE ".byte 21\n.asciz \"t\"\n.byte 8, 5\n"
#define VALUE(name, length, ops)                                                                   \
	".byte 22\n.asciz \"" name "\"\n.4byte type - unit\n.byte " length " + 1, " ops ", 0x9f\n"
static const char typed[] = ".byte 21, 0x24, 0, 0x03, 8, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0\n"
                            ".byte 22, 0x34, 0, 0x03, 8, 0x49, 0x13, 0x02, 0x18, 0, 0\n"
                            ".byte 23, 0x34, 0, 0x03, 8, 0x49, 0x13, 0x02, 0x17, 0, 0\n";

/* a0 is known, a1 is not. */
TEST(what_is_computed_from_an_unknown_register_is_unknown)
{
	const struct unwind_regs regs = {.known = UINT64_C(1) << 10, .r = {[10] = 40, [11] = 50}};
	struct opened o = open_it(
		typed,
		"type: " INT64_TYPE ".byte 2\n.8byte _start, 8\n" VALUE("a", "2", "0x7a, 2")
			VALUE("b", "2", "0x7b, 2") VALUE("c", "3", "0x92, 10, 3")
				VALUE("d", "3", "0x92, 11, 3")
					VALUE("e", "5", "0x7a, 0, 0x7b, 0, 0x22") ".byte 0\n");
	const struct values s = take_values(&o, &regs);
	assert_int_equal(s.found, 1 << 0 | 1 << 2);
	assert_int_equal(s.v[0], 42);
	assert_int_equal(s.v[2], 43);
	close_it(&o);
}

/* Of -7: by 2, by -1, and the remainder by 5, which is 4 of 2^64 - 7. */
TEST(division_of_the_generic_type_is_signed_and_its_remainder_is_not)
{
	const struct unwind_regs regs = {.known = 0};
	struct opened o = open_it(
		typed, "type: " INT64_TYPE
		       ".byte 2\n.8byte _start, 8\n" VALUE("a", "4", "0x09, 0xf9, 0x32, 0x1b")
			       VALUE("b", "5", "0x09, 0xf9, 0x09, 0xff, 0x1b")
				       VALUE("c", "4", "0x09, 0xf9, 0x35, 0x1d")
					       VALUE("d", "4", "0x09, 0xf9, 0x30, 0x1b")
						       VALUE("e", "4",
	                                                     "0x09, 0xf9, 0x30, 0x1d") ".byte 0\n");
	const struct values s = take_values(&o, &regs);
	assert_int_equal(s.found, 7);
	assert_int_equal((int64_t)s.v[0], -3);
	assert_int_equal(s.v[1], 7);
	assert_int_equal(s.v[2], 4);
	close_it(&o);
}

/* The type stands after the unit's header and entry: at 29. -7 and 2 of it: quotient, remainder,
 * less, greater. */
TEST(eight_bytes_of_an_unsigned_type_are_unsigned)
{
	const struct unwind_regs regs = {.known = 0};
	struct opened o = open_it(
		typed,
		"type: .byte 21\n.asciz \"t\"\n.byte 8, 7\n.byte 2\n.8byte _start, 8\n" VALUE(
			"a", "10", "0x09, 0xf9, 0xa8, 29, 0x32, 0xa8, 29, 0x1b, 0xa8, 0")
			VALUE("b", "10", "0x09, 0xf9, 0xa8, 29, 0x35, 0xa8, 29, 0x1d, 0xa8, 0")
				VALUE("c", "8", "0x09, 0xf9, 0xa8, 29, 0x32, 0xa8, 29, 0x2d") VALUE(
					"d", "8", "0x09, 0xf9, 0xa8, 29, 0x32, 0xa8, 29, 0x2b")
					VALUE("e", "4", "0x09, 0xf9, 0x32, 0x2d") ".byte 0\n");
	const struct values s = take_values(&o, &regs);
	assert_int_equal(s.found, 31);
	assert_int_equal(s.v[0], (UINT64_MAX - 6) / 2);
	assert_int_equal(s.v[1], 4);
	assert_int_equal(s.v[2], 0);
	assert_int_equal(s.v[3], 1);
	assert_int_equal(s.v[4], 1); /* of the generic type */
	close_it(&o);
}

/* The first list's second entry is for the other address; the second list has too long an
 * expression. */
TEST(an_old_list_chooses_its_base_address)
{
	const struct unwind_regs regs = {.known = 0};
	struct opened o = open_unit(
		".2byte 4\n.4byte 0\n.byte 8", typed,
		"type: " INT64_TYPE ".byte 2\n.8byte _start, 8\n"
		".byte 23\n.asciz \"a\"\n.4byte type - unit, 0\n"
		".byte 23\n.asciz \"b\"\n.4byte type - unit, long - list\n.byte 0\n"
		".section .debug_loc\n"
		"list: .8byte -1, _start - 0x2000, 0x2004, 0x2008\n.2byte 2\n.byte 0x33, 0x9f\n"
		".8byte 0x2000, 0x2004\n.2byte 2\n.byte 0x35, 0x9f\n.8byte 0, 0\n"
		"long: .8byte -1, _start, 0, 4\n.2byte 5000\n.fill 4998, 1, 0x96\n.byte 0x36, "
	        "0x9f\n.8byte 0, 0\n"
		".section .debug_info\n");
	const struct values s = take_values(&o, &regs);
	assert_int_equal(s.found, 1);
	assert_int_equal(s.v[0], 5);
	close_it(&o);
}

TEST(entries_with_hundreds_of_attributes_are_refused)
{
	struct scope_name found;
	struct opened o =
		open_it(".byte 17, 0x34, 0\n.rept 300\n.byte 0x3f, 0x19\n.endr\n.byte 0, 0\n",
	                ".byte 8\n.asciz \"v\"\n");
	assert_false(index_find(o.p, NULL, 0, "v", &found));
	assert_string_equal(
		program_no_lines(o.p),
		"its debug information is damaged: an entry has hundreds of attributes");
	close_it(&o);
	o = open_it(".byte 17, 0x34, 0\n.rept 30\n.byte 0x3f, 0x19\n.endr\n.byte 0, 0\n",
	            ".byte 8\n.asciz \"v\"\n");
	assert_true(index_find(o.p, NULL, 0, "v", &found));
	close_it(&o);
}
