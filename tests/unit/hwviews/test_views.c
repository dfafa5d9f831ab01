/* Every view of a real program at many cycles: views leave the machine unchanged, fit their panes,
 * and are valid JSON. */
#include "tests/unit/hwviews/views_fixture.h"

#include "hwviews/reports/report.h"

/* Words of a view's arguments, cut in place. */
static int views_split_words(char *line, const char *words[], int max)
{
	int n = 0;
	for (char *w = strtok(line, " "); w && n < max; w = strtok(NULL, " "))
		words[n++] = w;
	return n;
}

static void check_text(const struct grid *g, unsigned width)
{
	char *text = render_text_string(
		g, &(struct text_style){.width = width, .marks = true, .right = "cycle 1,234"});
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		assert_true(utf8_width(line) <= width);
		assert_true(end == line || end[-1] != ' ');
	}
	free(text);
}

static void check_grid(const struct view *v, const struct grid *g)
{
	for (unsigned r = 0; r < g->row_count; r++) {
		for (unsigned c = 0; c < g->column_count; c++) {
			assert_non_null(g->rows[r].cells[c].text);
			assert_true(g->rows[r].cells[c].role < ROLE_COUNT);
		}
		/* Keys distinguish rows. */
		for (unsigned q = 0; q < r; q++)
			if (g->rows[r].key && g->rows[q].key == g->rows[r].key)
				fail_msg("%s: rows %u and %u have the same key", v->name, q, r);
	}
	if (!g->row_count && !*g->empty)
		fail_msg("%s: neither rows nor a text in their place", v->name);
	static const unsigned widths[] = {40, 80, 120, 200};
	for (unsigned i = 0; i < 4; i++)
		check_text(g, widths[i]);
	char *json = render_json_string(g, v->name, 1);
	if (!json_ok(json))
		fail_msg("%s is not valid JSON: %s", v->name, json);
	free(json);
}

/* Arguments for each view, which is also opened without any. */
static const char *const tries[][2] = {{"pipe", "100"},
                                       {"pipe", "0 10"},
                                       {"l1d", "3"},
                                       {"l1d", "sp"},
                                       {"l1i", "main"},
                                       {"l2", "nodes+64"},
                                       {"btb", "5"},
                                       {"btb", "walk"},
                                       {"bpred", "walk+8"},
                                       {"tlb", "nodes"},
                                       {"mem", "nodes 48"},
                                       {"mem", "0x10"},
                                       {"mem", "sp-4"},
                                       {"disasm", "walk 3"},
                                       {"disasm", "main+1000"},
                                       {"source", "guest.c:60"},
                                       {"source", "walk"},
                                       {"stack", "100"},
                                       {"output", "1"},
                                       {"output", "0"},
                                       {"rename", "all"},
                                       {"rename", "branches"},
                                       {"rename", "none"},
                                       {"iq", "1"},
                                       {"stats", "l1d bpred"},
                                       {"stats", "nonsense"},
                                       {"bdt", "3"},
                                       {"bdt", "18"},
                                       {"bdt", "64"},
                                       {"bdt", "loop"},
                                       {"bdt", "nobody"},
                                       {"bdt", "1 2"},
                                       {"pflag", "1"},
                                       {"pflag", "0"},
                                       {"pflag", "4097"},
                                       {"pflag", "all"},
                                       {"pflag", "1 2"},
                                       {"buckets", "0"},
                                       {"buckets", "0 3"},
                                       {"buckets", "1 2"},
                                       {"buckets", "0 63"},
                                       {"buckets", "1"},
                                       {"buckets", "9"},
                                       {"buckets", "0 99999"},
                                       {"buckets", "H"},
                                       {"buckets", "0 1 2"},
                                       {"compressor", "1"},
                                       {"config", "lsq"},
                                       {"cfg", "walk"},
                                       {"cfg", "main code"},
                                       {"cfg", "walk+4"},
                                       {"cfg", "nodes"},
                                       {"cfg", "0"},
                                       {"cfg", "walk walk"},
                                       {"cfg", "code code"},
                                       {"cfg", "code"},
                                       {"paths", "walk"},
                                       {"paths", "0 1 2"},
                                       {"paths", "by"},
                                       {"paths", "200%"},
                                       {"rob", "extra"},
                                       {"l1d", "99999"},
                                       {"mem", "nowhere"},
                                       {"pipe", "x"},
                                       {"stack", "-1"}};

