/* locals, displays, output, breakpoints, history and config, cell by cell, against the session's
 * commands (tests/unit/cells/view_cells.h). */
#include "core/defs/devices.h"
#include "core/machine/params.h"
#include "core/run/run.h"
#include "loader/instrument/instrument.h"
#include "tests/unit/cells/view_cells.h"

/* ---- what the session has ---- */
static const struct session_variable variables[] = {
	{.name = "n", .text = "7", .parameter = true, .coming = "8"},
	{.name = "sum", .text = "0.5", .inlined = "add"},
	{.name = "n", .text = "1", .hidden = true},
};
static uint64_t variable_writer;

static bool tell_variables(void *ctx, session_variable_fn *fn, void *to)
{
	(void)ctx;
	for (unsigned i = 0; i < 3; i++) {
		struct session_variable v = variables[i];
		v.writer = i ? 0 : variable_writer;
		fn(to, &v);
	}
	return true;
}

static void tell_displays(void *ctx, session_display_fn *fn, void *to)
{
	(void)ctx;
	fn(to, 2, "a0", "17", false);
	fn(to, 5, "view rob", "one\ntwo", false);
	fn(to, 6, "nonsense", "no such thing", true);
}

TEST(variables_and_displays_are_those_told)
{
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	const struct pipe *p = pipe_of(s);
	struct cells c;
	run_for(s, 2000);
	assert_true(p->st->rob_count > 3);
	const struct uop *u = pipe_rob_at(p, 3);
	variable_writer = u->seq;
	s->variables = tell_variables;
	s->displays = tell_displays;
	cells_open(&c, s, "locals");
	for (unsigned i = 0; i < 3; i++) {
		const struct session_variable *v = &variables[i];
		assert_int_equal(cells_row(&c)->seq, i ? 0 : u->seq);
		says(&c, "kind", "%s", v->parameter ? "arg" : v->hidden ? "outer" : "");
		says(&c, "name", "%s", v->name);
		says(&c, "value", "%s", v->text);
		says(&c, "coming", "%s", v->coming ? v->coming : "");
		if (i)
			says_nothing(&c, "writer");
		else
			says(&c, "writer", "%s %s, %s", number_of(p, u),
			     op_info[u->inst.op].mnemonic, phase_of(u));
		says(&c, "inlined", "%s", v->inlined ? v->inlined : "");
	}
	cells_close(&c);
	static const struct {
		unsigned number;
		const char *what, *value;
	} rows[] = {{2, "a0", "17"},
	            {5, "view rob", "one"},
	            {0, "", "two"},
	            {6, "nonsense", "no such thing"}};
	cells_open(&c, s, "displays");
	for (unsigned i = 0; i < 4; i++) {
		cells_row(&c);
		if (rows[i].number)
			says_uint(&c, "number", rows[i].number);
		else
			says_nothing(&c, "number");
		says(&c, "what", "%s", rows[i].what);
		says(&c, "value", "%s", rows[i].value);
	}
	cells_close(&c);
	session_free(s);
}

/* The program of tests/cmd/turns.c: two streams by turns, and parts of lines. */
TEST(output_is_what_was_written)
{
	static const char *const lines[][2] = {{"", "one"},     {"err", "two"},  {"", "three "},
	                                       {"err", "four"}, {"err", "five"}, {"", "six"},
	                                       {"", "seven"},   {"err", "eight"}};
	struct session *s = open_program("build/tests/cmd/turns", NULL);
	struct cells c;
	cells_open(&c, s, "output");
	cells_close(&c);
	run_for(s, UINT64_C(1) << 40);
	for (unsigned k = 0; k < 2; k++) {
		const unsigned most = k ? 3 : 8;
		cells_open(&c, s, k ? "output 3" : "output");
		for (unsigned i = 8 - most; i < 8; i++) {
			cells_row(&c);
			says(&c, "stream", "%s", lines[i][0]);
			says(&c, "text", "%s", lines[i][1]);
		}
		cells_close(&c);
	}
	session_free(s);
}

TEST(breakpoints_are_those_added)
{
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	const struct symbol *walk = program_symbol_by_name(s->program, "walk"),
			    *nodes = program_symbol_by_name(s->program, "nodes");
	const struct stop_point add[] = {
		{.kind = STOP_POINT_PC,
	         .addr = walk->addr,
	         .text = "walk",
	         .enabled = true,
	         .ignore = 2,
	         .condition_text = "a0 > 3"},
		{.kind = STOP_POINT_PC,
	         .stage = STAGE_FETCH,
	         .addr = walk->addr + 4,
	         .text = "walk+4",
	         .temporary = true},
		{.kind = STOP_POINT_PC,
	         .stage = STAGE_DISPATCH,
	         .addr = walk->addr,
	         .text = "*walk",
	         .enabled = true,
	         .temporary = true},
		{.kind = STOP_POINT_MEMORY,
	         .addr = nodes->addr + 8,
	         .size = 8,
	         .text = "nodes",
	         .enabled = true},
		{.kind = STOP_POINT_REG, .reg = 10, .text = "a0", .enabled = true},
		{.kind = STOP_POINT_EVENT,
	         .text = "squash",
	         .enabled = true,
	         .filter = {.mask = EV_BIT(SQUASH)}},
		{.kind = STOP_POINT_EVENT,
	         .text = "reads",
	         .addr = nodes->addr,
	         .size = 4,
	         .filter = {.mask = EV_BIT(MEM)}},
	};
	static const char *const kinds[] = {
		"break at commit", "break at fetch", "break at dispatch", "watch memory",
		"watch register",  "event",          "watch reads"};
	struct cells c;
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(run_add_stop(s->run, &add[i]), i + 1);
	run_for(s, 10);
	run_stop(s->run, 1)->hits = 12345;
	cells_open(&c, s, "breakpoints");
	for (unsigned i = 0; i < 7; i++) {
		struct source_line at;
		cells_row(&c);
		says_uint(&c, "id", i + 1);
		says(&c, "what", "%s", add[i].text);
		says(&c, "kind", "%s", kinds[i]);
		says(&c, "state", "%s%s", add[i].enabled ? "on" : "off",
		     add[i].temporary ? ", once" : "");
		says(&c, "condition", "%s", add[i].condition_text);
		says_uint(&c, "hits", i ? 0 : 12345);
		says_uint(&c, "ignore", add[i].ignore);
		if (add[i].kind == STOP_POINT_PC && program_line_at(s->program, add[i].addr, &at))
			says(&c, "place", "%s (%s:%u)", addr_of(s, add[i].addr), file_name(at.file),
			     at.line);
		else if (add[i].size)
			says(&c, "place", "%s, %llu bytes", addr_of(s, add[i].addr),
			     (ull)add[i].size);
		else
			says_nothing(&c, "place");
	}
	cells_close(&c);
	session_free(s);
}

