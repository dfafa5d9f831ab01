#include "core/defs/config_fields.h"
#include "hwviews/why/what_if.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/stats_fields.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "core/os/journal.h"
#include "core/pipe/pipe.h"
#include "hwviews/session/view_text.h"

const struct what_if_remedy what_if_remedies[WHAT_IF_ROWS] = {
#define REMEDY(name, rows, reasons, settings) {name, rows, reasons, settings, NULL},
#define KEPT(name, rows, reasons, why) {name, rows, reasons, "", why},
#include "hwviews/why/what_if.def"
#undef REMEDY
#undef KEPT
};

bool what_if_has_row(const char *rows, const char *row)
{
	const size_t n = strlen(row);
	for (const char *at = rows; (at = strstr(at, row)); at += n)
		if ((at == rows || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

const struct what_if_remedy *what_if_cause(const char *row)
{
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++)
		if (!what_if_remedies[i].kept && what_if_has_row(what_if_remedies[i].rows, row))
			return &what_if_remedies[i];
	return NULL;
}

const char *what_if_with(const struct what_if_remedy *r)
{
	static const char *const more[] = {
#define REMEDY(...)
#define MORE(name) name,
#include "hwviews/why/what_if.def"
#undef REMEDY
	};
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (!strcmp(more[i], r->name))
			return "with unlimited";
	return "without";
}

/* True if the machine can have the cause at all. */
static bool what_if_concerns(const struct config *cfg, const struct what_if_remedy *r)
{
	static const char *const ordered[] = {
#define REMEDY(...)
#define ORDERED(name) name,
#include "hwviews/why/what_if.def"
#undef REMEDY
	};
	for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
		if (!strcmp(ordered[i], r->name))
			return !(CONFIG(cfg, in_order) && CONFIG(cfg, completion));
	return true;
}

/* The words of the table for a row of the slot stack: the remedy, or the program's own cause, of
 * this row alone; else the first that has it. */
static const char *what_if_words_of_row(const char *row)
{
	const char *words = NULL;
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		if (!strcmp(what_if_remedies[i].rows, row))
			return what_if_remedies[i].name;
		if (!words && what_if_has_row(what_if_remedies[i].rows, row))
			words = what_if_remedies[i].name;
	}
	return words ? words : row;
}

int64_t what_if_saved(const struct what_if *w, const struct what_if_row *row)
{
	return (int64_t)(w->cycles - row->cycles);
}

const struct what_if *what_if_of(const struct session *s, const struct region *r,
                                 const struct stats *counted)
{
	const struct what_if *w = s->what_if;
	if (!w || w->cut || r->thread || w->insts != counted->insts ||
	    w->cycles + w->idle != counted->cycles)
		return NULL;
	return r->given ? w->part.from == r->from && w->part.to == r->to ? w : NULL
	       : !*w->text && w->to == machine_cycle(s->machine) ? w : NULL;
}

void what_if_tell_hidden(struct textbuf *t, const struct what_if *w, const struct what_if_row *row)
{
	const double all = (double)w->cycles / 100;
	if (row->next)
		textbuf_add(t, "; then %.1f%% more goes to %s", row->grew / all, row->next);
	if (row->also)
		textbuf_add(t, "%s %.1f%% less%s to %s", row->next ? ", and" : "; then",
		            row->shrank / all, row->next ? "" : " goes", row->also);
}

static void what_if_discard_warning(void *ctx, const char *text)
{
	(void)ctx, (void)text;
}

/* Program instructions that the session had executed by the end of this cycle. */
static bool insts_at(const struct session *s, uint64_t cycle, uint64_t *out, struct err *err)
{
	const struct region behind = {
		.given = true, .from = cycle, .to = machine_cycle(s->machine)};
	const struct stats *now = machine_stats(s->machine);
	struct stats since;
	if (!region_stats(s, &behind, &since, err))
		return false;
	*out = now->insts + now->functional_insts - since.insts - since.functional_insts;
	return true;
}

bool what_if_region(const struct session *s, const char *words, struct region *out, struct err *err)
{
	char copy[256], *save;
	const char *word[REGION_WORDS_MAX];
	int n = 0;
	snprintf(copy, sizeof copy, "%s", words);
	for (char *one = strtok_r(copy, " ", &save); one && n < REGION_WORDS_MAX;
	     one = strtok_r(NULL, " ", &save))
		word[n++] = one;
	if (!region_take(s, n, word, out, err))
		return false;
	if (out->argc)
		return err_set(err, "what-if takes a part of the run: `what-if since main`, "
		                    "`what-if 1000 2000`");
	return true;
}

/* The progress callback and its state. */
struct asking {
	what_if_goes_on *goes_on; /* NULL: none */
	void *ctx;
	unsigned done; /* runs */
};

enum { PIECE = 1 << 18 };

static bool what_if_check_may_continue(const struct asking *a, uint64_t steps, struct err *err)
{
	return !a->goes_on || a->goes_on(a->ctx, a->done, WHAT_IF_ROWS, steps) ||
	       err_set(err, "interrupted");
}

/* Executes n instructions without timing, warming. *done: how many were executed. */
static bool go_functional(struct machine *m, uint64_t n, const struct asking *a, uint64_t *done,
                          struct err *err)
{
	for (*done = 0; *done < n;) {
		const uint64_t some = n - *done < PIECE ? n - *done : PIECE,
			       went = machine_run_functional(m, some, true);
		*done += went;
		if (!what_if_check_may_continue(a, went, err))
			return false;
		if (machine_lacks(m))
			return err_set(err, "%s", machine_lacks(m));
		if (went < some)
			break;
	}
	return true;
}

/* RAN_SHORT: such a machine can't run the part; RAN_ENDED: cancelled, or the host lacks memory, so
 * there is no result. Both set *err. */
enum ran { RAN, RAN_SHORT, RAN_ENDED };

/* The machines from which all runs begin. */
struct origin {
	const struct session *s;
	struct launch l;
	struct machine *start;   /* owned: the session's machine at the beginning of the part */
	struct machine *drained; /* owned: the same without instructions in flight */
	/* owned: some way before the part, drained, to warm tables from; NULL: not needed yet */
	struct machine *before;
	struct machine **copy;   /* the pointer above that origin_take() sets */
	uint64_t cycle, first;   /* first cycle of the part, and of the session's history */
	uint64_t insts;          /* by machine_insts(), at the beginning of the part */
	/* by rebuilt parts: cycles of the unchanged machine; 0: not run yet */
	uint64_t base[4];
	uint64_t apart; /* cycles that rebuilding for the last remedy added, may be negative */
	bool taken;
	struct err *err;
};

/* A new machine of cfg that goes on from `from`. NULL with *err. */
static struct machine *origin_copy(const struct origin *o, const struct machine *from,
                                   const struct config *cfg, struct err *err)
{
	const struct plugins asked = plugins_asked(o->l.plugins, cfg);
	struct machine *m = machine_new_with(cfg, &asked, err);
	if (!m)
		return NULL;
	launch_attach(&o->l, o->s->program, m);
	if (machine_copy(m, from, err))
		return m;
	machine_free(m);
	return NULL;
}

/* Copies the session's machine, which is at the cycle to begin from. */
static void origin_take(void *ctx, const struct machine *m)
{
	struct origin *o = ctx;
	*o->copy = origin_copy(o, m, machine_config(m), o->err);
	o->taken = *o->copy != NULL;
}

static bool origin_take_at(struct origin *o, uint64_t cycle, struct machine **out, struct err *err)
{
	o->copy = out;
	o->err = err;
	o->taken = false;
	return region_look(o->s, cycle, origin_take, o, err) && o->taken;
}

static void origin_free(struct origin *o)
{
	machine_free(o->start);
	machine_free(o->drained);
	machine_free(o->before);
}

/* Warms m's target buffer with instructions before the part; a larger buffer takes more of them. */
static bool origin_warm_targets(struct origin *o, struct machine *m, const struct asking *a,
                                struct err *err)
{
	const struct bpred *b = &machine_pipe(m)->bpred;
	const uint64_t way =
		WHAT_IF_WARMING + (uint64_t)WHAT_IF_WARMING_ENTRY * (b->btb_mask + 1) * b->btb_ways;
	uint64_t done;
	if (!o->before) {
		if (!origin_take_at(o, o->cycle - o->first > way ? o->cycle - way : o->first,
		                    &o->before, err))
			return false;
		machine_drain(o->before);
	}
	struct machine *warm = origin_copy(o, o->before, machine_config(m), err);
	const bool ok = warm && go_functional(warm, o->insts - machine_insts(warm), a, &done, err);
	if (ok)
		machine_copy_targets(m, warm);
	machine_free(warm);
	return ok;
}

/* Runs m for w->insts instructions. */
static enum ran what_if_run_part(struct machine *m, const struct origin *o,
                                 const struct what_if *w, const struct asking *a, struct err *err)
{
	const uint64_t end = o->insts + w->insts;
	while (machine_insts(m) < end && machine_status(m) == MACHINE_RUNNING) {
		const uint64_t before = machine_cycle(m);
		machine_run(m, before + PIECE, end);
		if (!what_if_check_may_continue(a, machine_cycle(m) - before, err))
			return RAN_ENDED;
		if (machine_cycle(m) == before)
			break;
	}
	if (machine_lacks(m)) {
		err_set(err, "%s", machine_lacks(m));
		return RAN_ENDED;
	}
	if (machine_insts(m) >= end)
		return RAN;
	err_set(err, "it did not reach the end of the part");
	return RAN_SHORT;
}

static enum ran what_if_run_copy(struct origin *o, const struct config *cfg, unsigned parts,
                                 const struct what_if *w, const struct asking *a,
                                 struct stats *out, struct err *err)
{
	struct machine *m = origin_copy(o, parts ? o->drained : o->start, cfg, err);
	enum ran ran = RAN_ENDED;
	if (m && (!(parts & MACHINE_PART_TARGETS) || origin_warm_targets(o, m, a, err))) {
		ran = what_if_run_part(m, o, w, a, err);
		*out = *machine_stats(m);
		stats_subtract(out, machine_stats(o->start));
	}
	machine_free(m);
	return ran;
}

/* *parts receives the parts that a machine of cfg can't take over and begins anew. False with *err:
 * no such machine can be built. */
static bool what_if_find_rebuilt(const struct origin *o, const struct config *cfg,
                                 unsigned *parts, struct err *err)
{
	const struct plugins asked = plugins_asked(o->l.plugins, cfg);
	struct machine *m = machine_new_with(cfg, &asked, err);
	if (!m)
		return false;
	*parts = machine_reshaped(m, o->start);
	machine_free(m);
	return true;
}

/* Checks that the unchanged machine, rebuilt in these parts, is within 1 % of the part itself. */
static enum ran what_if_check_rebuilt(struct origin *o, unsigned parts, const struct what_if *w,
                                      const struct asking *a, struct err *err)
{
	struct stats st;
	uint64_t *base = &o->base[parts & 3];
	enum ran ran = RAN;
	if (parts & MACHINE_PART_REST) {
		err_set(err, "it has other tables, which can't be filled from the run");
		return RAN_SHORT;
	}
	if (!*base) {
		ran = what_if_run_copy(o, machine_config(o->s->machine), parts, w, a, &st, err);
		*base = ran == RAN ? st.cycles : 0;
	}
	const uint64_t apart = *base > w->cycles ? *base - w->cycles : w->cycles - *base;
	o->apart = *base - w->cycles;
	if (ran != RAN || apart * 100 <= w->cycles)
		return ran;
	err_set(err,
	        "it has to begin with an empty %s, and the unchanged machine then takes %.1f %% "
	        "%s cycles",
	        parts & MACHINE_PART_TARGETS ? "pipeline and a rebuilt target buffer" : "pipeline",
	        100.0 * (double)apart / (double)w->cycles, *base > w->cycles ? "more" : "fewer");
	return RAN_SHORT;
}

/* Runs the part on a machine of cfg. *out: the statistics, if it ran. */
static enum ran what_if_run_with_config(struct origin *o, const struct config *cfg,
                                        const struct what_if *w, const struct asking *a,
                                        struct stats *out, struct err *err)
{
	unsigned parts;
	enum ran ran = RAN;
	if (!what_if_find_rebuilt(o, cfg, &parts, err))
		return alloc_failed() ? RAN_ENDED : RAN_SHORT;
	if (parts)
		ran = what_if_check_rebuilt(o, parts, w, a, err);
	return ran == RAN ? what_if_run_copy(o, cfg, parts, w, a, out, err) : ran;
}

/* Applies one setting of what_if.def to cfg, and appends it to `applied`. Does nothing if cfg
 * already has the setting. */
static bool what_if_apply_setting(struct config *cfg, char *one, char *applied, size_t room,
                                  struct err *err)
{
	const size_t n = strcspn(one, ":<>="), used = strlen(applied);
	const char op = one[n];
	char *value = strchr(one, '=') + 1;
	struct config other = *cfg, only = *cfg;
	one[n] = value[-1] = '\0';
	const struct param *p = param_find(one, err);
	if (!p || !config_set(&other, one, value, err) ||
	    (op == ':' && !config_set(&only, one, one + n + 1, err)))
		return false;
	const int64_t now = config_get(cfg, p), then = config_get(&other, p);
	if (now == then || (op == '>' && now > then) || (op == '<' && now < then) ||
	    now != config_get(&only, p))
		return true;
	*cfg = other;
	snprintf(applied + used, room - used, "%s%s=%s", used ? " " : "", one, value);
	return true;
}

static bool what_if_apply_settings(struct config *cfg, struct what_if_row *row, struct err *err)
{
	char copy[256], *save;
	if (!what_if_concerns(cfg, row->remedy))
		return true;
	snprintf(copy, sizeof copy, "%s", row->remedy->settings);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		const bool together = *one == '+';
		if (together && !*row->settings)
			continue;
		if (!what_if_apply_setting(cfg, one + together, row->settings,
		                           sizeof row->settings, err))
			return false;
	}
	return config_check(cfg, err);
}