/* Checks that the machine's hash is `before` before and after; at scale small, try_all() checks it
 * once for all views. */
static void try_view(struct session *s, uint64_t before, const struct view *v,
                     const char *arguments, unsigned rows, unsigned columns, int64_t scroll)
{
	char line[64];
	const char *words[8];
	snprintf(line, sizeof line, "%s", arguments);
	struct view_args args = {.argc = views_split_words(line, words, 8),
	                         .argv = words,
	                         .rows = rows,
	                         .columns = columns,
	                         .scroll = scroll};
	const uint64_t cycle = machine_cycle(s->machine);
	struct grid g;
	struct err err = {.msg = ""};
	memset(&g, 0x55, sizeof g);
	if (view_fill(v, s, &args, &g, &err)) {
		check_grid(v, &g);
		grid_deinit(&g);
	} else {
		assert_true(args.argc > 0);
		assert_true(*err.msg);
		for (size_t i = 0; i < sizeof g; i++)
			assert_int_equal(((unsigned char *)&g)[i], 0x55);
	}
	if ((!scale_is("small") && machine_hash(s->machine) != before) ||
	    machine_cycle(s->machine) != cycle)
		fail_msg("view %s %s changed the machine", v->name, arguments);
}

static void try_all(struct session *s)
{
	const uint64_t hash = machine_hash(s->machine);
	for (unsigned i = 0; i < view_count; i++) {
		try_view(s, hash, views[i], "", 0, 0, 0);
		try_view(s, hash, views[i], "", 22, 78, 0);
		try_view(s, hash, views[i], "", 3, 20, 5);
		try_view(s, hash, views[i], "", 10, 100, -7);
	}
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		const struct view *v = view_find(NULL, tries[i][0], NULL);
		assert_non_null(v);
		try_view(s, hash, v, tries[i][1], 0, 0, 0);
	}
	assert_int_equal(machine_hash(s->machine), hash);
}

/* Loads a microprogram that uses each unit, and faults when no entry is left. */
static void load_microprogram(struct session *s)
{
	static const char text[] =
		".program all\n.fields load: pc, rs1, result\n.fields branch: pc, target\n.on "
	        "load: load\n.on branch: other\n"
		".name slot = x0\n.name turn = x1\n.column pc = cam as pc\n.column n = data b0 "
	        "width 8 lane 1\n"
		".column m = data b0 as hex\n.column share = ratio n m\n"
		"load: match slot, pc | rand v0, rs1 | if miss goto new\n"
		"inc.8 v1, b0[slot].1 | sadd.8 v2, v2, 1 | if csat interrupt\n done\n"
		"new: write cam[turn], pc | write b0[turn], result | inc turn, turn, 0 | done "
	        "likely\n"
		"other: ssub v3, v3, target | cmp slot, turn | if xlt done\n free slot | if hit "
	        "done\n invalidate cam | done\n";
	struct microprogram *p;
	struct device_write *writes;
	struct err err;
	size_t n;
	if (!session_cop(s))
		return;
	p = microprogram_new(text, sizeof text - 1, "all", NULL, 0, NULL, &err);
	if (!p)
		fail_msg("%s", err.msg);
	writes = cop_load(machine_config(s->machine), &p->image, &n, &err);
	assert_non_null(writes);
	assert_true(run_change(s->run,
	                       &(struct change){.kind = JOURNAL_DEVICE,
	                                        .a = DEVICE_COP,
	                                        .bytes = writes,
	                                        .n = n * sizeof *writes},
	                       &err));
	free(writes);
	assert_true(session_add_microprogram(s, p, &err));
	assert_ptr_equal(session_microprogram(s), p);
}

