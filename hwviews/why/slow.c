#include "hwviews/why/slow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/defs/stats_fields.h"
#include "core/run/run.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/spent.h"
#include "hwviews/why/stacks.h"

/* Least share of all slots, or cycles, that is worth a word, in per cent. */
enum { SLOW_LOST = 10, SLOW_SAVED = 2 };

void slow_region(const struct session *s, struct region *out)
{
	const uint64_t now = machine_cycle(s->machine);
	struct run_history h;
	run_history(s->run, &h);
	*out = (struct region){.given = true, .to = now, .from = h.first_cycle};
	/* A program ends in its last output, whose cycles are not typical of the run. */
	const bool ended = machine_has_ended(s->machine);
	const uint64_t most = !ended ? SLOW_CYCLES
	                      : now - out->from > SPENT_WHOLE ? SPENT_RECENT
	                                                      : SPENT_WHOLE;
	if (now - out->from > most)
		out->from = now - most;
	if (ended && !out->from)
		snprintf(out->text, sizeof out->text, "all %s cycles", GROUPED(now));
	else
		snprintf(out->text, sizeof out->text, "the last %s cycles",
		         GROUPED(now - out->from));
}

/* The slots of a region, by row; the function that the rows of the largest cause are charged to
 * most, and its instruction. */
struct slow_loss {
	int64_t row[CHARGE_ROWS];
	double all;                    /* slots */
	struct stack_cause cause;      /* the one whose rows are charged most */
	const struct symbol *function; /* NULL: it has no name */
	uint64_t pc;
	int64_t inside, there; /* the cause's slots: the function's, the instruction's */
};

/* Finds the function and the instruction, in the charges, which are sorted by address. */
static void slow_find_place(const struct session *s, const struct hot_profile *p,
                            struct slow_loss *l)
{
	const struct symbol *of = NULL;
	int64_t sum = 0, largest = 0, here = 0;
	uint64_t pc = 0, at = 0;
	for (size_t i = 0; i < p->charge_count; i++) {
		const struct charge *one = &p->charges[i];
		if (!stack_cause_has_row(&l->cause, one->row))
			continue;
		const struct symbol *sym = program_symbol_at(s->program, one->pc);
		if (sym != of || !sym)
			sum = largest = here = 0;
		of = sym;
		sum += one->slots;
		here = one->pc == at ? here + one->slots : one->slots;
		at = one->pc;
		if (here > largest) {
			largest = here;
			pc = at;
		}
		if (sum > l->inside) {
			l->inside = sum;
			l->function = sym;
			l->pc = pc;
			l->there = largest;
		}
	}
}

static struct slow_loss slow_find_loss(const struct session *s, const struct hot_profile *p)
{
	struct slow_loss l = {.all = 0};
	l.all = (double)(p->to - p->from) * pipe_slots(machine_config(s->machine));
	stack_sum(s, p, &(struct stack_asked){0}, l.row);
	l.cause = stack_find_cause(l.row, NULL);
	if (l.cause.slots)
		slow_find_place(s, p, &l);
	return l;
}

/* The cause's slots in some cycles of the run, in per cent of their slots; 0 if they can't be
 * reached. */
static double slow_share_in(const struct session *s, const struct slow_loss *l, uint64_t from,
                            uint64_t to)
{
	struct stats st;
	struct err none;
	double slots = 0;
	if (!region_stats(s, &(struct region){.given = true, .from = from, .to = to}, &st, &none))
		return 0;
	for (unsigned i = CHARGE_SLOT; i < CHARGE_CPI; i++)
		if (stack_cause_has_row(&l->cause, i))
			slots += stat_value(&st, charge_stat(i));
	return 100 * slots / ((double)(to - from) * pipe_slots(machine_config(s->machine)));
}

struct region slow_measured(const struct session *s, const struct region *r)
{
	enum { PARTS = 8 }; /* are looked at, the first and last at the ends of the region */
	const uint64_t rest = r->to - r->from;
	struct region part = *r;
	struct hot_profile p;
	struct err none;
	if (rest <= SLOW_CYCLES)
		return part;
	part.from = r->to - SLOW_CYCLES;
	if (hot_take(s, r, &p, &none)) {
		const struct slow_loss l = slow_find_loss(s, &p);
		double most = 0;
		for (unsigned i = 0; l.cause.slots && i < PARTS; i++) {
			const uint64_t from = r->from + (rest - SLOW_CYCLES) * i / (PARTS - 1);
			const double share = slow_share_in(s, &l, from, from + SLOW_CYCLES);
			if (share < most)
				continue;
			most = share;
			part.from = from;
		}
	}
	part.to = part.from + SLOW_CYCLES;
	snprintf(part.text, sizeof part.text, "cycles %s to %s", GROUPED(part.from),
	         GROUPED(part.to));
	return part;
}

