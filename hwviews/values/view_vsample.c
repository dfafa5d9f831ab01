/* `view vsample`: the value sampler's handler, and the values that it has recorded. */
#include <inttypes.h>
#include <stdio.h>

#include "core/prof/values/vsample.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/sampler/sampler_rows.h"
#include "hwviews/values/vsample_rows.h"

enum { BAR = 16, GLYPH = 3, SHOWN = 8, TEXT = 320, AT = 160 };

static const struct grid_column columns[] = {
	{"part", "", "", .min_width = 9, .help = "next, handler, ... as above"},
	{"at", "at", "", .help = "its place in the code, or a number"},
	{"what", "what", "", FLEXIBLE, .help = "what it is about, or did"},
	{"value", "", "", FLEXIBLE, .help = "its result"},
};

/* Below NARROW columns the second text follows the first in the same cell; below SLIM places do,
 * too. */
enum { COLUMNS = sizeof columns / sizeof *columns, NARROW = 100, SLIM = 60 };

/* Row keys. */
enum {
	KEY_NEXT = 1, KEY_HANDLER, KEY_TAKEN, KEY_STOPPED, KEY_QUEUE, KEY_LINES, KEY_COST = 16,
	KEY_STOPS = 32, KEY_INST = 64
};

struct pane {
	struct grid *g;
	const struct session *s;
	const struct prof *d;
	const struct vsample_state *v;
	const struct config *cfg;
	const struct stats *stats;
	bool narrow, slim;
	unsigned bar;  /* characters */
	char *before;  /* [AT]; slim: text of the column "at", to be put before `what`; else
	                * empty */
};

static void view_vsample_begin_row(const struct pane *p, uint64_t key, enum role role,
                                   const char *part)
{
	grid_row(p->g, key, role);
	grid_text(p->g, role == ROLE_PLAIN ? ROLE_DIM : role, "%s", part);
}

/* The column "at". */
static void cell_at_text(const struct pane *p, enum role role, const char *text)
{
	if (p->slim)
		snprintf(p->before, AT, "%s%s", text, *text ? " " : "");
	else
		grid_text(p->g, role, "%s", text);
}

static void cell_at_number(const struct pane *p, uint64_t n)
{
	if (p->slim)
		cell_at_text(p, ROLE_NUMBER, GROUPED(n));
	else
		grid_uint(p->g, ROLE_NUMBER, n);
}

static void cell_at_addr(const struct pane *p, enum role role, uint64_t addr)
{
	char place[128];
	grid_last_row(p->g)->pc = addr;
	if (p->slim)
		cell_at_text(p, role, format_addr(p->s, addr, place, sizeof place));
	else
		cell_addr(p->g, p->s, role, addr);
}

static void view_vsample_append_value_cells(const struct pane *p, enum role role, const char *what,
                                            enum role value_role, const char *value)
{
	const bool begun = *what || *p->before;
	if (p->narrow) {
		grid_text(p->g, begun ? role : value_role, "%s%s%s%s", p->before, what,
		          begun && *value ? "  " : "", value);
		return;
	}
	grid_text(p->g, role, "%s", what);
	grid_text(p->g, value_role, "%s", value);
}

/* The instruction there as assembly; "" if there is none. Returns buf. */
static const char *view_vsample_format_inst_at(const struct pane *p, uint64_t pc, char *buf,
                                               size_t n)
{
	struct code c;
	*buf = '\0';
	if (code_at(p->s, pc, &c))
		code_text(p->s, &c, buf, n);
	return buf;
}

static char *bar_of(const struct pane *p, uint64_t at, uint64_t of, char buf[BAR * GLYPH + 1])
{
	return level_bar(at, of, p->bar, buf, BAR * GLYPH + 1);
}

/* ---- next interrupt ---- */
static void next_row(const struct pane *p)
{
	const uint64_t left = vsample_distance(p->d);
	const bool runs = vsample_runs(p->s) || p->v->armed;
	char bar[BAR * GLYPH + 1], what[TEXT];
	view_vsample_begin_row(p, KEY_NEXT, ROLE_PLAIN, "next");
	if (runs)
		cell_at_text(p, ROLE_DIM, "");
	else
		cell_at_number(p, left);
	snprintf(what, sizeof what, p->narrow ? "%s of %s" : "%s of %s instructions",
	         bar_of(p, runs ? 0 : p->v->interval - left, p->v->interval, bar),
	         GROUPED(p->v->interval));
	if (runs) /* the next interval is drawn when it returns */
		snprintf(what, sizeof what,
		         p->narrow ? "drawn when it is done" : "is drawn when the handler is done");
	view_vsample_append_value_cells(p, runs ? ROLE_DIM : ROLE_PLAIN, what,
	                                p->v->countdown == 1 ? ROLE_READY : ROLE_DIM,
	                                format_vsample_turn(p->s, BUFFER(64)));
}

