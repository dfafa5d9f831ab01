/* The command language moves the machine: goto, end and back, frames, input, displays, files. */
#include "tests/unit/ui/console_program.h"

/* ---- moving ---- */
TEST(test_lines_of_source)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; tbreak main; continue");
	uint64_t at_main = console_program_cycle(f);
	for (int i = 0; i < 50 && !strstr(f->out, "17\t"); i++)
		console_fixture_answer(f, "next");
	/* All calls of the loop were stepped over. */
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 5\n");
	console_fixture_answer(f, "reverse-next");
	assert_true(console_program_cycle(f) > at_main);
	console_fixture_answer(f, "starti; tbreak twice; continue; up");
	console_fixture_assert_has(f->out, "main");
	console_fixture_assert_has(console_fixture_answer(f, "down"), "twice");
	console_fixture_assert_has(console_fixture_answer(f, "finish"),
	                           "Returned from twice, a0 = 0\n");
	console_fixture_assert_has(console_fixture_answer(f, "backtrace"), "main");
	console_fixture_answer(f, "tbreak twice; continue");
	uint64_t second = console_program_cycle(f);
	console_fixture_answer(f, "reverse-finish");
	assert_true(console_program_cycle(f) < second);
	assert_string_equal(console_fixture_answer(f, "print func()"), "func() = \"main\"\n");
	console_fixture_answer(f, "advance twice");
	assert_string_equal(console_fixture_answer(f, "print func()"), "func() = \"twice\"\n");
	console_fixture_answer(f, "starti; advance guest.c:16");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 5\n");
	console_fixture_assert_has(console_fixture_answer(f, "list twice"), "int twice(int x)");
	console_fixture_assert_has(console_fixture_answer(f, "list 1,3"), "hello");
	console_fixture_answer(f, "reverse-until twice");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 4\n");
}

/* Lines from the current one, ranges of lines, other frames, and the errors of each. */
TEST(test_relative_places)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; tbreak twice; continue");
	console_fixture_assert_has(console_fixture_answer(f, "tbreak +1"), "guest.c:9");
	console_fixture_assert_has(console_fixture_answer(f, "delete; until +1"), "\n9\t");
	console_fixture_assert_has(console_fixture_answer(f, "tbreak -1"), "guest.c:8");
	console_fixture_assert_has(console_fixture_refusal(f, "tbreak -9"), "the current line is");
	console_fixture_assert_has(console_fixture_answer(f, "info frame 1"), "#1  0x");
	console_fixture_assert_has(console_fixture_answer(f, "print func()"), "twice");
	console_fixture_assert_has(console_fixture_refusal(f, "info frame 9"), "outermost");
	/* Registers are those of the selected frame. */
	console_fixture_assert_has(console_fixture_answer(f, "print $pc"), "<twice");
	console_fixture_assert_has(console_fixture_answer(f, "up; print $pc"), "<main+");
	console_fixture_assert_has(console_fixture_answer(f, "print $ra"), "<main+");
	console_fixture_assert_has(console_fixture_answer(f, "info registers pc"), "main+");
	console_fixture_assert_has(console_fixture_refusal(f, "set $s0 = 1"), "use `frame 0`");
	console_fixture_assert_has(console_fixture_answer(f, "down; print $pc"), "<twice");
	assert_string_equal(console_fixture_answer(f, "list guest.c:7,+1"),
	                    "  7\t{\n  8\t\tcounter++;\n");
	assert_string_equal(console_fixture_answer(f, "list guest.c:4,guest.c:5"),
	                    "  4\tunsigned char small = 200;\n  5\tdouble half = 0.5;\n");
	assert_string_equal(console_fixture_answer(f, "list 4,4"),
	                    "  4\tunsigned char small = 200;\n");
	console_fixture_assert_has(console_fixture_answer(f, "list ,10"), "  1\tvolatile");
	console_fixture_assert_has(console_fixture_answer(f, "list main,"), "  21\t");
	console_fixture_assert_has(console_fixture_refusal(f, "list 9,5"), "line 5 is before");
	/* A line without code is the middle of what is listed. */
	static const char *const no_code[] = {"list 6", "list guest.c:6", "list -3", "list 5,14"};
	for (unsigned i = 0; i < sizeof no_code / sizeof *no_code; i++) {
		const char *text = console_fixture_answer(f, no_code[i]);
		const bool range = strchr(no_code[i], ',');
		assert_int_equal(strncmp(text, range ? "  5\t" : "  1\t", 4), 0);
		assert_int_equal(!strstr(text, "\n  11\t"), !range);
	}
	assert_string_equal(console_fixture_refusal(f, "list 9999"),
	                    console_fixture_refusal(f, "list guest.c:9999"));
	console_fixture_assert_has(f->c.err.msg, "guest.c has ");
	/* Watchpoints alone; the place of an expression, whatever becomes of its call. */
	console_fixture_answer(f, "delete; break twice");
	assert_string_equal(console_fixture_answer(f, "info watchpoints"), "No watchpoints\n");
	console_fixture_answer(f, "watch -l numbers[1]");
	console_fixture_assert_has(console_fixture_answer(f, "info watchpoints"), "-location num");
	assert_null(strstr(f->out, "twice"));
	console_fixture_assert_has(console_fixture_refusal(f, "break twice if x = 3"), "assign");
	console_fixture_assert_has(console_fixture_refusal(f, "break main if twice(1)"), "function called");
	console_fixture_answer(f, "delete");
}