TEST(views_leave_the_machine_alone)
{
	static const char *const settings[] = {
		NULL,
		"pipe.in_order=true",
		"btb.sets=0",
		"ras.size=0",
		"bpred.kind=gshare",
		"l1d.mshrs=0",
		"lsq.speculate=true",
		"oracle.enable=true",
		"sampler.enable=true;sampler.compressor=H(C(P(4)), 64), A(4)",
		"sampler.enable=true;sampler.compressor=R(2), T(64, hit=3, replace=2, evict=4), "
	        "A(2);sampler.reader=interrupt",
		"sampler.enable=true;sampler.compressor=Rc(3), A(300);sampler.select=value of "
	        "load, edge tag 1, miss tag 2",
		"cop.enable=true",
		"cop.enable=true;cop.divider=4;cop.buffer=8;cop.transport=8;cop.cam=3"};
	const bool small = scale_is("small");
	for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
		struct session *s = views_fixture_start_guest(settings[k]);
		load_microprogram(s);
		if (!small || !k)
			try_all(s);
		for (int i = 0; i < (k ? small ? 1 : 4 : small ? 4 : 12); i++) {
			session_fixture_run_cycles(s, small ? (uint64_t)(200 + i * 600)
			                                    : (uint64_t)(1 + i * 37));
			s->selected_seq = i % 3 ? session_uop(s) ? session_uop(s)->seq : 0 : 0;
			try_all(s);
		}
		session_fixture_run_cycles(s, UINT64_C(1) << 40);
		assert_int_equal(machine_status(s->machine), MACHINE_EXITED);
		if (!small || k % 4 == 0)
			try_all(s);
		session_free(s);
	}
}

TEST(views_do_without_history)
{
	struct session *s = views_fixture_start_guest(NULL);
	session_fixture_run_cycles(s, 3000);
	struct session bare = {.cfg = s->cfg, .program = s->program, .machine = s->machine};
	try_all(&bare);
	session_free(s);
}

TEST(views_explain_themselves)
{
	for (unsigned i = 0; i < view_count; i++) {
		const struct view *v = views[i];
		char *help = view_help_text(&v->help);
		assert_ptr_equal(view_find(NULL, v->name, NULL), v);
		assert_true(*v->title && v->args);
		assert_non_null(help);
		assert_true(strlen(help) > 200);
		assert_true(help[strlen(help) - 1] != '\n');
		for (const char *line = help; line;
		     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
			char one[400];
			snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
			if (utf8_width(one) > 78)
				fail_msg("help of %s: %u cells: %s", v->name, utf8_width(one), one);
		}
		free(help);
	}
}

static void views_check_help_tables(const char *name, const struct view_help *h)
{
	assert_true(h->tables[0].count > 0);
	for (unsigned t = 0; t < VIEW_TABLES_MAX && h->tables[t].count; t++)
		for (unsigned i = 0; i < h->tables[t].count; i++) {
			const struct grid_column *c = &h->tables[t].columns[i];
			if (*c->title && !c->help)
				fail_msg("%s: column %s has no help", name, c->name);
			if (!i && c->help)
				assert_string_not_equal(c->help, AS_BEFORE);
			/* Each row is complete, by grid_cells() or by the view. */
			if (!c->fill != !h->tables[t].columns[0].fill)
				fail_msg("%s: one of %s and %s has nothing that fills it", name,
				         c->name, h->tables[t].columns[0].name);
		}
}

TEST(columns_are_explained)
{
	for (unsigned i = 0; i < view_count; i++)
		views_check_help_tables(views[i]->name, &views[i]->help);
	for (unsigned i = 0; i < report_count; i++)
		views_check_help_tables(reports[i]->name, &reports[i]->help);
}