/* The steps of the handler, with the current one lit. */
static void handler_row(const struct pane *p)
{
	static const enum vsample_phase stations[] = {
		VSAMPLE_ENTERED, VSAMPLE_UPCALL, VSAMPLE_STARTS, VSAMPLE_INST,
		VSAMPLE_LOAD,    VSAMPLE_RECORD, VSAMPLE_RETURN};
	const bool upcall = CONFIG(p->cfg, vsample_method) == VSAMPLE_BY_UPCALL,
		   bounce = CONFIG(p->cfg, vsample_method) == VSAMPLE_BY_BOUNCE;
	const bool runs = vsample_runs(p->s);
	char what[TEXT], left[96] = "";
	size_t used = 0;
	for (unsigned i = 0; i < sizeof stations / sizeof *stations; i++) {
		const enum vsample_phase at = stations[i];
		if ((!upcall && (at == VSAMPLE_UPCALL || at == VSAMPLE_RETURN)) ||
		    (bounce && (at == VSAMPLE_INST || at == VSAMPLE_LOAD)))
			continue;
		const bool here = p->v->phase == at;
		used += (size_t)snprintf(what + used, sizeof what - used, "%s%s%s", used ? " " : "",
		                         here ? "●" : "○",
		                         p->slim && !here ? "" : vsample_phase_name[at]);
	}
	view_vsample_begin_row(p, KEY_HANDLER, ROLE_PLAIN, "handler");
	if (runs) {
		cell_at_text(p, ROLE_RUNNING, "runs");
		snprintf(left, sizeof left, p->narrow ? "%s left" : "%s left, %s",
		         GROUPED(vsample_cycles_left(p->s)), GROUPED(p->v->due + 1));
	} else if (p->v->armed) {
		cell_at_text(p, ROLE_WAITING, "sent off");
		snprintf(left, sizeof left, "comes back in %" PRIu64 " of %" PRIu64 " cycles",
		         p->v->user_left, p->v->user_cycles);
	} else {
		cell_at_text(p, ROLE_DIM, "away");
	}
	view_vsample_append_value_cells(p, runs ? ROLE_RUNNING : ROLE_DIM, what, ROLE_NUMBER, left);
}

static void taken_row(const struct pane *p)
{
	view_vsample_begin_row(p, KEY_TAKEN, ROLE_PLAIN, "interrupt");
	if (!STAT(p->stats, vsample_interrupts)) {
		cell_at_text(p, ROLE_DIM, "");
		view_vsample_append_value_cells(p, ROLE_DIM, "none yet", ROLE_DIM, "");
		return;
	}
	cell_at_addr(p, ROLE_ADDRESS, p->v->sampled_pc);
	view_vsample_append_value_cells(
		p, ROLE_PLAIN, view_vsample_format_inst_at(p, p->v->sampled_pc, BUFFER(128)),
		ROLE_DIM, format_ago(machine_cycle(p->s->machine), p->v->since, BUFFER(96)));
}

/* ---- the interpretation ---- */
static void view_vsample_append_inst_row(const struct pane *p, unsigned i, enum role role,
                                         const char *mark, uint64_t place, uint64_t pc,
                                         const char *text, const char *value)
{
	char part[48];
	snprintf(part, sizeof part, place ? "  %s %" PRIu64 : "  %s", mark, place);
	view_vsample_begin_row(p, KEY_INST + i, role, part);
	if (!pc) {
		cell_at_text(p, ROLE_DIM, "");
		view_vsample_append_value_cells(p, role, text, role, value);
		return;
	}
	cell_at_addr(p, role == ROLE_PLAIN ? ROLE_ADDRESS : role, pc);
	view_vsample_append_value_cells(p, role, text, role == ROLE_PLAIN ? ROLE_NUMBER : role,
	                                value);
}

