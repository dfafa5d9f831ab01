/* The command language: lines, commands, completion, help, output. */
#include "tests/unit/ui/console_program.h"

/* ---- lines ---- */
TEST(test_console_lines)
{
	struct fixture *f = fixture_of(state);
	assert_string_equal(console_fixture_answer(f, "echo a; echo b"), "a\nb\n");
	assert_string_equal(console_fixture_answer(f, "echo 'a; b'; echo \"c; d\""),
	                    "'a; b'\n\"c; d\"\n");
	assert_string_equal(console_fixture_answer(f, "echo don't; echo stop"), "don't\nstop\n");
	assert_string_equal(
		console_fixture_answer(f, "print (function() local a = 1; return a end)()"),
		"(function() local a = 1; return a end)() = 1\n");
	assert_string_equal(console_fixture_answer(f, "  ;; echo x ;"), "x\n");
	assert_string_equal(console_fixture_answer(f, "# echo no"), "");
	assert_string_equal(console_fixture_answer(f, ""), "");
	/* Commands after a failing command do not run. */
	console_fixture_refusal(f, "goto 1,00");
	console_fixture_assert_has(f->c.err.msg, "not a count");
	console_fixture_refusal(f, "echo one; nonsense; echo two");
	assert_string_equal(f->out, "one\n");
	assert_int_equal(console_run(&f->c, "quit; echo no"), CMD_QUIT);
}

TEST(test_repeating)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti");
	console_fixture_answer(f, "step 3");
	console_fixture_answer(f, "");
	console_fixture_answer(f, "");
	assert_int_equal(console_program_cycle(f), 9);
	console_fixture_answer(f, "reverse-step 2");
	console_fixture_answer(f, "");
	assert_int_equal(console_program_cycle(f), 5);
	/* A command that can't be repeated leaves nothing to repeat. */
	console_fixture_answer(f, "goto 7");
	assert_string_equal(console_fixture_answer(f, ""), "");
	assert_int_equal(console_program_cycle(f), 7);
	/* x continues where it stopped. */
	console_fixture_assert_has(console_fixture_answer(f, "x/1xg numbers"),
	                           "0x000000000000000a");
	console_fixture_assert_has(console_fixture_answer(f, ""), "0x0000000000000014");
}

TEST(test_finding)
{
	struct fixture *f = fixture_of(state);
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
		{"rni", "reverse-nexti"},
		{"rc", "reverse-continue"},
		{"disas", "disassemble"},
		{"wat", "watch"},
		{"?", "help"},
		{"cont", "continue"},
		{"where", "backtrace"},
	};
	struct err err;
	for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++) {
		const struct command *cmd = command_find(&f->c, abbreviations[i][0], &err);
		assert_non_null(cmd);
		assert_string_equal(cmd->name, abbreviations[i][1]);
	}
	assert_null(command_find(&f->c, "re", &err));
	console_fixture_assert_has(err.msg, "reverse-step");
	console_fixture_assert_has(err.msg, "restore");
	assert_null(command_find(&f->c, "brek", &err));
	console_fixture_assert_has(err.msg, "did you mean 'break'");
	assert_null(command_find(&f->c, "zzzzzzzz", &err));
	console_fixture_assert_has(err.msg, "help");
}

/* The table itself: required parts of each command. */
TEST(test_console_command_table)
{
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
		/* Commands with a file's name are forbidden for safe scripts; `cop` marks such
		 * words. */
		if (cmd->complete == COMPLETE_FILE && !cmd->files && strcmp(cmd->name, "cop") != 0)
			fail_msg("%s takes files, from scripts of --lua-safe too", cmd->name);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(commands[k]->name, cmd->name);
	}
}

