#include "tests/unit/ui/console_fixture.h"

#include <lua.h>

#include "core/machine/machine.h"
#include "core/pipe/pipe.h"
#include "scripting/expr/expr_priv.h"
#include "scripting/expr/expr_text.h"

static struct expr_value expr_eval_text(struct fixture *f, const char *text)
{
	struct expr_value v = {0};
	struct err err;
	if (!expr_once(f->c.exprs, text, &v, &err))
		fail_msg("%s", err.msg);
	return v;
}

static int64_t expr_eval_integer(struct fixture *f, const char *text)
{
	struct expr_value v = expr_eval_text(f, text);
	assert_int_equal(v.type, EXPR_INT);
	return v.i;
}

static const char *expr_expect_error(struct fixture *f, const char *text)
{
	static struct err err;
	struct expr_value v;
	if (expr_once(f->c.exprs, text, &v, &err))
		fail_msg("'%s' should have failed", text);
	return err.msg;
}

TEST(test_arithmetic)
{
	struct fixture *f = fixture_of(state);
	assert_int_equal(expr_eval_integer(f, "2 + 3 * 4"), 14);
	assert_int_equal(expr_eval_integer(f, "7 // 2"), 3);
	assert_int_equal(expr_eval_integer(f, "-7 // 2"), -4);
	assert_int_equal(expr_eval_integer(f, "math.maxinteger + 1"), INT64_MIN);
	assert_int_equal(expr_eval_integer(f, "0xffffffffffffffff"), -1);
	assert_int_equal(expr_eval_integer(f, "1 << 40 | 3 & 2"), (1ll << 40) | 2);
	assert_int_equal(expr_eval_integer(f, "1 / 4"), 0);
	assert_int_equal(expr_eval_integer(f, "5/2"), 2);
	assert_true(expr_eval_text(f, "5/2.0").d == 2.5);
	assert_int_equal(expr_eval_integer(f, "-7 % 3"), -1);
	assert_int_equal(expr_eval_text(f, "6 & 3 == 2").i, 0); /* as C binds it: 6 & (3 == 2) */
	assert_int_equal(expr_eval_integer(f, "(char)321"), 65);
	assert_int_equal(expr_eval_integer(f, "1 ? 2 : 3"), 2);
	assert_int_equal(expr_eval_integer(f, "1, 2"), 2);
	console_fixture_answer(f, "print counter"); /* in expressions that may assign */
	console_fixture_assert_has(expr_expect_error(f, "counter = 5"),
	                           "nothing can be assigned here");
	console_fixture_assert_has(expr_expect_error(f, "counter++"),
	                           "nothing can be assigned here");
	assert_string_equal(expr_eval_text(f, "'a' .. 1").text, "a1");
	assert_string_equal(expr_eval_text(f, "'a != 1,000' .. \"!b\"").text, "a != 1,000!b");
	assert_int_equal(expr_eval_text(f, "nil").type, EXPR_NIL);
}

TEST(test_registers)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f,
	                       "starti; set a0 = -5; set fa0 = 2.5; set t0 = 0x123456789abcdef0");
	assert_int_equal(expr_eval_integer(f, "a0"), -5);
	assert_int_equal(expr_eval_integer(f, "x10"), -5);
	assert_int_equal(expr_eval_integer(f, "$a0"), -5);
	assert_int_equal(expr_eval_integer(f, "t0"), 0x123456789abcdef0);
	assert_true(expr_eval_text(f, "fa0").d == 2.5);
	assert_int_equal(expr_eval_integer(f, "bits 'fa0'"), 0x4004000000000000);
	assert_int_equal(expr_eval_integer(f, "zero"), 0);
	assert_int_equal(expr_eval_integer(f, "pc"), (int64_t)machine_pc(f->s->machine));
	assert_int_equal(expr_eval_integer(f, "cycle"), (int64_t)machine_cycle(f->s->machine));
}