static void tuple_row(const struct pane *p, unsigned i, uint64_t place,
                      const struct vsample_tuple *t, bool now)
{
	char text[128], value[TEXT];
	if (t)
		view_vsample_append_inst_row(p, i, now ? ROLE_CURRENT : ROLE_PLAIN, now ? "◆" : "●",
		                             place, t->pc,
		                             format_vsample_inst(p->s, t, text, sizeof text),
		                             format_vsample_values(p->s, t, value, sizeof value));
	else
		view_vsample_append_inst_row(p, i, ROLE_DROPPED, "×", place, 0,
		                             "lost: the daemon's queue was full", "");
}

/* A row for the instruction being interpreted, or about to be. */
static void working_row(const struct pane *p, unsigned i, uint64_t place)
{
	const bool looks = p->v->phase == VSAMPLE_INST || p->v->phase == VSAMPLE_LOAD;
	const uint64_t pc = looks ? p->v->pc : machine_pc(p->s->machine);
	char value[TEXT] = "";
	if (p->v->phase == VSAMPLE_LOAD)
		snprintf(value, sizeof value, "waits for its data: %s%s",
		         p->v->missed_tlb ? "TLB miss, then " : "",
		         format_level((enum mem_level)p->v->level));
	else if (looks)
		snprintf(value, sizeof value,
		         p->v->skip ? "is interpreted, and not recorded" : "is interpreted");
	view_vsample_append_inst_row(p, i, looks ? ROLE_RUNNING : ROLE_WAITING, looks ? "▶" : "▷",
	                             place, pc, view_vsample_format_inst_at(p, pc, BUFFER(128)),
	                             value);
}

static void noted_rows(const struct pane *p)
{
	for (unsigned i = 0; i < p->v->block.n && i < SHOWN; i++)
		view_vsample_append_inst_row(
			p, i, ROLE_WAITING, "▷", i + 1, p->v->block.pc[i],
			view_vsample_format_inst_at(p, p->v->block.pc[i], BUFFER(128)),
			"noted: may be executed before it comes back");
}

/* Number of the first tuple, from 1 on: recorded tuples are consecutive. */
static uint64_t first_place(const struct vsample_tuple *const *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (t[i])
			return t[i]->place + 1 - i;
	return 1;
}

/* The number of rows is constant, so that the rows below don't move. */
static void interpretation_rows(const struct pane *p)
{
	const struct vsample_tuple *t[SHOWN];
	const uint64_t length = CONFIG(p->cfg, vsample_method) == VSAMPLE_BY_BOUNCE
	                                ? (uint64_t)CONFIG(p->cfg, fetch_width)
	                                : (uint64_t)CONFIG(p->cfg, vsample_length);
	const unsigned rows = length < SHOWN ? (unsigned)length : SHOWN;
	const bool going_on = vsample_interprets(p->s) && p->v->left && !p->v->armed,
		   now = p->v->phase == VSAMPLE_RECORD;
	const bool begun = !vsample_interprets(p->s) || length != p->v->left;
	if (p->v->armed) {
		noted_rows(p);
		return;
	}
	unsigned i = 0,
		 n = begun || !going_on ? vsample_recorded(p->s, t, rows - (going_on && !now)) : 0;
	const uint64_t first = first_place(t, n);
	for (; i < n; i++)
		tuple_row(p, i, first + i, t[i], now && i + 1 == n);
	if (going_on && !now && p->v->phase != VSAMPLE_ENTERED && p->v->phase != VSAMPLE_UPCALL)
		working_row(p, i++, p->v->place + 1);
	for (; i < rows; i++)
		view_vsample_append_inst_row(p, i, ROLE_DIM, "·", 0, 0, "", "");
}

static void stopped_row(const struct pane *p)
{
	view_vsample_begin_row(p, KEY_STOPPED, ROLE_PLAIN, "stopped");
	if (!p->v->stop) {
		cell_at_text(p, ROLE_DIM, "");
		view_vsample_append_value_cells(p, ROLE_DIM, "no interpretation has ended yet",
		                                ROLE_DIM, "");
		return;
	}
	cell_at_addr(p, ROLE_ADDRESS, p->v->stop_pc);
	const char *help = vsample_stop_help[p->v->stop];
	view_vsample_append_value_cells(
		p, p->v->stop == VSAMPLE_STOP_LENGTH ? ROLE_PLAIN : ROLE_WAITING,
		p->narrow ? help : vsample_stop_name[p->v->stop], ROLE_DIM, p->narrow ? "" : help);
}