TEST(test_help)
{
	struct fixture *f = fixture_of(state);
	const char *name;
	for (unsigned i = 0; (name = help_name(&f->c, i)); i++) {
		char line[128];
		snprintf(line, sizeof line, "help %s", name);
		assert_true(strlen(console_fixture_answer(f, line)) > 10);
	}
	console_fixture_assert_has(console_fixture_answer(f, "help rob"), "Reorder buffer");
	console_fixture_assert_has(console_fixture_answer(f, "help pipe.rob_size"), "64");
	console_fixture_assert_has(console_fixture_answer(f, "help sim.ipc"), "cycle");
	console_fixture_assert_has(console_fixture_answer(f, "help rs"), "reverse-step");
	console_fixture_assert_has(console_fixture_answer(f, "help held, then"), "of fetch");
	console_fixture_assert_has(console_fixture_answer(f, "help lua"), "cyclops.triggers");
	console_fixture_assert_has(console_fixture_answer(f, "help lua triggers"),
	                           "module cyclops.triggers: Find what is hot");
	/* All options of runs, and no more rows. */
	char options[4096] = " Options of runs:\n";
#define RUN_OPTION(name, option, kind, help)                                                       \
	snprintf(options + strlen(options), sizeof options - strlen(options),                      \
	         "  %-11s %-13s %s\n", name, option, help);
#include "ui/sweep/run_options.def"
#undef RUN_OPTION
	strcat(options, "\nFinished jobs are not run again");
	console_fixture_assert_has(console_fixture_answer(f, "help sweep"), options);
	console_fixture_assert_has(console_fixture_answer(f, "help slow"), "`view hot`");
	console_fixture_assert_has(console_fixture_answer(f, "help triggers"),
	                           "module cyclops.triggers: Find what is hot");
	console_fixture_assert_has(console_fixture_answer(f, "help m.where"),
	                           "m.where, as in expressions: where(ADDRESS");
	console_fixture_assert_has(console_fixture_refusal(f, "help m.were"),
	                           "Lua has no 'm.were'");
	console_fixture_assert_has(console_fixture_refusal(f, "help scripting"),
	                           "nothing is called 'scripting'; `apropos");
	console_fixture_assert_has(console_fixture_answer(f, "help lua cyclops.triggers"),
	                           "t:restore_all() -> COUNT");
	console_fixture_assert_has(console_fixture_answer(f, "help lua t:restore_all"),
	                           "returns their");
	/* wrapped, not broken */
	console_fixture_assert_has(console_fixture_answer(f, "help lua profile"),
	                           "where the program stands after\n    each");
	console_fixture_assert_has(console_fixture_refusal(f, "help lua trigers"),
	                           "did you mean 'triggers'");
	console_fixture_assert_has(console_fixture_answer(f, "apropos restore_all"),
	                           "t:restore_all() -> COUNT");
	console_fixture_assert_has(console_fixture_answer(f, "help mepc"), "CSR 0x341, of M-mode");
	console_fixture_assert_has(console_fixture_answer(f, "help hpmcounter7"),
	                           "hpmcounter3-31 (CSR 0xc03, read-only)");
	console_fixture_assert_has(console_fixture_refusal(f, "help hpmcounter32"),
	                           "nothing is called");
	console_fixture_assert_has(console_fixture_refusal(f, "help mepcc"), "did you mean 'mepc'");
	console_fixture_assert_has(console_fixture_answer(f, "apropos interrupted instruction"),
	                           "register   mepc");
	console_fixture_assert_has(console_fixture_answer(f, "apropos snapshot"), "history");
	console_fixture_assert_has(console_fixture_refusal(f, "help brek"), "did you mean 'break'");
	/* A line that begins with a command. */
	console_fixture_assert_has(console_fixture_answer(f, "help report hot-paths"),
	                           "report hot-paths [ROWS|all]: ");
	console_fixture_assert_has(console_fixture_answer(f, "help config pipe.rob_size"),
	                           "parameter pipe.rob_size: ");
	console_fixture_assert_has(console_fixture_refusal(f, "help view rbo"),
	                           "did you mean 'rob'");
	console_fixture_assert_has(console_fixture_answer(f, "help info line"), "info TOPIC");
	console_fixture_assert_has(console_fixture_refusal(f, "apropos qqqqq"), "nothing");
	assert_string_equal(console_fixture_answer(f, "complete info checkp"),
	                    "info checkpoints\n");
	/* Both meanings of a word. */
	console_fixture_assert_has(console_fixture_answer(f, "help stats"), "  sim.cycles ");
	console_fixture_assert_has(f->out, "stats [");
	console_fixture_assert_has(console_fixture_answer(f, "help breakpoints"),
	                           "view breakpoints");
	console_fixture_assert_has(f->out, "Stopping:");
	console_fixture_assert_has(console_fixture_answer(f, "help rob"), "reorder buffer:\n");
	console_fixture_assert_has(f->out, "\n\nview rob: ");
	/* The command, then the instruction of the same name. */
	console_fixture_assert_has(console_fixture_answer(f, "help mark"), "mark [NAME]\n");
	console_fixture_assert_has(strstr(f->out, "mark [NAME]\n"), "instruction mark: ");
	console_fixture_assert_has(console_fixture_answer(f, "help Wrong-Path"), "wrong path: ");
	console_fixture_assert_has(console_fixture_answer(f, "help mv"),
	                           "another spelling of addi\nclass int");
	console_fixture_assert_has(console_fixture_answer(f, "help li"), "instruction li");
	assert_null(strstr(f->out, "list [")); /* which it abbreviates as well */
	console_fixture_assert_has(console_fixture_answer(f, "apropos forwarding"),
	                           "word       forwarding");
	console_fixture_assert_has(console_fixture_answer(f, "apropos remainder"),
	                           "mnemonic   remuw");
}