/* True if one of the view's tables has the column, whose help then explains it. */
static bool is_in_help(const struct view_help *h, const char *name)
{
	for (unsigned t = 0; t < VIEW_TABLES_MAX; t++)
		for (unsigned i = 0; i < h->tables[t].count; i++)
			if (!strcmp(h->tables[t].columns[i].name, name))
				return true;
	return !strcmp(name, "nothing");
}

/* The help explains all columns, on a machine with all devices, too. */
TEST(what_is_shown_is_explained)
{
	static const char *const words[][2] = {{"fu", "units"}, {"l1d", "3"}, {"bpred", "walk+8"},
	                                       {"branches", "all"}, {"hot", "functions"},
	                                       {"pipe", "by 16"}, {"slots", "functions"}};
	(void)state;
	struct session *s = views_fixture_start_guest(
		"oracle.enable=1;oracle.blocks=1;oracle.contexts=1;sampler.enable=1;"
		"profileme.enable=1;cop.enable=1;vsample.enable=1;xprof.enable=1");
	session_fixture_run_cycles(s, 3000);
	for (unsigned i = 0; i < view_count + sizeof words / sizeof *words; i++) {
		const char *const *w = i < view_count ? NULL : words[i - view_count];
		const struct view *v = w ? view_named(s, w[0]) : views[i];
		char line[64];
		struct grid g;
		struct err err;
		snprintf(line, sizeof line, "%s %s", v->name, w ? w[1] : "");
		if (!view_build(s, line, &(struct view_args){0}, &g, &err))
			fail_msg("%s", err.msg);
		for (unsigned c = 0; c < g.column_count; c++)
			if (!is_in_help(&v->help, g.columns[c].name))
				fail_msg("%s: no table of its help has column %s", line,
				         g.columns[c].name);
		grid_deinit(&g);
	}
	session_free(s);
}

TEST(columns_have_names_of_their_own)
{
	struct session *s = views_fixture_start_guest(NULL);
	session_fixture_run_cycles(s, 2000);
	for (unsigned i = 0; i < view_count; i++) {
		struct grid g;
		struct err err;
		assert_true(view_fill(views[i], s, &(struct view_args){0}, &g, &err));
		for (unsigned c = 0; c < g.column_count; c++) {
			const char *name = g.columns[c].name;
			assert_true(islower((unsigned char)*name));
			assert_true(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
			            strlen(name));
			assert_true(strcmp(name, "role") != 0 && strcmp(name, "changed") != 0 &&
			            strcmp(name, "new") != 0);
			for (unsigned d = 0; d < c; d++)
				assert_string_not_equal(name, g.columns[d].name);
		}
		grid_deinit(&g);
	}
	session_free(s);
}

TEST(names_are_found)
{
	struct err err;
	assert_string_equal(view_find(NULL, "rob", &err)->name, "rob");
	assert_string_equal(view_find(NULL, "back", &err)->name, "backtrace");
	assert_null(view_find(NULL, "l1", &err));
	assert_non_null(strstr(err.msg, "l1i"));
	assert_null(view_find(NULL, "bredp", &err));
	assert_non_null(strstr(err.msg, "'bpred'"));
	assert_null(view_find(NULL, "zzzzzzzz", &err));
}

/* ---- the pipeline diagram ---- */

/* The diagram equals the recorded events. */
static bool build_own(const struct view *v, const struct session *s, const struct view_args *args,
                      struct grid *out, struct err *err)
{
	static const struct grid_column columns[] = {
		{"what", "what", "", .align = ALIGN_LEFT}};
	(void)s;
	if (args->argc)
		return err_set(err, "%s takes no words", v->name);
	grid_init(out, v->title, columns, 1);
	grid_row(out, 0, ROLE_PLAIN);
	grid_int(out, ROLE_PLAIN, -1234567);
	return true;
}

