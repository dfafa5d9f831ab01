/* `view slots`: the slot stack, by use of dispatch slots or the reason why they were empty. */
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/pipe.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/stacks.h"
#include "hwviews/why/what_if.h"

/* Groups in order; the first has useful slots. help: of machines with a window; in_issue: of those
 * that complete out of order, whose slots are those of issue; NULL: the same. */
#define GROUPS(G)                                                                                  \
	G(USED, "used", HIT, "took instructions that retired, or are in flight", NULL)             \
	G(SPECULATION, "bad speculation", MISS, "the wrong path, and the recovery from it", NULL)  \
	G(FRONTEND_LATENCY, "fetch latency", MISS, "nothing came from fetch", NULL)                \
	G(FRONTEND_BANDWIDTH, "fetch bandwidth", MISS,                                             \
	  "fetch or decode supplied less than the room allowed", NULL)                             \
	G(PROFILE, "profiling", MISS, "profile instructions and their flags", NULL)                \
	G(CORE, "execution", MISS,                                                                 \
	  "no room in the window: units, widths and latencies hold the oldest",                    \
	  "units, widths and latencies hold the next to issue")                                    \
	G(MEMORY, "memory", MISS, "no room in the window: loads and stores hold the oldest",       \
	  "loads and stores hold the next to issue")                                               \
	G(OTHER, "other", MISS, "the program was not running", NULL)

enum group {
#define G(id, ...) GROUP_##id,
	GROUPS(G)
#undef G
	GROUP_COUNT
};

static const struct {
	const char *name;
	enum role role;
	const char *help, *in_issue;
} groups[GROUP_COUNT] = {
#define G(id, name, role, ...) {name, ROLE_##role, __VA_ARGS__},
	GROUPS(G)
#undef G
};

/* Each counter, after the two derived rows. */
static const struct {
	const char *name;
	enum group group;
} leaves[] = {
	{"retired", GROUP_USED},
	{"in_flight", GROUP_USED},
#define SLOT(field, name, group, help) {name, GROUP_##group},
#include "core/defs/slots.def"
#undef SLOT
};
enum { LEAVES = sizeof leaves / sizeof *leaves };

static_assert((int)LEAVES == (int)CHARGE_CPI,
              "leaves are the rows of hwviews/why/charges.h, in their order");

struct stack {
	int64_t slots[LEAVES], sum[GROUP_COUNT], all;
	int64_t width; /* slots in a cycle */
	uint64_t cycles;
};

static void view_slots_sum_groups(struct stack *k)
{
	for (unsigned i = 0; i < LEAVES; i++) {
		k->sum[leaves[i].group] += k->slots[i];
		k->all += k->slots[i];
	}
}

static void view_slots_read_stats(const struct stats *st, const struct config *cfg,
                                  struct stack *out)
{
	*out = (struct stack){.width = pipe_slots(cfg), .cycles = STAT(st, cycles)};
	for (unsigned i = 0; i < LEAVES; i++) {
		char name[64];
		snprintf(name, sizeof name, "slots.%s", leaves[i].name);
		out->slots[i] = (int64_t)stat_value(st, stat_find(name, NULL));
	}
	view_slots_sum_groups(out);
}

/* A group of rows, a row, or the total. */
struct row {
	const struct stack *of;
	const char *name, *meaning;
	int64_t slots;
	enum role bar;
	bool leaf; /* within a group */
};

static double view_slots_row_share(const struct row *r)
{
	return r->of->all ? (double)r->slots / (double)r->of->all : 0;
}

static void fill_cause(struct grid *g, const void *row)
{
	const struct row *r = row;
	char indented[48];
	snprintf(indented, sizeof indented, "%s%s", r->leaf ? "  " : "", r->name);
	cell_cause(g, indented);
}

/* A negative share that rounds to zero is shown as zero. */
static void fill_share(struct grid *g, const void *row)
{
	const double percent = 100 * view_slots_row_share(row);
	grid_double_text(g, ROLE_NUMBER, percent, "%.1f%%",
	                 percent < 0 && percent > -0.05 ? 0 : percent);
}