/* Checkpoints: by recorded history while that has the state, else with a history of their own. */
TEST(test_checkpoints)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; break twice; continue; continue; checkpoint");
	console_fixture_assert_has(f->out, "Checkpoint 1: cycle ");
	const uint64_t there = console_program_cycle(f);
	console_fixture_answer(f, "continue; checkpoint; restart 1");
	assert_int_equal(console_program_cycle(f), there);
	console_fixture_assert_has(f->out, "(guest.c:8)");
	console_fixture_assert_has(console_fixture_answer(f, "print x"), " = 1\n");
	console_fixture_assert_has(console_fixture_answer(f, "info history"), "cycles 0 to ");
	/* A change in the checkpoint's own cycle is undone: history stays. */
	console_fixture_answer(f, "set var counter = 60; continue; restart 1");
	assert_null(strstr(f->out, "begins here"));
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 1\n");
	console_fixture_assert_has(console_fixture_answer(f, "info history"), "cycles 0 to ");
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"), "(x=0)");
	console_fixture_answer(f, "restart 1");
	console_fixture_answer(f, "set var counter = 50; restart 2");
	assert_null(strstr(f->out, "begins here"));
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 2\n");
	console_fixture_assert_has(console_fixture_answer(f, "info history"), "cycles 0 to ");
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue; print x + counter"),
	                           " = 2\n");
	/* Back and forth between two pasts: each has its own changes. */
	console_fixture_answer(f, "restart 1; set var counter = 30; continue; checkpoint");
	for (int i = 0; i < 2; i++) {
		console_fixture_answer(f, "restart 2; reverse-continue; print counter");
		console_fixture_assert_has(f->out, " = 1\n");
		console_fixture_answer(f, "restart 3; print counter; reverse-stepi 3");
		console_fixture_assert_has(f->out, " = 31\n");
		assert_null(strstr(f->out, "begins here"));
		console_fixture_answer(f, "reverse-continue; print counter");
		console_fixture_assert_has(f->out, " = 30\n");
	}
	console_fixture_answer(f, "delete checkpoint 3");
	console_fixture_answer(f, "restart 1");
	assert_int_equal(console_program_cycle(f), there);
	console_fixture_assert_has(console_fixture_answer(f, "print x + counter"), " = 2\n");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "(x=2)");
	console_fixture_assert_has(console_fixture_refusal(f, "restart 9"), "no checkpoint 9");
	console_fixture_answer(f, "delete checkpoint 1; info checkpoints");
	console_fixture_assert_has(f->out, "2   cycle ");
	assert_null(strstr(f->out, "1   cycle "));
	console_fixture_answer(f, "starti");
	console_fixture_assert_has(console_fixture_refusal(f, "restart 2"), "no checkpoints");
	console_fixture_answer(f, "delete");
}

