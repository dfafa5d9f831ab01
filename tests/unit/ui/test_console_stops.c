/* Stop points of the command language: places, messages, commands. */
#include "tests/unit/ui/console_fixture.h"

#include <stdlib.h>

#include "hwviews/grid/grid.h"
#include "ui/console/stops.h"

TEST(test_breakpoints)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete");
	console_fixture_assert_has(console_fixture_answer(f, "break twice"), " at twice (guest.c:");
	console_fixture_assert_has(console_fixture_answer(f, "continue"),
	                           ", twice (x=0) at guest.c:");
	console_fixture_assert_has(console_fixture_answer(f, "info breakpoints"), "hit 1 time");
	console_fixture_answer(f, "delete");
	console_fixture_assert_has(console_fixture_answer(f, "break guest.c:9 if x10 == 3"),
	                           "if x10 == 3");
	console_fixture_answer(f, "delete; tbreak *twice fetch");
	console_fixture_answer(f, "starti");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "Temporary breakpoint");
	console_fixture_assert_has(console_fixture_answer(f, "info breakpoints"), "No breakpoints");
	console_fixture_assert_has(console_fixture_refusal(f, "break twcie"),
	                           "did you mean 'twice'");
	console_fixture_assert_has(console_fixture_refusal(f, "break numbers"), "watch numbers");
	console_fixture_assert_has(console_fixture_refusal(f, "break guest.c:9999"), "9999");
	console_fixture_assert_has(console_fixture_refusal(f, "break *1"), "odd");
	console_fixture_assert_has(console_fixture_refusal(f, "break twice if"), "no condition given");
	console_fixture_refusal(f, "break twice if nonsense(1)");
	console_fixture_assert_has(console_fixture_refusal(f, "delete 99"), "no breakpoints");
	console_fixture_assert_has(console_fixture_refusal(f, "condition 99 a0"), "no breakpoints");
	console_fixture_assert_has(console_fixture_answer(f, "info breakpoints"), "No breakpoints");
}

static unsigned console_stops_count_occurrences(const char *text, const char *part)
{
	unsigned n = 0;
	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* The stop point that was added last. */
static const struct stop_point *console_stops_newest(const struct fixture *f)
{
	unsigned n = 0;
	while (run_stop_at(f->s->run, n))
		n++;
	assert_int_not_equal(n, 0);
	return run_stop_at(f->s->run, n - 1);
}

/* Fills a stop point's number into the format's %d; valid until the next call. */
static const char *console_stops_numbered(const char *format, int id)
{
	static char text[160];
	snprintf(text, sizeof text, format, id);
	return text;
}

TEST(test_commands_of_stops)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "delete; starti; break twice; break twice if a0 == 2");
	const int first = run_stop_at(f->s->run, 0)->id;
	char line[96];
	snprintf(line, sizeof line, "number '99'; there is %d, %d", first, first + 1);
	console_fixture_assert_has(console_fixture_refusal(f, "ignore 99 1"), line);
	snprintf(line, sizeof line, "commands %d; silent; print 10 * a0; continue; print 999; end",
	         first);
	assert_string_equal(console_fixture_answer(f, line), "");
	/* Lines one by one, including empty ones. */
	console_fixture_answer(f, "commands");
	assert_string_equal(console_fixture_answer(f, "  nonsense of all kinds"), "");
	assert_string_equal(console_fixture_answer(f, ""), "");
	console_fixture_answer(f, "end");
	console_fixture_assert_has(console_fixture_answer(f, "info breakpoints"),
	                           "        silent\n        print 10 * a0\n        continue\n");
	/* Commands due with the first are dropped as it continues; each stop has its turn; no
	 * message appears. */
	static const char *const hex[] = {"", " (0xa)", " (0x14)", " (0x1e)", " (0x28)"};
	const char *out = console_fixture_answer(f, "continue");
	for (int i = 0; i < 5; i++) {
		snprintf(line, sizeof line, "10 * a0 = %d%s\n", 10 * i, hex[i]);
		console_fixture_assert_has(out, line);
	}
	assert_int_equal(console_stops_count_occurrences(out, "reakpoint"),
	                 1); /* the second, which is not silent */
	assert_null(strstr(out, "999"));
	assert_int_equal(console_stops_count_occurrences(out, "10 * a0"), 5);
	console_fixture_assert_has(out, "exited with status");
	/* A failing list is an error; the other stop point's list alone is not. */
	snprintf(line, sizeof line, "starti; delete %d", first);
	console_fixture_answer(f, line);
	console_fixture_assert_has(console_fixture_refusal(f, "continue"),
	                           "no command is called 'nonsense'");
	console_fixture_assert_has(f->out, "Breakpoint ");
	/* Two hits at once run both lists in order; a list that moves the machine drops the
	 * rest. */
	console_fixture_answer(
		f, "delete; starti; break twice; commands; echo one; end; break twice; commands; "
		   "echo two; end; continue");
	console_fixture_assert_has(f->out, "one\ntwo\n");
	console_fixture_answer(f, "commands; end; continue");
	console_fixture_assert_has(f->out, "one\n");
	assert_null(strstr(f->out, "two"));
	/* Stepping onto a breakpoint is a stop as well. */
	console_fixture_answer(f,
	                       "delete; starti; tbreak main; commands; print 5 + 6; end; continue");
	console_fixture_assert_has(f->out, "= 11");
	console_fixture_answer(f, "continue");
	assert_null(strstr(f->out, "5 + 6"));
	console_fixture_answer(f, "delete");
	console_fixture_assert_has(console_fixture_refusal(f, "commands"), "no breakpoint yet");
	console_fixture_refusal(f, "commands 99");
	console_fixture_answer(f, "break twice; commands; commands; end; starti");
	console_fixture_assert_has(console_fixture_refusal(f, "continue"), "can't contain");
	console_fixture_answer(f, "delete");
}

