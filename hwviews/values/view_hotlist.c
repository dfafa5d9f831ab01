/* `view hotlist`: sampled values of each instruction, beside the oracle's exact shares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/loss_text.h"
#include "hwviews/values/value_rows.h"
#include "hwviews/values/vsample_rows.h"

enum { ROWS = 20, BAR = 10, GLYPH = 3, OTHERS = 4, TEXT = 128, MOST = HOTLIST_MAX };

enum { NARROW = 90, SLIM = 60, ESSENTIAL = 8 };

/* The parsed arguments. */
struct pane {
	struct grid *g;
	const struct session *s;
	const struct value_daemon *d;
	const struct hotlists *lists;
	uint64_t kinds; /* bit for each kind */
	bool has_place, narrow;
	unsigned bar;   /* characters */
	uint64_t place, limit;
	uint64_t here;  /* address of the current instruction */
};

struct ranked_list {
	uint64_t seen, pc;
	uint32_t list;
};

ORDER(by_seen, struct ranked_list, DOWN(seen) ?: UP(pc) ?: UP(list))

/* ---- arguments ---- */
static uint64_t kinds_of(const struct value_daemon *d, const char *word)
{
	const struct value_source *v = value_daemon_source(d);
	uint64_t found = 0;
	for (unsigned i = 0; i < v->kinds; i++)
		if (!strcmp(v->kind[i].name, word) ||
		    !strcmp(v->module[v->kind[i].module].name, word))
			found |= UINT64_C(1) << i;
	return found;
}

static bool view_hotlist_parse_word(struct pane *p, const char *const *word, struct err *err)
{
	const struct view_args one = {.argc = 1, .argv = word};
	const uint64_t kinds = kinds_of(p->d, *word);
	struct err why;
	if (kinds) {
		p->kinds = kinds;
	} else if (!strcmp(*word, "all") ||
	           ((*word)[0] >= '0' && (*word)[0] <= '9' && (*word)[1] != 'x')) {
		return oracle_row_limit(&one, 0, UINT64_MAX, &p->limit, err);
	} else if (p->has_place) {
		return err_set(err, "'%s' is one place too many", *word);
	} else if (!arg_address(p->s, *word, &p->place, &why)) {
		return strchr(*word, '.') && value_daemon_kind(p->d, *word, err) < 0
		               ? false
		               : err_set(err, "%s; and it is no kind of values, such as '%s'",
		                         why.msg, value_daemon_source(p->d)->kind[0].name);
	} else {
		p->has_place = true;
	}
	return true;
}

/* ---- facts about values ---- */
static const struct value_kind *view_hotlist_kind_info(const struct pane *p, unsigned kind)
{
	return &value_daemon_source(p->d)->kind[kind];
}

/* The oracle's exact share of a result, if it counts results of this instruction. */
static bool exact_share(const struct pane *p, const struct hotlist_info *info, uint64_t value,
                        double *share)
{
	const struct prof *d = machine_pipe(p->s->machine)->prof;
	const struct oracle *o = session_oracle(p->s);
	const uint64_t times = oracle_count(d, info->pc);
	if (!o || !times || !oracle_has(o, ORACLE_VALUES) ||
	    strcmp(view_hotlist_kind_info(p, info->kind)->name, "results") != 0 ||
	    info->version || !value_list_is_present(p->s, info))
		return false;
	const struct oracle_entry *e = oracle_table_find(&o->table[ORACLE_VALUES], info->pc, value);
	struct code c;
	if (!e && o->values == VALUES_LOADS &&
	    !(code_at(p->s, info->pc, &c) && (inst_flags(&c.inst) & OPF_LOAD)))
		return false;
	if (!e && (info->pc < o->values_from || info->pc >= o->values_to))
		return false;
	*share = (double)(e ? e->count : 0) / (double)times;
	return true;
}

static double view_hotlist_estimate_share(const struct hot_estimate *e, uint64_t seen)
{
	const double share = seen ? e->estimate / (double)seen : 0;
	return share > 1 ? 1 : share;
}

/* One value of a list, or a list with its most frequent values. */
struct row {
	const struct pane *p;
	struct hotlist_info info;
	const struct hot_estimate *top; /* [n], most frequent first */
	unsigned n, rank;               /* rank of the first of them, from 1 */
	bool here;                      /* for the current instruction */
};