/* ---- results and costs ---- */
static void queue_row(const struct pane *p)
{
	const uint64_t waiting = vsample_waiting(p->d),
		       room = (uint64_t)CONFIG(p->cfg, vsample_queue);
	char bar[BAR * GLYPH + 1], what[TEXT], text[TEXT];
	view_vsample_begin_row(p, KEY_QUEUE, ROLE_PLAIN, "queue");
	cell_at_number(p, waiting);
	snprintf(what, sizeof what, "%s of %" PRIu64 " tuples", bar_of(p, waiting, room, bar),
	         room);
	snprintf(text, sizeof text, "%s recorded, %s lost", GROUPED(STAT(p->stats, vsample_tuples)),
	         GROUPED(STAT(p->stats, vsample_lost)));
	view_vsample_append_value_cells(p, waiting == room ? ROLE_MISS : ROLE_PLAIN, what,
	                                STAT(p->stats, vsample_lost) ? ROLE_DROPPED : ROLE_DIM,
	                                text);
}

static void cost_row(const struct pane *p, unsigned i, const char *part, uint64_t cycles,
                     uint64_t of, const char *what)
{
	const double share = of ? (double)cycles / (double)of : 0;
	char text[TEXT];
	view_vsample_begin_row(p, KEY_COST + i, i ? ROLE_DIM : ROLE_PLAIN, part);
	if (p->slim)
		cell_at_text(p, ROLE_DIM, "");
	else
		cell_at_number(p, cycles);
	snprintf(text, sizeof text, "%s %5.2f %%",
	         share_bar(share, p->bar, BUFFER(BAR * GLYPH + 1)), 100 * share);
	view_vsample_append_value_cells(p, i ? ROLE_PLAIN : ROLE_HOT, text, ROLE_DIM, what);
}

static void cost_rows(const struct pane *p)
{
	const struct stats *s = p->stats;
	const uint64_t all = STAT(s, vsample_cycles) + STAT(s, vsample_refill_cycles);
	const uint64_t inst =
		STAT(s, vsample_insts) * (uint64_t)CONFIG(p->cfg, vsample_inst_cycles);
	const uint64_t context =
		STAT(s, vsample_contexts) * (uint64_t)CONFIG(p->cfg, vsample_context_cycles);
	const uint64_t tuple = STAT(s, vsample_tuples) *
	                               (uint64_t)CONFIG(p->cfg, vsample_tuple_cycles) +
	                       context,
		       known = inst + tuple + STAT(s, vsample_memory_cycles);
	char text[TEXT];
	snprintf(text, sizeof text, "of all cycles; %s an interrupt",
	         GROUPED(STAT(s, vsample_interrupts) ? all / STAT(s, vsample_interrupts) : 0));
	cost_row(p, 0, "cost", all, STAT(s, cycles), text);
	/* A part of the total: the cycles that a running interrupt is charged in advance are not in
	 * the other parts. */
	snprintf(text, sizeof text, "of these: %s interrupts, there and back",
	         GROUPED(STAT(s, vsample_interrupts)));
	cost_row(p, 1, "  enter",
	         STAT(s, vsample_cycles) > known ? STAT(s, vsample_cycles) - known : 0, all, text);
	snprintf(text, sizeof text, "%s instructions interpreted", GROUPED(STAT(s, vsample_insts)));
	cost_row(p, 2, "  do", inst, all, text);
	cost_row(p, 3, "  data", STAT(s, vsample_memory_cycles), all, "their data");
	snprintf(text, sizeof text, "%s tuples recorded", GROUPED(STAT(s, vsample_tuples)));
	cost_row(p, 4, "  record", tuple, all, text);
	cost_row(p, 5, "  refill", STAT(s, vsample_refill_cycles), all,
	         "until the program was dispatched again");
}

static void lines_row(const struct pane *p)
{
	char what[TEXT], text[TEXT] = "";
	view_vsample_begin_row(p, KEY_LINES, ROLE_PLAIN, "lines");
	cell_at_number(p, p->v->code_lines + p->v->data_lines);
	snprintf(what, sizeof what, "code %" PRIu64 "/%" PRId64 ", data %" PRIu64 "/%" PRId64,
	         p->v->code_lines, CONFIG(p->cfg, vsample_code_lines), p->v->data_lines,
	         CONFIG(p->cfg, vsample_data_lines));
	snprintf(text, sizeof text, "of the handler, that this interrupt took from the caches");
	view_vsample_append_value_cells(p, ROLE_PLAIN, what, ROLE_DIM, p->narrow ? "" : text);
}

