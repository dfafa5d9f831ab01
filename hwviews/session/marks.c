#include "hwviews/session/marks.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "hwviews/session/view_text.h"

enum { KNOWN_MAX = 8 };

/* The statistics at the end of a cycle. */
struct known {
	bool there;
	uint64_t cycle, cuts; /* cuts: history's count of cuts when they were noted */
	struct stats stats;
};

struct named {
	struct mark mark;
	struct known at;
};

struct marks {
	struct named *named; /* owned; [count] */
	size_t count;
	struct known last;   /* stop */
	uint64_t last_insts;
	struct known known[KNOWN_MAX]; /* of other cycles; newest % KNOWN_MAX is replaced next */
	unsigned newest;
	struct {             /* where a symbol was first executed */
		char name[MARK_NAME_MAX];
		uint64_t cycle, cuts;
	} first;
	bool selected;
	uint64_t selected_from, selected_to;
};

struct marks *marks_new(void)
{
	return alloc_zeroed(1, sizeof(struct marks));
}

void marks_free(struct marks *r)
{
	if (r)
		free(r->named);
	free(r);
}

void marks_clear(struct marks *r)
{
	free(r->named);
	*r = (struct marks){0};
}

static struct run_history marks_run_history(const struct session *s)
{
	struct run_history h;
	run_history(s->run, &h);
	return h;
}

static struct known marks_current_counts(const struct session *s)
{
	return (struct known){true, machine_cycle(s->machine), marks_run_history(s).cuts,
	                      *machine_stats(s->machine)};
}

/* Without history the run never goes back: counts stay valid. */
static bool marks_counts_are_valid(const struct session *s, const struct known *k)
{
	return k->there && (k->cuts == marks_run_history(s).cuts || !s->history.history);
}