TEST(test_symbols_and_memory)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti");
	assert_int_equal(expr_eval_integer(f, "&numbers"),
	                 (int64_t)program_symbol_by_name(f->s->program, "numbers")->addr);
	assert_int_equal(expr_eval_integer(f, "sym 'numbers'"), expr_eval_integer(f, "&numbers"));
	assert_int_equal(expr_eval_integer(f, "mem64(numbers + 8)"), 20);
	assert_int_equal(expr_eval_integer(f, "mem64(numbers + 24)"), -40);
	assert_int_equal(expr_eval_integer(f, "mem32(numbers + 24)"), 0xffffffd8);
	assert_int_equal(expr_eval_integer(f, "i32(numbers + 24)"), -40);
	assert_int_equal(expr_eval_integer(f, "mem8(small)"), 200);
	assert_int_equal(expr_eval_integer(f, "i8(small)"), -56);
	assert_int_equal(expr_eval_integer(f, "mem16(text)"), 'h' | 'e' << 8);
	assert_int_equal(expr_eval_integer(f, "small"), 200);
	assert_int_equal(expr_eval_integer(f, "counter"), 0);
	assert_int_equal(expr_eval_integer(f, "*(u8 *)text"), 'h');
	assert_int_equal(expr_eval_integer(f, "*(int)&numbers[3]"), -40);
	assert_true(expr_eval_text(f, "f64(half)").d == 0.5);
	assert_true(expr_eval_text(f, "*(double)&half").d == 0.5);
	/* Variables are values; only as arguments of functions they are addresses, as symbols
	 * are. */
	assert_true(expr_eval_text(f, "half").d == 0.5);
	assert_int_equal(expr_eval_integer(f, "numbers[3] + small"), 160);
	assert_int_equal(expr_eval_integer(f, "*(numbers + 1) / 3"), 6);
	assert_int_equal(expr_eval_integer(f, "mem64(&numbers[1])"), 20);
	assert_int_equal(expr_eval_text(f, "mem64(numbers + 8) == numbers[1] && !counter").i, 1);
	assert_int_equal(expr_eval_text(f, "counter == 3").type, EXPR_BOOL);
	assert_int_equal(expr_eval_integer(f, "text[1] == 'e' ? sizeof numbers : 0"), 32);
	assert_string_equal(expr_eval_text(f, "numbers").text, "{10, 20, 30, -40}");
	console_fixture_assert_has(expr_expect_error(f, "numbers[1] +"),
	                           "a value is missing at the end");
	console_fixture_assert_has(expr_expect_error(f, "numbers.first"),
	                           "it has the type long [4], and no members");
	console_fixture_assert_has(expr_expect_error(f, "*counter + 1"),
	                           "Cannot access memory at address 0x0");
	console_fixture_assert_has(expr_expect_error(f, "counter / counter"), "division by zero");
	assert_string_equal(expr_eval_text(f, "str(text)").text, "hello");
	assert_string_equal(expr_eval_text(f, "str(text, 2)").text, "he");
	assert_string_equal(expr_eval_text(f, "func(twice)").text, "twice");
	assert_int_equal(expr_eval_integer(f, "line(twice)"), 8);
	assert_int_equal(expr_eval_text(f, "mapped(0)").i, 0);
	assert_int_equal(expr_eval_text(f, "mapped(sp)").i, 1);
	console_fixture_assert_has(expr_expect_error(f, "mem64(8)"), "0x8 is not mapped");
	console_fixture_assert_has(expr_expect_error(f, "twcie"), "did you mean 'twice'");
	console_fixture_assert_has(expr_expect_error(f, "sym 'nowhere'"), "no symbol 'nowhere'");
}

TEST(test_hardware)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; tbreak twice; continue");
	assert_int_equal(expr_eval_integer(f, "sim.cycles"), (int64_t)machine_cycle(f->s->machine));
	assert_int_equal(expr_eval_integer(f, "stat['sim.cycles']"),
	                 expr_eval_integer(f, "sim.cycles"));
	assert_true(expr_eval_text(f, "sim.ipc").d > 0);
	assert_int_equal(expr_eval_integer(f, "pipe.rob_size"), 64);
	assert_int_equal(expr_eval_integer(f, "config['pipe.rob_size']"), 64);
	assert_true(expr_eval_integer(f, "rob.count") > 0);
	assert_int_equal(expr_eval_integer(f, "rob[1].pc"), (int64_t)machine_pc(f->s->machine));
	assert_int_equal(expr_eval_integer(f, "view.rob.count"), expr_eval_integer(f, "rob.count"));
	assert_int_equal(expr_eval_integer(f, "view.rob[1].seq"),
	                 expr_eval_integer(f, "rob[1].seq"));
	assert_int_equal(expr_eval_integer(f, "#view['mem sp 64']"), 4);
	/* Fields of an absent instruction are nil: a condition need not test for it. */
	assert_int_equal(expr_eval_text(f, "rob[1000].pc").type, EXPR_NIL);
	assert_int_equal(expr_eval_text(f, "view.rob[1000].seq").type, EXPR_NIL);
	console_fixture_assert_has(expr_expect_error(f, "rob[1].colour"), "no 'colour'");
	console_fixture_assert_has(expr_expect_error(f, "rob[1].colour"),
	                           "tlb_miss forwarded done");
	assert_string_equal(
		expr_eval_text(f, "rob[1].state").text,
		uop_state_info[pipe_rob_at(machine_pipe(f->s->machine), 0)->state].name);
	assert_int_equal(expr_eval_text(f, "rob[1].wrong_path").type, EXPR_BOOL);
	assert_int_equal(expr_eval_text(f, "rob[1].ended").type, EXPR_NIL);
	assert_int_equal(expr_eval_text(f, "rob[1].op").type, EXPR_STRING);
	console_fixture_assert_has(expr_expect_error(f, "sim.ipcc"), "did you mean 'sim.ipc'");
	console_fixture_assert_has(expr_expect_error(f, "view.robb"), "did you mean 'rob'");
	/* Equal tables give equal texts. */
	struct expr_value once = expr_eval_text(f, "{z = 1, y = 2, a = {3, 'b'}, 4}");
	assert_string_equal(once.text, "{4, a = {3, \"b\"}, y = 2, z = 1}");
}