static double row_share(const struct row *r)
{
	return r->n ? view_hotlist_estimate_share(&r->top[0], r->info.seen) : 0;
}

static void view_hotlist_fill_value(struct grid *g, const void *row)
{
	const struct row *r = row;
	char text[TEXT] = "none is kept";
	if (r->n)
		value_daemon_format(r->p->d, r->info.kind, r->info.pc, r->top[0].value, text,
		                    sizeof text);
	grid_text(g, row_share(r) >= 0.5 ? ROLE_HOT : ROLE_NUMBER, "%s", text);
}

/* An estimate if coins were tossed. */
static void view_hotlist_fill_share(struct grid *g, const void *row)
{
	const struct row *r = row;
	const double share = row_share(r);
	grid_double_text(g, share >= 0.5 ? ROLE_HOT : ROLE_PLAIN, 100 * share, "%s %s%.1f",
	                 share_bar(share, r->p->bar, BUFFER(BAR * GLYPH + 1)),
	                 r->info.probability < 1 ? "~" : "", 100 * share);
}

static void fill_exact(struct grid *g, const void *row)
{
	const struct row *r = row;
	double share;
	if (r->n && exact_share(r->p, &r->info, r->top[0].value, &share))
		grid_double(g, ROLE_DIM, 100 * share, 1);
	else
		grid_blank(g);
}

FILL(fill_kind, struct row,
     grid_text(g, ROLE_DIM, "%s", view_hotlist_kind_info(r->p, r->info.kind)->name))

/* ---- many lists ---- */
FILL(fill_mark, struct row, grid_text(g, r->here ? ROLE_CURRENT : ROLE_DIM, "%s", r->here ? "▶"
	: ""))
static void view_hotlist_fill_place(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (value_list_is_present(r->p->s, &r->info))
		cell_addr(g, r->p->s, ROLE_ADDRESS, r->info.pc);
	else
		grid_text(g, ROLE_DIM, "%s", value_place_text(r->p->s, &r->info, BUFFER(TEXT)));
}

static void view_hotlist_fill_instruction(struct grid *g, const void *row)
{
	const struct row *r = row;
	struct code c;
	const bool present = value_list_is_present(r->p->s, &r->info);
	grid_text(g, ROLE_PLAIN, "%s",
	          present && code_at(r->p->s, r->info.pc, &c)
	                  ? code_text(r->p->s, &c, BUFFER(TEXT))
	                  : "");
}

FILL(fill_vtot, struct row, grid_uint(g, ROLE_NUMBER, r->info.seen))

static void fill_others(struct grid *g, const void *row)
{
	const struct row *r = row;
	char text[OTHERS * (TEXT + 16)] = "", value[TEXT];
	size_t used = 0;
	for (unsigned i = 1; i < r->n; i++)
		used += (size_t)snprintf(
			text + used, sizeof text - used, "%s%s %.1f%%", i > 1 ? "  " : "",
			value_daemon_format(r->p->d, r->info.kind, r->info.pc, r->top[i].value,
		                            value, sizeof value),
			100 * view_hotlist_estimate_share(&r->top[i], r->info.seen));
	grid_text(g, ROLE_DIM, "%s", text);
}

FILL(fill_thld, struct row, r->n
	? grid_double(g, ROLE_DIM, r->info.probability, r->info.probability < 1 ? 4 : 1)
	: grid_blank(g))
FILL(fill_nv, struct row, grid_uint_if(g, r->n, ROLE_DIM, r->info.used))

/* Columns of a value, in both tables. */
#define VALUE_COLUMNS                                                                              \
	{"value",                                                                                  \
	 "value",                                                                                  \
	 "",                                                                                       \
	 view_hotlist_fill_value,                                                                  \
	 FLEXIBLE,                                                                                 \
	 .help = "the most frequent one, in the module's words, and its share of all; ~ before a " \
	         "share: estimated, since the list counts with probability thld"},                 \
		{"share", "share", "percent", view_hotlist_fill_share,                             \
	         .help = "of all values seen there"},                                              \
	{                                                                                          \
		"exact", "exact", "percent, exact by the oracle; unknown to hardware", fill_exact, \
			AT_RIGHT,                                                                  \
			.restless = true,                                                          \
			.help = "the same share by the oracle, of results, if it counts values "   \
				"(oracle.enable=true, oracle.values=all); unknown to hardware"     \
	}