/* A breakpoint's stop, and every question after it, are at the place before its instruction, though
 * later ones committed in the same cycle; motions and changes begin there. */
TEST(test_place)
{
	struct fixture *f = fixture_of(state);
	char asked[160];
	console_fixture_answer(f, "starti; delete; break twice");
	for (int i = 0; i < 5; i++) {
		snprintf(asked, sizeof asked, "(x=%d) at guest.c:8", i);
		console_fixture_assert_has(console_fixture_answer(f, "continue"), asked);
		console_fixture_assert_has(console_fixture_answer(f, "backtrace"), asked);
		snprintf(asked, sizeof asked, " = %d\n", i);
		console_fixture_assert_has(console_fixture_answer(f, "print x"), asked);
		console_fixture_assert_has(console_fixture_answer(f, "print $a0"), asked);
		console_fixture_assert_has(console_fixture_answer(f, "print counter"), asked);
		snprintf(asked, sizeof asked, "x = %d\n", i);
		console_fixture_assert_has(console_fixture_answer(f, "info args"), asked);
		console_fixture_assert_has(console_fixture_answer(f, "print func()"), "\"twice\"");
	}
	/* Steps by lines show each line, also several of one cycle. */
	console_fixture_answer(f, "starti; continue");
	console_fixture_assert_has(console_fixture_answer(f, "next"), "\n9\t");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 1\n");
	console_fixture_assert_has(console_fixture_answer(f, "next"), "\n14\t");
	console_fixture_assert_has(console_fixture_answer(f, "reverse-stepi"), "guest.c:15");
	/* From there, the call can still be finished, and its argument changed. */
	console_fixture_answer(f, "continue; set var x = 100");
	console_fixture_assert_has(console_fixture_answer(f, "print x"), " = 100\n");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 1\n");
	console_fixture_assert_has(console_fixture_answer(f, "finish"), "Value returned = 200\n");
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"), "(x=");
	/* A breakpoint on an instruction that commits alone stops once: `step` leaves it. */
	console_fixture_answer(f, "starti; delete; break guest.c:23; continue");
	const uint64_t before = console_program_cycle(f);
	console_fixture_answer(f, "step");
	assert_null(strstr(f->out, "Breakpoint "));
	assert_int_equal(console_program_cycle(f), before + 1);
	console_fixture_answer(f, "delete; starti");
}

/* Back over calls, an instruction at a time: each step is in main, and their number equals that
 * forwards. */
TEST(test_back_over_calls)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; tbreak twice; continue");
	const uint64_t entered = console_program_cycle(f);
	console_fixture_answer(f, "finish");
	uint64_t before = console_program_cycle(f);
	unsigned back = 0;
	assert_true(before > entered);
	while (before > entered && back++ < 20) {
		console_fixture_answer(f, "reverse-nexti");
		assert_true(console_program_cycle(f) < before);
		assert_string_equal(console_fixture_answer(f, "print func()"),
		                    "func() = \"main\"\n");
		before = console_program_cycle(f);
	}
	assert_in_range(back, 1, 19);
	/* a step into calls passes through the function */
	console_fixture_answer(f, "tbreak twice; continue; finish");
	bool inside = false;
	for (unsigned i = 0; i < 20 && console_program_cycle(f) > entered; i++) {
		console_fixture_answer(f, "reverse-stepi");
		inside |= strstr(console_fixture_answer(f, "print func()"), "twice") != NULL;
	}
	assert_true(inside);
}

