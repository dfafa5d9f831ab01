/* Snapshots: which are kept. Regular ones stand `spacing` cycles apart near the newest cycle and thin out with age;
 * the others stand around places that a person looked at. */
#include <stdlib.h>
#include <string.h>

#include "core/companion.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/run/run_priv.h"

enum { COUNT_GUEST_EVERY = 16 };

/* Host time, roughly as measured: of a cycle, of an instruction in it; of a snapshot, with copying what is written
 * after it. Not taken from the clock, so that the same run keeps the same snapshots. */
enum { CYCLE_NS = 30, INST_NS = 40, SNAPSHOT_NS = 200000, BYTES_PER_NS = 8 };
/* A snapshot may cost a COST_SHARE-th of the time since the last, unless that is longer than one wants to wait. */
enum { COST_SHARE = 32, PATIENCE_NS = 20000000 };

static void forget(struct run *r, size_t i)
{
	struct history *h = &r->hist;
	const struct mem *mem = machine_mem_const(r->m);
	/* What the snapshot shared with the present alone is the present's now, and counted again with the next one. */
	size_t own = mem_owned_bytes(mem), gone = snapshot_bytes(h->kept[i].s);
	snapshot_free(h->kept[i].s);
	gone += mem_owned_bytes(mem) - own;
	h->bytes -= gone < h->bytes ? gone : h->bytes;
	memmove(&h->kept[i], &h->kept[i + 1], (--h->count - i) * sizeof *h->kept);
}

