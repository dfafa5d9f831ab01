/* Typical inputs at the prompt get the right kind of answer: prompt_inputs.txt has
 * the inputs. */
#include "tests/unit/ui/console_program.h"

#include <ctype.h>

#include "hwviews/grid/view.h"
#include "ui/cli/cli.h"
#include "ui/console/habits.h"
#include "ui/console/here.h"
#include "ui/help/help.h"

enum kind { ANSWER, QUIET, MOTION, SUGGESTS, TOLD, KINDS };
static const char *const kind_name[KINDS] = {"answer", "quiet", "motion", "suggests", "told"};
enum { QUIET_MOST = 80 /* bytes of a trivial answer */, FEWEST = 435 };

/* True if an error names the expected input. */
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
static struct spot home_spot;
static uint64_t home_pc; /* at that place */

static bool prompt_inputs_is_away(struct fixture *f)
{
	return console_program_cycle(f) != home || spot_pc(here_spot(&f->c)) != home_pc;
}

/* Returns to the place where each input is typed; settings stay, stop points are deleted. */
static void go_home(struct fixture *f)
{
	console_fixture_answer(f, "delete");
	console_fixture_answer(f, "undisplay");
	if (prompt_inputs_is_away(f)) {
		char line[40];
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)home);
		console_fixture_answer(f, line);
		*here_spot(&f->c) = home_spot;
		here_look(&f->c);
	}
	console_fixture_answer(f, "frame 0");
	here_settle(&f->c); /* a change there ends the place */
	home_spot = *here_spot(&f->c);
	home_pc = spot_pc(&home_spot);
}

static enum kind prompt_inputs_classify_line(struct fixture *f, const char *line)
{
	f->length = 0;
	f->out[0] = '\0';
	const enum command_result r = console_run(&f->c, line);
	if (r == CMD_ERROR) {
		/* a failing input leaves the machine alone, and has a message */
		if (prompt_inputs_is_away(f))
			return MOTION;
		if (!f->c.err.msg[0])
			fail_msg("'%s' fails without a word", line);
		return prompt_inputs_error_suggests(f->c.err.msg) ? SUGGESTS : TOLD;
	}
	if (prompt_inputs_is_away(f))
		return MOTION;
	return f->length > QUIET_MOST || strchr(f->out, '\n') ? ANSWER : QUIET;
}

TEST(inputs_have_their_kind)
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
	home_spot = *here_spot(&f->c);
	home_pc = spot_pc(&home_spot);
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

/* A row of habits.def must not be the name of a command or view, which it would hide. Its line
 * begins with a whole command or view. */
TEST(habits_are_no_commands)
{
	struct fixture *f = fixture_of(state);
	const struct habit *h;
	for (unsigned i = 0; (h = habit_at(i)); i++) {
		char word[64];
		const struct command *cmd = command_find(&f->c, h->words, NULL);
		if ((cmd && (!strcmp(cmd->name, h->words) || command_has_alias(cmd, h->words))) ||
		    view_named(f->c.session, h->words))
			fail_msg("'%s' is a command or a view", h->words);
		if (h->runs) {
			snprintf(word, sizeof word, "%.*s", (int)strcspn(h->right, " "), h->right);
			cmd = command_find(&f->c, word, NULL);
			if (!cmd || strcmp(cmd->name, word) != 0)
				fail_msg("'%s': %s is no command", h->words, word);
			continue;
		}
		assert_int_equal(console_run(&f->c, h->words), CMD_ERROR);
		if (!strstr(f->c.err.msg, h->right) || !prompt_inputs_error_suggests(f->c.err.msg))
			fail_msg("'%s': %s", h->words, f->c.err.msg);
	}
}

static void prompt_inputs_assert_answer(struct fixture *f, const char *line)
{
	static const char unknown[] = "no command is called";
	f->length = 0;
	f->out[0] = '\0';
	const enum command_result r = console_run(&f->c, line);
	if (r == CMD_ERROR && !habit_find(line) &&
	    !strncmp(f->c.err.msg, unknown, sizeof unknown - 1))
		fail_msg("'%s': %s", line, f->c.err.msg);
	go_home(f);
}

/* Each word that help explains may be typed alone: words of the glossary, views, statistics,
 * reports, events, parameters, instructions. So may the shell's commands. */
