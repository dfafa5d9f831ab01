#include "hwviews/machine/pipe_rows.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/choices.h"
#include "hwviews/session/view_text.h"

static int pipe_rows_compare_by_seq(const void *a, const void *b)
{
	uint64_t x = (*(const struct uop *const *)a)->seq, y = (*(const struct uop *const *)b)->seq;
	return (x > y) - (x < y);
}

/* Inserts the older uops whose seq the pool no longer has. */
static void pipe_rows_merge_older_uops(struct pipe_rows *r, const struct uop *older,
                                       size_t older_count)
{
	size_t pool = r->count;
	for (size_t i = 0; i < older_count; i++) {
		struct pipe_rows in_pool = {r->uops, pool};
		if (!pipe_rows_find(&in_pool, older[i].seq))
			r->uops[r->count++] = &older[i];
	}
	if (r->count > pool)
		sort_stable(r->uops, r->count, sizeof *r->uops, pipe_rows_compare_by_seq);
}

bool pipe_rows_init(struct pipe_rows *r, const struct pipe *p, const struct uop *older,
                    size_t older_count)
{
	*r = (struct pipe_rows){
		.uops = alloc_bytes((p->pool_size + older_count) * sizeof *r->uops)};
	if (!r->uops)
		return false;
	for (uint32_t i = 0; i < p->pool_size; i++)
		if (p->pool[i].seq)
			r->uops[r->count++] = &p->pool[i];
	sort_stable(r->uops, r->count, sizeof *r->uops, pipe_rows_compare_by_seq);
	pipe_rows_merge_older_uops(r, older, older_count);
	return true;
}

void pipe_rows_deinit(struct pipe_rows *r)
{
	free(r->uops);
	*r = (struct pipe_rows){0};
}

