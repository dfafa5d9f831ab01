#include "tests/unit/ui/console_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/machine/machine.h"
#include "hwviews/grid/grid.h"
#include "scripting/script.h"
#include "ui/checkpoint/checkpoint.h"
#include "ui/console/command.h"
#include "ui/help/help.h"
#include "ui/render/render_json.h"
#include "ui/render/safe_print.h"

static uint64_t cycle(const struct fixture *f)
{
	return machine_cycle(f->s->machine);
}

/* ---- lines ---- */
static void test_lines(void **state)
{
	struct fixture *f = fixture_of(state);
	assert_string_equal(answer(f, "echo a; echo b"), "a\nb\n");
	assert_string_equal(answer(f, "echo 'a; b'; echo \"c; d\""), "'a; b'\n\"c; d\"\n");
	assert_string_equal(answer(f, "echo don't; echo stop"), "don't\nstop\n");
	assert_string_equal(answer(f, "print (function() local a = 1; return a end)()"),
	                    "(function() local a = 1; return a end)() = 1\n");
	assert_string_equal(answer(f, "  ;; echo x ;"), "x\n");
	assert_string_equal(answer(f, "# echo no"), "");
	assert_string_equal(answer(f, ""), "");
	/* What stands behind a failing command does not run. */
	refusal(f, "goto 1,00");
	assert_has(f->c.err.msg, "not a count");
	refusal(f, "echo one; nonsense; echo two");
	assert_string_equal(f->out, "one\n");
	assert_int_equal(console_run(&f->c, "quit; echo no"), CMD_QUIT);
}

static void test_repeating(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti");
	answer(f, "step 3");
	answer(f, "");
	answer(f, "");
	assert_int_equal(cycle(f), 9);
	answer(f, "reverse-step 2");
	answer(f, "");
	assert_int_equal(cycle(f), 5);
	/* A command that can't be repeated leaves nothing to repeat. */
	answer(f, "goto 7");
	assert_string_equal(answer(f, ""), "");
	assert_int_equal(cycle(f), 7);
	/* x goes on where it stopped. */
	assert_has(answer(f, "x/1xg numbers"), "0x000000000000000a");
	assert_has(answer(f, ""), "0x0000000000000014");
}

static void test_finding(void **state)
{
	(void)state;
	static const char *const abbreviations[][2] = {
		{"s", "step"},
		{"si", "stepi"},
		{"n", "next"},
		{"ni", "nexti"},
		{"c", "continue"},
		{"fin", "finish"},
		{"u", "until"},
		{"b", "break"},
		{"tb", "tbreak"},
		{"d", "delete"},
		{"dis", "disable"},
		{"i", "info"},
		{"p", "print"},
		{"x", "x"},
		{"l", "list"},
		{"bt", "backtrace"},
		{"f", "frame"},
		{"r", "run"},
		{"h", "help"},
		{"q", "quit"},
		{"rs", "reverse-step"},
		{"rsi", "reverse-stepi"},
		{"rn", "reverse-next"},
		{"rc", "reverse-continue"},
		{"disas", "disassemble"},
		{"wat", "watch"},
		{"?", "help"},
		{"cont", "continue"},
		{"where", "backtrace"},
	};
	struct err err;
	for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++) {
		const struct command *cmd = command_find(NULL, abbreviations[i][0], &err);
		assert_non_null(cmd);
		assert_string_equal(cmd->name, abbreviations[i][1]);
	}
	assert_null(command_find(NULL, "re", &err));
	assert_has(err.msg, "reverse-step");
	assert_has(err.msg, "restore");
	assert_null(command_find(NULL, "brek", &err));
	assert_has(err.msg, "did you mean 'break'");
	assert_null(command_find(NULL, "zzzzzzzz", &err));
	assert_has(err.msg, "help");
}