bool what_if_applies(const struct config *cfg, const struct what_if_remedy *r)
{
	struct what_if_row row = {.remedy = r};
	struct config other = *cfg;
	struct err err;
	return !what_if_apply_settings(&other, &row, &err) || *row.settings;
}

static double what_if_claimed_cycles(const struct stats *st, const char *rows, uint32_t width)
{
	char copy[256], *save;
	double slots = 0;
	snprintf(copy, sizeof copy, "%s", rows);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		char name[64];
		snprintf(name, sizeof name, "slots.%s", one);
		slots += stat_value(st, stat_find(name, NULL));
	}
	return slots / width;
}

/* True if the numbers of committed loads, stores and branches are the unchanged machine's, within 1
 * % and one cycle's commits. Else the program took another path, as programs that read the time
 * may. */
static bool what_if_check_path(const struct stats *base, const struct stats *without,
                               struct err *err)
{
	enum { LAST_CYCLE = 16 };
	static const char *const names[] = {"commit.loads", "commit.stores", "commit.branches"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct stat_row *at = stat_find(names[i], NULL);
		const double then = stat_value(base, at), now = stat_value(without, at);
		if ((now > then ? now - then : then - now) > then / 100 + LAST_CYCLE)
			return err_set(err,
			               "the program takes another path then, which depends on the "
			               "time: %s is %.0f, not %.0f",
			               names[i], now, then);
	}
	return true;
}