TEST(test_rwatch)
{
	struct fixture *f = fixture_of(state);
	console_fixture_assert_has(console_fixture_answer(f, "delete; starti; rwatch counter"),
	                           "Read watchpoint");
	console_fixture_assert_has(f->out, "on counter: 4 bytes of memory at 0x");
	console_fixture_assert_has(console_fixture_answer(f, "view breakpoints"), "watch reads");
	for (int i = 0; i < 5; i++) {
		console_fixture_assert_has(console_fixture_answer(f, "continue"),
		                           "Read watchpoint");
		console_fixture_assert_has(f->out, "counter #");
		console_fixture_assert_has(f->out, "at guest.c:8: result 0x");
		char now[32];
		snprintf(now, sizeof now, " = %d\n", i);
		console_fixture_assert_has(console_fixture_answer(f, "print counter"), now);
	}
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "exited");
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"),
	                           "Read watchpoint");
	/* Reads of any watched byte stop; reads of other bytes, and writes, do not. */
	console_fixture_answer(f, "delete; starti; rwatch numbers,1; continue");
	console_fixture_assert_has(f->out, "result 0xa, ");
	console_fixture_answer(f, "delete; starti; rwatch numbers[0]; continue");
	console_fixture_assert_has(f->out, "result 0xa, ");
	console_fixture_answer(f, "delete; starti; rwatch numbers+7,1; continue");
	console_fixture_assert_has(f->out, "result 0xa, ");
	console_fixture_assert_has(
		console_fixture_answer(f, "delete; starti; rwatch numbers+8,24; continue"),
		"exited");
	console_fixture_assert_has(
		console_fixture_answer(f, "delete; starti; rwatch small; continue"), "exited");
	console_fixture_answer(f, "delete; starti; rwatch counter if result == 3; continue");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 3\n");
	console_fixture_answer(f, "delete; starti");
	console_fixture_assert_has(console_fixture_refusal(f, "rwatch a0"), "only memory");
	console_fixture_assert_has(console_fixture_refusal(f, "rwatch sim.ipc"), "only memory");
	console_fixture_assert_has(console_fixture_refusal(f, "rwatch"), "no memory given");
	console_fixture_assert_has(console_fixture_refusal(f, "rwatch 0x10,4"),
	                           "Cannot access memory");
	console_fixture_assert_has(console_fixture_refusal(f, "rwatch counter if nonsense"),
	                           "nonsense");
	/* a number without a sign is printed without one */
	console_fixture_answer(
		f, "delete; starti; set counter = 254; watch *(unsigned char *)&counter");
	console_fixture_assert_has(console_fixture_answer(f, "continue"),
	                           ": 254 (0xfe) -> 255 (0xff)");
}