TEST(test_sandbox)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti");
	static const char *const out_of_reach[] = {
		"os.execute", "io",        "load",  "dofile",         "require",
		"debug",  "coroutine", "print", "collectgarbage", "setmetatable",
		"rawset", "pcall",     "_G"};
	for (size_t i = 0; i < sizeof out_of_reach / sizeof *out_of_reach; i++)
		expr_expect_error(f, out_of_reach[i]);
	console_fixture_assert_has(expr_expect_error(f, "(function() a0 = 1 end)()"),
	                           "sets nothing");
	console_fixture_assert_has(expr_expect_error(f, "(function() while true do end end)()"),
	                           "too long");
	console_fixture_assert_has(expr_expect_error(f, "string.rep('x', 1 << 40)"), "");
	console_fixture_assert_has(
		expr_expect_error(
			f, "(function() local t = {} for i = 1, 1 << 40 do t[i] = i end end)()"),
		"");
	/* The time limit cannot be caught by a script, and the state of other expressions is
	 * unchanged. */
	console_fixture_assert_has(
		expr_expect_error(f, "string.find(('a'):rep(200), ('a*'):rep(50) .. 'b')"),
		"too long");
	console_fixture_assert_has(expr_expect_error(f, "string.rep('x', 1 << 40)"), "too large");
	expr_expect_error(f, "(function() mem64 = function() return 42 end end)()");
	expr_expect_error(f, "(function() string.format = nil end)()");
	expr_expect_error(f, "(function() ('').format = nil end)()");
	expr_expect_error(f, "(function() local _, t = pairs(math) t.abs = nil end)()");
	assert_int_equal(expr_eval_integer(f, "mem64(numbers + 8)"), 20);
	assert_string_equal(expr_eval_text(f, "string.format('%d', math.abs(-4))").text, "4");
	/* Expressions still work afterwards. */
	assert_int_equal(expr_eval_integer(f, "1 + 1"), 2);
}

static int expr_interrupt_now(lua_State *L)
{
	exprs_interrupt(lua_touserdata(L, lua_upvalueindex(1)));
	return 0;
}

/* An interrupt during an evaluation ends it long before the limit of steps. */
TEST(test_expr_interrupt)
{
	struct fixture *f = fixture_of(state);
	struct exprs *x = f->c.exprs;
	static const char *const endless[] = {
		"(function() ring() return string.find(('a'):rep(200), ('a*'):rep(50) .. 'b') "
		"end)()",
		"(function() ring() while true do end end)()",
		"(function() local s = ('x'):rep(1 << 20) ring() while true do local t = s .. 'y' "
		"end end)()",
	};
	lua_rawgeti(x->L, LUA_REGISTRYINDEX, x->env);
	lua_pushliteral(x->L, "ring");
	lua_pushlightuserdata(x->L, x);
	lua_pushcclosure(x->L, expr_interrupt_now, 1);
	lua_rawset(x->L, -3);
	lua_pop(x->L, 1);
	for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
		console_fixture_assert_has(expr_expect_error(f, endless[i]), "interrupted");
	/* An interrupt between two evaluations affects neither. */
	exprs_interrupt(x);
	console_fixture_assert_has(expr_expect_error(f, "(function() while true do end end)()"),
	                           "too long");
	assert_int_equal(expr_eval_integer(f, "1 + 1"), 2);
}