TEST(test_aliases)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; alias s5 = step 5");
	console_fixture_answer(f, "s5");
	assert_int_equal(console_program_cycle(f), 5);
	console_fixture_answer(f, "alias both = \"echo a; echo b\"");
	assert_string_equal(console_fixture_answer(f, "both"), "a\nb\n");
	console_fixture_answer(f, "alias say = echo");
	assert_string_equal(console_fixture_answer(f, "say hello there"), "hello there\n");
	console_fixture_answer(f, "alias spin = spin");
	console_fixture_assert_has(console_fixture_refusal(f, "spin"), "nested too deeply");
	console_fixture_answer(f, "unalias spin");
	console_fixture_refusal(f, "spin");
	console_fixture_refusal(f, "unalias spin");
	console_fixture_refusal(f, "alias a b = ");
}

TEST(test_shell)
{
	struct fixture *f = fixture_of(state);
	struct command_answer got = {0};
	f->c.answer = &got;
	assert_string_equal(console_fixture_answer(f, "shell echo a; echo b >&2"), "a\nb\n");
	assert_string_equal(console_fixture_answer(f, "!cat; exit 3"),
	                    "Exit status 3\n"); /* no input */
	console_fixture_assert_has(console_fixture_answer(f, "shell kill -9 $$"),
	                           "Ended by signal 9");
	console_fixture_assert_has(console_fixture_refusal(f, "shell"), "no command given");
	f->s->reach = REACH_SCRIPT;
	console_fixture_assert_has(console_fixture_refusal(f, "shell echo a"),
	                           "--lua-safe forbids");
	console_fixture_assert_has(console_fixture_refusal(f, "alias s !; s echo a"),
	                           "--lua-safe forbids");
	console_fixture_answer(f, "delete; starti; break twice; commands");
	console_fixture_answer(f, "shell echo deep; echo er");
	console_fixture_answer(f, "end");
	console_fixture_assert_has(console_fixture_refusal(f, "continue"), "--lua-safe forbids");
	f->s->reach = REACH_ALL;
	console_fixture_answer(f, "delete; unalias s");
	f->c.answer = NULL;
}

/* ---- messages ---- */
/* Long texts are written in pieces, none of which ends within a character. */
static void console_append_output(void *ctx, const char *text, size_t n)
{
	struct fixture *f = ctx;
	assert_true((text[0] & 0xc0) != 0x80 && f->length + n < sizeof f->out);
	memcpy(f->out + f->length, text, n);
	f->length += n;
}

TEST(test_console_output_pieces)
{
	struct fixture *f = fixture_of(state);
	char text[3 * 4096 + 1] = "";
	for (size_t shift = 0; shift < 3; shift++) {
		size_t n = shift;
		memset(text, 'x', shift);
		for (; n + 3 < sizeof text; n += 3)
			memcpy(text + n, "\u20ac", 3);
		f->length = 0;
		say_to(console_append_output, f, text, n);
		assert_int_equal(f->length, n);
		assert_memory_equal(f->out, text, n);
	}
}

/* Control characters and invalid UTF-8 are escaped in JSON. */
TEST(test_json_text)
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
static bool console_completion_offers(struct fixture *f, const char *line, const char *word,
                                      size_t from)
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