/* The table itself: what every command must have. */
static void test_table(void **state)
{
	(void)state;
	for (unsigned i = 0; i < command_count; i++) {
		const struct command *cmd = commands[i];
		assert_true(*cmd->summary && *cmd->usage && cmd->aliases && cmd->help && cmd->exec);
		assert_true(cmd->summary[strlen(cmd->summary) - 1] != '.');
		assert_int_equal(strncmp(cmd->usage, cmd->name, strlen(cmd->name)), 0);
		size_t column = 0;
		for (const char *s = cmd->help; *s; s++) {
			column = *s == '\n' ? 0 : column + 1;
			if (column > 78)
				fail_msg("help of %s is too wide", cmd->name);
		}
		/* What takes a file's name is not for scripts that may not; `cop` says which of its
		 * words do. */
		if (cmd->complete == COMPLETE_FILE && !cmd->files && strcmp(cmd->name, "cop") != 0)
			fail_msg("%s takes files, from scripts of --lua-safe too", cmd->name);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(commands[k]->name, cmd->name);
	}
}

static void test_help(void **state)
{
	struct fixture *f = fixture_of(state);
	const char *name;
	for (unsigned i = 0; (name = help_name(&f->c, i)); i++) {
		char line[128];
		snprintf(line, sizeof line, "help %s", name);
		assert_true(strlen(answer(f, line)) > 10);
	}
	assert_has(answer(f, "help rob"), "Reorder buffer");
	assert_has(answer(f, "help pipe.rob_size"), "64");
	assert_has(answer(f, "help sim.ipc"), "cycle");
	assert_has(answer(f, "help rs"), "reverse-step");
	assert_has(answer(f, "help lua"), "cyclops.triggers");
	assert_has(answer(f, "help lua triggers"), "module cyclops.triggers: Find what is hot");
	assert_has(answer(f, "help lua cyclops.triggers"), "t:restore_all() -> COUNT");
	assert_has(answer(f, "help lua t:restore_all"), "says how many instructions");
	/* wrapped, not broken */
	assert_has(answer(f, "help lua profile"), "where the program stands behind\n    each");
	assert_has(refusal(f, "help lua trigers"), "did you mean 'triggers'");
	assert_has(answer(f, "apropos restore_all"), "t:restore_all() -> COUNT");
	assert_has(answer(f, "help mepc"), "CSR 0x341, of M-mode");
	assert_has(answer(f, "help hpmcounter7"), "hpmcounter3-31 (CSR 0xc03, read-only)");
	assert_has(refusal(f, "help hpmcounter32"), "nothing is called");
	assert_has(refusal(f, "help mepcc"), "did you mean 'mepc'");
	assert_has(answer(f, "apropos interrupted program"), "register   mepc");
	assert_has(answer(f, "apropos snapshot"), "history");
	assert_has(refusal(f, "help brek"), "did you mean 'break'");
	assert_has(refusal(f, "apropos qqqqq"), "nothing");
	/* Both meanings of a word. */
	assert_has(answer(f, "help stats"), "  sim.cycles ");
	assert_has(f->out, "stats [");
	assert_has(answer(f, "help breakpoints"), "view breakpoints");
	assert_has(f->out, "Stopping:");
	assert_has(answer(f, "help rob"), "reorder buffer:\n");
	assert_has(f->out, "\n\nview rob: ");
	/* A command, then the instruction of its name. */
	assert_has(answer(f, "help mark"), "mark [NAME]\n");
	assert_has(strstr(f->out, "mark [NAME]\n"), "instruction mark:\n");
	assert_has(answer(f, "help Wrong-Path"), "wrong path: ");
	assert_has(answer(f, "help mv"), "another spelling of addi\nclass int");
	assert_has(answer(f, "help li"), "instruction li");
	assert_null(strstr(f->out, "list [")); /* which it abbreviates as well */
	assert_has(answer(f, "apropos forwarding"), "word       forwarding");
	assert_has(answer(f, "apropos remainder"), "mnemonic   remuw");
}

static void test_aliases(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti; alias s5 = step 5");
	answer(f, "s5");
	assert_int_equal(cycle(f), 5);
	answer(f, "alias both = \"echo a; echo b\"");
	assert_string_equal(answer(f, "both"), "a\nb\n");
	answer(f, "alias say = echo");
	assert_string_equal(answer(f, "say hello there"), "hello there\n");
	answer(f, "alias loop = loop");
	assert_has(refusal(f, "loop"), "nested too deeply");
	answer(f, "unalias loop");
	refusal(f, "loop");
	refusal(f, "unalias loop");
	refusal(f, "alias a b = ");
}