static char *slow_format_row(unsigned row, char *buf, size_t n)
{
	snprintf(buf, n, "%s", stack_row_name(row));
	for (char *at = buf; (at = strchr(at, '_'));)
		*at = ' ';
	return buf;
}

/* Appends the innermost loop around pc, its lines and its share of all slots. */
static void slow_add_loop(struct textbuf *t, const struct session *s, const struct hot_profile *p,
                          uint64_t pc, double all)
{
	char place[32];
	struct region words = {.argc = 3, .argv = {"of", "loop", place}};
	struct stack_asked loop;
	struct source_line at;
	struct err none;
	int64_t row[CHARGE_ROWS];
	unsigned first = 0, last = 0;
	double in = 0;
	snprintf(place, sizeof place, "0x%" PRIx64, pc);
	if (!stack_take(s, &words, "slots", &loop, &none))
		return;
	stack_sum(s, p, &loop, row);
	for (unsigned i = 0; i < CHARGE_CPI; i++)
		in += (double)row[i];
	const char *file = NULL;
	for (unsigned i = 0; i < loop.ranges; i++)
		for (uint64_t a = loop.range[i].lo; a < loop.range[i].hi; a += 2) {
			if (!program_line_at(s->program, a, &at) || !at.line ||
			    (file && strcmp(file, at.file) != 0))
				continue;
			file = at.file;
			first = !first || at.line < first ? at.line : first;
			last = at.line > last ? at.line : last;
		}
	textbuf_add(t, ", in a loop");
	if (last > first)
		textbuf_add(t, " of lines %u to %u", first, last);
	textbuf_add(t, " that has %.0f%% of all slots", 100 * in / all);
	stack_asked_deinit(&loop);
}

/* Appends the cause's rows of at least 1 % of all slots: "L1D misses: l2 42%, memory 23%"; a single
 * row with its help. */
static void slow_add_rows(struct textbuf *t, const struct config *cfg, const struct slow_loss *l)
{
	char text[32];
	unsigned rows = 0;
	for (unsigned i = CHARGE_SLOT; i < CHARGE_CPI; i++)
		rows += stack_cause_has_row(&l->cause, i) && (double)l->row[i] * 100 >= l->all;
	if (rows <= 1) {
		textbuf_add(t, "%s: %s", slow_format_row(l->cause.most, text, sizeof text),
		            stack_slot_help(cfg, (enum slot_row)(l->cause.most - CHARGE_SLOT)));
		return;
	}
	textbuf_add(t, "%s: ", l->cause.remedy->name);
	for (unsigned i = CHARGE_SLOT, n = 0; i < CHARGE_CPI; i++)
		if (stack_cause_has_row(&l->cause, i) && (double)l->row[i] * 100 >= l->all)
			textbuf_add(t, "%s%s %.0f%%", n++ ? ", " : "",
			            slow_format_row(i, text, sizeof text),
			            100 * (double)l->row[i] / l->all);
}

static void slow_tell_where(struct textbuf *t, const struct session *s, const struct region *r,
                            const struct hot_profile *p, const struct slow_loss *l)
{
	char text[128];
	struct source_line at;
	const double slots = (double)l->cause.slots;
	textbuf_add(
		t, "%s: %.0f%% of the slots retire an instruction; most, %.0f%%, are lost to ",
		*r->text ? r->text : "the whole run", 100 * (double)l->row[CHARGE_RETIRED] / l->all,
		100 * slots / l->all);
	slow_add_rows(t, machine_config(s->machine), l);
	textbuf_add(t, "; %.0f%% of that in ", 100 * (double)l->inside / slots);
	textbuf_add(t, "%s, ", l->function ? l->function->name : "code without a name");
	textbuf_add(t, "most at %s", format_addr(s, l->pc, text, sizeof text));
	if (program_line_at(s->program, l->pc, &at) && at.line)
		textbuf_add(t, " (%s:%u)", file_base_name(at.file), at.line);
	slow_add_loop(t, s, p, l->pc, l->all);
	if (100 * slots < SLOW_LOST * l->all)
		textbuf_add(t, "; no cause is large");
}

/* Appends a cause's saving, and the rows that hide it if they matter. */
static void slow_add_saving(struct textbuf *t, const struct what_if *w,
                            const struct what_if_row *row)
{
	const double saved = (double)what_if_saved(w, row), all = (double)w->cycles;
	textbuf_add(t, "%s %s (%s) %.0f%% fewer cycles", what_if_with(row->remedy),
	            row->remedy->name, row->settings, 100 * saved / all);
	if (fabs(row->claim - saved) * 100 >= SLOW_LOST * all)
		what_if_tell_hidden(t, w, row);
}

static bool slow_row_helps(const struct what_if *w, const struct what_if_row *row)
{
	return row->ran && *row->settings &&
	       what_if_saved(w, row) * 100 >= SLOW_SAVED * (int64_t)w->cycles;
}

/* The answer about a part of the cause: among remedies that save something, include its largest
 * row, and have fewer rows than the cause, the remedy with the shortest list of rows; NULL: none.
 */