/* A variable of a call: not another function's variable later in the same place. */
TEST(test_rwatch_of_a_call)
{
	static const char source[] =
		"__attribute__((noinline)) int f(int n) { int x = n; x = x + 1; return x; }\n"
		"__attribute__((noinline)) int g(int n) { int y = n; y = y * 2; return y; }\n"
		"int run(void) { return f(1) + g(2) + f(3); }\n"
		"void _start(void) { run(); __asm__ volatile(\"li a7, 93; ecall\"); "
	        "__builtin_unreachable(); }\n";
	static struct fixture small;
	struct err err;
	fixture_of(state);
	assert_true(cross_build(&small.cross, "c", source,
	                        "-O0 -g -static -nostdlib -nostartfiles -Wl,--no-relax"));
	small.s = fixture_session(small.cross.program, &err);
	assert_non_null(small.s);
	assert_true(console_init(&small.c, small.s, fixture_write, &small, &err));
	/* clear finds what break sets after the prologue, too */
	console_fixture_assert_has(console_fixture_answer(&small, "break g"), " at g+0x");
	const int first = console_stops_newest(&small)->id;
	console_fixture_assert_has(console_fixture_answer(&small, "clear g"),
	                           console_stops_numbered("Deleted breakpoint %d", first));
	console_fixture_assert_has(console_fixture_refusal(&small, "clear g"),
	                           "there is no breakpoint at g");
	console_fixture_answer(&small, "break g; continue");
	const int second = console_stops_newest(&small)->id;
	console_fixture_assert_has(console_fixture_answer(&small, "clear"),
	                           console_stops_numbered("Deleted breakpoint %d", second));
	console_fixture_answer(&small, "starti");
	console_fixture_assert_has(
		console_fixture_answer(&small, "tbreak *f; continue; stepi 4; rwatch x"),
		"while its call lasts");
	const int read = console_stops_newest(&small)->id;
	for (int i = 0; i < 2; i++)
		console_fixture_assert_has(console_fixture_answer(&small, "continue"), ", f+0x");
	/* A later call of the same function in the same place is a different call. */
	console_fixture_assert_has(
		console_fixture_answer(&small, "continue"),
		console_stops_numbered("Read watchpoint %1$d, x: its call has ended, and it is off "
	                               "(`enable %1$d`), run+0x",
	                               read));
	console_fixture_assert_has(console_fixture_answer(&small, "info breakpoints"),
	                           "Read watchpoint disabled");
	console_fixture_assert_has(console_fixture_answer(&small, "continue"), "exited");
	/* Its text, forwards and backwards. */
	console_fixture_assert_has(
		console_fixture_answer(&small,
	                               "delete; starti; tbreak *f; continue; stepi 4; watch x"),
		"while its call lasts");
	const int watch = console_stops_newest(&small)->id;
	console_fixture_assert_has(console_fixture_answer(&small, "continue"), "x: 0 -> 1,");
	console_fixture_assert_has(console_fixture_answer(&small, "continue"), "x: 1 -> 2,");
	console_fixture_assert_has(console_fixture_answer(&small, "continue"),
	                           console_stops_numbered("x: its call has ended, and it is off "
	                                                  "(`enable %d`), run+0x",
	                                                  watch));
	console_fixture_assert_has(
		console_fixture_answer(
			&small, console_stops_numbered(
					"reverse-stepi 5; enable %d; reverse-continue", watch)),
		"x: 1 -> 2,");
	console_fixture_assert_has(console_fixture_answer(&small, "reverse-continue"),
	                           "x: 0 -> 1,");
	console_fixture_assert_has(console_fixture_answer(&small, "reverse-continue"),
	                           console_stops_numbered("x: its call begins here, and it is off "
	                                                  "(`enable %d`), f",
	                                                  watch));
	console_fixture_assert_has(console_fixture_answer(&small, "reverse-continue"),
	                           "Beginning of history");
	console_deinit(&small.c);
	session_free(small.s);
	cross_remove(&small.cross);
}