static void test_shell(void **state)
{
	struct fixture *f = fixture_of(state);
	struct command_answer got = {0};
	f->c.answer = &got;
	assert_string_equal(answer(f, "shell echo a; echo b >&2"), "a\nb\n");
	assert_string_equal(answer(f, "!cat; exit 3"), "Exit status 3\n"); /* no input */
	assert_has(answer(f, "shell kill -9 $$"), "Ended by signal 9");
	assert_has(refusal(f, "shell"), "shell what");
	f->c.safe = true;
	assert_has(refusal(f, "shell echo a"), "--lua-safe forbids");
	assert_has(refusal(f, "alias s !; s echo a"), "--lua-safe forbids");
	answer(f, "delete; starti; break twice; commands");
	answer(f, "shell echo deep; echo er");
	answer(f, "end");
	assert_has(refusal(f, "continue"), "--lua-safe forbids");
	f->c.safe = false;
	answer(f, "delete; unalias s");
	f->c.answer = NULL;
}

/* ---- what is said ---- */
/* Long texts leave in pieces, none of which ends within a character. */
static void append(void *ctx, const char *text, size_t n)
{
	struct fixture *f = ctx;
	assert_true((text[0] & 0xc0) != 0x80 && f->length + n < sizeof f->out);
	memcpy(f->out + f->length, text, n);
	f->length += n;
}

static void test_pieces(void **state)
{
	struct fixture *f = fixture_of(state);
	char text[3 * 4096 + 1] = "";
	for (size_t shift = 0; shift < 3; shift++) {
		size_t n = shift;
		memset(text, 'x', shift);
		for (; n + 3 < sizeof text; n += 3)
			memcpy(text + n, "\u20ac", 3);
		f->length = 0;
		say_to(append, f, text, n);
		assert_int_equal(f->length, n);
		assert_memory_equal(f->out, text, n);
	}
}

/* What a terminal would act on, and what is no UTF-8, is escaped in JSON. */
static void test_json_text(void **state)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	(void)state;
	assert_non_null(out);
	render_json_text(out, "a\"\\\n\x1b\xc2\x85\xc2\x9b\u20ac\xff\x7f");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "\"a\\\"\\\\\\u000a\\u001b\\u0085\\u009b\u20ac\\ufffd\\u007f\"");
	free(text);
}

/* ---- completion ---- */
static bool offers(struct fixture *f, const char *line, const char *word, size_t from)
{
	size_t at;
	char *match;
	bool found = false;
	for (unsigned i = 0; (match = console_complete(&f->c, line, strlen(line), i, &at)); i++) {
		assert_int_equal(at, from);
		found |= !strcmp(match, word);
		free(match);
	}
	return found;
}

static void test_completion(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "delete; tbreak main");
	assert_true(offers(f, "rev", "reverse-step", 0));
	assert_false(offers(f, "rev", "restore", 0));
	assert_true(offers(f, "step; rev", "reverse-next", 6));
	assert_true(offers(f, "break tw", "twice", 6));
	assert_true(offers(f, "break twice if sim.i", "sim.ipc", 15));
	assert_true(offers(f, "view ro", "rob", 5));
	assert_true(offers(f, "print mem64(nu", "numbers", 12));
	assert_true(offers(f, "print s1", "s1", 6));
	answer(f, "starti; delete; tbreak twice; continue");
	assert_true(offers(f, "print ", "x", 6));
	assert_false(offers(f, "print ", "sum", 6));
	answer(f, "up");
	assert_true(offers(f, "break main if su", "sum", 14));
	assert_false(offers(f, "print ", "x", 6));
	answer(f, "starti; delete");
	assert_true(offers(f, "stats l1d.miss", "l1d.miss_rate", 6));
	assert_true(offers(f, "stats sin", "since", 6));
	assert_true(offers(f, "view hot sin", "since", 9));
	assert_false(offers(f, "view sin", "since", 5));
	answer(f, "mark twilight");
	assert_true(offers(f, "view stats since l", "last", 17));
	assert_false(offers(f, "view stats since l", "l1d", 17));
	assert_true(offers(f, "view hot since tw", "twice", 15));
	assert_true(offers(f, "stats  since tw", "twilight", 13));
	assert_false(offers(f, "view hot nosince tw", "twice", 17));
	assert_true(offers(f, "set pipe.rob", "pipe.rob_size", 4));
	assert_true(offers(f, "catch sq", "squash", 6));
	assert_true(offers(f, "info reg", "registers", 5));
	assert_true(offers(f, "help l1d.miss", "l1d.miss_rate", 5));
	assert_true(offers(f, "help reord", "reorder buffer", 5));
	assert_true(offers(f, "help fnms", "fnmsub.d", 5));
	assert_true(offers(f, "trace kon", "konata", 6));
	assert_true(offers(f, "source tests/un", "tests/unit/", 7));
	assert_false(offers(f, "nonsense x", "x", 9));
	answer(f, "delete");
}

