/* Every view of a real program at many cycles: they leave the machine alone, fit where they are
 * asked to fit, are valid JSON; and the pipeline diagram and the CPI stack agree with what the
 * machine says otherwise. */
#include "hwviews/grid/view.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_names.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/machine/pipe_rows.h"
#include "loader/microprogram.h"
#include "tests/scale.h"
#include "tests/unit/hwviews/json_check.h"
#include "ui/render/render_json.h"
#include "ui/render/render_text.h"

static void swallow(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static struct session *start_program(const char *path, const char *setting)
{
	struct err err;
	struct session_options opt = {.launch = {.path = path, .stdin_fd = -1, .output = swallow},
	                              .history = {.history = true, .first_spacing = 500}};
	config_default(&opt.cfg);
	char settings[256], *save;
	snprintf(settings, sizeof settings, "%s", setting ? setting : "");
	for (char *one = strtok_r(settings, ";", &save); one; one = strtok_r(NULL, ";", &save))
		assert_true(config_set_assignment(&opt.cfg, one, &err));
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static struct session *start(const char *setting)
{
	return start_program("tests/golden/guest.elf", setting);
}

static void go(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	struct err err;
	assert_true(run_cycles(s->run, cycles, false, &info, &err));
}

/* Words of a view's arguments, cut in place. */
static int split(char *line, const char *words[], int max)
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
		/* Keys tell rows apart. */
		for (unsigned q = 0; q < r; q++)
			if (g->rows[r].key && g->rows[q].key == g->rows[r].key)
				fail_msg("%s: rows %u and %u have the same key", v->name, q, r);
	}
	assert_true(g->row_count > 0 || *g->empty);
	static const unsigned widths[] = {40, 80, 120, 200};
	for (unsigned i = 0; i < 4; i++)
		check_text(g, widths[i]);
	char *json = render_json_string(g, v->name, 1);
	if (!json_ok(json))
		fail_msg("%s is not valid JSON: %s", v->name, json);
	free(json);
}

/* Arguments that each view is tried with, besides none. */
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