FILL(fill_bar, struct row, cell_bar(g, view_slots_row_share(r), r->leaf ? ROLE_DIM : r->bar))
FILL(fill_cycles, struct row, grid_double(g, ROLE_NUMBER, (double)r->slots / (double)r->of->width,
	2))
FILL(fill_slots, struct row, grid_int(g, ROLE_DIM, r->slots))

static const struct grid_column columns[] = {
	{"cause", "slots go to", "", fill_cause,
         .help = "group, and below it its rows that are not 0: statistics slots.*"},
	{"share", "of slots", "percent of slots", fill_share, AT_RIGHT,
         .help = "of all slots; the bar shows the same"},
	{"bar", "", "", fill_bar, .restless = true, .help = "the share as a line"},
	{"cycles", "cycles", "cycles", fill_cycles, AT_RIGHT,
         .help = "slots divided by the slots of a cycle"},
	{"meaning", "meaning", "", fill_text_dim, .of = offsetof(struct row, meaning), FLEXIBLE,
         .help = "the charged slots, and their parameter"},
	{"slots", "slots", "slots", fill_slots, AT_RIGHT, .help = "their number"},
};

static void view_slots_append_cause_row(struct grid *g, uint64_t key, const struct row *r)
{
	grid_row(g, key, r->leaf ? ROLE_DIM : ROLE_PLAIN);
	grid_cells(g, r);
}

/* Appends "l2, 45.2%", and "(L1D misses 66.1%)" if its cause has several rows. */
static void view_slots_add_limit(struct textbuf *t, const struct stack *k,
                                 const struct stack_cause *l)
{
	const double percent = (double)k->all / 100;
	textbuf_add(t, "%s, %.1f%%", leaves[l->most].name, (double)k->slots[l->most] / percent);
	if (l->rows > 1)
		textbuf_add(t, " (%s %.1f%%)", l->remedy->name, (double)l->slots / percent);
}

/* Appends the cause that saves most by what-if, and the rows that hide it: "without wrong
 * predictions 17.7% fewer cycles (charged 36.1%)". */
static void view_slots_add_measured(struct textbuf *t, const struct stack *k,
                                    const struct what_if *w)
{
	const struct what_if_row *best = &w->row[0];
	while (best < w->row + WHAT_IF_ROWS - 1 && !(best->ran && *best->settings))
		best++;
	if (!best->ran || what_if_saved(w, best) <= 0)
		return;
	textbuf_add(t, "%s %s %.1f%% fewer cycles (charged %.1f%%", what_if_with(best->remedy),
	            best->remedy->name,
	            100 * (double)what_if_saved(w, best) / (double)w->cycles,
	            100 * best->claim / (double)k->cycles);
	what_if_tell_hidden(t, w, best);
	textbuf_add(t, "); ");
}

/* Writes the cause that lost most slots, which is the program's limit; "" if none were lost. If no
 * parameter could shorten it, adds the largest cause that a parameter could shorten. w: what-if's
 * answer about the same part, or NULL. */
static const char *most_lost(const struct stack *k, const struct config *cfg,
                             const struct what_if *w, char out[400], const char *lately)
{
	const struct stack_cause most = stack_find_cause(k->slots, NULL);
	struct textbuf t = {out, 400, 0};
	out[0] = 0;
	if (!most.slots)
		return out;
	if (w)
		view_slots_add_measured(&t, k, w);
	textbuf_add(&t, "most is lost to ");
	view_slots_add_limit(&t, k, &most);
	if (!most.remedy || !what_if_applies(cfg, most.remedy)) {
		const struct stack_cause then = stack_find_cause(k->slots, cfg);
		textbuf_add(&t, ", which no parameter shortens");
		if (then.slots) {
			textbuf_add(&t, "; then to ");
			view_slots_add_limit(&t, k, &then);
		}
	}
	textbuf_add(&t, "%s; ", lately);
	for (char *at = out; (at = strchr(at, '_'));)
		*at = ' ';
	return out;
}