/* ---- moving ---- */
static void test_lines_of_source(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti; delete; tbreak main; continue");
	uint64_t at_main = cycle(f);
	for (int i = 0; i < 50 && !strstr(f->out, "17\t"); i++)
		answer(f, "next");
	/* The loop's calls were stepped over, all of them. */
	assert_has(answer(f, "print counter"), "counter = 5\n");
	answer(f, "reverse-next");
	assert_true(cycle(f) > at_main);
	answer(f, "starti; tbreak twice; continue; up");
	assert_has(f->out, "main");
	assert_has(answer(f, "down"), "twice");
	assert_has(answer(f, "finish"), "Returned from twice, a0 = 0\n");
	assert_has(answer(f, "backtrace"), "main");
	answer(f, "tbreak twice; continue");
	uint64_t second = cycle(f);
	answer(f, "reverse-finish");
	assert_true(cycle(f) < second);
	assert_string_equal(answer(f, "print func()"), "func() = \"main\"\n");
	answer(f, "advance twice");
	assert_string_equal(answer(f, "print func()"), "func() = \"twice\"\n");
	answer(f, "starti; advance guest.c:16");
	assert_has(answer(f, "print counter"), "counter = 5\n");
	assert_has(answer(f, "list twice"), "int twice(int x)");
	assert_has(answer(f, "list 1,3"), "hello");
	answer(f, "reverse-until twice");
	assert_has(answer(f, "print counter"), "counter = 4\n");
}

static void test_end_and_back(void **state)
{
	struct fixture *f = fixture_of(state);
	char expected[64];
	snprintf(expected, sizeof expected, "exited with status %d", GUEST_STATUS);
	answer(f, "starti; delete");
	assert_has(answer(f, "continue"), expected);
	uint64_t end = cycle(f);
	assert_has(refusal(f, "step"), "ended");
	assert_has(answer(f, "reverse-step 10"), "10 before the newest");
	assert_has(answer(f, "step 100"), expected);
	assert_int_equal(cycle(f), end);
	assert_has(answer(f, "reverse-continue"), "Beginning of history");
	assert_int_equal(cycle(f), 0);
	answer(f, "goto live");
	assert_int_equal(cycle(f), end);
	answer(f, "goto start; goto +100; goto -1");
	assert_int_equal(cycle(f), 99);
	answer(f, "goto #20; why #20");
	refusal(f, "why #999999");
	refusal(f, "goto nowhere");
}

/* A frame is chosen until the machine moves, there and back again too. */
static void test_frame_of_a_moment(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "delete; starti; break twice; continue");
	assert_has(answer(f, "up"), "main");
	answer(f, "step 3");
	assert_null(strstr(answer(f, "reverse-step 3"), "called from"));
	answer(f, "delete");
}

/* Numbers as we show them, and what else people type for a place. */
static void test_numbers_as_shown(void **state)
{
	struct fixture *f = fixture_of(state);
	assert_has(answer(f, "print 1,000"), "= 1000\n");
	assert_has(answer(f, "print 2 * 1,234,567 + 1"), "= 2469135\n");
	assert_string_equal(answer(f, "print 1,000 == 1000 and math.max(1,000) == 1"),
	                    "1,000 == 1000 and math.max(1,000) == 1 = true\n");
	/* Any other comma is C's. */
	assert_has(answer(f, "print 1,0000"), "= 0\n");
	assert_has(answer(f, "print a0, 7"), "= 7\n");
	assert_has(refusal(f, "goto 1,00 ~ 3"), "one value");
	assert_has(answer(f, "print (function() local a, b = 1, 2; return a + b end)()"), "= 3");
	answer(f, "starti; delete; goto 1,000 - 900");
	assert_int_equal(cycle(f), 100);
	answer(f, "goto cycle 90");
	assert_int_equal(cycle(f), 90);
	answer(f, "goto cycle");
	assert_int_equal(cycle(f), 90);
}