TEST(test_notation)
{
	struct fixture *f = fixture_of(state);
	assert_int_equal(expr_eval_text(f, "1 != 2").i, 1);
	assert_string_equal(expr_eval_text(f, "'a != b && $c'").text, "a != b && $c");
	assert_int_equal(expr_eval_text(f, "1 && 2").i, 1);
	assert_int_equal(expr_eval_text(f, "0 || 2").i, 1);
	assert_int_equal(expr_eval_text(f, "!1").i, 0);
	console_fixture_assert_has(expr_expect_error(f, "1 && "), "a value is missing at the end");
	console_fixture_assert_has(expr_expect_error(f, "1 +"), "missing at the end");
	console_fixture_assert_has(expr_expect_error(f, ""), "missing");
}

/* The stack does not grow with the length of text, pasted or generated. */
TEST(test_long_texts)
{
	struct fixture *f = fixture_of(state);
	enum { N = 100000 };
	static char text[N + 8];
	struct expr_value v;
	static const char *const pieces[] = {"*", "(",    "- ",  "*(u8)", "{",
	                                     "'", "not ", "a0[", "x.",    "&"};
	console_fixture_answer(f, "starti");
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		for (size_t length = 200; length <= N; length *= 3) {
			char *operand;
			unsigned size;
			size_t n = strlen(pieces[i]);
			for (size_t k = 0; k < length; k++)
				text[k] = pieces[i][k % n];
			memcpy(text + length, "sp", 3);
			/* a hundred minus signs are valid */
			bool ok = expr_once(f->c.exprs, text, &v, NULL);
			assert_false(ok && length > 4096);
			if (expr_is_memory(text, &operand, &size))
				free(operand);
		}
	}
	memset(text, '*', N);
	console_fixture_assert_has(expr_expect_error(f, text),
	                           "at most 4096 characters, not 100000");
	text[100] = '\0';
	console_fixture_assert_has(expr_expect_error(f, text),
	                           "more than 64 `*` inside each other");
	assert_int_equal(expr_eval_integer(f, "*(u8 *)text * *(u8)(text + 1) - 2"), 'h' * 'e' - 2);
}

TEST(test_is_memory)
{
	static const struct {
		const char *text, *operand;
		unsigned size;
	} cases[] = {
		{"mem32(sp + 8)", "sp + 8", 4},
		{"mem8(mem64(sp))", "mem64(sp)", 1},
		{"*(u16)0x100", "0x100", 2},
		{"*(unsigned int *) a0", " a0", 4},
		{"*counter", "counter", 0},
		{"*(sp + 8)", "(sp + 8)", 0},
		{"**sp", "*sp", 0},
		{"*(u8)a[1].b (x)", "a[1].b (x)", 1},
		{" i16 ( x )", " x ", 2},
	};
	static const char *const others[] = {"mem32(a) + 1", "a0",           "rob.count",
	                                     "mem32(a",      "mem32",        "(mem32(a))",
	                                     "*sp + 8",      "*(u8)sp == 1", "2 * sp"};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *operand;
		unsigned size = 99;
		assert_true(expr_is_memory(cases[i].text, &operand, &size));
		assert_string_equal(operand, cases[i].operand);
		assert_int_equal(size, cases[i].size);
		free(operand);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		char *operand;
		unsigned size;
		assert_false(expr_is_memory(others[i], &operand, &size));
	}
}

TEST(test_truth)
{
	struct fixture *f = fixture_of(state);
	static const char *const hold[] = {"1", "true", "-1", "0.5", "'0'", "{}"};
	static const char *const fail_to[] = {"0", "false", "nil", "0.0", "1 == 2"};
	for (size_t i = 0; i < sizeof hold / sizeof *hold; i++) {
		struct expr_value v = expr_eval_text(f, hold[i]);
		assert_true(expr_true(&v));
	}
	for (size_t i = 0; i < sizeof fail_to / sizeof *fail_to; i++) {
		struct expr_value v = expr_eval_text(f, fail_to[i]);
		assert_false(expr_true(&v));
	}
}

TEST(test_changes_nothing)
{
	struct fixture *f = fixture_of(state);
	const char *name, *help;
	struct expr_value v;
	console_fixture_answer(f, "starti; step 300");
	uint64_t before = machine_hash(f->s->machine);
	for (unsigned i = 0; (name = expr_name(i, &help)); i++) {
		assert_true(*help);
		expr_once(f->c.exprs, name, &v, NULL);
	}
	expr_eval_text(f, "{rob[1].why, rob[1].text, lsq[1].addr, fetchq[1].pc, view.l1d.count, "
	                  "view.pipe.count, mem64(sp), str(text)}");
	assert_int_equal(machine_hash(f->s->machine), before);
}