size_t pipe_rows_from(const struct pipe_rows *r, uint64_t seq)
{
	size_t lo = 0, hi = r->count;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (r->uops[mid]->seq < seq)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct uop *pipe_rows_find(const struct pipe_rows *r, uint64_t seq)
{
	size_t i = pipe_rows_from(r, seq);
	return i < r->count && r->uops[i]->seq == seq ? r->uops[i] : NULL;
}

static bool accesses_memory(const struct uop *u)
{
	enum op_class klass = inst_class(&u->inst);
	return klass == CLASS_LOAD || klass == CLASS_STORE || klass == CLASS_AMO;
}

static const char *executing_letter(const struct pipe *p, const struct uop *u, uint64_t c)
{
	if (!accesses_memory(u) || c < u->when.issue + (uint64_t)CONFIG(p->cfg, lsq_agen) ||
	    (uop_is_interpreted(u) && c < u->when.mem))
		return "X";
	return c < u->when.mem ? "A" : "M";
}

/* A machine with a memory stage between execution and commit has textbook letters. */
static const char *pipe_rows_stage_letter(const struct pipe *p, const char *letter,
                                          const char *textbook)
{
	return CONFIG(p->cfg, memory_stage) ? textbook : letter;
}

/* ---- a textbook's stages ---- */

/* Instructions that a miss in the memory stage can hold: those in X, D and F. */
enum { HELD_BY_MISS = 3 };

/* The instruction fetched so many before u; NULL if the pool no longer has it. */
static const struct uop *pipe_rows_fetched_before(const struct pipe *p, const struct uop *u,
                                                  uint64_t many)
{
	if (u < p->pool || u >= p->pool + p->pool_size || u->seq <= many)
		return NULL;
	const uint32_t slot = (uint32_t)(u - p->pool);
	for (uint32_t back = 1; back < 4 * HELD_BY_MISS; back++) {
		const struct uop *q = &p->pool[(slot - back) & p->pool_mask];
		if (q->seq == u->seq - many)
			return q;
	}
	return NULL;
}

/* While an older load misses, the machine holds instructions back until the last cycle of the miss;
 * a textbook's diagram moves them in the first. Returns the first cycle of the miss if u moved in
 * its last cycle `at`, or (`at` NO_CYCLE) will move then; else NO_CYCLE. */
static uint64_t pipe_rows_missed_from(const struct pipe *p, const struct uop *u, uint64_t at)
{
	for (unsigned back = 1; back <= HELD_BY_MISS; back++) {
		const struct uop *q = pipe_rows_fetched_before(p, u, back);
		if (!q || !uop_dispatched(q) || !(q->op_flags & OPF_LOAD) ||
		    q->when.mem == NO_CYCLE || q->mem.level < LEVEL_L1)
			continue;
		const uint64_t until = q->when.done - p->mem.l1d_latency;
		const bool moves =
			at == until || (at == NO_CYCLE && until >= p->st->cycle);
		if (until > q->when.mem && moves)
			return q->when.mem;
	}
	return NO_CYCLE;
}

static uint64_t pipe_rows_max_cycle(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The cycle in which a control instruction is resolved. */
static uint64_t pipe_rows_resolved_in(const struct pipe *p, const struct uop *u)
{
	return p->resolve == RESOLVE_ID    ? u->when.issue
	       : p->resolve == RESOLVE_MEM ? u->when.done + 1
	                                   : u->when.done;
}

/* The cycle from which q, before u, sends fetch elsewhere; 0: it does not, or not before u. */
static uint64_t pipe_rows_redirected_in(const struct pipe *p, const struct uop *q,
                                        const struct uop *u)
{
	const bool goes_on = uop_dispatched(q) && q->state != UOP_SQUASHED;
	const uint64_t from = goes_on && q->flags & UF_MISPREDICT
	                              ? pipe_rows_resolved_in(p, q) + p->bpred_penalty
	                      : goes_on && q->flags & UF_MISFETCH ? q->when.dispatch + 1
	                                                          : 0;
	return from <= u->when.fetch ? from : 0;
}

/* True if a load or store before u is in the memory stage in cycle c. */
static bool pipe_rows_port_is_taken(const struct pipe *p, const struct uop *u, uint64_t c)
{
	for (unsigned back = 1; back <= 2 * HELD_BY_MISS; back++) {
		const struct uop *q = pipe_rows_fetched_before(p, u, back);
		if (q && uop_dispatched(q) && q->state != UOP_SQUASHED && accesses_memory(q) &&
		    q->when.mem <= c && c < pipe_commit_from(p, q))
			return true;
	}
	return false;
}

static uint64_t pipe_rows_stage_from(const struct pipe *p, const struct uop *u, char stage);

/* The line that fetch needs last for u. */
static uint64_t pipe_rows_line(const struct pipe *p, const struct uop *u)
{
	return (u->pc + u->inst.len - 1) & ~p->line_mask;
}

/* The cycle from which fetch, which holds one instruction, has room for u. */
static uint64_t pipe_rows_room_from(const struct pipe *p, const struct uop *u, bool *redirected)
{
	const struct uop *before = pipe_rows_fetched_before(p, u, 1);
	uint64_t from = 0;
	*redirected = false;
	if (!before || p->fetchq_limit > 1)
		return u->when.fetch;
	for (unsigned back = 1; back <= HELD_BY_MISS + 1; back++) {
		const struct uop *q = pipe_rows_fetched_before(p, u, back);
		const uint64_t sent = q ? pipe_rows_redirected_in(p, q, u) : 0;
		from = pipe_rows_max_cycle(from, sent);
	}
	*redirected = from;
	if (before->state != UOP_SQUASHED)
		from = pipe_rows_max_cycle(from, pipe_rows_stage_from(p, before, 'D'));
	return from && from < u->when.fetch ? from : u->when.fetch;
}

/* The cycle in which fetch requests u: a textbook repeats F from there until u's line has come. */
static uint64_t pipe_rows_requested_in(const struct pipe *p, const struct uop *u)
{
	bool redirected;
	uint64_t from = pipe_rows_room_from(p, u, &redirected);
	if (from == u->when.fetch)
		return from;
	if (!redirected &&
	    pipe_rows_line(p, pipe_rows_fetched_before(p, u, 1)) == pipe_rows_line(p, u))
		return u->when.fetch; /* its line was there */
	while (from < u->when.fetch && p->unified_port && pipe_rows_port_is_taken(p, u, from))
		from++;
	return from;
}

/* The cycle from which a textbook has u in a stage, X, D or F. */
static uint64_t pipe_rows_stage_from(const struct pipe *p, const struct uop *u, char stage)
{
	const bool dispatched = uop_dispatched(u);
	const uint64_t at = stage == 'F'  ? pipe_rows_requested_in(p, u)
	                    : !dispatched ? NO_CYCLE
	                    : stage == 'D' ? u->when.dispatch
	                                   : u->when.issue,
		       missed = pipe_rows_missed_from(p, u, at);
	if (missed == NO_CYCLE)
		return at;
	if (stage == 'X')
		return !dispatched || u->when.ready == NO_CYCLE
		               ? at
		               : pipe_rows_max_cycle(
					 pipe_rows_max_cycle(missed, u->when.ready),
					 pipe_rows_stage_from(p, u, 'D') + 1);
	const struct uop *before = pipe_rows_fetched_before(p, u, 1);
	const uint64_t left =
		before ? pipe_rows_stage_from(p, before, stage == 'D' ? 'X' : 'D') : at;
	if (left == NO_CYCLE)
		return at;
	return stage == 'D' ? pipe_rows_max_cycle(left, pipe_rows_stage_from(p, u, 'F') + 1) : left;
}

/* A stage again is a stall there. An instruction ends when its result is written; its later time in
 * the window is no stage. */
static const char *pipe_rows_textbook_letter(const struct pipe *p, const struct uop *u, uint64_t c)
{
	if (u->state == UOP_SQUASHED && c >= u->when.end)
		return c == u->when.end ? "x" : " ";
	if (c < pipe_rows_stage_from(p, u, 'F')) {
		bool redirected;
		return p->unified_port && c >= pipe_rows_room_from(p, u, &redirected) ? "s" : " ";
	}
	if (c < pipe_rows_stage_from(p, u, 'D'))
		return "F";
	if (c < pipe_rows_stage_from(p, u, 'X'))
		return "D";
	if (accesses_memory(u) ? c < u->when.mem && c < u->when.done : c < u->when.done)
		return "X";
	if (u->when.done == NO_CYCLE || c < pipe_commit_from(p, u))
		return "M";
	return c == pipe_commit_from(p, u) ? "W" : " ";
}

const char *pipe_letter(const struct pipe *p, const struct uop *u, uint64_t c)
{
	if (p->unordered && u->state != UOP_DROPPED && u->state != UOP_CONTROL &&
	    !uop_is_interpreted(u))
		return pipe_rows_textbook_letter(p, u, c);
	if (c < u->when.fetch || (uop_ended(u) && c > u->when.end))
		return " ";
	if (uop_ended(u) && c == u->when.end)
		return u->state == UOP_SQUASHED  ? "x"
		       : u->state == UOP_DROPPED ? "-"
		       : u->state == UOP_CONTROL ? "D"
		                                 : pipe_rows_stage_letter(p, "C", "W");
	if (!uop_dispatched(u) || c < u->when.dispatch)
		return c <= u->when.avail ? "F" : "=";
	if (c == u->when.dispatch)
		return "D";
	if (c == u->when.issue)
		return pipe_rows_stage_letter(p, "I", "X");
	if (c == u->when.done)
		return pipe_rows_stage_letter(p, "W", "M");
	if (c < u->when.issue || c > u->when.done)
		return "·";
	return executing_letter(p, u, c);
}

const struct uop *pipe_squasher(const struct pipe *p, const struct pipe_rows *r,
                                const struct uop *u)
{
	for (size_t i = pipe_rows_from(r, u->seq); i-- > 0;) {
		const struct uop *q = r->uops[i];
		if (uop_dispatched(q) &&
		    ((q->flags & UF_MISPREDICT) && pipe_rows_resolved_in(p, q) == u->when.end))
			return q;
		if (uop_dispatched(q) && (q->flags & (UF_MISFETCH | UF_FLAG_MISS)) &&
		    (q->when.dispatch == u->when.end ||
		     (p->unordered && q->when.dispatch + 1 == u->when.end)))
			return q;
		if (q->state == UOP_DROPPED && (q->flags & UF_MISFETCH) &&
		    q->when.end == u->when.end)
			return q;
		if (u->seq - q->seq > 4096)
			break;
	}
	return NULL;
}

enum role pipe_letter_role(char letter, enum role row)
{
	if (row == ROLE_SQUASHED || row == ROLE_DROPPED)
		return row;
	switch (letter) {
	case 'D':
	case 'I':
	case 'X':
		return ROLE_READY;
	case 'M':
		return ROLE_RUNNING;
	case 'A':
		return ROLE_WAITING;
	case 'W':
	case 'C':
		return ROLE_DONE;
	case 'x':
		return ROLE_SQUASHED;
	default:
		return ROLE_DIM;
	}
}