static const struct grid_column columns[] = {
	{"mark", "", "", fill_mark, .min_width = 1, .restless = true},
	{"place", "place", "", view_hotlist_fill_place, FLEXIBLE,
	 .help = "where the instruction is; replaced: its code is no longer there"},
	{"instruction", "instruction", "", view_hotlist_fill_instruction, FLEXIBLE,
         .help = "as assembly"},
	{"kind", "kind", "", fill_kind, .help = "of values, as the module names it"},
	{"vtot", "vtot", "values", fill_vtot, AT_RIGHT, .help = "values seen there"},
	VALUE_COLUMNS,
	{"others", "then", "", fill_others, FLEXIBLE, .help = "the next ones"},
	{"thld", "thld", "", fill_thld, AT_RIGHT,
	 .help = "probability with which a value is counted now: 1 until the list was full of "
		 "different values (values.entries)"},
	{"nv", "nv", "values", fill_nv, AT_RIGHT, .help = "values that the list holds"},
};

static void list_row(const struct pane *p, uint32_t list)
{
	struct hot_estimate top[OTHERS];
	struct row r = {.p = p, .info = hotlists_info(p->lists, list), .top = top, .rank = 1};
	r.n = hotlists_top(p->lists, list, top, OTHERS);
	r.here = r.info.pc == p->here && value_list_is_present(p->s, &r.info);
	const uint64_t key = (r.info.pc ^ (uint64_t)r.info.version << 44) << 8 | r.info.kind;
	grid_row(p->g, key, r.here ? ROLE_CURRENT : ROLE_PLAIN)->pc = r.info.pc;
	if (r.here)
		p->g->focus_row = p->g->row_count - 1;
	grid_cells(p->g, &r);
}

/* Appends hot lists first; the current instruction's last, if it is not among them. */
static bool view_hotlist_append_hot_lists(const struct pane *p, struct err *err)
{
	struct ranked_list *r = alloc_bytes((hotlists_count(p->lists) + (size_t)1) * sizeof *r);
	uint32_t n = 0;
	bool shown = false;
	if (!r)
		return err_set(err, "out of memory for the view");
	for (uint32_t i = 0; i < hotlists_count(p->lists); i++) {
		const struct hotlist_info info = hotlists_info(p->lists, i);
		if (p->kinds >> info.kind & 1)
			r[n++] = (struct ranked_list){info.seen, info.pc, i};
	}
	sort_stable(r, n, sizeof *r, by_seen);
	for (uint32_t i = 0; i < n && i < p->limit; i++) {
		list_row(p, r[i].list);
		shown = shown || r[i].pc == p->here;
	}
	for (uint32_t i = (uint32_t)(p->limit < n ? p->limit : n); i < n && !shown; i++)
		if (r[i].pc == p->here)
			list_row(p, r[i].list);
	free(r);
	return true;
}

/* ---- one of them ---- */
FILL(fill_rank, struct row, grid_uint(g, ROLE_DIM, r->rank))
FILL(fill_estimate, struct row, grid_double(g, ROLE_NUMBER, r->top[0].estimate,
	r->info.probability < 1 ? 1 : 0))
FILL(fill_count, struct row, grid_uint(g, ROLE_DIM, r->top[0].count))

/* Columns of one list's values. */
static const struct grid_column entry_columns[] = {
	{"rank", "", "", fill_rank, AT_RIGHT, .min_width = 2,
	 .help = "with a PLACE: the most frequent is 1"},
	VALUE_COLUMNS,
	{"estimate", "estimate", "times", fill_estimate, AT_RIGHT,
	 .help = "frequency of a value, from its count: count / thld; by counting samples "
	         "(values.method) count + 1 / thld - 1"},
	{"count", "count", "as kept", fill_count, AT_RIGHT, .help = "what is kept of it"},
	{"kind", "kind", "", fill_kind, .help = "of values, as the module names it"},
};

static void entry_rows(const struct pane *p, uint32_t list)
{
	const struct hotlist_info info = hotlists_info(p->lists, list);
	struct hot_estimate *top = alloc_bytes(MOST * sizeof *top);
	const unsigned n = top ? hotlists_top(p->lists, list, top, MOST) : 0;
	for (unsigned i = 0; i < n; i++) {
		grid_row(p->g, top[i].value * 31 + info.kind, ROLE_PLAIN);
		grid_cells(p->g, &(struct row){.p = p, .info = info, .top = &top[i], .n = 1,
		                               .rank = i + 1});
	}
	free(top);
}

