/* Keeps snapshots, and decides which. Regular ones stand `spacing` cycles apart near the newest
 * cycle and thin out with age, until re-execution from one to the next takes FAR_NS, or more if the
 * budget is spent; the others stand around places that the user looked at. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/attachment.h"
#include "core/run/run_priv.h"

/* Estimated host time: of a cycle, of an instruction, and of a snapshot, including the copying of
 * memory written after it. Constants, not measured, so that the same run keeps the same
 * snapshots. */
enum { CYCLE_NS = 10, INST_NS = 100, SNAPSHOT_NS = 100000, BYTES_PER_NS = 4 };
/* A snapshot may cost a COST_SHARE-th of the time since the last, unless that delays going back by
 * more than PATIENCE_NS; and a PRESSURE_SHARE-th if the guest writes so much that it would cost
 * more, unless that delays it by more than PRESSURE_NS. */
enum {
	COST_SHARE = 32,
	PATIENCE_NS = 10000000,
	PRESSURE_SHARE = 16,
	PRESSURE_NS = 100000000,
	SPACING_LEAST = SPACING / 8
};

static void history_drop_snapshot(struct run *r, size_t i)
{
	struct history *h = &r->hist;
	h->own_bytes -= snapshot_bytes(h->kept[i].s);
	snapshot_free(h->kept[i].s);
	if (i)
		h->kept[i - 1].summary = interval_join(h->kept[i - 1].summary, h->kept[i].summary);
	free(h->kept[i].summary);
	memmove(&h->kept[i], &h->kept[i + 1], (--h->count - i) * sizeof *h->kept);
}

static size_t history_bytes(const struct run *r)
{
	return r->hist.count ? r->hist.own_bytes + machine_held_bytes(r->m) : 0;
}

void history_free(struct run *r)
{
	struct history *h = &r->hist;
	for (size_t i = 0; i < h->count; i++) {
		snapshot_free(h->kept[i].s);
		free(h->kept[i].summary);
	}
	free(h->kept);
	h->kept = NULL;
	h->count = h->room = h->own_bytes = 0;
}

bool history_begin(struct run *r)
{
	struct history *h = &r->hist;
	size_t budget = r->options.budget_bytes;
	uint64_t spacing = r->options.first_spacing;
	history_free(r);
	*h = (struct history){
		.newest = machine_cycle(r->m),
		.budget = budget ? budget : DEFAULT_BUDGET,
		.spacing = spacing ? spacing : SPACING,
	};
	if (!r->options.history)
		return false;
	if (history_keep(r, false))
		return true;
	alloc_note_failure(); /* a session that can't go back is no thinned history */
	return false;
}

size_t history_at(const struct run *r, uint64_t cycle)
{
	size_t lo = 0, hi = r->hist.count;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->hist.kept[mid].cycle <= cycle)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static const struct kept *last_regular(const struct history *h)
{
	const struct kept *k = &h->kept[h->count - 1];
	while (k->focus)
		k--;
	return k;
}

uint64_t history_due(const struct run *r)
{
	const struct history *h = &r->hist;
	uint64_t now = machine_cycle(r->m), last = last_regular(h)->cycle;
	return (now < last ? h->kept[history_at(r, now)].cycle : last) + h->spacing;
}

bool history_keep_due(struct run *r)
{
	return history_keep(r, machine_cycle(r->m) < last_regular(&r->hist)->cycle);
}

static uint64_t history_cycle_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The next regular snapshot after the i-th; NULL if there is none. */
static const struct kept *regular_behind(const struct history *h, size_t i)
{
	for (size_t k = i + 1; k < h->count; k++)
		if (!h->kept[k].focus)
			return &h->kept[k];
	return NULL;
}

/* Drops regular snapshots, oldest first, while the gap they leave is short for its age. */
static void thin_by_age(struct run *r)
{
	struct history *h = &r->hist;
	const struct kept *behind;
	struct kept before = h->kept[0];
	for (size_t i = 1; i < h->count && (behind = regular_behind(h, i)); i++) {
		if (h->kept[i].focus)
			continue;
		if (behind->cycle - before.cycle <= (h->newest - behind->cycle) / AGE_SHARE &&
		    behind->ns - before.ns <= FAR_NS)
			history_drop_snapshot(r, i--);
		else
			before = h->kept[i];
	}
}