TEST(words_of_the_help_are_answered)
{
	static const char *const motions[] = {"quit", "shell", "run"};
	struct fixture *f = fixture_of(state);
	const char *name;
	for (unsigned i = 0; (name = help_name(&f->c, i)); i++) {
		struct err err;
		const struct command *cmd = command_find(&f->c, name, &err);
		bool moves = cmd && (cmd->screen || !strcmp(cmd->group, "running"));
		for (unsigned k = 0; k < sizeof motions / sizeof *motions; k++)
			moves |= !strcmp(name, motions[k]);
		if (!moves)
			prompt_inputs_assert_answer(f, name);
	}
	for (unsigned i = 0; cli_commands[i]; i++)
		prompt_inputs_assert_answer(f, cli_commands[i]->name);
}

static bool prompt_inputs_has_help(struct fixture *f, const char *word)
{
	f->length = 0;
	return help_topic(&f->c, word) == CMD_OK && f->length;
}

/* The words that a cell draws, up to a number or a second part. */
static void prompt_inputs_assert_cell_help(struct fixture *f, const char *view, const char *text)
{
	char word[64];
	text += strspn(text, " ");
	size_t n = strcspn(text, "#;,(:+%");
	for (size_t i = 1; i < n; i++)
		if (text[i - 1] == ' ' && isdigit((unsigned char)text[i]))
			n = i;
	while (n && text[n - 1] == ' ')
		n--;
	snprintf(word, sizeof word, "%.*s", (int)n, text);
	if (n && isalpha((unsigned char)*word) && strcmp(word, "nothing") != 0 &&
	    strcmp(word, "none") != 0 && !prompt_inputs_has_help(f, word))
		fail_msg("view %s draws '%s', which has no help", view, word);
}

/* Each word in a view has help: heads of columns, and words for states and causes in cells. */
TEST(drawn_words_have_help)
{
	static const char *const columns[] = {"state", "cause", "waits_for", "lost_to", "believed"};
	struct fixture *f = fixture_of(state);
	const struct view *v;
	unsigned heads = 0, cells = 0;
	console_fixture_answer(f, "view spent; view hot");
	for (unsigned i = 0; (v = view_at(f->c.session, i)); i++) {
		struct grid g;
		struct err err;
		if (!view_build(f->c.session, v->name, &(struct view_args){0}, &g, &err))
			continue;
		for (unsigned k = 0; k < g.column_count; k++) {
			const struct grid_column *column = &g.columns[k];
			bool words = false;
			if (column->help && *column->title && ++heads &&
			    !prompt_inputs_has_help(f, column->title))
				fail_msg("view %s has a column '%s' without help", v->name,
				         column->title);
			for (unsigned w = 0; w < sizeof columns / sizeof *columns; w++)
				words |= !strcmp(columns[w], column->name);
			for (unsigned r = 0; words && r < g.row_count; r++, cells++)
				prompt_inputs_assert_cell_help(f, v->name, g.rows[r].cells[k].text);
		}
		grid_deinit(&g);
	}
	assert_true(heads > 200 && cells > 50);
}

/* A word of another alphabet is neither cut in its first character nor taken for a misspelling. */
TEST(what_is_no_command_is_said_whole)
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

/* A word that no topic is named after leads to one whose text has it, also of a page, in any
 * spelling; so does a search for several words. */
TEST(words_in_texts_are_found)
{
	static const char *const words[] = {"vfork", "VFORK", "environment-variable"};
	struct fixture *f = fixture_of(state);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		assert_int_equal(console_run(&f->c, words[i]), CMD_ERROR);
		if (!strstr(f->c.err.msg, "` mentions it, `apropos "))
			fail_msg("%s", f->c.err.msg);
	}
	console_fixture_assert_has(console_fixture_answer(f, "apropos sockets pairs"), "programs");
	assert_int_equal(console_run(&f->c, "loop invariant"), CMD_ERROR);
	assert_non_null(strstr(f->c.err.msg, "`apropos invariant` lists what mentions a word"));
	assert_int_equal(console_run(&f->c, "xyzzy"), CMD_ERROR);
	assert_null(strstr(f->c.err.msg, "mentions"));
}

TEST_GROUP(fixture_up, fixture_down)