static void view_hotlist_append_place_lists(const struct pane *p)
{
	struct code c;
	char place[TEXT], text[TEXT] = "";
	uint64_t seen = 0;
	const uint64_t key = value_place(p->s, p->place);
	for (unsigned k = 0; k < VALUE_KINDS; k++) {
		const uint32_t i =
			p->kinds >> k & 1 ? hotlists_find(p->lists, key, k) : UINT32_MAX;
		if (i == UINT32_MAX)
			continue;
		seen += hotlists_info(p->lists, i).seen;
		entry_rows(p, i);
	}
	if (code_at(p->s, p->place, &c))
		code_text(p->s, &c, text, sizeof text);
	grid_summary(p->g, "%s %s, %s value%s seen",
	             format_addr(p->s, p->place, place, sizeof place), text, GROUPED(seen),
	             seen == 1 ? "" : "s");
	grid_empty(p->g, "no value of %s was sampled", place);
}

/* ---- all of it ---- */
/* Address of the selected instruction, else of the next to commit. */
static uint64_t at_hand(const struct session *s)
{
	const struct uop *u =
		s->selected_seq ? pipe_find(machine_pipe(s->machine), s->selected_seq) : NULL;
	return u ? u->pc : machine_pc(s->machine);
}

static void view_hotlist_format_summary(const struct pane *p)
{
	const struct value_totals t = value_daemon_totals(p->d);
	grid_summary(p->g, "%s values of %s instructions and kinds%s%s", GROUPED(t.pairs),
	             GROUPED(hotlists_count(p->lists)),
	             p->lists->head.lost ? "; LOST: values.memory is full" : "",
	             format_loss(p->s, LOSS_OF_VALUES, BUFFER(200)));
}

static bool view_hotlist_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	struct pane p = {.g = out, .s = s, .d = session_values(s, err), .kinds = UINT64_MAX,
	                 .limit = args->rows ? args->rows : ROWS, .here = at_hand(s),
	                 .narrow = args->columns && args->columns < NARROW,
	                 .bar = args->columns && args->columns < SLIM ? BAR / 2 : BAR};
	if (!p.d) { /* the machine samples values, but no daemon processes them */
		grid_init(out, "Hotlists", GRID_TABLE(columns));
		grid_empty(out, "%s", err->msg);
		return true;
	}
	p.lists = value_daemon_main(p.d);
	for (int i = 0; i < args->argc; i++)
		if (!view_hotlist_parse_word(&p, &args->argv[i], err))
			return false;
	if (p.has_place)
		grid_init(out, "Hotlist", GRID_TABLE(entry_columns));
	else
		grid_init(out, "Hotlists", GRID_TABLE(columns));
	if (p.narrow && !p.has_place)
		grid_keep_columns(out, "mark place share value vtot");
	out->essential = p.has_place || p.narrow ? 4 : ESSENTIAL;
	if (p.has_place) {
		view_hotlist_append_place_lists(&p);
		return true;
	}
	view_hotlist_format_summary(&p);
	grid_empty(out, "no value was sampled yet: `view vsample` shows the next sample");
	if (view_hotlist_append_hot_lists(&p, err))
		return true;
	grid_deinit(out);
	return false;
}

const struct view view_hotlist = {
	.name = "hotlist",
	.title = "Hotlists",
	.args = "[PLACE] [KIND] [ROWS|all]",
	.device = "vsample",
	.build = view_hotlist_build_grid,
	.help.about = "Values that customisation modules computed from the value sampler's tuples\n"
		      "(--values, `cyclops values`): for each instruction and kind of values a\n"
		      "hotlist, in constant space, of the most frequent. Hot instructions first.\n"
		      "With a PLACE, all values in the lists of that instruction.\n"
		      "\n"
		      "  ▶       the selected instruction, else the current one; last if it is\n"
		      "          none of the hot ones\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 10},
                        {GRID_TABLE(entry_columns), .indent = 10}},
	.help.hints =
		"The daemon takes tuples a while after they were recorded; modules get whole\n"
		"interpretations. `report values` prints a function with its source lines.",
};