/* Checks names in unevaluated expressions: "" if all are known, else the first unknown name. */
TEST(test_expr_names)
{
	static const struct {
		const char *text, *unknown;
	} cases[] = {
		{"false and nix", "nix"},
		{"true or a0 == nix", "nix"},
		{"false and a0 + numbers + cycle + sim.ipc + rob[1].pc + pipe.rob_size", ""},
		{"false and nix.member", "nix"},
		{"false and sim.ipcc", "sim.ipcc"},
		{"false and rob.cuont", "rob.cuont"},
		{"false and ras and view.nix and math.floor(1) and fcsr", ""},
		{"false and 'nix' .. \"n\\\"ix\" .. [[nix]] .. [==[ ]] nix]==]", ""},
		{"false and 'a' .. nix", "nix"},
		{"false and {nix = 1, [a0] = 2, a1}", ""},
		{"false and {a0 == nix}", "nix"},
		{"false and 1e5 + 0x1fp-3 + 1e+5 + 3.", ""},
		{"false and ('x'):rep(3)", ""},
		{"false and *nix", "nix"},
		{"false and $nix", ""},
		{"false and cycle -- nix", ""},
		{"false and level", "level"},
		{"false and (function(q) return q end)(1)", ""},
		{"false and 'function' and nix", "nix"},
	};
	struct fixture *f = fixture_of(state);
	struct err err;
	console_fixture_answer(f, "starti");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct expr *e = expr_compile(f->c.exprs, cases[i].text, &err);
		if (!e)
			fail_msg("%s: %s", cases[i].text, err.msg);
		*err.msg = '\0';
		if (expr_knows_names(e, &err) != !*cases[i].unknown ||
		    !strstr(err.msg, cases[i].unknown))
			fail_msg("%s: '%s'", cases[i].text, err.msg);
		expr_free(e);
	}
	struct expr *e = expr_compile(f->c.exprs, "false and status == 1 and op == 'ecall'", &err);
	assert_true(e && expr_try_event(e, EV_EXIT, &err));
	assert_false(expr_try_event(e, EV_MEM, &err));
	assert_non_null(strstr(err.msg, "'status'"));
	assert_false(expr_try(e, &err)); /* the trial leaves no event */
	expr_free(e);
}

TEST(test_without_program)
{
	struct err err;
	struct expr_value v;
	(void)state;
	struct exprs *x = exprs_new(NULL, &err);
	assert_non_null(x);
	assert_true(expr_once(x, "6 * 7", &v, &err));
	assert_int_equal(v.i, 42);
	assert_false(expr_once(x, "a0", &v, &err));
	assert_false(expr_once(x, "view.rob", &v, &err));
	assert_false(expr_once(x, "main", &v, &err));
	exprs_free(x);
}

/* Errors in the words of the expression, not in Lua's. */
TEST(test_plain_errors)
{
	struct fixture *f = fixture_of(state);
	static const char *const said[][2] = {
		{"main.x", "main.x: main: it has the type int (void), and no members"},
		{"main[1]", "a function has no elements"},
		{"main()", "functions of the program are not called here, but by `print`"},
		{"counter / 0", "counter / 0: division by zero"},
		{"09", "it begins with 0 and is octal, with digits 0 to 7: before 9"},
		{"nil + 1", "this is nothing (nil): it can't be computed with"},
		{"#5", "this is a number: it has no length"},
		{"'ab' < 1", "a text is compared with texts"},
		{"nil < nil", "this is nothing (nil)"},
		{"'ab' + 1", "a text is compared with texts"},
		{"mem64('x')", "argument 1 of mem64 is a text; expected a number"},
		{"mem64()", "argument 1 of mem64 is missing; expected a number"},
		{"2 + * 3 )", "')'"},
		{"3()", "it is int, and no function"},
		{"(1 + 2", "')' is missing at the end"},
		{"5.x", "'5.x' is no number"},
		{"1 + ]", "']' can't stand there"},
	};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		const char *msg = expr_expect_error(f, said[i][0]);
		console_fixture_assert_has(msg, said[i][1]);
		assert_null(strstr(msg, "attempt to"));
		assert_null(strstr(msg, "<eof>"));
	}
}

TEST_GROUP(fixture_up, fixture_down)
