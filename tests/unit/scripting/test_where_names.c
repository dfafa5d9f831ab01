/* Names and stops in conditions on events: meanings of words, and words without an event. */
#include "core/isa/op.h"
#include "scripting/expr/where.h"

#include "tests/unit/ui/console_fixture.h"

#include <stdlib.h>

#include "core/pipe/pipe.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/expr/expr.h"

/* The same stops by the same value, in C and in Lua. */
TEST(test_stops)
{
	struct fixture *f = fixture_of(state);
	static const char *const values[] = {
		"rob.count",          "bpred.mispredicts", "sim.ipc",
		"rob[1].state",       "a5 + lsq.count",    "sim.insts // 7",
		"fetch.stall_icache", "pc == main",        "commit.loads - commit.stores"};
	static const char *const conditions[] = {"", " if rob.count > 6",
	                                         " if sim.ipc > 0.4 and a5 ~= 0",
	                                         " if rob[1].state == 'done'"};
	char command[400], lua[100], *ways[2];
	unsigned hits = 0;
	for (unsigned i = 0; i < 9; i++)
		for (unsigned k = 0; k < 4; k++) {
			for (int way = 0; way < 2; way++) {
				snprintf(lua, sizeof lua, way ? "tostring(%s)" : "%s", values[i]);
				snprintf(command, sizeof command, "goto 0; delete; watch %s%s%s",
				         lua, conditions[k],
				         way && k ? " and tostring(1) == '1'" : "");
				console_fixture_answer(f, command);
				char all[4000] = "";
				for (int n = 0; n < 12; n++) {
					size_t used = strlen(all);
					char go[64];
					snprintf(go, sizeof go, "goto %d; %s", 50 + 331 * n % 600,
					         n % 2 ? "continue"
					               : "reverse-continue; reverse-continue");
					hits += strstr(console_fixture_answer(f, go),
					               "Watchpoint ") != NULL;
					snprintf(all + used, sizeof all - used, "%llu ",
					         (unsigned long long)machine_cycle(f->s->machine));
				}
				ways[way] = strdup(all);
				assert_non_null(ways[way]);
			}
			assert_string_equal(ways[0], ways[1]);
			free(ways[0]);
			free(ways[1]);
		}
	assert_true(hits > 200);
}

/* ---- expressions outside the subset, and their messages ---- */
TEST(test_outside)
{
	struct fixture *f = fixture_of(state);
	static const char *const texts[] = {"",
	                                    " ",
	                                    "latency >",
	                                    "(latency",
	                                    "latency)",
	                                    "latency 5",
	                                    "latency (3)",
	                                    "level'x'",
	                                    "level.x",
	                                    "level[1]",
	                                    "#level",
	                                    "level .. 'x'",
	                                    "3.5 < latency",
	                                    "latency > 1.",
	                                    "latency > 1e3",
	                                    "0x1p4",
	                                    "0x",
	                                    "12ab",
	                                    "2^3",
	                                    "latency / 2",
	                                    "mem64(addr) == 1",
	                                    "mem64",
	                                    "sim.ipc > 1",
	                                    "sim",
	                                    "event.addr == 1",
	                                    "event",
	                                    "text == 'ret'",
	                                    "latency == 1 --x",
	                                    "latency --x",
	                                    "latency > 9223372036854775808",
	                                    "op == 'a\\n'",
	                                    "op == 'a",
	                                    "fa0 > 1",
	                                    "math.abs(1)",
	                                    "rob.count > 3",
	                                    "newest",
	                                    "mstatus",
	                                    "ras",
	                                    "end",
	                                    "*addr == 3",
	                                    "latency && 1",
	                                    "!latency",
	                                    "latency = 3",
	                                    "nosuch",
	                                    "$",
	                                    "$$a0",
	                                    "a$b",
	                                    "not",
	                                    "and",
	                                    "1 or",
	                                    "function",
	                                    "latency,1",
	                                    "{}"};
	struct err err;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct where *w = where_compile(f->s, EV_MEM, texts[i], &err);
		if (w)
			fail_msg("'%s' should be left to Lua", texts[i]);
	}
	assert_null(where_compile(f->s, EV_MEM, "latency > 3.5", &err));
	console_fixture_assert_has(err.msg, "3.5");
	assert_null(where_compile(NULL, EV_MEM, "addr == main", &err));
	console_fixture_assert_has(err.msg, "main");
	enum { LONG = 4000 };
	char deep[LONG + 1];
	memset(deep, '(', LONG);
	deep[LONG] = '\0';
	assert_null(where_compile(f->s, EV_MEM, deep, &err));
	console_fixture_assert_has(err.msg, "deep");
	for (size_t i = 0; i < LONG; i += 2)
		memcpy(deep + i, "-1", 2);
	assert_null(where_compile(f->s, EV_MEM, deep, &err));
	console_fixture_assert_has(err.msg, "long");
}