/* A condition with an unknown word, which can never hold, is refused. */
TEST(test_wrong_words)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "delete; starti");
	console_fixture_assert_has(
		console_fixture_refusal(f, "catch mem if level == 'forwarded'"),
		"level is never 'forwarded'; did you mean 'forward'? Its words are none, "
		"forward, buffer");
	console_fixture_assert_has(
		console_fixture_refusal(f, "catch mem if latency > 3 and not ('L2' ~= level)"),
		"did you mean 'l2'?");
	console_fixture_assert_has(console_fixture_refusal(f, "catch miss if level == 'zzzzzzz'"),
	                           "level is never 'zzzzzzz'; its words are none");
	console_fixture_assert_has(console_fixture_refusal(f, "catch commit if op == 'ret'"),
	                           "op is never 'ret'");
	/* Conditions in C, and those that only Lua can read, too. */
	console_fixture_assert_has(
		console_fixture_refusal(f, "break main if a0 > 3 && rob[1].state == 'dnoe'"),
		"state is never 'dnoe'");
	console_fixture_assert_has(
		console_fixture_refusal(f,
	                                "break main if rob[1].state == 'dnoe' and #str(sp) > 2"),
		"state is never 'dnoe'");
	/* Variables are addresses there, which no test compares with numbers on purpose. */
	console_fixture_assert_has(console_fixture_refusal(f, "catch mem if counter == 3"),
	                           "'counter' is an address in conditions of events, 0x");
	console_fixture_assert_has(
		console_fixture_refusal(f, "catch mem if latency > 5 and 3 < counter"),
		"compared with a number that never changes; mem");
	console_fixture_answer(f, "catch mem if addr == counter");
	console_fixture_answer(f, "catch mem if addr >= counter and addr < counter + 8");
	console_fixture_answer(f, "catch mem if mem32(counter) == 3");
	console_fixture_answer(f, "delete");
	console_fixture_assert_has(
		console_fixture_refusal(f, "break twice if rob[1].state == 'exceuting'"),
		"did you mean 'executing'?");
	console_fixture_assert_has(console_fixture_refusal(f, "catch syscall if call == 'wrote'"),
	                           "did you mean 'write'?");
	/* the latter has no name */
	console_fixture_answer(f, "catch mem if level == 'memory' or latency == 'memory'");
	console_fixture_answer(f, "catch commit if op == 'jalr' and text == 'ret'");
	console_fixture_answer(f,
	                       "break twice if rob[1].state == 'executing' or rob[1].op ~= 'lw'");
	console_fixture_answer(f, "break twice if(rob[1].op ~= 'lw')");
	const struct stop_point *sp = run_stop_at(f->s->run, 0);
	console_fixture_assert_has(
		console_fixture_refusal(
			f, console_stops_numbered("condition %d level == 'memry'", sp->id)),
		"did you mean 'memory'");
	console_fixture_assert_has(sp->condition_text, "level == 'memory' or");
	console_fixture_answer(f, "delete");
}

/* Hits of several stop points at one place are one stop, which names all: forwards and backwards,
 * the temporary one once. An event's place is the end of its cycle: a separate stop. */
TEST(test_hit_together)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(
		f, "starti; delete; break main; break main; tbreak main; catch commit at main; "
		   "break main if 0");
	for (unsigned pass = 0; pass < 2; pass++) {
		if (pass)
			console_fixture_assert_has(
				console_fixture_answer(f, "step 50; reverse-continue"),
				"Catchpoint ");
		const char *first =
				   strstr(console_fixture_answer(
						  f, pass ? "reverse-continue" : "continue"),
			                  "Breakpoint "),
			   *second = first ? strstr(first + 1, "\nBreakpoint ") : NULL;
		const char *temporary = strstr(f->out, "\nTemporary breakpoint ");
		assert_non_null(second);
		assert_null(second ? strstr(second + 1, "\nBreakpoint ") : NULL);
		assert_null(strstr(f->out, "Catchpoint "));
		assert_true(pass ? !temporary : second < temporary);
		if (!pass)
			console_fixture_assert_has(console_fixture_answer(f, "continue"),
			                           "Catchpoint ");
	}
	/* The next motion is unaffected. */
	console_fixture_answer(f, "delete; break main; break main; starti; continue");
	console_fixture_answer(f, "delete; watch cycle");
	console_fixture_answer(f, "continue");
	console_fixture_assert_has(f->out, "Watchpoint ");
	assert_null(strstr(f->out, "Breakpoint "));
	/* Many are counted. */
	console_fixture_answer(f, "delete; starti");
	for (unsigned i = 0; i < 20; i++)
		console_fixture_answer(f, "break main");
	console_fixture_assert_has(console_fixture_answer(f, "continue"),
	                           "and 4 more in this cycle");
	console_fixture_answer(f, "delete; starti");
}