/* The focus snapshot farthest from the present; 0 if there is none. */
static size_t farthest_focus(const struct run *r, unsigned *count)
{
	const struct history *h = &r->hist;
	uint64_t now = machine_cycle(r->m);
	size_t found = 0;
	*count = 0;
	for (size_t i = 1; i < h->count; i++) {
		if (!h->kept[i].focus)
			continue;
		++*count;
		if (!found || history_cycle_distance(h->kept[i].cycle, now) >
		                      history_cycle_distance(h->kept[found].cycle, now))
			found = i;
	}
	return found;
}

/* The regular snapshot whose loss costs least: that with the shortest gap for its age. */
static size_t least_missed(const struct history *h)
{
	size_t best = 0;
	double least = 0;
	const struct kept *behind;
	uint64_t before = h->kept[0].ns;
	for (size_t i = 1; i < h->count && (behind = regular_behind(h, i)); i++) {
		if (h->kept[i].focus)
			continue;
		double age = (double)(h->newest_ns - before) + SNAPSHOT_NS,
		       far = (double)FAR_NS * AGE_SHARE;
		double felt = (double)(behind->ns - before) / (age < far ? age : far);
		if (!best || felt < least) {
			best = i;
			least = felt;
		}
		before = h->kept[i].ns;
	}
	return best;
}

/* Bytes that snapshots hold beyond the guest's largest memory so far: going back to a small guest
 * must not drop snapshots. */
static size_t held_beside_guest(const struct run *r)
{
	size_t guest = mem_bytes(machine_mem_const(r->m)), all = history_bytes(r) + guest;
	return all > r->hist.guest_bytes ? all - r->hist.guest_bytes : 0;
}

/* Index of the snapshot to drop next; 0 if only the beginning is left. */
static size_t next_to_go(const struct run *r)
{
	unsigned count;
	size_t i = farthest_focus(r, &count);
	if (count < FOCUS_PLACES / 2 || !i)
		i = least_missed(&r->hist);
	return i ? i : farthest_focus(r, &count);
}

static void thin_by_budget(struct run *r)
{
	struct history *h = &r->hist;
	while (held_beside_guest(r) > h->budget) {
		size_t i = next_to_go(r);
		if (!i)
			return;
		history_drop_snapshot(r, i);
		h->spent = true;
	}
}

bool history_reclaim(struct run *r)
{
	struct history *h = &r->hist;
	const size_t had = h->count, keep = had / 2;
	while (h->count > keep) {
		size_t i = next_to_go(r);
		/* The last regular snapshot has no successor to measure its gap by. */
		if (!i && h->count > 1)
			i = h->count - 1;
		if (!i)
			break;
		history_drop_snapshot(r, i);
		h->spent = true;
	}
	return h->count < had;
}

static void history_thin_snapshots(struct run *r)
{
	unsigned count;
	size_t far = farthest_focus(r, &count);
	if (count > FOCUS_MAX)
		history_drop_snapshot(r, far);
	thin_by_age(r);
	thin_by_budget(r);
}

static bool history_insert_snapshot(struct history *h, const struct kept *k)
{
	if (h->count == h->room) {
		size_t room = h->room ? 2 * h->room : 64;
		/* on failure history is thinned */
		struct kept *grown = alloc_try_resize(h->kept, room * sizeof *grown);
		if (!grown)
			return false;
		h->kept = grown;
		h->room = room;
	}
	size_t i = h->count++;
	for (; i && h->kept[i - 1].cycle > k->cycle; i--)
		h->kept[i] = h->kept[i - 1];
	h->kept[i] = *k;
	return true;
}

struct snapshot *history_copy(struct run *r)
{
	struct snapshot *s;
	while (!(s = machine_snapshot(r->m)) && history_reclaim(r))
		;
	return s;
}

/* Adapts the spacing of regular snapshots to their cost, in steps, so that it does not
 * oscillate. */