/* The list has all reachable places of the past, the present and the newest cycle. */
TEST(history_is_what_is_recorded)
{
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	run_for(s, 9000);
	for (unsigned k = 0; k < 3; k++) {
		struct run_stop_info info;
		struct run_history h;
		struct err err;
		struct cells c;
		uint64_t before = UINT64_MAX;
		bool here = false, newest = false;
		assert_true(run_goto_cycle(s->run,
		                           k == 0   ? 9000
		                           : k == 1 ? 4321
		                                    : run_snapshot_cycle(s->run, 2),
		                           &info, &err));
		run_history(s->run, &h);
		const uint64_t now = machine_cycle(s->machine);
		cells_open(&c, s, "history");
		for (unsigned i = 0; !newest || !here; ) {
			const uint64_t snapshot = run_snapshot_cycle(s->run, i);
			uint64_t cycle = snapshot;
			const char *what = i ? "snapshot" : "snapshot: the beginning";
			if (!here && now < snapshot && now != h.newest_cycle) {
				cycle = now;
				what = "where we are";
			} else if (snapshot == UINT64_MAX) {
				cycle = h.newest_cycle;
				what = "the newest cycle";
			} else {
				i++;
			}
			here |= cycle == now;
			newest = cycle == h.newest_cycle;
			cells_row(&c);
			says(&c, "mark", "%s", cycle == now ? "▶" : "");
			says_uint(&c, "cycle", cycle);
			says(&c, "what", "%s", what);
			const uint64_t away = cycle > now ? cycle - now : now - cycle;
			if (away)
				says_word(&c, "away", RAW_UINT, away, "%s %s", grouped(away),
				          cycle > now ? "ahead" : "ago");
			else
				says_word(&c, "away", RAW_UINT, 0, "here");
			if (before == UINT64_MAX)
				says_nothing(&c, "gap");
			else
				says_uint(&c, "gap", cycle - before);
			before = cycle;
		}
		cells_close(&c);
	}
	session_free(s);
}

static const char *session_cells_format_param(const struct config *cfg, const struct param *p)
{
	char *out = some_text();
	config_format(cfg, p, out, 256);
	return p->type == PARAM_INT ? grouped((uint64_t)config_get(cfg, p)) : out;
}

static void says_value(struct cells *c, const char *column, const struct config *cfg,
                       const struct param *p, bool wanted)
{
	if (!wanted)
		says_nothing(c, column);
	else if (p->type == PARAM_INT)
		says_word(c, column, RAW_UINT, (uint64_t)config_get(cfg, p), "%s",
		          session_cells_format_param(cfg, p));
	else
		says(c, column, "%s", session_cells_format_param(cfg, p));
}

TEST(parameters_are_the_machines)
{
	struct session *s =
		open_program("tests/golden/guest.elf", "pipe.rob_size=32;bpred.kind=gshare");
	const struct config *now = machine_config(s->machine);
	struct config plain;
	struct err err;
	struct cells c;
	config_default(&plain);
	assert_true(config_set_assignment(&s->cfg, "l2.size=65536", &err));
	cells_open(&c, s, "config");
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &params[i];
		const char *unit = p->unit ? p->unit : "";
		if (!param_exists(now, p))
			continue;
		cells_row(&c);
		says(&c, "name", "%s", p->name);
		says_value(&c, "value", now, p, true);
		says(&c, "unit", "%s", p->type == PARAM_INT ? unit : "");
		says_value(&c, "next", &s->cfg, p,
		           strcmp(session_cells_format_param(&s->cfg, p),
		                  session_cells_format_param(now, p)) != 0);
		says_value(&c, "default", &plain, p,
		           strcmp(session_cells_format_param(&plain, p),
		                  session_cells_format_param(now, p)) != 0);
		if (p->type == PARAM_INT || p->type == PARAM_BOOL)
			says(&c, "meaning", "%s", p->help);
		else
			says(&c, "meaning", "%s (%s)", p->help, unit);
	}
	cells_close(&c);
	session_free(s);
}

TEST(session_cells_are_complete)
{
	views_are_complete("session");
}