static void test_goto_place(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti; delete; goto main");
	assert_string_equal(answer(f, "print func()"), "func() = \"main\"\n");
	answer(f, "starti; advance main");
	const uint64_t at_main = cycle(f);
	answer(f, "starti; goto main");
	assert_int_equal(cycle(f), at_main);
	answer(f, "goto twice; goto twice; goto twice");
	assert_has(answer(f, "print counter"), "counter = 2\n");
	answer(f, "starti; goto guest.c:16");
	assert_has(answer(f, "print counter"), "counter = 5\n");
	answer(f, "starti; goto *twice");
	assert_string_equal(answer(f, "print func()"), "func() = \"twice\"\n");
	assert_has(refusal(f, "goto counter"), "counter is data");
	/* One that is not reached any more: nothing has moved. */
	const uint64_t there = cycle(f);
	assert_has(refusal(f, "goto main"), "does not get to main again before it ends in cycle");
	assert_int_equal(cycle(f), there);
	answer(f, "continue");
	assert_has(refusal(f, "goto main"),
	           "the program has ended: it does not get to main any more");
	assert_has(answer(f, "reverse-until main"), "main");
	answer(f, "starti");
}

/* The program's input is that of the last `set stdin`, from its beginning in each run. */
static void test_input(void **state)
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
	assert_has(answer(&r, "run"), "exited with status 0");
	snprintf(line, sizeof line, "run < %s/input0", r.cross.dir);
	assert_has(answer(&r, line), "exited with status 97");
	assert_has(answer(&r, "run"), "exited with status 97");
	/* What is set meanwhile is the next run's. */
	answer(&r, "starti");
	snprintf(line, sizeof line, "set stdin %s/input1", r.cross.dir);
	answer(&r, line);
	answer(&r, line);
	assert_has(answer(&r, "continue"), "exited with status 97");
	assert_has(answer(&r, "run"), "exited with status 98");
	assert_has(refusal(&r, "run < nowhere/at/all"), "nowhere/at/all: No such file");
	snprintf(line, sizeof line, "set stdin %s", r.cross.dir);
	assert_has(refusal(&r, line), "is a folder");
	/* Nobody has a pipe open for writing, until the guest reads. */
	snprintf(path, sizeof path, "%s/pipe", r.cross.dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(line, sizeof line, "set stdin %s", path);
	answer(&r, line);
	answer(&r, "starti");
	const int writer = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(writer >= 0);
	assert_int_equal(write(writer, "c", 1), 1);
	assert_has(answer(&r, "continue"), "exited with status 99");
	close(writer);
	unlink(path);
	snprintf(line, sizeof line, "set stdin %s/input1", r.cross.dir);
	answer(&r, line);
	assert_has(refusal(&r, "set stdin"), "set stdin FILE");
	assert_has(refusal(&r, "run some words"), "run < FILE");
	assert_has(answer(&r, "run"), "exited with status 98");
	r.c.safe = true;
	assert_has(refusal(&r, "set stdin /dev/null"), "--lua-safe");
	console_deinit(&r.c);
	session_free(r.s);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/input%d", r.cross.dir, i);
		unlink(path);
	}
	cross_remove(&r.cross);
}