static void adapt_spacing(struct run *r, const struct kept *before, const struct kept *k)
{
	struct history *h = &r->hist;
	uint64_t run = k->ns - before->ns, copied = machine_taken_bytes(r->m) - h->copied;
	uint64_t cost = SNAPSHOT_NS + copied / BYTES_PER_NS;
	bool dear, cheap;
	if (k->cycle < before->cycle + h->spacing)
		return;
	h->cost_share = (double)cost / (double)run;
	h->pressed = run > 2 * PATIENCE_NS && cost > run / COST_SHARE;
	if (run < PATIENCE_NS) {
		dear = cost > run / COST_SHARE;
		cheap = cost < run / COST_SHARE / 4 && h->spacing > SPACING;
	} else {
		dear = cost > run / PRESSURE_SHARE && run < PRESSURE_NS;
		cheap = cost < run / COST_SHARE / (run < 2 * PATIENCE_NS ? 2 : 1);
	}
	if (!r->options.first_spacing && dear)
		h->spacing *= 2;
	else if (!r->options.first_spacing && cheap && h->spacing > SPACING_LEAST)
		h->spacing /= 2;
}

/* Updates the newest cycle and the guest's largest size. */
static void history_observe_machine(struct history *h, const struct run *r, const struct kept *k)
{
	size_t guest = mem_bytes(machine_mem_const(r->m));
	if (h->guest_bytes < guest)
		h->guest_bytes = guest;
	if (h->newest <= k->cycle) {
		h->newest = k->cycle;
		h->newest_ns = k->ns;
	}
}

/* Updates the summaries after the snapshot of this cycle was inserted. */
static void interval_kept(struct run *r, uint64_t cycle)
{
	struct history *h = &r->hist;
	const size_t at = history_at(r, cycle);
	/* Both halves of what was recorded get the whole interval's summary, also after the last
	 * snapshot before. */
	if (at && (at + 1 < h->count || cycle < h->newest))
		h->kept[at].summary = interval_join(h->kept[at].summary, h->kept[at - 1].summary);
	if (at + 1 == h->count)
		interval_begin(r);
}

bool history_keep(struct run *r, bool focus)
{
	struct history *h = &r->hist;
	struct kept k = {
		.cycle = machine_cycle(r->m),
		.insts = machine_committed(r->m),
		.next_seq = machine_pipe(r->m)->st->next_seq,
		.focus = focus,
	};
	k.ns = CYCLE_NS * k.cycle + INST_NS * k.insts;
	if (h->count) {
		struct kept *same = &h->kept[history_at(r, k.cycle)];
		if (same->cycle == k.cycle) {
			same->focus &= focus;
			return true;
		}
	}
	const struct kept before = h->count ? *last_regular(h) : k;
	k.s = machine_snapshot(r->m);
	k.summary = interval_new(r->m);
	interval_note(r);
	if (!k.s || !history_insert_snapshot(h, &k)) {
		snapshot_free(k.s);
		free(k.summary);
		return false;
	}
	interval_kept(r, k.cycle);
	h->own_bytes += snapshot_bytes(k.s);
	h->taken++;
	history_observe_machine(h, r, &k);
	if (!focus) {
		adapt_spacing(r, &before, &k);
		h->copied = machine_taken_bytes(r->m);
	}
	history_thin_snapshots(r);
	return true;
}

void history_cut(struct run *r, uint64_t cycle)
{
	struct history *h = &r->hist;
	while (h->count && h->kept[h->count - 1].cycle > cycle)
		history_drop_snapshot(r, h->count - 1);
	h->newest = cycle;
	h->newest_ns = h->count ? h->kept[h->count - 1].ns : 0;
}

void history_serve(struct run *r)
{
	struct history *h = &r->hist;
	for (size_t i = h->count; i-- > 1;)
		if (!snapshot_serves(h->kept[i].s, r->m))
			history_drop_snapshot(r, i);
}

void run_history(const struct run *r, struct run_history *out)
{
	const struct history *h = &r->hist;
	const struct journal *journal = machine_journal(r->m);
	*out = (struct run_history){
		.first_cycle = h->count ? h->kept[0].cycle : machine_cycle(r->m),
		.newest_cycle = h->newest,
		.snapshots = (unsigned)h->count,
		.bytes = history_bytes(r),
		.journal_bytes = journal_bytes(journal),
		.snapshots_taken = h->taken,
		.spacing = h->spacing,
		.cost_share = h->cost_share,
		.pressed = h->pressed,
		.spent = h->spent,
		.cycles_reexecuted = h->reexecuted,
		.changes = journal->changes,
		.changes_before = journal->st->changes,
		.cuts = r->cuts,
	};
}

uint64_t run_snapshot_cycle(const struct run *r, unsigned i)
{
	return i < r->hist.count ? r->hist.kept[i].cycle : UINT64_MAX;
}