/* The meaning of row i, for a machine of cfg. */
static const char *view_slots_meaning(const struct stack *k, unsigned i, const struct config *cfg)
{
	if (i == CHARGE_RETIRED)
		return "took instructions that retired";
	if (i == CHARGE_IN_FLIGHT)
		return k->slots[i] < 0 ? "fewer are in flight at the end than at the beginning"
		                       : "took instructions that are still in flight";
	return stack_slot_help(cfg, (enum slot_row)(i - CHARGE_SLOT));
}

static void view_slots_append_rows(struct grid *out, const struct stack *k,
                                   const struct config *cfg, const char *total)
{
	const bool in_issue = CONFIG(cfg, in_order) && CONFIG(cfg, completion);
	for (unsigned group = 0; group < GROUP_COUNT; group++) {
		if (!k->sum[group] && (group == GROUP_PROFILE || group == GROUP_OTHER))
			continue;
		view_slots_append_cause_row(out, 1 + group,
		                            &(struct row){k, groups[group].name,
		                                          in_issue && groups[group].in_issue
		                                                  ? groups[group].in_issue
		                                                  : groups[group].help,
		                                          k->sum[group], groups[group].role,
		                                          false});
		for (unsigned i = 0; i < LEAVES; i++)
			if (leaves[i].group == group && k->slots[i])
				view_slots_append_cause_row(
					out, 100 + i,
					&(struct row){k, leaves[i].name,
				                      view_slots_meaning(k, i, cfg),
				                      k->slots[i], ROLE_DIM, true});
	}
	view_slots_append_cause_row(out, UINT64_MAX,
	                            &(struct row){k, "total", total, k->all, ROLE_DIM, false});
}

static bool view_slots_build_region_grid(const struct session *s, const struct region *region,
                                         struct grid *out, struct err *err)
{
	struct stats counted;
	struct stack k;
	char most[400], lately[96];
	if (!region_stats(s, region, &counted, err))
		return false;
	view_slots_read_stats(&counted, machine_config(s->machine), &k);
	grid_init(out, "Slot stack", GRID_TABLE(columns));
	char full[160] = "";
	struct textbuf queues = {full, sizeof full, 0};
	/* Completing out of order, no instruction waits for these. */
	if (!machine_pipe(s->machine)->unordered)
		textbuf_add(&queues,
		            "; cycles with no room in the reorder buffer %.0f%%, load/store queue "
		            "%.0f%%, "
		            "issue queue %.0f%%",
		            k.cycles ? 100.0 * (double)counted.dispatch_stall_rob / (double)k.cycles
		                     : 0,
		            k.cycles ? 100.0 * (double)counted.dispatch_stall_lsq / (double)k.cycles
		                     : 0,
		            k.cycles ? 100.0 * (double)counted.dispatch_stall_iq / (double)k.cycles
		                     : 0);
	const struct what_if *w = what_if_of(s, region, &counted);
	const int decode = (int)CONFIG(machine_config(s->machine), decode_width);
	char taken[48] = "";
	if (decode < k.width)
		snprintf(taken, sizeof taken, " (decode takes %d, what is left is its width's)",
		         decode);
	grid_summary(out, "%s%s%s%s cycles of %d slot%s%s, %s instructions%s",
	             most_lost(&k, machine_config(s->machine), w, most,
	                       *region->text ? "" : stack_lately(s, lately)),
	             region->text, *region->text ? ": " : "", GROUPED(k.cycles), (int)k.width,
	             k.width == 1 ? "" : "s", taken, GROUPED(counted.insts), full);
	grid_empty(out, *region->text ? "no cycle in this region"
	                              : "no cycle has passed yet; `step` executes one");
	if (k.cycles)
		view_slots_append_rows(out, &k, machine_config(s->machine),
		                       "every slot of every cycle, once");
	return true;
}