/* Cycles for each lost slot. For a machine of another width, all lost slots together count as the
 * cycles beyond those that its used slots would take at the unchanged machine's width. */
static double what_if_cycles_of_slot(const struct stats *st, uint32_t own, uint32_t slots)
{
	const double used = stat_value(st, stat_find("slots.retired", NULL)) +
	                    stat_value(st, stat_find("slots.in_flight", NULL)),
		     cycles = (double)st->cycles, lost = cycles * own - used;
	return own == slots || lost <= 0 ? 1. / slots : fmax(cycles - used / slots, 0) / lost;
}

/* Finds the other causes that grew most and shrank most from `base` to `without`. */
static void what_if_find_hidden(struct what_if_row *row, const struct stats *base, uint32_t slots,
                                const struct stats *without, uint32_t without_slots)
{
	static const char *const names[] = {
#define SLOT(field, name, group, help) name,
#include "core/defs/slots.def"
#include "hwviews/grid/order.h"
#undef SLOT
	};
	enum { ROWS = sizeof names / sizeof *names };
	const struct what_if_remedy *cause[ROWS];
	double more[ROWS];
	const double cycles = what_if_cycles_of_slot(without, without_slots, slots);
	for (size_t i = 0; i < ROWS; i++) {
		cause[i] = what_if_cause(names[i]);
		more[i] = what_if_has_row(row->remedy->rows, names[i])
		                  ? 0
		                  : what_if_claimed_cycles(without, names[i], 1) * cycles -
		                            what_if_claimed_cycles(base, names[i], slots);
	}
	row->grew = row->shrank = (double)base->cycles / 200;
	for (size_t i = 0; i < ROWS; i++) {
		const char *name = names[i];
		double sum = more[i];
		for (size_t k = 0; k < ROWS; k++)
			if (k != i && cause[k] && cause[k] == cause[i] && fabs(more[k]) >= 1) {
				sum += more[k];
				name = cause[i]->name;
			}
		if (sum > row->grew) {
			row->next = name == names[i] ? what_if_words_of_row(name) : name;
			row->grew = sum;
		}
		if (-sum > row->shrank) {
			row->also = name == names[i] ? what_if_words_of_row(name) : name;
			row->shrank = -sum;
		}
	}
}