TEST(a_session_may_have_more)
{
	const struct view own = {
		.name = "robust",
		.title = "Own",
		.args = "",
		.help.about = "",
		.build_own = build_own};
	const struct view *const list[] = {&own};
	const struct view_list more = {list, 1};
	struct session *s = views_fixture_start_guest(NULL),
		       *other = views_fixture_start_guest(NULL);
	struct grid g;
	struct err err;
	s->more_views = &more;
	assert_ptr_equal(view_find(s, "robust", &err), &own);
	assert_ptr_equal(view_find(s, "robu", &err), &own);
	assert_string_equal(view_find(s, "rob", &err)->name, "rob");
	assert_ptr_equal(view_at(s, view_count), &own);
	assert_null(view_at(s, view_count + 1));
	assert_null(view_find(other, "robust", &err));
	assert_null(view_at(other, view_count));
	assert_null(view_named(NULL, "robust"));
	assert_null(view_named(s, "robu"));
	assert_false(view_build(s, "robust x", &(struct view_args){0}, &g, &err));
	assert_string_equal(err.msg, "robust takes no words");
	assert_true(view_build(s, "robust", &(struct view_args){0}, &g, &err));
	assert_string_equal(g.rows[0].cells[0].text, "-1,234,567");
	assert_int_equal(g.rows[0].cells[0].raw.i, -1234567);
	grid_deinit(&g);
	session_free(s);
	session_free(other);
}

/* ---- views that must agree ---- */

TEST(cpi_adds_up)
{
	static const char *const widths[] = {"pipe.commit_width=4", "pipe.commit_width=1",
	                                     "pipe.commit_width=3"};
	for (size_t k = 0; k < 3; k++) {
		struct session *s = views_fixture_start_guest(widths[k]);
		uint64_t width = (uint64_t)machine_config(s->machine)->commit_width;
		for (int i = 0; i < 20; i++) {
			session_fixture_run_cycles(s, (uint64_t)(1 + 41 * i));
			struct grid g;
			struct err err;
			assert_true(view_cpi.build(s, &(struct view_args){0}, &g, &err));
			unsigned slots = g.column_count - 1, total = g.row_count - 1;
			uint64_t sum = 0;
			for (unsigned r = 0; r < total; r++)
				sum += g.rows[r].cells[slots].raw.u;
			assert_int_equal(sum, g.rows[total].cells[slots].raw.u);
			assert_int_equal(sum, width * machine_cycle(s->machine));
			grid_deinit(&g);
		}
		session_free(s);
	}
}

/* No view shows a result before the machine has it. */
TEST(values_wait_for_the_hardware)
{
	struct session *s = views_fixture_start_guest(NULL);
	unsigned hidden = 0, shown = 0;
	for (int i = 0; i < 200; i++) {
		session_fixture_run_cycles(s, 17);
		struct grid rob, lsq;
		struct err err;
		assert_true(view_rob.build(s, &(struct view_args){0}, &rob, &err));
		assert_true(view_lsq.build(s, &(struct view_args){0}, &lsq, &err));
		const struct pipe *p = machine_pipe(s->machine);
		for (unsigned r = 0; r < rob.row_count; r++) {
			if (pipe_rob_at(p, r)->state == UOP_DONE) {
				shown += *views_fixture_cell_text(&rob, r, "value") != '\0';
			} else {
				assert_string_equal(views_fixture_cell_text(&rob, r, "value"), "");
				hidden++;
			}
		}
		for (unsigned r = 0; r < lsq.row_count; r++) {
			bool known = pipe_lsq_at(p, r)->flags & UF_ADDR_KNOWN;
			assert_true(known == (strcmp(views_fixture_cell_text(&lsq, r, "address"),
			                             "unknown") != 0));
		}
		grid_deinit(&rob);
		grid_deinit(&lsq);
	}
	assert_true(hidden > 100 && shown > 100);
	session_free(s);
}