static void view_slots_build_code_part_grid(const struct session *s, const struct hot_profile *p,
                                            const struct stack_asked *asked, const char *region,
                                            struct grid *out)
{
	struct stack k = {.width = pipe_slots(machine_config(s->machine)),
	                  .cycles = p->to - p->from};
	int64_t charged[CHARGE_ROWS];
	char most[400];
	stack_sum(s, p, asked, charged);
	memcpy(k.slots, charged, sizeof k.slots);
	view_slots_sum_groups(&k);
	grid_init(out, "Slot stack", GRID_TABLE(columns));
	grid_summary(out, "%s%s%s%s: %s of the slots of %s cycles, %.1f%%, %s instructions",
	             most_lost(&k, machine_config(s->machine), NULL, most, ""), region,
	             *region ? ", " : "", asked->text, GROUPED((uint64_t)k.all), GROUPED(k.cycles),
	             k.cycles ? 100.0 * (double)k.all / (double)(k.cycles * (uint64_t)k.width) : 0,
	             GROUPED((uint64_t)k.slots[CHARGE_RETIRED]));
	grid_empty(out, "no slot is charged to it in this region");
	if (k.all)
		view_slots_append_rows(out, &k, machine_config(s->machine),
		                       "every slot that is charged to it, once");
}

static bool view_slots_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	return stack_view_build(s, args, false, view_slots_build_region_grid,
	                        view_slots_build_code_part_grid, out, err);
}

const struct view view_slots = {
	.name = "slots",
	.title = "Slot stack",
	.args = STACK_ARGS,
	.build = view_slots_build_grid,
	.help.about =
		"Use of dispatch slots (top-down). Each cycle has as many slots as the\n"
		"machine could dispatch: pipe.decode_width, or the least of its other widths\n"
		"where that is more. So wide6, 8 wide but for decode, has 8, and its full\n"
		"decode of 6 loses a quarter of a cycle to decode width while more waits in\n"
		"the fetch queue: what-if shows if a wider one would help. An instruction that\n"
		"is dispatched takes one. A slot that no instruction takes goes to its cause\n"
		"in that cycle: fetch, if nothing had come; otherwise there was no room, and it\n"
		"goes to the cause that holds the oldest instruction, or to a unit, a port, a\n"
		"miss register or a width for which ready instructions queue until after that.\n"
		"The rows add up exactly.",
	.help.tables = {{GRID_TABLE(columns), .indent = 10}, STACK_TABLE},
	.help.hints = STACK_HELP
	"A lost slot is charged to the instruction of its row's cause:\n"
	"bad speculation to the mispredicted branch, or the load that is replayed;\n"
	"fetch to the next instruction decoded or fetched (misfetch, fetch taken: the\n"
	"branch); execution and memory to the oldest, or to the oldest that queues.\n"
	"\n"
	"`view cpi` answers another question: the wait of the oldest instruction,\n"
	"whatever its cause. A chain of multiplications and a queue for one\n"
	"multiplier are both \"dependency\" there; here they are \"latency imuldiv\" and\n"
	"\"unit imuldiv\". The line above adds up the rows that one remedy removes, and\n"
	"names the largest row of the largest sum, the cause and the sum in brackets:\n"
	"begin there. If no parameter can shorten it, the largest that one can shorten\n"
	"follows. It also shows how often each queue was full:\n"
	"a longer one hides more of the latency.\n"
	"\n"
	"A charge is no saving: two limits that are equal hide each other, and without\n"
	"a latency there is still a cycle of it. After `what-if` or `slow` of the same\n"
	"part the line begins with the cause whose absence was measured to save most,\n"
	"its saving and charge, and the rows that then have more, or less.\n"
	"\n"
	"Of a part of the run: `view slots since main`, `since last` stop, `since\n"
	"NAME` of a mark or function, the last 5,000 cycles, `since -5000`, or between\n"
	"two cycles: `view slots 1000 2000`. The whole run has its beginning in it,\n"
	"when caches were cold: the current limit is in the last part. If the\n"
	"CPI stack of the last eighth differs much, the line above shows it.",
};
