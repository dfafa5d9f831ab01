/* Typical inputs at the prompt get the right kind of answer: prompt_inputs.txt has
 * the inputs. */
#include "tests/unit/ui/console_program.h"

#include "ui/console/habits.h"

enum kind { ANSWER, QUIET, MOTION, SUGGESTS, TOLD, KINDS };
static const char *const kind_name[KINDS] = {"answer", "quiet", "motion", "suggests", "told"};
enum { QUIET_MOST = 80 /* bytes of a trivial answer */, FEWEST = 435 };

/* Whether an error names the expected input. */
static bool prompt_inputs_error_suggests(const char *text)
{
	static const char *const ways[] = {"did you mean", ": expected",    "; expected",
	                                   "use ",         "leave it out",  "`",
	                                   "may be",       "such as",       "there is",
	                                   "there are",    "start with",    "? ",
	                                   "look like",    "out of range:", "the last line",
	                                   "as in",        "is #",          "address is"};
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strstr(text, ways[i]))
			return true;
	return !strncmp(text, "expected ", 9);
}

static uint64_t home;

/* Back to where each input is typed; what was set stays, what stops goes. */
static void go_home(struct fixture *f)
{
	console_fixture_answer(f, "delete");
	console_fixture_answer(f, "undisplay");
	if (console_program_cycle(f) != home) {
		char line[40];
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)home);
		console_fixture_answer(f, line);
	}
	console_fixture_answer(f, "frame 0");
}

static enum kind prompt_inputs_classify_line(struct fixture *f, const char *line)
{
	f->length = 0;
	f->out[0] = '\0';
	const enum command_result r = console_run(&f->c, line);
	if (r == CMD_ERROR) {
		/* nothing that fails has moved anything, or is at a loss for words */
		if (console_program_cycle(f) != home)
			return MOTION;
		if (!f->c.err.msg[0])
			fail_msg("'%s' fails without a word", line);
		return prompt_inputs_error_suggests(f->c.err.msg) ? SUGGESTS : TOLD;
	}
	if (console_program_cycle(f) != home)
		return MOTION;
	return f->length > QUIET_MOST || strchr(f->out, '\n') ? ANSWER : QUIET;
}

static void inputs_have_their_kind(void **state)
{
	struct fixture *f = fixture_of(state);
	FILE *in = fopen("tests/unit/ui/prompt_inputs.txt", "r");
	char line[256];
	unsigned count[KINDS] = {0}, wrong = 0, all = 0;
	assert_non_null(in);
	console_fixture_answer(f, "starti; delete; tbreak twice; continue; tbreak twice; continue");
	console_fixture_answer(f, "tbreak twice; continue");
	console_fixture_assert_has(console_fixture_answer(f, "print counter"), " = 2\n");
	home = console_program_cycle(f);
	while (fgets(line, sizeof line, in)) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		const size_t n = strcspn(line, " ");
		unsigned k = 0;
		while (k < KINDS && (strlen(kind_name[k]) != n || strncmp(line, kind_name[k], n)))
			k++;
		assert_true(k < KINDS && line[n]);
		const enum kind got = prompt_inputs_classify_line(f, line + n + 1);
		count[k]++;
		all++;
		if (got != k) {
			wrong++;
			print_error("'%s': %s, not %s: %.300s%.300s\n", line + n + 1,
			            kind_name[got], kind_name[k], f->out,
			            got == SUGGESTS || got == TOLD ? f->c.err.msg : "");
		}
		go_home(f);
	}
	fclose(in);
	assert_int_equal(wrong, 0);
	assert_true(all >= FEWEST);
	for (unsigned k = 0; k < KINDS; k++)
		assert_true(count[k] > 0);
}

/* A row of habits.def that is a command, or begins one, would never be shown. */
static void habits_are_told_what_is_right(void **state)
{
	struct fixture *f = fixture_of(state);
	const char *word;
	for (unsigned i = 0; (word = habit_word(i)); i++) {
		assert_int_equal(console_run(&f->c, word), CMD_ERROR);
		if (!strstr(f->c.err.msg, habit_find(word)))
			fail_msg("'%s': %s", word, f->c.err.msg);
		assert_int_equal(prompt_inputs_error_suggests(f->c.err.msg), true);
	}
}

/* Nor is a word of another alphabet cut in its first character, or taken for a slip of a letter. */
static void what_is_no_command_is_said_whole(void **state)
{
	static const char *const words[] = {"走る", "=", "../../etc", "🙂", "...."};
	struct fixture *f = fixture_of(state);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		char want[64];
		snprintf(want, sizeof want, "'%s'; `help` lists them", words[i]);
		assert_int_equal(console_run(&f->c, words[i]), CMD_ERROR);
		if (!strstr(f->c.err.msg, want))
			fail_msg("%s, not %s", f->c.err.msg, want);
	}
	assert_int_equal(console_run(&f->c, ":wq"), CMD_ERROR);
	assert_non_null(strstr(f->c.err.msg, "':wq': the colon"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(inputs_have_their_kind),
	                                   cmocka_unit_test(habits_are_told_what_is_right),
	                                   cmocka_unit_test(what_is_no_command_is_said_whole)};
	return cmocka_run_group_tests(tests, fixture_up, fixture_down);
}