void history_free(struct run *r)
{
	struct history *h = &r->hist;
	for (size_t i = 0; i < h->count; i++)
		snapshot_free(h->kept[i].s);
	free(h->kept);
	h->kept = NULL;
	h->count = h->room = h->bytes = 0;
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
	return r->options.history && history_keep(r, false);
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

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Cycles between the regular snapshots around the i-th; UINT64_MAX if it is the last of them. */
static uint64_t gap_without(const struct history *h, size_t i, uint64_t before, uint64_t *after)
{
	for (size_t k = i + 1; k < h->count; k++)
		if (!h->kept[k].focus) {
			*after = h->kept[k].cycle;
			return *after - before;
		}
	return UINT64_MAX;
}

/* Oldest first, so that every gap grows as long as its age allows. */
static void thin_by_age(struct run *r)
{
	struct history *h = &r->hist;
	uint64_t before = h->kept[0].cycle, after = 0;
	for (size_t i = 1; i < h->count; i++) {
		if (h->kept[i].focus)
			continue;
		uint64_t gap = gap_without(h, i, before, &after);
		if (gap == UINT64_MAX)
			return;
		if (gap <= (h->newest - after) / AGE_SHARE)
			forget(r, i--);
		else
			before = h->kept[i].cycle;
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
		if (!found || distance(h->kept[i].cycle, now) > distance(h->kept[found].cycle, now))
			found = i;
	}
	return found;
}

/* The regular snapshot whose loss is felt least: the gap that it leaves, measured by its age. */
static size_t least_missed(const struct history *h)
{
	size_t best = 0;
	double least = 0;
	uint64_t before = h->kept[0].cycle, after = 0;
	for (size_t i = 1; i < h->count; i++) {
		if (h->kept[i].focus)
			continue;
		uint64_t gap = gap_without(h, i, before, &after);
		if (gap == UINT64_MAX)
			break;
		double felt = (double)gap / (double)(h->newest - before + h->spacing);
		if (!best || felt < least) {
			best = i;
			least = felt;
		}
		before = h->kept[i].cycle;
	}
	return best;
}

static void thin_by_budget(struct run *r)
{
	struct history *h = &r->hist;
	unsigned count;
	while (h->bytes > h->budget + h->guest_bytes) {
		size_t i = farthest_focus(r, &count);
		if (count < FOCUS_PLACES / 2 || !i)
			i = least_missed(h);
		if (!i)
			i = farthest_focus(r, &count);
		if (!i)
			return;
		forget(r, i);
	}
}

static void thin(struct run *r)
{
	unsigned count;
	size_t far = farthest_focus(r, &count);
	if (count > FOCUS_MAX)
		forget(r, far);
	thin_by_age(r);
	thin_by_budget(r);
}

static bool insert(struct history *h, const struct kept *k)
{
	if (h->count == h->room) {
		size_t room = h->room ? 2 * h->room : 64;
		struct kept *grown = realloc(h->kept, room * sizeof *grown);
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

/* Machine state that changed in few places is shared with a snapshot near by. */
static const struct snapshot *base_of(const struct run *r)
{
	return r->hist.count ? r->hist.kept[history_at(r, machine_cycle(r->m))].s : NULL;
}

struct snapshot *history_copy(struct run *r)
{
	return machine_snapshot(r->m, base_of(r));
}

/* Regular snapshots are as far apart as what they cost asks, in steps, so that it does not waver. */
static void adapt_spacing(struct run *r, const struct kept *before, const struct kept *k, size_t bytes)
{
	struct history *h = &r->hist;
	uint64_t run_ns = CYCLE_NS * (k->cycle - before->cycle) + INST_NS * (k->insts - before->insts);
	uint64_t cost_ns = SNAPSHOT_NS + bytes / BYTES_PER_NS;
	if (r->options.first_spacing || k->cycle < before->cycle + h->spacing)
		return;
	if (cost_ns > run_ns / COST_SHARE && run_ns < PATIENCE_NS)
		h->spacing *= 2;
	else if (cost_ns < run_ns / COST_SHARE / 4 && h->spacing > SPACING)
		h->spacing /= 2;
}

bool history_keep(struct run *r, bool focus)
{
	struct history *h = &r->hist;
	struct kept k = {
		.cycle = machine_cycle(r->m),
		.insts = machine_insts(r->m),
		.next_seq = machine_pipe(r->m)->st->next_seq,
		.focus = focus,
	};
	if (h->count) {
		struct kept *same = &h->kept[history_at(r, k.cycle)];
		if (same->cycle == k.cycle) {
			same->focus &= focus;
			return true;
		}
	}
	const struct kept before = h->count ? *last_regular(h) : k;
	size_t cost = machine_fresh_bytes(r->m);
	k.s = machine_snapshot(r->m, base_of(r));
	if (!k.s || !insert(h, &k)) {
		snapshot_free(k.s);
		return false;
	}
	cost += snapshot_bytes(k.s);
	h->bytes += cost;
	/* The count walks through all pages, and the guest's size changes slowly. */
	if (h->taken++ % COUNT_GUEST_EVERY == 0)
		h->guest_bytes = mem_bytes(machine_mem_const(r->m));
	if (h->newest < k.cycle)
		h->newest = k.cycle;
	if (!focus)
		adapt_spacing(r, &before, &k, cost);
	thin(r);
	return true;
}

void history_cut(struct run *r, uint64_t cycle)
{
	struct history *h = &r->hist;
	while (h->count && h->kept[h->count - 1].cycle > cycle)
		forget(r, h->count - 1);
	h->newest = cycle;
}

void history_serve(struct run *r)
{
	struct history *h = &r->hist;
	for (size_t i = h->count; i-- > 1;)
		if (!snapshot_serves(h->kept[i].s, r->m))
			forget(r, i);
}

void run_history(const struct run *r, struct run_history *out)
{
	const struct history *h = &r->hist;
	const struct journal *journal = machine_journal(r->m);
	*out = (struct run_history){
		.first_cycle = h->count ? h->kept[0].cycle : machine_cycle(r->m),
		.newest_cycle = h->newest,
		.snapshots = (unsigned)h->count,
		.bytes = h->bytes > h->guest_bytes ? h->bytes - h->guest_bytes : 0,
		.snapshots_taken = h->taken,
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