TEST(test_end_and_back)
{
	struct fixture *f = fixture_of(state);
	char expected[64], kept[64];
	snprintf(expected, sizeof expected, "exited with status %d", GUEST_STATUS);
	snprintf(kept, sizeof kept, "= %d\n", GUEST_STATUS);
	console_fixture_answer(f, "starti; delete");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), expected);
	uint64_t end = console_program_cycle(f);
	console_fixture_assert_has(console_fixture_refusal(f, "step"), "ended");
	console_fixture_assert_has(console_fixture_answer(f, "print $_exitcode"), kept);
	console_fixture_assert_has(console_fixture_answer(f, "reverse-step 10"),
	                           "10 before the newest");
	console_fixture_assert_has(console_fixture_answer(f, "step 100"), expected);
	assert_int_equal(console_program_cycle(f), end);
	console_fixture_assert_has(console_fixture_answer(f, "reverse-continue"),
	                           "Beginning of history");
	assert_int_equal(console_program_cycle(f), 0);
	console_fixture_answer(f, "goto live");
	assert_int_equal(console_program_cycle(f), end);
	console_fixture_answer(f, "goto start; goto +100; goto -1");
	assert_int_equal(console_program_cycle(f), 99);
	console_fixture_answer(f, "goto #20; why #20");
	console_fixture_refusal(f, "why #999999");
	console_fixture_refusal(f, "goto nowhere");
}

/* A frame stays selected until the machine moves, even if it returns to its place. */
TEST(test_frame_of_a_moment)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "delete; starti; break twice; continue");
	console_fixture_assert_has(console_fixture_answer(f, "up"), "main");
	console_fixture_answer(f, "step 3");
	assert_null(strstr(console_fixture_answer(f, "reverse-step 3"), "called from"));
	console_fixture_answer(f, "delete");
}

/* Numbers as printed, and other forms that users type for a place. */
TEST(test_numbers_as_shown)
{
	struct fixture *f = fixture_of(state);
	console_fixture_assert_has(console_fixture_answer(f, "print 1,000"), "= 1000\n");
	console_fixture_assert_has(console_fixture_answer(f, "print 2 * 1,234,567 + 1"),
	                           "= 2469135\n");
	assert_string_equal(
		console_fixture_answer(f, "print 1,000 == 1000 and math.max(1,000) == 1"),
		"1,000 == 1000 and math.max(1,000) == 1 = true\n");
	/* Any other comma is C's. */
	console_fixture_assert_has(console_fixture_answer(f, "print 1,0000"), "= 0\n");
	console_fixture_assert_has(console_fixture_answer(f, "print a0, 7"), "= 7\n");
	console_fixture_assert_has(console_fixture_refusal(f, "goto 1,00 ~ 3"), "one value");
	console_fixture_assert_has(
		console_fixture_answer(f,
	                               "print (function() local a, b = 1, 2; return a + b end)()"),
		"= 3");
	console_fixture_answer(f, "starti; delete; goto 1,000 - 900");
	assert_int_equal(console_program_cycle(f), 100);
	console_fixture_answer(f, "goto cycle 90");
	assert_int_equal(console_program_cycle(f), 90);
	console_fixture_answer(f, "goto cycle");
	assert_int_equal(console_program_cycle(f), 90);
}

TEST(test_goto_place)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; goto main");
	assert_string_equal(console_fixture_answer(f, "print func()"), "func() = \"main\"\n");
	console_fixture_answer(f, "starti; advance main");
	const uint64_t at_main = console_program_cycle(f);
	console_fixture_answer(f, "starti; goto main");
	assert_int_equal(console_program_cycle(f), at_main);
	console_fixture_answer(f, "goto twice; goto twice; goto twice");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 2\n");
	console_fixture_answer(f, "starti; goto guest.c:16");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), "= 5\n");
	console_fixture_answer(f, "starti; goto *twice");
	assert_string_equal(console_fixture_answer(f, "print func()"), "func() = \"twice\"\n");
	console_fixture_assert_has(console_fixture_refusal(f, "goto counter"), "counter is data");
	/* A place that is never reached again: the machine stays. */
	const uint64_t there = console_program_cycle(f);
	console_fixture_assert_has(console_fixture_refusal(f, "goto main"),
	                           "does not reach main again before it ends in cycle");
	assert_int_equal(console_program_cycle(f), there);
	console_fixture_answer(f, "continue");
	console_fixture_assert_has(console_fixture_refusal(f, "goto main"),
	                           "the program has ended, without reaching main again");
	console_fixture_assert_has(console_fixture_answer(f, "reverse-until main"), "main");
	console_fixture_answer(f, "starti");
}

