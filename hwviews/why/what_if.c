#include "hwviews/why/what_if.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/pipe.h"
#include "hwviews/session/rerun_check.h"
#include "hwviews/session/view_text.h"

const struct what_if_remedy what_if_remedies[WHAT_IF_ROWS] = {
#define REMEDY(name, rows, settings) {name, rows, settings},
#include "hwviews/why/what_if.def"
#undef REMEDY
};

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

/* Executes n instructions without timing. *done: how many were executed. */
static bool go_functional(struct machine *m, uint64_t n, bool warm, const struct asking *a,
                          uint64_t *done, struct err *err)
{
	for (*done = 0; *done < n;) {
		const uint64_t some = n - *done < PIECE ? n - *done : PIECE,
			       went = machine_run_functional(m, some, warm);
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

/* A machine at instruction `at`, with cold caches and predictors. NULL with *err. */
static struct machine *go_there(const struct session *s, const struct launch *l, uint64_t at,
                                const struct asking *a, struct err *err)
{
	struct machine *m = launch_machine(l, s->program, machine_config(s->machine), err);
	uint64_t done;
	if (!m)
		return NULL;
	if (go_functional(m, at, false, a, &done, err) &&
	    (done == at || err_set(err,
	                           "run again, the program ends before instruction %" PRIu64
	                           ": it needs its input to repeat the run",
	                           at)))
		return m;
	machine_free(m);
	return NULL;
}

enum ran { RAN, RAN_SHORT, RAN_ENDED };

/* Runs `warming` instructions and then w->insts, from the state of `from`, on a machine of cfg.
 * Returns its statistics; else *err: RAN_SHORT: it can't run; RAN_ENDED: cancelled, or the host
 * lacks memory or descriptors, so there is no result. */
static enum ran what_if_run_with_config(const struct launch *l, const struct machine *from,
                                        const struct config *cfg, uint64_t warming,
                                        const struct what_if *w, const struct asking *a,
                                        struct stats *out, struct err *err)
{
	struct machine *m = machine_new_with(cfg, l->plugins, err);
	enum ran ran = alloc_failed() ? RAN_ENDED : RAN_SHORT;
	uint64_t done = 0;
	if (m && !machine_move_program(m, from, err)) {
		ran = RAN_ENDED; /* out of memory */
	} else if (m) {
		os_set_output(machine_os(m), os_no_output, NULL);
		os_set_warn(machine_os(m), what_if_discard_warning, NULL);
		ran = go_functional(m, warming, true, a, &done, err) ? RAN : RAN_ENDED;
		const uint64_t end = machine_insts(m) + w->insts;
		while (ran == RAN && done == warming && machine_insts(m) < end &&
		       machine_status(m) == MACHINE_RUNNING) {
			const uint64_t before = machine_cycle(m);
			machine_run(m, before + PIECE, end);
			if (!what_if_check_may_continue(a, machine_cycle(m) - before, err))
				ran = RAN_ENDED;
			else if (machine_cycle(m) == before)
				break;
		}
		*out = *machine_stats(m);
		if (ran == RAN && machine_lacks(m)) {
			err_set(err, "%s", machine_lacks(m));
			ran = RAN_ENDED;
		}
		if (ran == RAN && (done != warming || machine_insts(m) < end)) {
			err_set(err, "it did not reach the end of the part");
			ran = RAN_SHORT;
		}
	}
	machine_free(m);
	return ran;
}

static bool what_if_apply_settings(struct config *cfg, const char *settings, struct err *err)
{
	char copy[256], *save;
	snprintf(copy, sizeof copy, "%s", settings);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
		if (!config_set_assignment(cfg, one, err))
			return false;
	return config_check(cfg, err);
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

/* The row that grew most from `base` to `without`. */
static void what_if_find_next_bottleneck(struct what_if_row *row, const struct stats *base,
                                         uint32_t slots, const struct stats *without,
                                         uint32_t without_slots)
{
	static const char *const names[] = {
#define SLOT(field, name, group, help) name,
#include "core/defs/slots.def"
#include "hwviews/grid/order.h"
#undef SLOT
	};
	row->grew = (double)base->cycles / 200;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const double grew = what_if_claimed_cycles(without, names[i], without_slots) -
		                    what_if_claimed_cycles(base, names[i], slots);
		if (grew > row->grew) {
			row->next = names[i];
			row->grew = grew;
		}
	}
}

ORDER(by_saving, struct what_if_row, DOWN(ran) ?: UP(cycles) ?: UP(remedy))

/* Runs all remedies from the state of `from`. */
static bool what_if_run_all_remedies(const struct session *s, const struct launch *l,
                                     const struct machine *from, uint64_t warming, struct asking *a,
                                     struct what_if *w, struct err *err)
{
	const struct config *cfg = machine_config(s->machine);
	struct stats base, without;
	if (what_if_run_with_config(l, from, cfg, warming, w, a, &base, err) != RAN)
		return false;
	w->cycles = base.cycles;
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		struct what_if_row *row = &w->row[i];
		struct config other = *cfg;
		struct err why;
		row->remedy = &what_if_remedies[i];
		row->claim = what_if_claimed_cycles(&base, row->remedy->rows, pipe_slots(cfg));
		a->done = i;
		if (!what_if_check_may_continue(a, 0, err))
			return false;
		const enum ran ran = what_if_apply_settings(&other, row->remedy->settings, &why)
		                             ? what_if_run_with_config(l, from, &other, warming, w,
		                                                       a, &without, &why)
		                             : RAN_SHORT;
		if (ran == RAN_ENDED)
			return err_set(err, "%s", why.msg);
		row->ran = ran == RAN;
		if (row->ran) {
			row->cycles = without.cycles;
			what_if_find_next_bottleneck(row, &base, pipe_slots(cfg), &without,
			                             pipe_slots(&other));
		} else
			snprintf(row->why, sizeof row->why, "%.159s", why.msg);
	}
	qsort(w->row, WHAT_IF_ROWS, sizeof *w->row, by_saving);
	return true;
}

bool what_if_run(const struct session *s, const struct region *r, what_if_goes_on *goes_on,
                 void *ctx, struct what_if *out, struct err *err)
{
	const uint64_t to = r->given ? r->to : machine_cycle(s->machine);
	uint64_t end;
	struct launch l = s->launch;
	*out = (struct what_if){0};
	if (!rerun_possible(s, err) || !insts_at(s, to, &end, err) ||
	    !insts_at(s, r->given ? r->from : 0, &out->from, err))
		return false;
	if (end <= out->from)
		return err_set(err, "no instruction was committed there: nothing to run again");
	snprintf(out->text, sizeof out->text, "%s", r->text);
	out->insts = end - out->from;
	out->cut = out->insts > WHAT_IF_INSTS;
	if (out->cut)
		out->insts = WHAT_IF_INSTS;
	const uint64_t warming = out->from < WHAT_IF_WARMING ? out->from : WHAT_IF_WARMING;
	l.output = os_no_output;
	l.warn = what_if_discard_warning;
	l.input = NULL;
	l.values = NULL;
	l.stdin_fd = rerun_input(s);
	struct asking a = {goes_on, ctx, 0};
	struct machine *from = go_there(s, &l, out->from - warming, &a, err);
	const bool ok = from && what_if_run_all_remedies(s, &l, from, warming, &a, out, err);
	machine_free(from);
	session_watch_symbols(s);
	if (l.stdin_fd >= 0)
		close(l.stdin_fd);
	return ok;
}
