#include "hwviews/why/callers.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"

/* Calls kept for a thread: the oldest ones are dropped. */
enum { CALLERS_DEPTH = 32 };

/* Where a thread is. */
struct callers_thread {
	struct {
		uint64_t back, pc; /* return address, address of the call */
	} call[CALLERS_DEPTH];
	unsigned depth;
	bool outside;    /* in code without lines */
	uint64_t charged; /* then: the call to charge; 0: none */
	/* the author's instruction that committed last */
	struct callers_inst last;
};

struct callers {
	struct caller *all;             /* [count], owned, by pc */
	size_t count, room;
	struct callers_thread *threads; /* [thread_count], owned */
	size_t thread_count;
	bool short_of_memory;
	/* pending: slots lost since the last commit, charged at the next; before: counters at end
	 * of the previous cycle. */
	uint64_t pending[SLOT_COUNT], before[SLOT_COUNT];
	/* Dispatch slots lost to wrong predictions, without a caller yet; their counter at the end
	 * of the previous cycle. The caller of the last misprediction that committed, 0: none; its
	 * refill goes on after the commit, until another one resolves. */
	uint64_t wrong, wrong_before, wrong_caller;
	bool wrong_committed;
};

struct callers *callers_new(void)
{
	return alloc_zeroed(1, sizeof(struct callers));
}

void callers_free(struct callers *c)
{
	if (!c)
		return;
	free(c->all);
	free(c->threads);
	free(c);
}

struct callers *callers_copy(const struct callers *c, size_t *bytes)
{
	struct callers *copy = callers_new();
	if (!copy)
		return NULL;
	*copy = *c;
	copy->room = c->count;
	copy->all = alloc_bytes((c->count + 1) * sizeof *c->all);
	copy->threads = alloc_bytes((c->thread_count + 1) * sizeof *c->threads);
	if (!copy->all || !copy->threads) {
		callers_free(copy);
		return NULL;
	}
	if (c->count)
		memcpy(copy->all, c->all, c->count * sizeof *c->all);
	if (c->thread_count)
		memcpy(copy->threads, c->threads, c->thread_count * sizeof *c->threads);
	*bytes += sizeof *c + c->count * sizeof *c->all + c->thread_count * sizeof *c->threads;
	return copy;
}

bool callers_short(const struct callers *c)
{
	return c->short_of_memory;
}

const struct caller *callers_at(const struct caller *all, size_t count, uint64_t pc)
{
	size_t first = 0, end = count;
	while (first < end) {
		const size_t middle = first + (end - first) / 2;
		if (all[middle].pc < pc)
			first = middle + 1;
		else
			end = middle;
	}
	return all + first;
}

static struct caller *callers_intern(struct callers *c, uint64_t pc)
{
	const size_t at = (size_t)(callers_at(c->all, c->count, pc) - c->all);
	if (at < c->count && c->all[at].pc == pc)
		return &c->all[at];
	struct caller *all = alloc_grow(c->all, c->count, &c->room, sizeof *all, 64);
	if (!all)
		return NULL;
	c->all = all;
	memmove(&all[at + 1], &all[at], (c->count++ - at) * sizeof *all);
	all[at] = (struct caller){.pc = pc};
	return &all[at];
}

static struct callers_thread *callers_thread_of(struct callers *c, unsigned thread)
{
	if (thread >= c->thread_count) {
		struct callers_thread *more =
			alloc_resize(c->threads, (thread + 1) * sizeof *more);
		if (!more)
			return NULL;
		memset(more + c->thread_count, 0,
		       (thread + 1 - c->thread_count) * sizeof *more);
		c->threads = more;
		c->thread_count = thread + 1;
	}
	return &c->threads[thread];
}

/* The thread has left the author's code by its last instruction. */
static void callers_leave(struct callers_thread *t)
{
	t->outside = true;
	if (t->last.calls) {
		if (t->depth == CALLERS_DEPTH)
			memmove(&t->call[0], &t->call[1], --t->depth * sizeof t->call[0]);
		t->call[t->depth].back = t->last.behind;
		t->call[t->depth++].pc = t->last.pc;
	}
	t->charged = !t->last.returns ? t->last.pc : t->depth ? t->call[t->depth - 1].pc : 0;
}

/* The thread is in the author's code at `in`: removes the call that returns there, and all calls
 * below it. */
static void callers_arrive(struct callers_thread *t, const struct callers_inst *in)
{
	for (unsigned i = t->depth; t->outside && i-- > 0;)
		if (t->call[i].back == in->pc) {
			t->depth = i;
			break;
		}
	t->outside = false;
	t->last = *in;
}

void callers_squash(struct callers *c)
{
	c->wrong_committed = false;
}

/* Charges the slots of a misprediction to the call at pc; 0: to none. */
static void callers_charge_wrong(struct callers *c, uint64_t pc)
{
	struct caller *to = pc && c->wrong ? callers_intern(c, pc) : NULL;
	c->short_of_memory |= pc && c->wrong && !to;
	if (to)
		to->wrong += c->wrong;
	c->wrong = 0;
}

bool callers_commit(struct callers *c, const struct callers_inst *in)
{
	struct callers_thread *t = callers_thread_of(c, in->thread);
	struct caller *to = NULL;
	if (!t) {
		c->short_of_memory = true;
		return false;
	}
	if (in->own)
		callers_arrive(t, in);
	else if (!t->outside)
		callers_leave(t);
	if (t->outside && t->charged && !(to = callers_intern(c, t->charged)))
		c->short_of_memory = true;
	if (to) {
		to->slots += in->slots;
		to->executed++;
		for (unsigned i = 0; i < SLOT_COUNT; i++)
			to->row[i] += c->pending[i];
	}
	memset(c->pending, 0, sizeof c->pending);
	if (in->wrong) {
		c->wrong_committed = true;
		c->wrong_caller = t->outside ? t->charged : 0;
		callers_charge_wrong(c, c->wrong_caller);
	}
	return to;
}

void callers_cycle(struct callers *c, const struct machine *m, bool anew)
{
	const struct stats *s = machine_stats(m);
	const uint64_t *now = charges_slot_counters(s);
	for (unsigned i = 0; i < SLOT_COUNT && !anew; i++)
		if (i != SLOT_wrong_path && i != SLOT_branch_refill)
			c->pending[i] += now[i] - c->before[i];
	memcpy(c->before, now, sizeof c->before);
	const uint64_t wrong = s->slot_wrong_path + s->slot_branch_refill;
	c->wrong += anew ? 0 : wrong - c->wrong_before;
	c->wrong_before = wrong;
	if (c->wrong_committed)
		callers_charge_wrong(c, c->wrong_caller);
}

const struct caller *callers_all(const struct callers *c, size_t *count)
{
	*count = c->count;
	return c->all;
}

uint64_t callers_slots(const struct callers *c, uint64_t pc)
{
	const struct caller *at = callers_at(c->all, c->count, pc);
	return at < c->all + c->count && at->pc == pc ? at->slots : 0;
}