/* The program's input is the file of the last `set stdin`, from its beginning in each run. */
TEST(test_input)
{
	fixture_of(state);
	struct fixture r = {0};
	struct err err;
	char path[160], line[200];
	assert_true(
		cross_build(&r.cross, "c",
	                    "void _start(void) { static char byte; register long a0 "
	                    "__asm__(\"a0\") = 0, a2 __asm__(\"a2\") = 1, "
	                    "a7 __asm__(\"a7\") = 63; register char *a1 __asm__(\"a1\") = &byte; "
	                    "__asm__ volatile(\"ecall\" : \"+r\"(a0) : \"r\"(a1), \"r\"(a2), "
	                    "\"r\"(a7) : \"memory\"); "
	                    "a0 = byte; a7 = 93; __asm__ volatile(\"ecall\" : : \"r\"(a0), "
	                    "\"r\"(a7)); for (;;); }",
	                    "-static -nostdlib -nostartfiles"));
	assert_non_null(r.s = fixture_session(r.cross.program, &err));
	assert_true(console_init(&r.c, r.s, fixture_write, &r, &err));
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/input%d", r.cross.dir, i);
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fputs(i ? "b" : "a", file);
		fclose(file);
	}
	console_fixture_assert_has(console_fixture_answer(&r, "run"), "exited with status 0");
	snprintf(line, sizeof line, "run < %s/input0", r.cross.dir);
	console_fixture_assert_has(console_fixture_answer(&r, line), "exited with status 97");
	console_fixture_assert_has(console_fixture_answer(&r, "run"), "exited with status 97");
	/* Settings made meanwhile apply to the next run. */
	console_fixture_answer(&r, "starti");
	snprintf(line, sizeof line, "set stdin %s/input1", r.cross.dir);
	console_fixture_answer(&r, line);
	console_fixture_answer(&r, line);
	console_fixture_assert_has(console_fixture_answer(&r, "continue"), "exited with status 97");
	console_fixture_assert_has(console_fixture_answer(&r, "run"), "exited with status 98");
	console_fixture_assert_has(console_fixture_refusal(&r, "run < nowhere/at/all"),
	                           "nowhere/at/all: No such file");
	snprintf(line, sizeof line, "set stdin %s", r.cross.dir);
	console_fixture_assert_has(console_fixture_refusal(&r, line), "is a folder");
	/* A pipe is not opened for writing until the guest reads. */
	snprintf(path, sizeof path, "%s/pipe", r.cross.dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(line, sizeof line, "set stdin %s", path);
	console_fixture_answer(&r, line);
	console_fixture_answer(&r, "starti");
	const int writer = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(writer >= 0);
	assert_int_equal(write(writer, "c", 1), 1);
	console_fixture_assert_has(console_fixture_answer(&r, "continue"), "exited with status 99");
	close(writer);
	unlink(path);
	snprintf(line, sizeof line, "set stdin %s/input1", r.cross.dir);
	console_fixture_answer(&r, line);
	console_fixture_assert_has(console_fixture_refusal(&r, "set stdin"), "set stdin FILE");
	console_fixture_assert_has(console_fixture_refusal(&r, "run some words"), "run < FILE");
	console_fixture_assert_has(console_fixture_answer(&r, "run"), "exited with status 98");
	r.s->reach = REACH_SCRIPT;
	console_fixture_assert_has(console_fixture_refusal(&r, "set stdin /dev/null"),
	                           "--lua-safe");
	console_deinit(&r.c);
	session_free(r.s);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/input%d", r.cross.dir, i);
		unlink(path);
	}
	cross_remove(&r.cross);
}