TEST(test_completion)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "delete; tbreak main");
	assert_true(console_completion_offers(f, "rev", "reverse-step", 0));
	assert_false(console_completion_offers(f, "rev", "restore", 0));
	assert_true(console_completion_offers(f, "step; rev", "reverse-next", 6));
	assert_true(console_completion_offers(f, "break tw", "twice", 6));
	assert_true(console_completion_offers(f, "break twice if sim.i", "sim.ipc", 15));
	assert_true(console_completion_offers(f, "view ro", "rob", 5));
	assert_true(console_completion_offers(f, "info wat", "watchpoints", 5));
	assert_true(console_completion_offers(f, "set var tw", "twice", 8));
	assert_true(console_completion_offers(f, "print mem64(nu", "numbers", 12));
	assert_true(console_completion_offers(f, "print s1", "s1", 6));
	console_fixture_answer(f, "starti; delete; tbreak twice; continue");
	assert_true(console_completion_offers(f, "print ", "x", 6));
	assert_false(console_completion_offers(f, "print ", "sum", 6));
	console_fixture_answer(f, "up");
	assert_true(console_completion_offers(f, "break main if su", "sum", 14));
	assert_false(console_completion_offers(f, "print ", "x", 6));
	console_fixture_answer(f, "starti; delete");
	assert_true(console_completion_offers(f, "stats l1d.miss", "l1d.miss_rate", 6));
	assert_true(console_completion_offers(f, "stats sin", "since", 6));
	assert_true(console_completion_offers(f, "view hot sin", "since", 9));
	assert_false(console_completion_offers(f, "view sin", "since", 5));
	console_fixture_answer(f, "mark twilight");
	assert_true(console_completion_offers(f, "view stats since l", "last", 17));
	assert_false(console_completion_offers(f, "view stats since l", "l1d", 17));
	assert_true(console_completion_offers(f, "view hot since tw", "twice", 15));
	assert_true(console_completion_offers(f, "stats  since tw", "twilight", 13));
	assert_false(console_completion_offers(f, "view hot nosince tw", "twice", 17));
	assert_true(console_completion_offers(f, "set pipe.rob", "pipe.rob_size", 4));
	assert_true(console_completion_offers(f, "catch sq", "squash", 6));
	assert_true(console_completion_offers(f, "info reg", "registers", 5));
	assert_true(console_completion_offers(f, "help l1d.miss", "l1d.miss_rate", 5));
	assert_true(console_completion_offers(f, "help reord", "reorder buffer", 5));
	assert_true(console_completion_offers(f, "help fnms", "fnmsub.d", 5));
	assert_true(console_completion_offers(f, "trace kon", "konata", 6));
	assert_true(console_completion_offers(f, "source tests/un", "tests/unit/", 7));
	assert_false(console_completion_offers(f, "nonsense x", "x", 9));
	console_fixture_answer(f, "delete");
}

/* Commands that gdb has, too: beside tests/sessions/, which compares values and stops. */
TEST(test_as_gdb)
{
	struct fixture *f = fixture_of(state);
	console_fixture_answer(f, "starti; delete; tbreak twice; continue");
	console_fixture_assert_has(console_fixture_answer(f, "rbreak ^twi"), "at twice");
	console_fixture_assert_has(console_fixture_refusal(f, "rbreak nothing_like_it"),
	                           "no function matches");
	console_fixture_assert_has(console_fixture_refusal(f, "rbreak ["), "no regular expression");
	console_fixture_answer(f, "delete");
	console_fixture_assert_has(console_fixture_answer(f, "info scope twice"),
	                           "x is a parameter of type int, 4 bytes");
	console_fixture_assert_has(console_fixture_answer(f, "frame function main"), "main");
	console_fixture_assert_has(console_fixture_refusal(f, "frame function nix"),
	                           "no call of 'nix'");
	console_fixture_assert_has(
		console_fixture_answer(
			f, "print counter = 7; print $; print counter++; print counter"),
		"= 8\n");
	console_fixture_assert_has(
		console_fixture_answer(
			f, "set $i = 3; set counter += 2; print counter * $i; show values 1"),
		"= 30\n");
	console_fixture_assert_has(
		console_fixture_answer(f, "print *numbers@2; print numbers[0]@2"), "{10, 20}\n");
	console_fixture_assert_has(console_fixture_answer(f, "print numbers[0]@1+1"), "{10, 20}\n");
	console_fixture_assert_has(console_fixture_answer(f, "print 5; print 6; print $; print $$"),
	                           "= 6\n");
	console_fixture_assert_has(f->out, "= 6\n");
	console_fixture_assert_has(console_fixture_answer(f, "print $fa0 = (float)2.5; print $fa0"),
	                           "$fa0 = 2.5\n");
	console_fixture_answer(f, "set print repeats 2; set numbers[1] = 10");
	console_fixture_assert_has(console_fixture_answer(f, "print numbers"),
	                           "{10, 10, 30, -40}\n");
	console_fixture_answer(f, "set numbers[1] = 20; set print repeats 10");
	console_fixture_assert_has(console_fixture_answer(f, "set print elements 2; print numbers"),
	                           "{10, 20...}\n");
	console_fixture_assert_has(
		console_fixture_answer(f, "set print elements 200; print -elements 1 -- numbers"),
		"{10...}\n");
	console_fixture_assert_has(console_fixture_refusal(f, "set print pretyt on"),
	                           "it has elements, repeats, pretty, array, array-indexes,");
	console_fixture_assert_has(console_fixture_refusal(f, "print *(int *)8"),
	                           "Cannot access memory at address 0x8");
	console_fixture_assert_has(console_fixture_answer(f, "print &main"), "(int (*)(void)) 0x");
	console_fixture_assert_has(
		console_fixture_answer(f, "whatis (char)65; show print; show convenience"),
		"$i = 3\n");
}

TEST_GROUP(fixture_up, fixture_down)