static struct event_filter where_names_narrow_filter(struct fixture *f, enum event_id id,
                                                     const char *text, struct event_filter filter)
{
	struct err err;
	struct where *w = where_compile(f->s, id, text, &err);
	if (!w)
		fail_msg("%s: %s", text, err.msg);
	where_narrow(w, &filter);
	where_free(w);
	return filter;
}

/* An instruction's name stands for its op. */
TEST(test_where_names_ops)
{
	struct fixture *f = fixture_of(state);
	struct err err;
	struct where *w = where_compile(f->s, EV_COMMIT, "op == 'xhint'", &err);
	struct event ev = {.id = EV_COMMIT, .seq = 1, .pc = 2};
	assert_non_null(w);
	ev.op = OP_XHINT;
	assert_int_equal(where_test(w, f->s->machine, &ev), WHERE_YES);
	ev.op = OP_ADD;
	assert_int_equal(where_test(w, f->s->machine, &ev), WHERE_NO);
	ev.id = EV_MEM;
	assert_int_equal(where_test(w, f->s->machine, &ev), WHERE_ASK_LUA);
	where_free(w);
}

/* Places and ops are tested before an event is built, where that can't hide an error. */
TEST(test_where_names_narrow)
{
	struct fixture *f = fixture_of(state);
	uint64_t main_pc = program_symbol_by_name(f->s->program, "main")->addr;
	const struct event_filter none = {0};
	struct event_filter r =
		where_names_narrow_filter(f, EV_MEM, "pc == main+4 and latency > 3", none);
	assert_int_equal(r.pc_lo, main_pc + 4);
	assert_int_equal(r.pc_hi, main_pc + 5);
	assert_non_null(r.where);
	r = where_names_narrow_filter(f, EV_COMMIT, "result ~= 0 and pc >= main and main + 8 > pc",
	                              none);
	assert_int_equal(r.pc_lo, main_pc);
	assert_int_equal(r.pc_hi, main_pc + 8);
	r = where_names_narrow_filter(
		f, EV_COMMIT, "pc > main and op == 'lw'",
		(struct event_filter){.pc_lo = main_pc - 8, .pc_hi = main_pc + 8});
	assert_int_equal(r.pc_lo, main_pc + 1);
	assert_int_equal(r.pc_hi, main_pc + 8);
	assert_int_equal(r.kinds, 1u << INST_LOAD);
	r = where_names_narrow_filter(f, EV_COMMIT, "pc < main",
	                              none); /* a number above 2^63 is less, too */
	assert_int_equal(r.pc_hi, 0);
	r = where_names_narrow_filter(f, EV_COMMIT, "pc < 3 and pc > 5", none);
	assert_true(r.pc_hi && r.pc_hi <= r.pc_lo);
	r = where_names_narrow_filter(f, EV_COMMIT, "result % 3 == 1 and pc == main", none);
	assert_int_equal(r.pc_hi, 0);
	r = where_names_narrow_filter(f, EV_COMMIT, "pc == main or pc == twice", none);
	assert_int_equal(r.pc_hi, 0);
	assert_non_null(r.where);
	r = where_names_narrow_filter(f, EV_OUTPUT, "pc == main", none);
	assert_int_equal(r.pc_hi, 0);
	r = where_names_narrow_filter(f, EV_COMMIT, "a0 == 3",
	                              none); /* the machine's word: after the cycle */
	assert_null(r.where);
}

TEST_GROUP(fixture_up, fixture_down)