static void stops_rows(const struct pane *p)
{
	const uint64_t count[VSAMPLE_STOP_COUNT] = {
#define S(id, name, help) [VSAMPLE_STOP_##id] = STAT(p->stats, vsample_stop_##name),
		VSAMPLE_STOPS(S)
#undef S
	};
	uint64_t all = 0;
	for (unsigned i = 1; i < VSAMPLE_STOP_COUNT; i++)
		all += count[i];
	for (unsigned i = 1, n = 0; i < VSAMPLE_STOP_COUNT; i++) {
		char what[TEXT];
		if (!count[i])
			continue;
		view_vsample_begin_row(p, KEY_STOPS + i, ROLE_PLAIN, n++ ? "" : "ended");
		cell_at_number(p, count[i]);
		snprintf(what, sizeof what, "%s %5.1f %%  %s",
		         share_bar((double)count[i] / (double)all, p->bar, BUFFER(BAR * GLYPH + 1)),
		         100 * (double)count[i] / (double)all, vsample_stop_name[i]);
		view_vsample_append_value_cells(p, i == p->v->stop ? ROLE_PLAIN : ROLE_DIM, what,
		                                ROLE_DIM, p->narrow ? "" : vsample_stop_help[i]);
	}
}

static bool view_vsample_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	const bool narrow = args->columns && args->columns < NARROW;
	const bool slim = args->columns && args->columns < SLIM;
	char before[AT] = "";
	const struct pane p = {out,
	                       s,
	                       machine_pipe(s->machine)->prof,
	                       session_vsample(s),
	                       machine_config(s->machine),
	                       machine_stats(s->machine),
	                       narrow,
	                       slim,
	                       slim ? BAR / 2 : BAR,
	                       before};
	if (!arg_count(args, 0, "vsample", err))
		return false;
	grid_init(out, "Value sampler", GRID_TABLE(columns));
	if (slim)
		grid_keep_columns(out, "part what");
	else if (narrow)
		grid_drop_column(out, "value");
	grid_texts(out, "at");
	out->essential = COLUMNS;
	grid_summary(out, "%s", format_vsample(s, BUFFER(TEXT)));
	next_row(&p);
	handler_row(&p);
	taken_row(&p);
	interpretation_rows(&p);
	stopped_row(&p);
	queue_row(&p);
	cost_rows(&p);
	lines_row(&p);
	stops_rows(&p);
	return true;
}

const struct view view_vsample = {
	.name = "vsample",
	.title = "Value sampler",
	.args = "",
	.device = "vsample",
	.build = view_vsample_build_grid,
	.help.about =
		"The value sampler of Burrows and his co-authors: every so many instructions\n"
		"an interrupt; in some of them the handler goes on with the program by\n"
		"interpreting it, and records what each instruction computes.\n"
		"\n"
		"  next       instructions that the program has yet to commit before the next\n"
		"             interrupt, of its random interval; and its\n"
		"             purpose: every vsample.every-th interprets\n"
		"  handler    ● its phase: entered, about to start, interpreting\n"
		"             an instruction, waiting for its data, recording its tuple; with\n"
		"             the cycles that are left of that. Meanwhile no stage runs\n"
		"  interrupt  where the last one came, and when\n"
		"  ● 1 ...    the last interpretation: the instructions, with their records\n"
		"             (vsample.capture): sources → result, address, latency.\n"
		"             ◆ is being recorded, ▶ interpreted, ▷ comes next, × was lost.\n"
		"             The newest, if there are many; what was skipped counts\n"
		"  stopped    why the last interpretation ended, and the resume place\n"
		"  queue      tuples that wait for the daemon, on a processor of its own\n"
		"  cost       cycles in which the program did not run, by use\n"
		"  lines      of the handler's own code and data, which evict the program's\n"
		"  ended      ends of interpretations, by reason\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"`why vsample` is a one-line summary. `catch vsample if interprets`,\n"
		"`catch interpret` and `catch interpreted if stop ~= \"length\"` stop on it,\n"
		"`watch vsample.phase` on each step of its way. Shaped by the parameters\n"
		"vsample.*: `config vsample`.",
};