TEST(test_set)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; tbreak twice; continue; set a0 = 21");
	console_fixture_assert_has(console_fixture_answer(f, "finish"), "a0 = 42");
	console_fixture_answer(f, "set counter = 7; set numbers[0] = 5");
	console_fixture_assert_has(console_fixture_answer(f, "print counter + numbers[0]"),
	                           "= 12\n");
	console_fixture_assert_has(console_fixture_answer(f, "continue"), "exited");
	console_fixture_answer(f, "set pipe.rob_size = 16");
	console_fixture_assert_has(console_fixture_answer(f, "config rob_size"),
	                           "16 from the next run");
	console_fixture_answer(f, "starti");
	assert_string_equal(console_fixture_answer(f, "print pipe.rob_size"),
	                    "pipe.rob_size = 16 (0x10)\n");
	console_fixture_answer(f, "set pipe.rob_size = 64; starti");
	console_fixture_assert_has(console_fixture_refusal(f, "set pipe.rob_sise = 1"),
	                           "did you mean 'pipe.rob_size'");
	console_fixture_assert_has(console_fixture_refusal(f, "set width 3"), "20 to 1000");
	console_fixture_assert_has(console_fixture_refusal(f, "set echo loudly"), "on or off");
	console_fixture_refusal(f, "set pipe.rob_size = 0");
	console_fixture_refusal(f, "set l1d.size = 3");
	console_fixture_refusal(f, "set zero = 1");
	console_fixture_refusal(f, "set pc = 3");
	console_fixture_refusal(f, "set mem64(8) = 1");
	console_fixture_refusal(f, "set t3 = 1.5");
}

TEST(test_display)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; display cycle; display view rob");
	console_fixture_assert_has(console_fixture_answer(f, "step 30"), "cycle = 30\n");
	console_fixture_assert_has(f->out, "Reorder buffer");
	console_fixture_refusal(f, "display nonsense");
	console_fixture_refusal(f, "undisplay 17");
	console_fixture_answer(f, "undisplay 1; undisplay");
	assert_null(strstr(console_fixture_answer(f, "step"), "cycle = "));
}

TEST(test_looking)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; tbreak twice; continue");
	console_fixture_assert_has(console_fixture_answer(f, "x/s text"), "\"hello\"");
	console_fixture_assert_has(console_fixture_answer(f, "x/2dw &counter"), "\t0");
	console_fixture_assert_has(console_fixture_answer(f, "x/1fg &half"), "0.5");
	console_fixture_assert_has(console_fixture_answer(f, "x/2i twice"), "<twice>");
	console_fixture_assert_has(console_fixture_answer(f, "print/x 255"), "0xff");
	console_fixture_assert_has(console_fixture_answer(f, "print/t 5"), "= 101\n");
	console_fixture_assert_has(console_fixture_answer(f, "print/c 65"), "'A'");
	console_fixture_assert_has(console_fixture_answer(f, "print/a twice"), "<twice>");
	console_fixture_assert_has(console_fixture_answer(f, "print/s text"), "\"hello\"");
	console_fixture_assert_has(console_fixture_answer(f, "disassemble twice"), "<twice>");
	console_fixture_assert_has(console_fixture_answer(f, "info registers sp pc"), "sp");
	console_fixture_assert_has(console_fixture_answer(f, "info line twice"), "guest.c:");
	console_fixture_assert_has(console_fixture_answer(f, "info symbol numbers + 0"), "numbers");
	console_fixture_assert_has(console_fixture_answer(f, "info functions twi"), "twice");
	console_fixture_assert_has(console_fixture_answer(f, "info memory"), "stack");
	console_fixture_assert_has(console_fixture_answer(f, "stats *.ipc"), "sim.ipc");
	console_fixture_assert_has(console_fixture_answer(f, "stats --json"), "\"sim.cycles\": ");
	console_fixture_assert_has(console_fixture_answer(f, "view rob --json"),
	                           "\"view\": \"rob\"");
	console_fixture_assert_has(console_fixture_answer(f, "why"), "#");
	console_fixture_assert_has(console_fixture_refusal(f, "view robb"), "did you mean 'rob'");
	console_fixture_assert_has(console_fixture_answer(f, "rob"), "Reorder buffer");
	console_fixture_assert_has(console_fixture_refusal(f, "stats sim.ipcc"), "sim.ipc");
	console_fixture_assert_has(console_fixture_refusal(f, "info nonsens"), "info");
	console_fixture_refusal(f, "x/8xg 0");
	console_fixture_refusal(f, "x/q 0");
	console_fixture_assert_has(console_fixture_answer(f, "print"), "= ");
}