/* The machine has this hash, and has it afterwards; at scale small try_all() looks once for all. */
static void try_view(struct session *s, uint64_t before, const struct view *v,
                     const char *arguments, unsigned rows, unsigned columns, int64_t scroll)
{
	char line[64];
	const char *words[8];
	snprintf(line, sizeof line, "%s", arguments);
	struct view_args args = {.argc = split(line, words, 8),
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

/* Into a machine with a co-processor: a program that uses each unit, and faults when the entries
 * are used up. */
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

static void views_leave_the_machine_alone(void **state)
{
	(void)state;
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
		struct session *s = start(settings[k]);
		load_microprogram(s);
		if (!small || !k)
			try_all(s);
		for (int i = 0; i < (k ? small ? 1 : 4 : small ? 4 : 12); i++) {
			go(s, small ? (uint64_t)(200 + i * 600) : (uint64_t)(1 + i * 37));
			s->selected_seq = i % 3 ? session_uop(s) ? session_uop(s)->seq : 0 : 0;
			try_all(s);
		}
		go(s, UINT64_C(1) << 40);
		assert_int_equal(machine_status(s->machine), MACHINE_EXITED);
		if (!small || k % 4 == 0)
			try_all(s);
		session_free(s);
	}
}

static void views_do_without_history(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	go(s, 3000);
	struct session bare = {.cfg = s->cfg, .program = s->program, .machine = s->machine};
	try_all(&bare);
	session_free(s);
}

static void views_explain_themselves(void **state)
{
	(void)state;
	for (unsigned i = 0; i < view_count; i++) {
		const struct view *v = views[i];
		assert_ptr_equal(view_find(NULL, v->name, NULL), v);
		assert_true(strlen(v->help) > 200);
		assert_true(*v->title && v->args);
		assert_true(v->help[strlen(v->help) - 1] != '\n');
		for (const char *line = v->help; line;
		     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
			char one[400];
			snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
			if (utf8_width(one) > 78)
				fail_msg("help of %s: %u cells: %s", v->name, utf8_width(one), one);
		}
	}
}

static void columns_have_names_of_their_own(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	go(s, 2000);
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

static void names_are_found(void **state)
{
	(void)state;
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

enum { HEARD_MAX = 400000 };

struct trace {
	struct event *events;
	size_t count;
};

static void record(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m;
	struct trace *t = ctx;
	if (t->count < HEARD_MAX)
		t->events[t->count++] = *ev;
}

static char expected_letter(const struct event *ev)
{
	switch (ev->id) {
	case EV_FETCH: return 'F';
	case EV_DISPATCH: return 'D';
	case EV_ISSUE: return 'I';
	case EV_MEM: return 'M';
	case EV_WRITEBACK: return 'W';
	case EV_COMMIT: return 'C';
	default: return 0;
	}
}

/* What the events said when they happened is what the diagram says afterwards. */
static bool build_own(const struct view *v, const struct session *s, const struct view_args *args,
                      struct grid *out, struct err *err)
{
	static const struct grid_column columns[] = {
		{"what", "what", "", ALIGN_LEFT, 0, false, false}};
	(void)s;
	if (args->argc)
		return err_set(err, "%s takes no words", v->name);
	grid_init(out, v->title, columns, 1);
	grid_row(out, 0, ROLE_PLAIN);
	grid_int(out, ROLE_PLAIN, -1234567);
	return true;
}

static void a_session_may_have_more(void **state)
{
	(void)state;
	const struct view own = {
		.name = "robust", .title = "Own", .args = "", .help = "", .build_own = build_own};
	const struct view *const list[] = {&own};
	const struct view_list more = {list, 1};
	struct session *s = start(NULL), *other = start(NULL);
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

static void letters_are_events(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	struct trace t = {.events = malloc(HEARD_MAX * sizeof *t.events)};
	struct event_filter filter = {.mask = EV_BIT(FETCH) | EV_BIT(DISPATCH) | EV_BIT(ISSUE) |
	                                      EV_BIT(MEM) | EV_BIT(WRITEBACK) | EV_BIT(COMMIT)};
	assert_true(machine_listen(s->machine, &filter, record, &t) > 0);
	unsigned checked = 0, letters = 0;
	for (int i = 0; i < 60; i++) {
		t.count = 0;
		go(s, 97);
		const struct pipe *p = machine_pipe(s->machine);
		for (size_t e = 0; e < t.count; e++) {
			const struct uop *u = pipe_find(p, t.events[e].seq);
			char want = expected_letter(&t.events[e]);
			if (!u)
				continue;
			const char *got = pipe_letter(p, u, t.events[e].cycle);
			/* A squash in the same cycle, or a forward that took no cycle, comes last.
			 */
			if (u->state == UOP_SQUASHED && u->when.end == t.events[e].cycle)
				want = 'x';
			if (*got != want)
				fail_msg("#%llu in cycle %llu: %s, not %c",
				         (unsigned long long)u->seq,
				         (unsigned long long)t.events[e].cycle, got, want);
			checked++;
			letters |= 1u << (want - 'A');
		}
	}
	assert_true(checked > 10000);
	assert_int_equal(letters & 0x7fffffu, 1u << ('C' - 'A') | 1u << ('D' - 'A') |
	                                              1u << ('F' - 'A') | 1u << ('I' - 'A') |
	                                              1u << ('M' - 'A') | 1u << ('W' - 'A'));
	free(t.events);
	session_free(s);
}

static const char *cell(const struct grid *g, unsigned row, const char *column)
{
	for (unsigned c = 0; c < g->column_count; c++)
		if (strcmp(g->columns[c].name, column) == 0)
			return g->rows[row].cells[c].text;
	fail_msg("no column %s", column);
	return "";
}

static void build_pipe(const struct session *s, const char *arg, int64_t scroll, struct grid *g);

/* A machine with a memory stage is drawn as textbooks draw it. */
static void five_stages_have_their_letters(void **state)
{
	(void)state;
	struct session *s = start("pipe.memory_stage=1");
	unsigned whole = 0;
	for (int i = 0; i < 20; i++) {
		struct grid g;
		go(s, 91);
		build_pipe(s, NULL, 0, &g);
		for (unsigned r = 1; r < g.row_count; r++) {
			const char *line = cell(&g, r, "pipeline");
			assert_true(strcspn(line, "IC") == strlen(line));
			whole += strstr(line, "FDXM") && strchr(line, 'W');
		}
		grid_deinit(&g);
	}
	assert_true(whole > 0);
	session_free(s);
}

static void build_pipe(const struct session *s, const char *arg, int64_t scroll, struct grid *g)
{
	struct err err;
	struct view_args args = {
		.argc = arg ? 1 : 0, .argv = &arg, .rows = 30, .columns = 120, .scroll = scroll};
	if (!view_pipe.build(s, &args, g, &err))
		fail_msg("%s", err.msg);
}

/* The diagram of a cycle long gone is the one that was shown then. */
static void the_past_stays_as_it_was(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	struct grid then[12], now;
	for (int i = 0; i < 12; i++) {
		go(s, (uint64_t)(150 + 200 * i));
		build_pipe(s, NULL, 0, &then[i]);
	}
	uint64_t end = machine_cycle(s->machine);
	uint64_t cycle = 0;
	unsigned rows = 0;
	for (int i = 0; i < 12; i++) {
		char arg[32];
		cycle += (uint64_t)(150 + 200 * i);
		snprintf(arg, sizeof arg, "%llu", (unsigned long long)cycle - 1);
		build_pipe(s, arg, 0, &now);
		assert_int_equal(machine_cycle(s->machine), end);
		assert_string_equal(now.summary, then[i].summary);
		assert_int_equal(now.row_count, then[i].row_count);
		for (unsigned r = 0; r < now.row_count; r++) {
			assert_int_equal(now.rows[r].seq, then[i].rows[r].seq);
			assert_string_equal(cell(&now, r, "pipeline"),
			                    cell(&then[i], r, "pipeline"));
			rows++;
		}
		grid_deinit(&now);
		grid_deinit(&then[i]);
	}
	assert_true(rows > 200);
	session_free(s);
}

static void scrolling_has_no_gaps(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	go(s, 9000);
	uint64_t last = UINT64_MAX;
	for (int64_t scroll = -20; scroll > (scale_is("small") ? -600 : -4000); scroll -= 20) {
		struct grid g;
		build_pipe(s, NULL, scroll, &g);
		uint64_t first = g.rows[1].seq;
		for (unsigned r = 2; r < g.row_count; r++)
			assert_int_equal(g.rows[r].seq, first + r - 1);
		assert_true(last == UINT64_MAX || last - first == 20);
		last = first;
		grid_deinit(&g);
	}
	session_free(s);
}

/* As far as history goes, which is to the first instruction; what is shown there is what was shown
 * when it was the present. */
static void scrolling_reaches_the_beginning(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	struct grid then, g;
	go(s, 172); /* the first have gone all their way, the others have yet to be fetched */
	build_pipe(s, NULL, 0, &then);
	go(s, 12000);
	const uint64_t next = machine_pipe(s->machine)->st->next_seq,
		       cycle = machine_cycle(s->machine);
	assert_true(next > 15000);
	for (uint64_t up = 5000; up < next; up += 3001) {
		build_pipe(s, NULL, -(int64_t)up, &g);
		const uint64_t first = g.rows[1].seq;
		/* the oldest in flight is so many before the next at most */
		assert_in_range(first, next - up - 300, next - up);
		for (unsigned r = 2; r < g.row_count; r++)
			assert_int_equal(g.rows[r].seq, first + r - 1);
		grid_deinit(&g);
	}
	build_pipe(s, NULL, -(int64_t)next, &g);
	assert_int_equal(g.rows[1].seq, 1);
	assert_in_range(g.row_count, 29, 30); /* a line may be spared for the legend */
	assert_in_range(then.row_count, 4, g.row_count);
	for (unsigned r = 1; r < then.row_count; r++) {
		assert_int_equal(then.rows[r].seq, g.rows[r].seq);
		assert_string_equal(cell(&then, r, "pipeline"), cell(&g, r, "pipeline"));
	}
	assert_int_equal(machine_cycle(s->machine), cycle);
	grid_deinit(&g);
	build_pipe(s, NULL, -(int64_t)next - 1000000, &g);
	assert_int_equal(g.rows[1].seq, 1);
	grid_deinit(&g);
	grid_deinit(&then);
	session_free(s);
}

/* No column stands before what is shown was fetched, and the diagram of a cycle ends with it. */
static void the_axis_begins_with_the_first_fetch(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	unsigned moved = 0;
	for (int i = 0; i < 60; i++) {
		struct grid g;
		size_t indent = SIZE_MAX, longest = 0;
		go(s, 71);
		build_pipe(s, NULL, 0, &g);
		for (unsigned r = 1; r < g.row_count; r++) {
			const char *line = cell(&g, r, "pipeline");
			if (*line)
				indent = strspn(line, " ") < indent ? strspn(line, " ") : indent;
			longest = utf8_width(line) > longest ? utf8_width(line) : longest;
		}
		if (g.row_count > 1)
			assert_int_equal(indent, 0);
		assert_true(longest <= g.columns[3].min_width);
		moved += longest && longest < g.columns[3].min_width;
		grid_deinit(&g);
	}
	assert_true(moved > 0);
	session_free(s);
}

/* A row a branch, the youngest last, with what was said and what came of it; below them what the
 * tables hold. */
static void branches_say_how_they_came_out(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	unsigned right = 0, wrong = 0, open = 0, committed = 0;
	for (int i = 0; i < 150; i++) {
		struct grid g;
		struct err err;
		uint64_t before = 0;
		go(s, 53);
		assert_true(view_bpred.build(s, &(struct view_args){.rows = 12, .columns = 60}, &g,
		                             &err));
		const struct pipe *p = machine_pipe(s->machine);
		for (unsigned r = 0; r < g.row_count && g.rows[r].seq; r++) {
			const struct uop *u = NULL;
			for (uint32_t k = 0; k < p->pool_size; k++)
				u = p->pool[k].seq == g.rows[r].seq ? &p->pool[k] : u;
			assert_non_null(u);
			assert_true(u->seq > before && r < 12);
			before = u->seq;
			const bool known = u->state == UOP_DONE || u->state == UOP_RETIRED,
				   taken = u->mark.flags & BPM_TAKEN;
			assert_string_equal(cell(&g, r, "predicts"), taken ? "taken" : "not taken");
			if (!known)
				assert_string_equal(cell(&g, r, "outcome"), "not known");
			else if (u->exec.taken == taken)
				assert_string_equal(cell(&g, r, "outcome"), "right");
			else
				assert_string_equal(cell(&g, r, "outcome"),
				                    taken ? "wrong: not taken" : "wrong: taken");
			open += !known;
			right += known && u->exec.taken == taken;
			wrong += known && u->exec.taken != taken;
			committed += u->state == UOP_RETIRED;
		}
		grid_deinit(&g);
	}
	assert_true(right && wrong && open && committed);
	session_free(s);
}

/* Memory is shown where the selected instruction accesses it, else where the oldest access of the
 * window does. */
static void memory_follows_accesses(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	unsigned followed = 0, selected = 0;
	for (int i = 0; i < 150; i++) {
		const struct pipe *p = machine_pipe(s->machine);
		struct grid g;
		struct err err;
		go(s, 53);
		s->selected_seq = 0;
		for (uint32_t k = 0; k < p->st->lsq_count; k++) {
			const struct uop *u = pipe_lsq_at(p, k);
			if (!(u->flags & UF_ADDR_KNOWN))
				continue;
			if (s->selected_seq)
				selected++;
			assert_true(view_mem.build(s, &(struct view_args){.rows = 4}, &g, &err));
			assert_int_equal(g.rows[0].cells[0].raw.u, u->exec.addr & ~UINT64_C(15));
			assert_int_equal(g.rows[0].cells[1 + (u->exec.addr & 15) / 4].role,
			                 ROLE_HOT);
			grid_deinit(&g);
			followed++;
			/* The next ones only if they are selected. */
			while (++k < p->st->lsq_count &&
			       !(pipe_lsq_at(p, k)->flags & UF_ADDR_KNOWN))
				;
			if (k >= p->st->lsq_count)
				break;
			s->selected_seq = pipe_lsq_at(p, k--)->seq;
		}
	}
	assert_true(followed > selected && selected > 0);
	session_free(s);
}

/* The marks of a class are its units: as many, and as they stand in their own rows. */
static void units_are_marked(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	static const char *const word[] = {"taken", "●", "busy", "◐", "idle", "○"};
	const char *units = "units";
	unsigned seen[3] = {0};
	for (int i = 0; i < 200; i++) {
		struct grid classes, rows;
		struct err err;
		go(s, 53);
		assert_true(view_fu.build(s, &(struct view_args){0}, &classes, &err));
		assert_true(view_fu.build(s, &(struct view_args){.argc = 1, .argv = &units}, &rows,
		                          &err));
		unsigned r = 0;
		for (unsigned k = 0; k < classes.row_count; k++) {
			for (const char *mark = cell(&classes, k, "taken"); *mark; r++) {
				unsigned is = 0;
				while (strcmp(cell(&rows, r, "state"), word[2 * is]) != 0)
					is++;
				assert_memory_equal(mark, word[2 * is + 1],
				                    strlen(word[2 * is + 1]));
				assert_int_equal(strncmp(cell(&rows, r, "unit"),
				                         cell(&classes, k, "units"),
				                         strlen(cell(&classes, k, "units"))),
				                 0);
				mark += strlen(word[2 * is + 1]);
				seen[is]++;
			}
		}
		assert_int_equal(r, rows.row_count);
		grid_deinit(&classes);
		grid_deinit(&rows);
	}
	assert_true(seen[0] && seen[1] && seen[2]);
	session_free(s);
}

static void relatives_are_marked(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	unsigned producers = 0, consumers = 0;
	for (int i = 0; i < 40; i++) {
		go(s, 53);
		const struct uop *u = session_uop(s);
		if (!u || !uop_in_window(u))
			continue;
		s->selected_seq = u->seq;
		struct grid g;
		build_pipe(s, NULL, 0, &g);
		const struct pipe *p = machine_pipe(s->machine);
		for (unsigned r = 0; r < g.row_count; r++) {
			const char *mark = cell(&g, r, "mark");
			const struct uop *q = g.rows[r].seq ? pipe_find(p, g.rows[r].seq) : NULL;
			if (strcmp(mark, "◇") == 0) {
				consumers++;
				assert_true(q->src.seq[0] == u->seq || q->src.seq[1] == u->seq ||
				            q->src.seq[2] == u->seq || q->mem.wait_seq == u->seq);
			} else if (strcmp(mark, "◆") == 0) {
				producers++;
				assert_true(u->src.seq[0] == q->seq || u->src.seq[1] == q->seq ||
				            u->src.seq[2] == q->seq || u->mem.wait_seq == q->seq);
			} else if (strcmp(mark, "▶") == 0) {
				assert_int_equal(g.rows[r].seq, u->seq);
			}
		}
		s->selected_seq = 0;
		grid_deinit(&g);
	}
	assert_true(producers > 0 && consumers > 0);
	session_free(s);
}

/* ---- other agreements ---- */

static void cpi_adds_up(void **state)
{
	(void)state;
	static const char *const widths[] = {"pipe.commit_width=4", "pipe.commit_width=1",
	                                     "pipe.commit_width=3"};
	for (size_t k = 0; k < 3; k++) {
		struct session *s = start(widths[k]);
		uint64_t width = (uint64_t)machine_config(s->machine)->commit_width;
		for (int i = 0; i < 20; i++) {
			go(s, (uint64_t)(1 + 41 * i));
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

/* A result is in no view before the machine has it. */
static void values_wait_for_the_hardware(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	unsigned hidden = 0, shown = 0;
	for (int i = 0; i < 200; i++) {
		go(s, 17);
		struct grid rob, lsq;
		struct err err;
		assert_true(view_rob.build(s, &(struct view_args){0}, &rob, &err));
		assert_true(view_lsq.build(s, &(struct view_args){0}, &lsq, &err));
		const struct pipe *p = machine_pipe(s->machine);
		for (unsigned r = 0; r < rob.row_count; r++) {
			if (pipe_rob_at(p, r)->state == UOP_DONE) {
				shown += *cell(&rob, r, "value") != '\0';
			} else {
				assert_string_equal(cell(&rob, r, "value"), "");
				hidden++;
			}
		}
		for (unsigned r = 0; r < lsq.row_count; r++) {
			bool known = pipe_lsq_at(p, r)->flags & UF_ADDR_KNOWN;
			assert_true(known == (strcmp(cell(&lsq, r, "address"), "unknown") != 0));
		}
		grid_deinit(&rob);
		grid_deinit(&lsq);
	}
	assert_true(hidden > 100 && shown > 100);
	session_free(s);
}

static void changes_are_few_while_nothing_moves(void **state)
{
	(void)state;
	struct session *s = start(NULL);
	unsigned quiet = 0;
	for (int i = 0; i < 1500 && quiet < 20; i++) {
		struct grid before, after;
		struct err err;
		uint64_t committed = machine_insts(s->machine),
			 next = machine_pipe(s->machine)->st->next_seq;
		assert_true(view_regs.build(s, &(struct view_args){0}, &before, &err));
		go(s, 1);
		assert_true(view_regs.build(s, &(struct view_args){0}, &after, &err));
		grid_mark_changes(&after, &before);
		if (machine_insts(s->machine) == committed &&
		    machine_pipe(s->machine)->st->next_seq == next) {
			for (unsigned r = 0; r < after.row_count; r++)
				assert_false(after.rows[r].cells[1].changed || after.rows[r].fresh);
			quiet++;
		}
		grid_deinit(&before);
		grid_deinit(&after);
	}
	assert_int_equal(quiet, 20);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_leave_the_machine_alone),
		cmocka_unit_test(views_do_without_history),
		cmocka_unit_test(views_explain_themselves),
		cmocka_unit_test(columns_have_names_of_their_own),
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(a_session_may_have_more),
		cmocka_unit_test(letters_are_events),
		cmocka_unit_test(five_stages_have_their_letters),
		cmocka_unit_test(the_past_stays_as_it_was),
		cmocka_unit_test(scrolling_has_no_gaps),
		cmocka_unit_test(scrolling_reaches_the_beginning),
		cmocka_unit_test(the_axis_begins_with_the_first_fetch),
		cmocka_unit_test(units_are_marked),
		cmocka_unit_test(branches_say_how_they_came_out),
		cmocka_unit_test(memory_follows_accesses),
		cmocka_unit_test(relatives_are_marked),
		cmocka_unit_test(cpi_adds_up),
		cmocka_unit_test(values_wait_for_the_hardware),
		cmocka_unit_test(changes_are_few_while_nothing_moves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