static const struct what_if_row *slow_find_part(const struct what_if *w, const struct slow_loss *l)
{
	const struct what_if_row *part = NULL;
	for (unsigned i = 0; l->cause.remedy && i < WHAT_IF_ROWS; i++) {
		const struct what_if_remedy *r = w->row[i].remedy;
		if (strlen(r->rows) < strlen(part ? part->remedy->rows : l->cause.remedy->rows) &&
		    what_if_has_row(r->rows, stack_row_name(l->cause.most)) &&
		    slow_row_helps(w, &w->row[i]))
			part = &w->row[i];
	}
	return part;
}

/* Appends the part of a longer region that what-if ran, and the cause's share there if it differs
 * from its share in the whole region. */
static void slow_add_part(struct textbuf *t, const struct session *s, const struct what_if *w,
                          const struct slow_loss *l)
{
	const double share = slow_share_in(s, l, w->part.from, w->part.to);
	textbuf_add(t, "of %s, ", w->text);
	if (fabs(share - 100 * (double)l->cause.slots / l->all) >= SLOW_LOST)
		textbuf_add(t, "where %.0f%% are lost to that, ", share);
}

/* True if cycles charged to a cause remain though the remedy excludes new instances: they belong to
 * instances that had begun before. */
static bool slow_was_under_way(const struct what_if *w, const struct what_if_row *row)
{
	return strstr(row->settings, "perfect") &&
	       row->claim * 100 >= SLOW_LOST * (double)w->cycles &&
	       (!row->next || row->grew * 10 < row->claim);
}

/* Prints the saving of the cause that lost most slots, and of a part of the cause. Before them, the
 * cause that saves most, if another. */
static void slow_tell_help(struct textbuf *t, const struct session *s, const struct what_if *w,
                           const struct slow_loss *l, bool whole)
{
	const struct what_if_row *own = NULL, *best = NULL, *part = slow_find_part(w, l);
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		if (w->row[i].remedy == l->cause.remedy)
			own = &w->row[i];
		if (!best && slow_row_helps(w, &w->row[i]))
			best = &w->row[i];
	}
	textbuf_add(t, "what would help: ");
	if (!whole)
		slow_add_part(t, s, w, l);
	if (best && best != own) {
		slow_add_saving(t, w, best);
		textbuf_add(t, "; ");
	}
	if (own && slow_row_helps(w, own)) {
		slow_add_saving(t, w, own);
	} else if (own && own->ran && !*own->settings) {
		textbuf_add(t, "no parameter of this machine shortens %s: that is the program's",
		            own->remedy->name);
	} else if (own && own->ran) {
		textbuf_add(t, "%s %s (%s) alone nothing is saved", what_if_with(own->remedy),
		            own->remedy->name, own->settings);
		if (slow_was_under_way(w, own))
			textbuf_add(t, ": it was under way when the part began");
		what_if_tell_hidden(t, w, own);
	} else if (own) {
		textbuf_add(t, "%s %s is not measured: %s", what_if_with(own->remedy),
		            own->remedy->name, own->why);
	} else {
		textbuf_add(t, "no parameter removes %s",
		            slow_format_row(l->cause.most, BUFFER(32)));
		for (unsigned i = 0; i < WHAT_IF_ROWS; i++)
			if (what_if_remedies[i].kept &&
			    what_if_has_row(what_if_remedies[i].rows,
			                    stack_row_name(l->cause.most)))
				textbuf_add(t, ": %s", what_if_remedies[i].kept);
	}
	if (part && part != best) {
		textbuf_add(t, "; ");
		slow_add_saving(t, w, part);
	}
	if (!best)
		textbuf_add(t, "; no other change saves %d%% of the cycles", SLOW_SAVED);
}

bool slow_tell(const struct session *s, const struct region *r, const struct what_if *w,
               const char *refused, void (*put)(void *ctx, const char *line), void *ctx,
               struct err *err)
{
	char text[1024] = "";
	struct textbuf t = {text, sizeof text, 0};
	struct hot_profile p;
	if (!hot_take(s, r, &p, err))
		return false;
	const struct slow_loss l = slow_find_loss(s, &p);
	if (!l.cause.slots || l.all <= 0)
		return err_set(err, "no slot was lost there: nothing is slow");
	slow_tell_where(&t, s, r, &p, &l);
	put(ctx, text);
	t.used = 0;
	if (w)
		slow_tell_help(&t, s, w, &l, r->to - r->from <= SLOW_CYCLES);
	else
		textbuf_add(&t, "what would help is not measured: %s", refused);
	put(ctx, text);
	t.used = 0;
	textbuf_add(&t,
	            "more: `view slots lines %" PRIu64 " %" PRIu64 "`, `view hot %" PRIu64
	            " %" PRIu64 "`%s",
	            r->from, r->to, r->from, r->to, w ? ", `view what-if`" : "");
	put(ctx, text);
	return true;
}