/* ---- files ---- */
TEST(test_source)
{
	struct fixture *f = fixture_of(state);
	char path[160], line[200];
	snprintf(path, sizeof path, "%s/commands", f->cross.dir);
	FILE *file = fopen(path, "w");
	fputs("# a comment\necho one\n\necho two\nnonsense\necho three\n", file);
	fclose(file);
	snprintf(line, sizeof line, "source %s", path);
	const char *msg = console_fixture_refusal(f, line);
	console_fixture_assert_has(msg, "commands:5: ");
	assert_string_equal(f->out, "one\ntwo\n");
	file = fopen(path, "w");
	fputs("# unsaid\nset echo on\n# said\n#\n\necho one\nset echo off\n# unsaid\n", file);
	fclose(file);
	assert_string_equal(console_fixture_answer(f, line),
	                    "said\n\n\n(cyclops) echo one\none\n(cyclops) set echo off\n");
	file = fopen(path, "w");
	fprintf(file, "source %s\n", path);
	fclose(file);
	console_fixture_assert_has(console_fixture_refusal(f, line), "nested too deeply");
	unlink(path);
	console_fixture_assert_has(console_fixture_refusal(f, line), "No such file");
}

TEST(test_checkpoint)
{
	struct fixture *f = fixture_of(state);
	char path[160], line[200];
	snprintf(path, sizeof path, "%s/checkpoint", f->cross.dir);
	console_fixture_answer(f, "starti; delete; step 200");
	uint64_t there = machine_hash(f->s->machine);
	snprintf(line, sizeof line, "save %s", path);
	console_fixture_assert_has(console_fixture_answer(f, line), "Saved cycle 200");
	console_fixture_answer(f, "step 100");
	uint64_t later = machine_hash(f->s->machine);
	snprintf(line, sizeof line, "restore %s", path);
	console_fixture_answer(f, line);
	assert_int_equal(machine_hash(f->s->machine), there);
	console_fixture_answer(f, "step 100");
	assert_int_equal(machine_hash(f->s->machine), later);

	/* A file with any byte changed, or cut anywhere, is refused and nothing changes. */
	FILE *file = fopen(path, "rb");
	fseek(file, 0, SEEK_END);
	size_t n = (size_t)ftell(file);
	char *bytes = malloc(n);
	rewind(file);
	assert_int_equal(fread(bytes, 1, n, file), n);
	fclose(file);
	for (size_t at = 0; at < n; at = at < 200 ? at + 7 : at * 5 / 4) {
		file = fopen(path, "wb");
		bytes[at] ^= 0x40;
		fwrite(bytes, 1, n, file);
		fclose(file);
		bytes[at] ^= 0x40;
		assert_true(strlen(console_fixture_refusal(f, line)) > 10);
		file = fopen(path, "wb");
		fwrite(bytes, 1, at, file);
		fclose(file);
		console_fixture_refusal(f, line);
		assert_int_equal(machine_hash(f->s->machine), later);
	}
	file = fopen(path, "wb");
	fwrite(bytes, 1, n, file);
	fclose(file);
	free(bytes);
	console_fixture_answer(f, line);

	/* A file of another program. */
	struct cross other;
	struct err err;
	assert_true(cross_build(&other, "c", "void _start(void) { for (;;); }",
	                        "-static -nostdlib -nostartfiles"));
	struct session *s = fixture_session(other.program, &err);
	assert_non_null(s);
	assert_null(checkpoint_load(s, path, &err));
	console_fixture_assert_has(err.msg, "another program");
	session_free(s);
	cross_remove(&other);
	unlink(path);
}

TEST_GROUP(fixture_up, fixture_down)