static void test_set(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti; delete; tbreak twice; continue; set a0 = 21");
	assert_has(answer(f, "finish"), "a0 = 42");
	answer(f, "set counter = 7; set numbers[0] = 5");
	assert_string_equal(answer(f, "print counter + numbers[0]"), "counter + numbers[0] = 12\n");
	assert_has(answer(f, "continue"), "exited");
	answer(f, "set pipe.rob_size = 16");
	assert_has(answer(f, "config rob_size"), "16 from the next run");
	answer(f, "starti");
	assert_string_equal(answer(f, "print pipe.rob_size"), "pipe.rob_size = 16 (0x10)\n");
	answer(f, "set pipe.rob_size = 64; starti");
	assert_has(refusal(f, "set pipe.rob_sise = 1"), "did you mean 'pipe.rob_size'");
	assert_has(refusal(f, "set width 3"), "20 to 1000");
	assert_has(refusal(f, "set echo loudly"), "on or off");
	refusal(f, "set pipe.rob_size = 0");
	refusal(f, "set l1d.size = 3");
	refusal(f, "set zero = 1");
	refusal(f, "set pc = 3");
	refusal(f, "set mem64(8) = 1");
	refusal(f, "set a0 = 1.5");
}

static void test_display(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti; display cycle; display view rob");
	assert_has(answer(f, "step 30"), "cycle = 30\n");
	assert_has(f->out, "Reorder buffer");
	refusal(f, "display nonsense");
	refusal(f, "undisplay 17");
	answer(f, "undisplay 1; undisplay");
	assert_null(strstr(answer(f, "step"), "cycle = "));
}

static void test_looking(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti; delete; tbreak twice; continue");
	assert_has(answer(f, "x/s text"), "\"hello\"");
	assert_has(answer(f, "x/2dw &counter"), "\t0");
	assert_has(answer(f, "x/1fg &half"), "0.5");
	assert_has(answer(f, "x/2i twice"), "<twice>");
	assert_has(answer(f, "print/x 255"), "0xff");
	assert_has(answer(f, "print/t 5"), "= 101\n");
	assert_has(answer(f, "print/c 65"), "'A'");
	assert_has(answer(f, "print/a twice"), "<twice>");
	assert_has(answer(f, "print/s text"), "\"hello\"");
	assert_has(answer(f, "disassemble twice"), "<twice>");
	assert_has(answer(f, "info registers sp pc"), "sp");
	assert_has(answer(f, "info line twice"), "guest.c:");
	assert_has(answer(f, "info symbol numbers + 0"), "numbers");
	assert_has(answer(f, "info functions twi"), "twice");
	assert_has(answer(f, "info memory"), "stack");
	assert_has(answer(f, "stats *.ipc"), "sim.ipc");
	assert_has(answer(f, "stats --json"), "\"sim.cycles\": ");
	assert_has(answer(f, "view rob --json"), "\"view\": \"rob\"");
	assert_has(answer(f, "why"), "#");
	assert_has(refusal(f, "view robb"), "did you mean 'rob'");
	assert_has(answer(f, "rob"), "Reorder buffer");
	assert_has(refusal(f, "stats sim.ipcc"), "sim.ipc");
	assert_has(refusal(f, "info nonsens"), "info");
	refusal(f, "x/8xg 0");
	refusal(f, "x/q 0");
	assert_has(answer(f, "print"), "$ = ");
}

/* What gdb has, too: beside tests/sessions/, which compares values and stops. */
static void test_as_gdb(void **state)
{
	struct fixture *f = fixture_of(state);
	answer(f, "starti; delete; tbreak twice; continue");
	assert_has(answer(f, "rbreak ^twi"), "at twice");
	assert_has(refusal(f, "rbreak nothing_like_it"), "no function matches");
	assert_has(refusal(f, "rbreak ["), "no regular expression");
	answer(f, "delete");
	assert_has(answer(f, "info scope twice"), "x is a parameter of type int, 4 bytes");
	assert_has(answer(f, "frame function main"), "main");
	assert_has(refusal(f, "frame function nix"), "no call of 'nix'");
	assert_has(answer(f, "print counter = 7; print $; print counter++; print counter"),
	           "counter = 8\n");
	assert_has(answer(f, "set $i = 3; set counter += 2; print counter * $i; show values 1"),
	           "counter * $i = 30\n");
	assert_has(answer(f, "print *numbers@2; print numbers[0]@2"), "{10, 20}\n");
	assert_has(answer(f, "print numbers[0]@1+1"), "{10, 20}\n");
	assert_has(answer(f, "print 5; print 6; print $; print $$"), "$ = 6\n");
	assert_has(f->out, "$$ = 6\n");
	assert_has(answer(f, "print $fa0 = (float)2.5; print $fa0"), "$fa0 = 2.5\n");
	answer(f, "set print repeats 2; set numbers[1] = 10");
	assert_has(answer(f, "print numbers"), "{10, 10, 30, -40}\n");
	answer(f, "set numbers[1] = 20; set print repeats 10");
	assert_has(answer(f, "set print elements 2; print numbers"), "{10, 20...}\n");
	assert_has(answer(f, "set print elements 200; print -elements 1 -- numbers"), "{10...}\n");
	assert_has(refusal(f, "set print pretyt on"), "it has elements, repeats, pretty, union");
	assert_has(refusal(f, "print *(int *)8"), "Cannot access memory at address 0x8");
	assert_has(answer(f, "print &main"), "(int (*)(void)) 0x");
	assert_has(answer(f, "whatis (char)65; show print; show convenience"), "$i = 3\n");
}

