/* Words that users try first: names of views as commands, gdb's names, and terms of courses. */
#include "tests/unit/ui/console_fixture.h"

#include "hwviews/grid/grid.h"
#include "hwviews/grid/view.h"
#include "scripting/config/config_lua.h"

enum { TEXT_MAX = 1 << 16 };

/* The output of `line`, to be compared with another's. */
static const char *names_copy_answer(struct fixture *f, const char *line)
{
	static char text[TEXT_MAX];
	snprintf(text, sizeof text, "%s", console_fixture_answer(f, line));
	return text;
}

TEST(test_names_views)
{
	struct fixture *f = fixture_of(state);
	const struct view *v;
	struct err err;
	console_fixture_answer(f, "starti; step 30");
	for (unsigned i = 0; (v = view_at(f->s, i)); i++) {
		char line[80];
		const struct command *cmd = command_find(&f->c, v->name, &err);
		if (cmd && !strcmp(cmd->name, v->name))
			continue; /* a command and a view: the command runs */
		snprintf(line, sizeof line, "view %s", v->name);
		console_fixture_answer(f, line); /* now neither marks changes */
		const char *shown = names_copy_answer(f, line);
		assert_string_equal(console_fixture_answer(f, v->name), shown);
		snprintf(line, sizeof line, "info %s", v->name);
		if (strcmp(v->name, "mem") != 0 && strcmp(v->name, "breakpoints") != 0 &&
		    strcmp(v->name, "history") != 0 && strcmp(v->name, "source") != 0)
			assert_true(strlen(console_fixture_answer(f, line)) > 0);
	}
	assert_string_equal(console_fixture_answer(f, "info rob"),
	                    names_copy_answer(f, "view rob"));
	/* A view's whole name takes precedence over a command's beginning, and takes arguments. */
	assert_string_equal(console_fixture_answer(f, "l1d 0"), names_copy_answer(f, "view l1d 0"));
	console_fixture_assert_has(console_fixture_answer(f, "rob --json"), "\"view\": \"rob\"");
	console_fixture_assert_has(console_fixture_answer(f, "step 2; rob"), "Reorder buffer");
	console_fixture_assert_has(console_fixture_answer(f, ""), "cycle"); /* and again */
	console_fixture_assert_has(console_fixture_refusal(f, "view rib"), "did you mean 'rob'");
}

TEST(test_other_names)
{
	static const char *const names[][2] = {{"pipeline", "pipe"}, {"registers", "regs"},
	                                       {"cache", "l1d"},     {"icache", "l1i"},
	                                       {"units", "fu"},      {"predictor", "bpred"}};
	struct fixture *f = fixture_of(state);
	char line[80];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct view *v = view_find(f->s, names[i][0], NULL);
		assert_non_null(v);
		assert_string_equal(v->name, names[i][1]);
		snprintf(line, sizeof line, "view %s", names[i][1]);
		console_fixture_answer(f, line);
		const char *shown = names_copy_answer(f, line);
		assert_string_equal(console_fixture_answer(f, names[i][0]), shown);
	}
	/* No two views share a name. */
	const struct view *v;
	for (unsigned i = 0; (v = view_at(f->s, i)); i++)
		assert_ptr_equal(view_named(f->s, v->name), v);
	assert_null(view_named(f->s, ""));
	assert_null(view_named(f->s, "cache dcache"));
}

TEST(test_stats_reset)
{
	struct fixture *f = fixture_of(state);
	char line[80], cycles[32], shown[64];
	console_fixture_answer(f, "delete; starti; step 40; stats reset; step 25");
	console_fixture_assert_has(console_fixture_answer(f, "stats sim.cycles"), " 25 ");
	console_fixture_assert_has(f->out, "Since reset");
	assert_string_equal(console_fixture_answer(f, "info stats sim.cycles"),
	                    names_copy_answer(f, "stats sim.cycles"));
	snprintf(line, sizeof line, "stats since 0 sim.cycles");
	snprintf(shown, sizeof shown, " %s ", group_digits(machine_cycle(f->s->machine), cycles));
	console_fixture_assert_has(console_fixture_answer(f, line), shown);
	/* There was none before the reset. */
	console_fixture_answer(f, "reverse-step 50");
	snprintf(shown, sizeof shown, " %s ", group_digits(machine_cycle(f->s->machine), cycles));
	console_fixture_assert_has(console_fixture_answer(f, "stats sim.cycles"), shown);
	assert_null(strstr(f->out, "Since"));
	console_fixture_answer(f, "starti; step 9");
	assert_null(strstr(console_fixture_answer(f, "stats sim.cycles"), "Since"));
}

TEST(test_config)
{
	struct fixture *f = fixture_of(state);
	char names[256];
	config_preset_names(names, sizeof names);
	console_fixture_assert_has(names, "ammons1997, burrows2000, classic5, ");
	console_fixture_assert_has(names, "zilles2001");
	console_fixture_assert_has(console_fixture_answer(f, "config"), names);
	console_fixture_assert_has(console_fixture_refusal(f, "set config qqqqqq"), names);
	console_fixture_assert_has(console_fixture_refusal(f, "set config"), names);
	console_fixture_assert_has(console_fixture_refusal(f, "set config clasic5"),
	                           "did you mean 'classic5'");
	console_fixture_answer(f, "set config classic5");
	console_fixture_assert_has(console_fixture_answer(f, "config pipe.in_order"),
	                           "true from the next run");
	console_fixture_assert_has(console_fixture_answer(f, "starti; config pipe.in_order"),
	                           "= true");
	console_fixture_assert_has(console_fixture_answer(f, "info program"),
	                           "configuration classic5");
	console_fixture_answer(f, "set config = vaswani2003; starti");
	console_fixture_assert_has(console_fixture_answer(f, "config pipe.in_order"), "= false");
	f->s->reach = REACH_SCRIPT;
	console_fixture_assert_has(console_fixture_refusal(f, "set config ./x.lua"), "--lua-safe");
	f->s->reach = REACH_ALL;
}

TEST_GROUP(fixture_up, fixture_down)