ORDER(by_saving, struct what_if_row, DOWN(ran) ?: UP(cycles) ?: UP(remedy))

/* Runs the unchanged machine, which commits as many instructions by the part's last cycle as the
 * session's did. */
static bool what_if_run_base(struct origin *o, const struct region *r, const struct asking *a,
                             struct what_if *w, struct stats *out, struct err *err)
{
	struct machine *m = origin_copy(o, o->start, machine_config(o->s->machine), err);
	bool ok = m && what_if_run_part(m, o, w, a, err) == RAN;
	if (ok) {
		*out = *machine_stats(m);
		stats_subtract(out, machine_stats(o->start));
		w->cycles = out->cycles;
		if (!w->cut) {
			machine_run(m, r->to, UINT64_MAX);
			w->idle = r->to - o->cycle - w->cycles;
			ok = machine_insts(m) == o->insts + w->insts ||
			     err_set(err, "the part, run again, differs: something that it read "
			                  "from the host has changed since");
		}
	}
	machine_free(m);
	return ok;
}

static bool what_if_run_all_remedies(struct origin *o, const struct region *r, struct asking *a,
                                     struct what_if *w, struct err *err)
{
	const struct config *cfg = machine_config(o->s->machine);
	struct stats base, without;
	if (!what_if_run_base(o, r, a, w, &base, err))
		return false;
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		struct what_if_row *row = &w->row[i];
		struct config other = *cfg;
		struct err why;
		row->remedy = &what_if_remedies[i];
		row->claim = what_if_claimed_cycles(&base, row->remedy->rows, pipe_slots(cfg));
		a->done = i;
		if (!what_if_check_may_continue(a, 0, err))
			return false;
		enum ran ran = RAN_SHORT;
		o->apart = 0;
		without = base;
		if (row->remedy->kept)
			err_set(&why, "%s", row->remedy->kept);
		else if (what_if_apply_settings(&other, row, &why))
			ran = *row->settings ? what_if_run_with_config(o, &other, w, a, &without,
			                                               &why)
			                     : RAN;
		if (ran == RAN_ENDED)
			return err_set(err, "%s", why.msg);
		if (ran == RAN && !what_if_check_path(&base, &without, &why))
			ran = RAN_SHORT;
		row->ran = ran == RAN;
		if (row->ran) {
			row->cycles = without.cycles - o->apart;
			what_if_find_hidden(row, &base, pipe_slots(cfg), &without,
			                    pipe_slots(&other));
		} else
			snprintf(row->why, sizeof row->why, "%.159s", why.msg);
	}
	sort_stable(w->row, WHAT_IF_ROWS, sizeof *w->row, by_saving);
	return true;
}