/* ---- files ---- */
static void test_source(void **state)
{
	struct fixture *f = fixture_of(state);
	char path[160], line[200];
	snprintf(path, sizeof path, "%s/commands", f->cross.dir);
	FILE *file = fopen(path, "w");
	fputs("# a comment\necho one\n\necho two\nnonsense\necho three\n", file);
	fclose(file);
	snprintf(line, sizeof line, "source %s", path);
	const char *msg = refusal(f, line);
	assert_has(msg, "commands:5: ");
	assert_string_equal(f->out, "one\ntwo\n");
	file = fopen(path, "w");
	fputs("# unsaid\nset echo on\n# said\n#\n\necho one\nset echo off\n# unsaid\n", file);
	fclose(file);
	assert_string_equal(answer(f, line),
	                    "said\n\n\n(cyclops) echo one\none\n(cyclops) set echo off\n");
	file = fopen(path, "w");
	fprintf(file, "source %s\n", path);
	fclose(file);
	assert_has(refusal(f, line), "nested too deeply");
	unlink(path);
	assert_has(refusal(f, line), "No such file");
}

static void test_checkpoint(void **state)
{
	struct fixture *f = fixture_of(state);
	char path[160], line[200];
	snprintf(path, sizeof path, "%s/checkpoint", f->cross.dir);
	answer(f, "starti; delete; step 200");
	uint64_t there = machine_hash(f->s->machine);
	snprintf(line, sizeof line, "save %s", path);
	assert_has(answer(f, line), "Saved cycle 200");
	answer(f, "step 100");
	uint64_t later = machine_hash(f->s->machine);
	snprintf(line, sizeof line, "restore %s", path);
	answer(f, line);
	assert_int_equal(machine_hash(f->s->machine), there);
	answer(f, "step 100");
	assert_int_equal(machine_hash(f->s->machine), later);

	/* Every byte counts: a file with any of them changed, or cut anywhere, is refused and
	 * nothing changes. */
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
		assert_true(strlen(refusal(f, line)) > 10);
		file = fopen(path, "wb");
		fwrite(bytes, 1, at, file);
		fclose(file);
		refusal(f, line);
		assert_int_equal(machine_hash(f->s->machine), later);
	}
	file = fopen(path, "wb");
	fwrite(bytes, 1, n, file);
	fclose(file);
	free(bytes);
	answer(f, line);

	/* A file of another program. */
	struct cross other;
	struct err err;
	assert_true(cross_build(&other, "c", "void _start(void) { for (;;); }",
	                        "-static -nostdlib -nostartfiles"));
	struct session *s = fixture_session(other.program, &err);
	assert_non_null(s);
	assert_null(checkpoint_load(s, path, &err));
	assert_has(err.msg, "another program");
	session_free(s);
	cross_remove(&other);
	unlink(path);
}


int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_repeating),
		cmocka_unit_test(test_finding),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_shell),
		cmocka_unit_test(test_frame_of_a_moment),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_json_text),
		cmocka_unit_test(test_lines_of_source),
		cmocka_unit_test(test_end_and_back),
		cmocka_unit_test(test_numbers_as_shown),
		cmocka_unit_test(test_goto_place),
		cmocka_unit_test(test_input),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_display),
		cmocka_unit_test(test_looking),
		cmocka_unit_test(test_as_gdb),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_checkpoint),
	};
	return cmocka_run_group_tests(tests, fixture_up, fixture_down);
}