/* ---- marks ---- */
static bool name_ok(const char *name)
{
	size_t n = strlen(name);
	if (!n || n >= MARK_NAME_MAX || !strcmp(name, "last") ||
	    !(isalpha((unsigned char)*name) || *name == '_'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	return true;
}

bool region_mark(struct session *s, const char *name, struct err *err)
{
	struct marks *r = s->marks;
	struct named n = {.at = marks_current_counts(s)};
	size_t i = 0;
	if (!name_ok(name))
		return err_set(
			err,
			"'%.40s' can't name a mark; expected a letter, then letters, digits, _, - "
			"and ., %d at most, but not 'last'",
			name, MARK_NAME_MAX - 1);
	while (i < r->count && strcmp(r->named[i].mark.name, name) != 0)
		i++;
	if (i == r->count) {
		struct named *grown = alloc_resize(r->named, (r->count + 1) * sizeof *grown);
		if (!grown)
			return err_set(err, "out of memory for a mark");
		r->named = grown;
		r->count++;
	}
	snprintf(n.mark.name, sizeof n.mark.name, "%s", name);
	n.mark.cycle = n.at.cycle;
	n.mark.insts = machine_insts(s->machine);
	r->named[i] = n;
	return true;
}

const struct mark *region_mark_at(const struct session *s, unsigned i)
{
	return i < s->marks->count ? &s->marks->named[i].mark : NULL;
}

/* ---- stops ---- */
void region_motion_begins(struct session *s)
{
	s->marks->last = marks_current_counts(s);
	s->marks->last_insts = machine_insts(s->machine);
}

/* "+190 cycles" */
static void put_signed(char *buf, size_t n, int64_t v, const char *what)
{
	size_t used = strlen(buf);
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
	snprintf(buf + used, n - used, "%s%s%s %s%s", used ? ", " : "", v < 0 ? "-" : "+",
	         GROUPED(size), what, size == 1 ? "" : "s");
}

char *region_passed_text(const struct session *s, bool brief, char *buf, size_t n)
{
	const struct marks *r = s->marks;
	const int64_t cycles = (int64_t)(machine_cycle(s->machine) - r->last.cycle),
		      mispredicts = (int64_t)(machine_stats(s->machine)->bpred_mispredicts -
	                                      r->last.stats.bpred_mispredicts);
	*buf = '\0';
	if (!r->last.there || !cycles)
		return buf;
	put_signed(buf, n, cycles, "cycle");
	put_signed(buf, n, (int64_t)(machine_insts(s->machine) - r->last_insts),
	           brief ? "inst" : "instruction");
	if (brief)
		return buf;
	if (mispredicts < 0)
		put_signed(buf, n, mispredicts, "misprediction");
	if (mispredicts > 0) {
		size_t used = strlen(buf);
		snprintf(buf + used, n - used, ", %s misprediction%s",
		         GROUPED((uint64_t)mispredicts), mispredicts == 1 ? "" : "s");
	}
	return buf;
}

/* ---- asking ---- */
struct first_commit {
	bool found;
	uint64_t cycle;
};

static void note_first(void *ctx, const struct machine *m, const struct event *ev)
{
	struct first_commit *f = ctx;
	(void)ev;
	if (!f->found)
		*f = (struct first_commit){true, machine_cycle(m)};
	machine_request_stop(m);
}

/* The cycle in which a symbol's first instruction committed for the first time. */
static bool marks_find_first_commit(const struct session *s, const struct symbol *sym,
                                    const char *name, uint64_t *cycle, struct err *err)
{
	struct marks *r = s->marks;
	struct run_history h = marks_run_history(s);
	struct first_commit f = {false, 0};
	struct event_filter filter = {
		.mask = EVENT_BIT(commit), .pc_lo = sym->addr, .pc_hi = sym->addr + 1};
	if (!strcmp(r->first.name, name) && r->first.cuts == h.cuts) {
		*cycle = r->first.cycle;
		return true;
	}
	if (!run_replay(s->run, h.first_cycle, h.newest_cycle, &filter, note_first, &f, err))
		return false;
	if (!f.found)
		return err_set(err,
		               "%.100s was not executed in the recorded cycles %" PRIu64
		               " to %" PRIu64,
		               name, h.first_cycle, h.newest_cycle);
	*cycle = r->first.cycle = f.cycle;
	r->first.cuts = h.cuts;
	snprintf(r->first.name, sizeof r->first.name, "%s",
	         strlen(name) < sizeof r->first.name ? name : "");
	return true;
}

void region_select(struct session *s, uint64_t from, uint64_t to)
{
	s->marks->selected = true;
	s->marks->selected_from = from < to ? from : to;
	s->marks->selected_to = from < to ? to : from;
}

void region_unselect(struct session *s)
{
	s->marks->selected = false;
}

bool region_selected(const struct session *s, uint64_t *from, uint64_t *to)
{
	*from = s->marks->selected_from;
	*to = s->marks->selected_to;
	return s->marks->selected;
}

static bool marks_is_number(const char *text)
{
	return isdigit((unsigned char)*text);
}

static bool marks_parse_since(const struct session *s, const char *name, uint64_t *cycle,
                              struct err *err)
{
	const struct marks *r = s->marks;
	const uint64_t now = machine_cycle(s->machine);
	if (marks_is_number(name))
		return arg_number(name, "a cycle", UINT64_MAX, cycle, err);
	if (*name == '-' && marks_is_number(name + 1)) {
		if (!arg_number(name + 1, "cycles back", now, cycle, err))
			return false;
		*cycle = now - *cycle;
		return true;
	}
	if (!strcmp(name, "last")) {
		*cycle = r->last.cycle;
		return r->last.there ||
		       err_set(err, "there was no stop before this one: since main, since 5000");
	}
	for (size_t i = 0; i < r->count; i++) {
		if (!strcmp(r->named[i].mark.name, name)) {
			*cycle = r->named[i].mark.cycle;
			return true;
		}
	}
	const struct symbol *sym = program_symbol_by_name(s->program, name);
	if (!sym)
		return err_set(err,
		               "no mark and no function is called '%.100s': `mark %.100s` marks "
		               "the present, `mark` lists marks",
		               name, name);
	return marks_find_first_commit(s, sym, name, cycle, err);
}

static void marks_format_region(struct region *r, const char *name)
{
	snprintf(r->text, sizeof r->text, "%s%.32s%scycles %s to %s", name ? "since " : "",
	         name ? name : "", name ? ", " : "", GROUPED(r->from), GROUPED(r->to));
	r->given = true;
}

/* Ends the region at the present. */
static bool until_now(const struct session *s, const char *name, struct region *r, struct err *err)
{
	r->to = machine_cycle(s->machine);
	if (!marks_parse_since(s, name, &r->from, err))
		return false;
	if (r->from > r->to)
		return err_set(err,
		               "'%.40s' is cycle %" PRIu64 ", and the present is cycle %" PRIu64
		               ": name both, %" PRIu64 " %" PRIu64,
		               name, r->from, r->to, r->to, r->from);
	marks_format_region(r, name);
	return true;
}

/* Parses "2", "switch", "ended" after `thread`. */
static bool marks_parse_thread(const char *word, struct region *out, struct err *err)
{
	uint64_t n;
	if (out->thread)
		return err_set(err, "one thread at a time");
	if (word && !strcmp(word, "switch"))
		out->thread = COUNTS_OF_SWITCHES;
	else if (word && !strcmp(word, "ended"))
		out->thread = COUNTS_OF_ENDED;
	else if (word && marks_is_number(word) &&
	         arg_number(word, "a thread", INT32_MAX, &n, NULL) && n)
		out->thread = (int64_t)n;
	else
		return err_set(err,
		               "no thread given; expected thread 2 (`info threads`), thread switch "
		               "for switches, or thread ended for those whose place was reused");
	return true;
}

/* Adds the thread to the region's description. */
static void describe_thread(struct region *r)
{
	char whose[32], rest[sizeof r->text];
	snprintf(whose, sizeof whose, "thread %d", (int)r->thread);
	memcpy(rest, r->text, sizeof rest);
	snprintf(r->text, sizeof r->text, "%s%s%.60s",
	         r->thread == COUNTS_OF_ENDED      ? "threads that have ended"
	         : r->thread == COUNTS_OF_SWITCHES ? "switches of threads" : whose,
	         r->given ? ", " : "", rest);
}

bool region_take(const struct session *s, int argc, const char *const *argv, struct region *out,
                 struct err *err)
{
	return region_take_thread(s, argc, argv, out, err) &&
	       (!out->thread || err_set(err, "counts of one thread are in `stats`, and in "
	                                     "`view cpi` and `view slots` of the whole program"));
}

bool region_take_thread(const struct session *s, int argc, const char *const *argv,
                        struct region *out, struct err *err)
{
	*out = (struct region){.to = machine_cycle(s->machine)};
	for (int i = 0; i < argc; i++) {
		const bool of = i && !strcmp(argv[i - 1], "of"); /* argv[i] is a function's name */
		if (!of && !strcmp(argv[i], "thread")) {
			if (!marks_parse_thread(++i < argc ? argv[i] : NULL, out, err))
				return false;
			continue;
		}
		bool by_name = !strcmp(argv[i], "since");
		const bool selection = !strcmp(argv[i], "selection");
		/* argv[i] is a place, which may be a number */
		const bool place =
			i && (!strcmp(argv[i - 1], "of") || !strcmp(argv[i - 1], "loop"));
		/* since -5000 */
		const bool back = argv[i][0] == '-' && marks_is_number(argv[i] + 1);
		if (place || (!by_name && !selection && !back && !marks_is_number(argv[i]))) {
			if (out->argc == REGION_WORDS_MAX)
				return err_set(err, "too many words");
			out->argv[out->argc++] = argv[i];
			continue;
		}
		if (out->given)
			return err_set(err, "one region at a time: since main, or 1000 2000");
		if (selection) {
			if (!region_selected(s, &out->from, &out->to))
				return err_set(err, "nothing is selected: `selection 1000 2000` "
				                    "does it, or a range of the screen's timeline");
			marks_format_region(out, NULL);
			continue;
		}
		if (back) {
			if (!until_now(s, argv[i], out, err))
				return false;
			continue;
		}
		if (++i == argc)
			return by_name ? err_set(err, "no start given; expected since main, since "
			                              "last, since "
			                              "NAME, since 5000, since -5000")
			               : err_set(err,
			                         "'%.40s' alone is no region: since %.40s, or "
			                         "%.40s TO",
			                         argv[i - 1], argv[i - 1], argv[i - 1]);
		if (by_name) {
			if (!until_now(s, argv[i], out, err))
				return false;
			continue;
		}
		if (!arg_number(argv[i - 1], "a cycle", UINT64_MAX, &out->from, err) ||
		    !arg_number(argv[i], "a cycle", UINT64_MAX, &out->to, err))
			return false;
		if (out->from > out->to)
			return err_set(err, "the region %.40s to %.40s ends before it begins",
			               argv[i - 1], argv[i]);
		marks_format_region(out, NULL);
	}
	if (out->thread)
		describe_thread(out);
	return true;
}

static void marks_read_stats(void *ctx, const struct machine *m)
{
	struct known *k = ctx;
	k->stats = *machine_stats(m);
	k->there = true;
}

/* Borrowed; valid for the next KNOWN_MAX - 1 calls. */
static const struct known *marks_counts_at_cycle(const struct session *s, uint64_t cycle,
                                                 struct err *err)
{
	struct marks *r = s->marks;
	for (size_t i = 0; i < r->count; i++)
		if (r->named[i].at.cycle == cycle && marks_counts_are_valid(s, &r->named[i].at))
			return &r->named[i].at;
	if (r->last.cycle == cycle && marks_counts_are_valid(s, &r->last))
		return &r->last;
	for (unsigned i = 0; i < KNOWN_MAX; i++)
		if (r->known[i].cycle == cycle && marks_counts_are_valid(s, &r->known[i]))
			return &r->known[i];
	struct known k = {.cycle = cycle, .cuts = marks_run_history(s).cuts};
	if (cycle == machine_cycle(s->machine))
		k = marks_current_counts(s);
	else if (!run_look(s->run, cycle, marks_read_stats, &k, err))
		return NULL;
	struct known *keep = &r->known[r->newest++ % KNOWN_MAX];
	*keep = k;
	return keep;
}

bool region_look(const struct session *s, uint64_t cycle, run_look_fn *fn, void *ctx,
                 struct err *err)
{
	if (cycle != machine_cycle(s->machine))
		return run_look(s->run, cycle, fn, ctx, err);
	fn(ctx, s->machine);
	return true;
}

/* Both are arrays of counters. */
struct thread_look {
	int64_t whose;
	enum thread_stats_answer answer;
	struct stats stats;
};

static void marks_read_thread_stats(void *ctx, const struct machine *m)
{
	struct thread_look *l = ctx;
	l->answer = machine_thread_stats(m, l->whose, &l->stats);
}

static bool thread_stats(const struct session *s, const struct region *r, struct stats *out,
                         struct err *err)
{
	struct thread_look from = {.whose = r->thread}, to = from;
	if (!region_look(s, r->to, marks_read_thread_stats, &to, err) ||
	    (r->given && !region_look(s, r->from, marks_read_thread_stats, &from, err)))
		return false;
	if (to.answer == THREAD_STATS_NONE)
		return err_set(err, "there is no thread %" PRId64 "; `info threads` lists them",
		               r->thread);
	if (to.answer == THREAD_STATS_MERGED)
		return err_set(
			err,
			"thread %" PRId64
			" has ended, and its place was reused: its counts are in `thread ended`",
			r->thread);
	*out = to.stats;
	if (r->given && from.answer == THREAD_STATS_TOLD)
		stats_subtract(out, &from.stats);
	return true;
}

bool region_stats(const struct session *s, const struct region *r, struct stats *out,
                  struct err *err)
{
	if (r->thread)
		return thread_stats(s, r, out, err);
	if (!r->given) {
		*out = *machine_stats(s->machine);
		return true;
	}
	const struct known *from = marks_counts_at_cycle(s, r->from, err);
	if (!from)
		return false;
	const struct stats before = from->stats;
	const struct known *to = marks_counts_at_cycle(s, r->to, err);
	if (!to)
		return false;
	*out = to->stats;
	stats_subtract(out, &before);
	return true;
}
