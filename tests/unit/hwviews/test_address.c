/* One language of addresses: all commands and views read a word alike, and refuse a wrong one with
 * the same message. */
#include "hwviews/session/address.h"

#include "tests/unit/ui/console_fixture.h"

#include "scripting/expr/expr.h"
#include "ui/console/here.h"
#include "ui/console/location.h"

static uint64_t addr_of(struct fixture *f, const char *name)
{
	const struct symbol *sym = program_symbol_by_name(f->s->program, name);
	assert_non_null(sym);
	return sym->addr;
}

/* Words that all readers take alike: arguments of views, places in code, `watch`, Lua, and `x` but
 * for arithmetic. */
static void address_test_check_everywhere(struct fixture *f, const char *text, uint64_t want)
{
	char line[300], shown[32];
	struct location at;
	struct expr_value v;
	struct err err;
	uint64_t got = 0;
	if (!address_parse(f->s, text, NULL, &got, &err))
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(got, want);
	if (*text < '0' || *text > '9' || text[1] == 'x') { /* a bare number is a line there */
		if (!location_parse(&f->c, text, &at))
			fail_msg("%s: %s", text, f->c.err.msg);
		assert_int_equal(at.addr, want);
	}
	snprintf(line, sizeof line, "address \"%s\"", text);
	if (!expr_once(f->c.exprs, line, &v, &err))
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(v.i, want);
	snprintf(shown, sizeof shown, "0x%llx", (unsigned long long)want);
	/* `x` computes as C does: `array + 8` is eight elements on, `*pointer` its target. */
	snprintf(line, sizeof line, "x/1xb %s", text);
	if (*text != '*' && (strncmp(text, "numbers", 7) != 0 || !text[7]))
		console_fixture_assert_has(console_fixture_answer(f, line), shown);
	snprintf(line, sizeof line, "watch %s,4", text);
	console_fixture_assert_has(console_fixture_answer(f, line), shown);
	snprintf(line, sizeof line, "view mem %s --json", text);
	if (!strchr(text, ' ')) /* a view's arguments are words */
		console_fixture_answer(f, line);
}

TEST(test_address_words)
{
	struct fixture *f = fixture_of(state);
	char text[64];
	uint64_t line8;
	struct err err;
	console_fixture_answer(f, "starti; delete; tbreak twice; continue");
	uint64_t sp = machine_reg(f->s->machine, REG_SP), numbers = addr_of(f, "numbers");
	assert_true(program_addr_of_line(f->s->program, "guest.c", 8, &line8, &err));
	address_test_check_everywhere(f, "numbers", numbers);
	address_test_check_everywhere(f, "&numbers", numbers);
	address_test_check_everywhere(f, "numbers+8", numbers + 8);
	address_test_check_everywhere(f, "numbers + 0x10", numbers + 16);
	address_test_check_everywhere(f, "numbers-4", numbers - 4);
	address_test_check_everywhere(f, "numbers+2*4", numbers + 8);
	address_test_check_everywhere(f, "sp", sp);
	address_test_check_everywhere(f, "$sp", sp);
	address_test_check_everywhere(f, "sp+16", sp + 16);
	address_test_check_everywhere(f, "*sp", sp);
	address_test_check_everywhere(f, "*mem64(numbers) + numbers - 10", numbers);
	address_test_check_everywhere(f, "pc", spot_pc(here_spot(&f->c)));
	address_test_check_everywhere(f, "twice", addr_of(f, "twice"));
	address_test_check_everywhere(f, "guest.c:8", line8);
	address_test_check_everywhere(f, "guest.c:twice", addr_of(f, "twice"));
	snprintf(text, sizeof text, "0x%llx", (unsigned long long)numbers);
	address_test_check_everywhere(f, text, numbers);
	snprintf(text, sizeof text, "%llu", (unsigned long long)numbers);
	address_test_check_everywhere(f, text, numbers);
	console_fixture_answer(f, "delete");
	console_fixture_assert_has(console_fixture_answer(f, "tbreak 8"), "guest.c:8");
	console_fixture_answer(f, "delete");
}

static void address_test_assert_refused(struct fixture *f, const char *text, const char *why)
{
	static const char *const places[] = {"x %s",         "break %s",
	                                     "list %s",      "disassemble %s",
	                                     "until %s",     "watch %s,4",
	                                     "view mem %s",  "view source %s",
	                                     "info line %s", "print address \"%s\"",
	                                     "set pc = %s"};
	char line[300];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(line, sizeof line, places[i], text);
		console_fixture_assert_has(console_fixture_refusal(f, line), why);
	}
}

TEST(test_address_errors)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete");
	address_test_assert_refused(f, "nmbers",
	                            "the program has no symbol 'nmbers'; did you mean 'numbers'?");
	address_test_assert_refused(
		f, "qqqqqqqq", "has no symbol 'qqqqqqqq'; an address is a symbol, symbol+0x10");
	address_test_assert_refused(f, "guest.c:9999", "9999");
	address_test_assert_refused(f, "guest.c:8x", "'8x' is no line number");
}

/* Symbols come before registers, and $ selects the register. Without an evaluator all
 * but expressions work. */
TEST(test_plain)
{
	struct fixture *f = fixture_of(state);
	struct err err;
	uint64_t got = 1;
	f->s->evaluate = NULL;
	assert_true(address_parse(f->s, "numbers+8", NULL, &got, &err));
	assert_false(address_parse(f->s, "*mem64(sp)", NULL, &got, &err));
	console_fixture_assert_has(err.msg, "expressions can't be computed here");
	assert_false(address_parse(f->s, " ", NULL, &got, &err));
	console_fixture_assert_has(err.msg, "missing");
	assert_false(address_parse(f->s, "41", "", &got, &err));
	console_fixture_assert_has(err.msg, "no file given");
	assert_int_equal(got, addr_of(f, "numbers") + 8);
}

TEST_GROUP(fixture_up, fixture_down)