/* True if another machine can run the part without harm outside, and without changes by hand. */
static bool what_if_may_run(const struct origin *o, struct err *err)
{
	const struct journal *j = machine_journal(o->start);
	if (launch_writes(&o->s->launch))
		return err_set(err, "the program may write files (--rw, --dir), and running it "
		                    "again would write them again: start without that");
	if (CONFIG(machine_config(o->start), firmware))
		return err_set(err, "with firmware a second run differs: start without --firmware");
	return j->st->changes == j->changes ||
	       err_set(err, "the machine was changed by hand in this part or later, which can't be "
	                    "repeated");
}

bool what_if_run(const struct session *s, const struct region *r, what_if_goes_on *goes_on,
                 void *ctx, struct what_if *out, struct err *err)
{
	struct run_history h;
	run_history(s->run, &h);
	const struct region part = {.from = r->given ? r->from : h.first_cycle,
	                            .to = r->given ? r->to : machine_cycle(s->machine)};
	struct origin o = {
		.s = s, .l = s->launch, .cycle = part.from, .first = h.first_cycle};
	struct asking a = {goes_on, ctx, 0};
	uint64_t end;
	*out = (struct what_if){0};
	if (!insts_at(s, part.to, &end, err) || !insts_at(s, part.from, &out->from, err))
		return false;
	if (end <= out->from)
		return err_set(err, "no instruction was committed there: nothing to run again");
	snprintf(out->text, sizeof out->text, "%s", r->text);
	out->to = machine_cycle(s->machine);
	out->part = (struct what_if_part){part.from, part.to};
	out->insts = end - out->from;
	out->cut = out->insts > WHAT_IF_INSTS;
	if (out->cut)
		out->insts = WHAT_IF_INSTS;
	o.l.output = os_no_output;
	o.l.warn = what_if_discard_warning;
	o.l.input = NULL;
	o.l.values = NULL;
	o.l.stdin_fd = -1;
	bool ok = origin_take_at(&o, part.from, &o.start, err) && what_if_may_run(&o, err);
	if (ok) {
		o.insts = machine_insts(o.start);
		o.drained = origin_copy(&o, o.start, machine_config(o.start), err);
		ok = o.drained != NULL;
	}
	if (ok) {
		machine_drain(o.drained);
		ok = what_if_run_all_remedies(&o, &part, &a, out, err);
	}
	origin_free(&o);
	session_watch_symbols(s);
	return ok;
}