TEST(test_conditions)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; break twice if counter == 3");
	const int id = console_stops_newest(f)->id;
	console_fixture_answer(f, "continue");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 3\n");
	console_fixture_assert_has(
		console_fixture_answer(f, console_stops_numbered("condition %d", id)),
		"unconditional");
	console_fixture_answer(f, "starti; continue");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 0\n");
	console_fixture_answer(f, console_stops_numbered("ignore %d 2", id));
	console_fixture_answer(f, "continue");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 3\n");
	/* A condition that fails later stops the run with its reason. */
	console_fixture_refusal(f, "condition 99 1");
	console_fixture_answer(f, "starti");
	console_fixture_answer(
		f, console_stops_numbered("condition %d counter < 4 ? 0 : mem64(8)", id));
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "not mapped");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 4\n");
	console_fixture_answer(f, "delete");
}

TEST(test_watchpoints)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete");
	console_fixture_assert_has(console_fixture_answer(f, "watch counter"), "4 bytes of memory");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "counter: 0 -> 1, ");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "counter: 1 -> 2, ");
	/* Back over the write that stopped the program, then over the previous write. */
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"),
	                           "counter: 1 -> 2, ");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 1\n");
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"),
	                           "counter: 0 -> 1, ");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 0\n");
	console_fixture_answer(f, "delete; watch mem32(counter) if counter == 4");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "3 -> 4, ");
	console_fixture_answer(f, "delete; watch sim.syscalls");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "sim.syscalls: 0 -> 1, ");
	console_fixture_assert_has(console_fixture_answer(f, "watch rob[1].op == ' if '"),
	                           "on the value of rob[1].op == ' if ', each cycle");
	console_fixture_assert_has(
		console_fixture_answer(f, "watch rob[1].op == ' if ' if cycle > 3"),
		"on the value of rob[1].op == ' if ', each cycle, if cycle > 3");
	/* Old and new values of other types than numbers. */
	console_fixture_answer(f, "delete; starti; break twice; continue; delete; watch rob[1].op");
	const char *change = strstr(console_fixture_answer(f, "continue"), "rob[1].op: \"");
	assert_true(change && strstr(change, "\" -> "));
	/* A watched variable whose call is over stops once. */
	console_fixture_answer(f, "delete; starti; break twice; continue; delete; watch x + 0");
	console_fixture_assert_has(console_fixture_answer(f, "continue"),
	                           "has returned, and it is off (`enable ");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "exited with status 30");
	console_fixture_answer(f, "delete; starti; watch rob.count if rob.count == 3");
	console_fixture_answer(f, "continue");
	assert_string_equal(console_fixture_answer(f, "print rob.count"), "rob.count = 3\n");
	console_fixture_answer(f, "delete");
	console_fixture_assert_has(console_fixture_refusal(f, "watch 8,4"), "Cannot access memory");
	console_fixture_assert_has(console_fixture_refusal(f, "watch zero"), "never changes");
	console_fixture_refusal(f, "watch nothing_like_it");
	console_fixture_assert_has(console_fixture_answer(f, "watch $a0"), "register a0");
	console_fixture_assert_has(console_fixture_answer(f, "watch numbers,32"), "32 bytes");
	console_fixture_answer(f, "delete");
}

/* A count is no address, even if memory is mapped there. */
TEST(test_watched_counts)
{
	struct fixture *f = fixture_of(state);
	char text[600], digits[32];
	const uint64_t at = program_symbol_by_name(f->s->program, "main")->addr;
	console_fixture_answer(f, "starti; delete; watch insts; watch rob.count + 0");
	assert_string_equal(stops_value(&f->c, run_stop_at(f->s->run, 0), at, text, sizeof text),
	                    group_digits(at, digits));
	console_fixture_assert_has(
		stops_value(&f->c, run_stop_at(f->s->run, 1), at, text, sizeof text), "main");
	console_fixture_answer(f, "delete");
}

TEST(test_catch)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; catch syscall");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "syscall #");
	console_fixture_answer(f, "delete");
	console_fixture_assert_has(console_fixture_refusal(f, "catch sqash"),
	                           "did you mean 'squash'");
	console_fixture_assert_has(console_fixture_refusal(f, "catch squash nowhere"),
	                           "at LOCATION");
	console_fixture_answer(f, "catch commit in twice; starti; continue");
	assert_string_equal(console_fixture_answer(f, "print func(pc) == 'twice'"),
	                    "func(pc) == 'twice' = true\n");
	console_fixture_answer(f, "delete");
}

TEST_GROUP(fixture_up, fixture_down)
