/* The oracle's calling context tree, and the stacks of active procedures that returns pop. */
#include "core/prof/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/os.h"
#include "core/prof/common/prof.h"

enum {
	NODES_PER_CHUNK = ORACLE_CHUNK / sizeof(struct oracle_node),
	FRAMES_PER_CHUNK = ORACLE_CHUNK / sizeof(struct oracle_frame),
	STACKS_PER_CHUNK = ORACLE_CHUNK / sizeof(struct oracle_stack)
};

static const struct oracle_node *read_node(const struct oracle *o, uint64_t i)
{
	const struct oracle_node *chunk =
		cow_read(o->store.cow, o->nodes_first + (uint32_t)(i / NODES_PER_CHUNK));
	return &chunk[i % NODES_PER_CHUNK];
}

static struct oracle_node *write_node(const struct oracle *o, uint64_t i)
{
	struct oracle_node *chunk =
		cow_write(o->store.cow, o->nodes_first + (uint32_t)(i / NODES_PER_CHUNK));
	return chunk ? &chunk[i % NODES_PER_CHUNK] : NULL;
}

static const struct oracle_frame *read_frame(const struct oracle *o, uint64_t i)
{
	const struct oracle_frame *chunk =
		cow_read(o->store.cow, o->frames_first + (uint32_t)(i / FRAMES_PER_CHUNK));
	return &chunk[i % FRAMES_PER_CHUNK];
}

static struct oracle_frame *write_frame(const struct oracle *o, uint64_t i)
{
	struct oracle_frame *chunk =
		cow_write(o->store.cow, o->frames_first + (uint32_t)(i / FRAMES_PER_CHUNK));
	return chunk ? &chunk[i % FRAMES_PER_CHUNK] : NULL;
}

static const struct oracle_stack *read_stack(const struct oracle *o, uint64_t i)
{
	const struct oracle_stack *chunk =
		cow_read(o->store.cow, o->stacks_first + (uint32_t)(i / STACKS_PER_CHUNK));
	return &chunk[i % STACKS_PER_CHUNK];
}

static struct oracle_stack *write_stack(const struct oracle *o, uint64_t i)
{
	struct oracle_stack *chunk =
		cow_write(o->store.cow, o->stacks_first + (uint32_t)(i / STACKS_PER_CHUNK));
	return chunk ? &chunk[i % STACKS_PER_CHUNK] : NULL;
}

struct oracle_node oracle_node(const struct oracle *o, uint64_t i)
{
	struct oracle_node n = *read_node(o, i);
	if (i == o->head.node)
		n.insts += o->head.pending;
	return n;
}

/* Adds a node. Returns its number, or ORACLE_NO_NODE. */
static uint32_t oracle_contexts_add_node(struct oracle *o, uint32_t parent, uint64_t callee,
                                         uint64_t site)
{
	struct oracle_head *h = &o->head;
	enum oracle_outcome outcome = ORACLE_FULL;
	struct oracle_node *n = NULL;
	if (h->nodes < o->nodes_max) {
		n = write_node(o, h->nodes);
		outcome = n ? ORACLE_NEW : ORACLE_NO_MEMORY;
	}
	if (!oracle_noted(o, ORACLE_NODES, outcome) || !n)
		return ORACLE_NO_NODE;
	*n = (struct oracle_node){.callee = callee, .site = site, .parent = parent,
	                          .depth = h->nodes ? read_node(o, parent)->depth + 1 : 0};
	return (uint32_t)h->nodes++;
}

/* Adds pending instructions to the present node. */
static void oracle_contexts_flush_pending(struct oracle *o)
{
	struct oracle_head *h = &o->head;
	if (!h->pending)
		return;
	struct oracle_node *n = h->node < h->nodes ? write_node(o, h->node) : NULL;
	if (n) {
		n->insts += h->pending;
	} else {
		h->lost[ORACLE_NODES] += h->pending;
		h->lost_all += h->pending;
		h->starved += h->pending;
		h->told[ORACLE_NODES] += h->pending;
	}
	h->pending = 0;
}

/* Finds the node for a call that has none yet: the procedure's, if it is active in the context
 * already, else a new one. */
static uint32_t oracle_contexts_find_or_add(struct oracle *o, uint32_t from, uint64_t site,
                                            uint64_t callee)
{
	uint32_t at = from;
	if (!o->head.nodes && !oracle_noted(o, ORACLE_NODES, ORACLE_NO_MEMORY))
		return ORACLE_NO_NODE; /* the program began when memory was out */
	while (read_node(o, at)->callee != callee) {
		if (!at)
			return oracle_contexts_add_node(o, from, callee, site);
		at = read_node(o, at)->parent;
	}
	return at;
}

/* A record for a new frame, a free one first; NULL: no room, or no memory. */
static struct oracle_frame *oracle_contexts_new_frame(struct oracle *o, uint64_t *at,
                                                      enum oracle_outcome *outcome)
{
	struct oracle_head *h = &o->head;
	const bool again = h->free_frame != ORACLE_NONE;
	*outcome = ORACLE_FULL;
	*at = again ? h->free_frame : h->frames_used;
	if (*at >= o->frames_max)
		return NULL;
	struct oracle_frame *f = write_frame(o, *at);
	*outcome = f ? ORACLE_NEW : ORACLE_NO_MEMORY;
	if (f && again)
		h->free_frame = f->below;
	else if (f)
		h->frames_used++;
	return f;
}

static void oracle_contexts_push_frame(struct oracle *o, uint64_t sp, uint64_t back, uint32_t bytes)
{
	struct oracle_head *h = &o->head;
	struct oracle_frame *f = NULL;
	uint64_t at = 0;
	enum oracle_outcome outcome = (enum oracle_outcome)h->beyond_why;
	if (!h->beyond)
		f = oracle_contexts_new_frame(o, &at, &outcome);
	if (!oracle_noted(o, ORACLE_FRAMES, outcome) || !f) {
		h->beyond++;
		h->beyond_why = outcome;
		return;
	}
	*f = (struct oracle_frame){
		.back = back,
		.sp = sp,
		.node = (uint32_t)h->node,
		.below = (uint32_t)h->top,
		.bytes = bytes,
		.left = bytes ? 0 : (uint32_t)h->left,
	};
	h->top = at;
	h->frames++;
}

/* Frees a frame; without host memory it stays unused. Returns the one below it. */
static uint32_t oracle_contexts_free_frame(struct oracle *o, uint64_t at)
{
	struct oracle_head *h = &o->head;
	struct oracle_frame *f = write_frame(o, at);
	const uint32_t below = read_frame(o, at)->below;
	if (f) {
		f->below = (uint32_t)h->free_frame;
		h->free_frame = at;
	}
	h->frames--;
	return below;
}

/* Returns from the topmost procedure. */
static void oracle_contexts_pop_frame(struct oracle *o)
{
	struct oracle_head *h = &o->head;
	h->node = read_frame(o, h->top)->node;
	h->top = oracle_contexts_free_frame(o, h->top);
}

/* Enters a procedure that `from` called at `site`. */
static void oracle_contexts_enter_callee(struct oracle *o, uint32_t from, uint64_t site,
                                         uint64_t callee)
{
	struct oracle_head *h = &o->head;
	const uint64_t low = (UINT64_C(1) << ORACLE_CALLEE_BITS) - 1;
	struct oracle_entry *e;
	enum oracle_outcome outcome = oracle_table_at(
		&o->table[ORACLE_ARCS], site, (callee & low) | (uint64_t)from << ORACLE_CALLEE_BITS,
		ORACLE_NO_NODE, &e);
	if (!oracle_noted(o, ORACLE_ARCS, outcome))
		return; /* in the caller's context, as if it had been inlined */
	e->count++;
	if (e->aux == ORACLE_NO_NODE)
		e->aux = oracle_contexts_find_or_add(o, from, site, callee);
	if (e->aux == ORACLE_NO_NODE)
		return;
	h->node = e->aux;
	struct oracle_node *n = write_node(o, h->node);
	if (n)
		n->calls++;
	else
		oracle_noted(o, ORACLE_NODES, ORACLE_NO_MEMORY);
}

void oracle_call(struct oracle *o, uint64_t site, uint64_t callee, uint64_t back)
{
	oracle_contexts_flush_pending(o);
	o->head.left = 0;
	oracle_contexts_push_frame(o, o->head.sp, back, (uint32_t)(back - site));
	oracle_contexts_enter_callee(o, (uint32_t)o->head.node, site, callee);
}

/* Index of the last procedure that begins at or below pc; SIZE_MAX: none. */
static size_t oracle_contexts_procedure_at(const struct oracle *o, uint64_t pc)
{
	size_t lo = 0, hi = o->procedure_count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if ((o->procedures[mid] & ~(uint64_t)ORACLE_PART) <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

void oracle_go_on(struct oracle *o, uint64_t pc, uint64_t to, bool indirect)
{
	const size_t callee = oracle_contexts_procedure_at(o, to);
	const struct oracle_head *h = &o->head;
	if (callee == SIZE_MAX || o->procedures[callee] != to || h->beyond ||
	    h->top == ORACLE_NONE ||
	    (!indirect && oracle_contexts_procedure_at(o, pc) == callee))
		return;
	const struct oracle_frame f = *read_frame(o, h->top);
	if (!f.bytes)
		return; /* a handler's frame: its jumps stay in its context */
	oracle_contexts_flush_pending(o);
	oracle_contexts_enter_callee(o, f.node, f.back - f.bytes, to);
}

bool oracle_procedures(struct prof *d, const uint64_t *all, size_t n)
{
	struct oracle *o = d->oracle;
	if (!o || !o->contexts || !n)
		return true;
	free(o->procedures);
	free(o->begins);
	o->procedures = alloc_bytes(n * sizeof *all);
	o->begins = alloc_zeroed(ORACLE_BEGINS, sizeof *o->begins);
	if (!o->procedures || !o->begins)
		return false;
	memcpy(o->procedures, all, n * sizeof *all);
	o->procedure_count = n;
	for (size_t i = 0; i < n; i++)
		o->begins[all[i] / 128 % ORACLE_BEGINS] |= UINT64_C(1) << all[i] / 2 % 64;
	return true;
}

/* ---- streams ---- */
void oracle_begin(struct oracle *o, uint64_t pc)
{
	oracle_contexts_add_node(o, 0, pc, 0);
}

/* Goes on in the root of a stream that begins at pc. */
static void oracle_contexts_begin_root(struct oracle *o, uint64_t root, uint64_t pc)
{
	o->head.node = 0;
	oracle_contexts_enter_callee(o, 0, root, pc);
}

/* The present stack, as its record would be. */
static struct oracle_stack oracle_contexts_present(const struct oracle *o)
{
	const struct oracle_head *h = &o->head;
	return (struct oracle_stack){
		.sp = h->sp,
		.start = h->start,
		.node = (uint32_t)h->node,
		.top = (uint32_t)h->top,
		.beyond = h->beyond < UINT32_MAX ? (uint32_t)h->beyond : UINT32_MAX,
		.beyond_why = (uint32_t)h->beyond_why,
		.thread = (uint32_t)h->thread,
		.next = (uint32_t)h->parked,
		.left = (uint32_t)h->left,
	};
}

/* Notes the present stack in a record. False if there is no room: a loss. */
static bool oracle_contexts_park(struct oracle *o, bool running)
{
	struct oracle_head *h = &o->head;
	const bool again = h->free_stack != ORACLE_NONE;
	const uint64_t at = again ? h->free_stack : h->stacks;
	struct oracle_stack *s = at < o->stacks_max ? write_stack(o, at) : NULL;
	if (!oracle_noted(o, ORACLE_FRAMES,
	                  s                     ? ORACLE_NEW
	                  : at < o->stacks_max ? ORACLE_NO_MEMORY
	                                        : ORACLE_FULL))
		return false;
	if (again)
		h->free_stack = s->next;
	else
		h->stacks++;
	*s = oracle_contexts_present(o);
	s->running = running;
	h->parked = at;
	return true;
}

static void oracle_contexts_free_frames(struct oracle *o, uint64_t top)
{
	while (top != ORACLE_NONE)
		top = oracle_contexts_free_frame(o, top);
}

/* Leaves the present stack, to go on with later; without room it is lost. */
static void oracle_contexts_leave(struct oracle *o, bool running)
{
	if (!oracle_contexts_park(o, running))
		oracle_contexts_free_frames(o, o->head.top);
}

/* Number of frames from `top` down; more than there can be if they are broken. */
static uint64_t oracle_contexts_count_frames(const struct oracle *o, uint64_t top)
{
	uint64_t n = 0;
	for (uint64_t at = top; at != ORACLE_NONE; at = read_frame(o, at)->below)
		if (at >= o->head.frames_used || n++ > o->head.frames_used ||
		    read_frame(o, at)->node >= o->head.nodes)
			return UINT64_MAX / 2;
	return n;
}

/* Takes a stack off the list; `before`: its predecessor, or ORACLE_NONE. */
static struct oracle_stack oracle_contexts_take(struct oracle *o, uint64_t at, uint64_t before)
{
	struct oracle_head *h = &o->head;
	const struct oracle_stack s = *read_stack(o, at);
	struct oracle_stack *freed = write_stack(o, at),
			    *last = before == ORACLE_NONE ? NULL : write_stack(o, before);
	if (!freed || (!last && before != ORACLE_NONE)) { /* no memory: all other stacks are lost */
		h->parked = ORACLE_NONE;
		h->frames = oracle_contexts_count_frames(o, s.top) +
		            oracle_contexts_count_frames(o, h->top);
		oracle_noted(o, ORACLE_FRAMES, ORACLE_NO_MEMORY);
		return s;
	}
	if (last)
		last->next = s.next;
	else
		h->parked = s.next;
	freed->next = (uint32_t)h->free_stack;
	h->free_stack = at;
	return s;
}

/* Makes this the present stack. */
static void oracle_contexts_adopt(struct oracle *o, const struct oracle_stack *s)
{
	struct oracle_head *h = &o->head;
	h->sp = s->sp;
	h->start = s->start;
	h->node = s->node;
	h->top = s->top;
	h->beyond = s->beyond;
	h->beyond_why = s->beyond_why;
	h->left = s->left;
}

/* Begins an empty stack at sp, with a root of its own. */
static void oracle_contexts_new_stack(struct oracle *o, uint64_t sp, uint64_t root, uint64_t pc)
{
	const struct oracle_stack s = {.sp = sp, .start = sp, .top = ORACLE_NONE};
	oracle_contexts_adopt(o, &s);
	oracle_contexts_begin_root(o, root, pc);
}

/* Frees the stacks that began at sp: another begins there. */
static void oracle_contexts_bury(struct oracle *o, uint64_t sp)
{
	uint64_t before = ORACLE_NONE;
	for (uint64_t at = o->head.parked, next; at != ORACLE_NONE; at = next) {
		const struct oracle_stack *s = read_stack(o, at);
		next = s->next;
		if (s->start != sp || s->running)
			before = at;
		else
			oracle_contexts_free_frames(o, oracle_contexts_take(o, at, before).top);
	}
}

/* The first frame from `top` down whose call was made at sp; with `back` not 0, the topmost frame
 * only, if it also returns there. ORACLE_NONE: none. */
static uint64_t oracle_contexts_frame_at(const struct oracle *o, uint64_t top, uint64_t sp,
                                         uint64_t back)
{
	for (uint64_t at = top; at != ORACLE_NONE; at = read_frame(o, at)->below) {
		const struct oracle_frame *f = read_frame(o, at);
		if (f->sp == sp && (!back || f->back == back))
			return at;
		if (back)
			break;
	}
	return ORACLE_NONE;
}

/* Leaves the frames from the top down to this frame, inclusive. */
static void oracle_contexts_pop_to(struct oracle *o, uint64_t frame)
{
	bool last = false;
	while (o->head.top != ORACLE_NONE && !last) {
		last = o->head.top == frame;
		oracle_contexts_pop_frame(o);
	}
}

/* Control comes back to the caller of this frame, at `to`: leaves the frames down to it, and those
 * below it whose calls were made at the same sp, down to the one that returns there. */
static void oracle_contexts_come_back(struct oracle *o, uint64_t frame, uint64_t to)
{
	const struct oracle_head *h = &o->head;
	const uint64_t sp = read_frame(o, frame)->sp;
	for (bool there = false; !there; frame = h->top) {
		there = read_frame(o, frame)->back == to;
		oracle_contexts_pop_to(o, frame);
		there |= h->top == ORACLE_NONE || read_frame(o, h->top)->sp != sp;
	}
}

/* Resumes the parked stack that has such a frame (oracle_contexts_frame_at()), at `to`; false: none
 * has. */
static bool oracle_contexts_resume(struct oracle *o, uint64_t sp, uint64_t back, uint64_t to)
{
	uint64_t before = ORACLE_NONE;
	for (uint64_t at = o->head.parked; at != ORACLE_NONE; at = read_stack(o, at)->next) {
		const struct oracle_stack *s = read_stack(o, at);
		const uint64_t frame = s->running ? ORACLE_NONE
		                                  : oracle_contexts_frame_at(o, s->top, sp, back);
		if (frame == ORACLE_NONE) {
			before = at;
			continue;
		}
		const struct oracle_stack there = oracle_contexts_take(o, at, before);
		oracle_contexts_leave(o, false);
		oracle_contexts_adopt(o, &there);
		oracle_contexts_come_back(o, frame, to);
		o->head.sp = sp;
		o->head.left = 0;
		return true;
	}
	return false;
}

static bool oracle_contexts_begins_at(const struct oracle *o, uint64_t to)
{
	const size_t at = oracle_contexts_procedure_at(o, to);
	return at != SIZE_MAX && o->procedures[at] == to;
}

bool oracle_leaves_stack(struct oracle *o, uint64_t to)
{
	struct oracle_head *h = &o->head;
	const uint64_t sp = h->sp;
	h->left = 0;
	oracle_contexts_flush_pending(o);
	if (oracle_contexts_frame_at(o, h->top, sp, to) != ORACLE_NONE)
		return false;
	if (oracle_contexts_resume(o, sp, to, to))
		return true;
	const uint64_t frame = oracle_contexts_frame_at(o, h->top, sp, 0);
	if (frame != ORACLE_NONE) {
		oracle_contexts_come_back(o, frame, to);
		return true;
	}
	if (oracle_contexts_resume(o, sp, 0, to))
		return true;
	const uint64_t low = h->top == ORACLE_NONE ? h->start : read_frame(o, h->top)->sp;
	if (h->beyond ||
	    (sp >= low && sp <= h->start && !oracle_contexts_begins_at(o, to)))
		return false;
	oracle_contexts_bury(o, sp);
	oracle_contexts_leave(o, false);
	oracle_contexts_new_stack(o, sp, ORACLE_ROOT(h->thread, 1, 0), to);
	return true;
}

void oracle_sets_sp(struct oracle *o, uint64_t sp, bool load)
{
	struct oracle_head *h = &o->head;
	h->left = h->sp != UINT64_MAX && (load || sp < h->sp || sp > h->start);
}

/* Another thread has the hart: goes on with its stack, or begins one. */
static void oracle_contexts_switch_thread(struct oracle *o, const struct os_stream *s)
{
	struct oracle_head *h = &o->head;
	uint64_t before = ORACLE_NONE, at = h->parked;
	if (s->thread == h->thread && !s->ended)
		return;
	for (; at != ORACLE_NONE; at = read_stack(o, at)->next) {
		const struct oracle_stack *stack = read_stack(o, at);
		if (stack->running && stack->thread == s->thread)
			break;
		before = at;
	}
	const bool found = at != ORACLE_NONE;
	const struct oracle_stack there =
		found ? oracle_contexts_take(o, at, before) : (struct oracle_stack){0};
	if (s->ended)
		oracle_contexts_free_frames(o, h->top);
	else
		oracle_contexts_leave(o, true);
	h->thread = s->thread;
	if (found)
		oracle_contexts_adopt(o, &there);
	else
		oracle_contexts_new_stack(o, s->sp, ORACLE_ROOT(s->thread, 0, 0), s->pc);
}

/* A handler has returned: leaves its frame, and those above it, of procedures that it has left by a
 * jump. */
static void oracle_contexts_return_from_handler(struct oracle *o, const struct os_stream *s)
{
	struct oracle_head *h = &o->head;
	uint64_t at = h->top;
	while (at != ORACLE_NONE &&
	       (read_frame(o, at)->bytes || read_frame(o, at)->sp != s->sp))
		at = read_frame(o, at)->below;
	h->left = at != ORACLE_NONE ? read_frame(o, at)->left : 0;
	if (at != ORACLE_NONE)
		oracle_contexts_pop_to(o, at);
}

void oracle_stream(struct prof *d, const struct os_stream *s)
{
	struct oracle *o = d->oracle;
	struct oracle_head *h = &o->head;
	if (!o->contexts || !h->nodes) /* a run may begin without counting */
		return;
	oracle_contexts_flush_pending(o);
	switch (s->kind) {
	case OS_STREAM_THREAD:
		oracle_contexts_switch_thread(o, s);
		break;
	case OS_STREAM_HANDLER:
		oracle_contexts_push_frame(o, s->from_sp, s->back, 0);
		oracle_contexts_begin_root(o, ORACLE_ROOT(h->thread, 0, s->info.signo), s->pc);
		h->left = 0;
		break;
	case OS_STREAM_RETURN:
		oracle_contexts_return_from_handler(o, s);
		break;
	}
	h->sp = s->sp;
}

void oracle_return(struct oracle *o, uint64_t to)
{
	struct oracle_head *h = &o->head;
	oracle_contexts_flush_pending(o);
	if (h->left && oracle_leaves_stack(o, to))
		return;
	if (h->beyond) {
		h->beyond--;
		return;
	}
	if (h->top == ORACLE_NONE)
		return;
	const struct oracle_frame *f = read_frame(o, h->top);
	if (f->back == to) {
		if (f->bytes) /* else the system ends the handler */
			oracle_contexts_pop_frame(o);
		return;
	}
	/* Frames whose stack pointer is not above the present one are gone. */
	while (h->top != ORACLE_NONE && (f = read_frame(o, h->top))->sp <= h->sp && f->bytes) {
		const bool there = f->back == to;
		oracle_contexts_pop_frame(o);
		if (there)
			break;
	}
}

/* ---- invariants ---- */
/* Marks the frames from `top` down; adds their number to *n. False if one is no frame, or marked
 * already. */
static bool oracle_contexts_mark_frames(const struct oracle *o, uint8_t *marks, uint64_t top,
                                        uint64_t *n)
{
	for (uint64_t at = top; at != ORACLE_NONE; at = read_frame(o, at)->below, ++*n)
		if (at >= o->head.frames_used || marks[at]++)
			return false;
	return true;
}

/* Checks that each frame is on one stack or free, and each stack in one list. */
static const char *oracle_contexts_check_stacks(const struct oracle *o)
{
	static const char wrong[] = "the oracle's stacks are broken";
	const struct oracle_head *h = &o->head;
	uint8_t *marks = alloc_zeroed(h->frames_used + h->stacks + 1, 1),
		*stacks = marks + h->frames_used;
	uint64_t frames = 0, unused = 0;
	if (!marks)
		return NULL;
	bool ok = oracle_contexts_mark_frames(o, marks, h->top, &frames);
	for (unsigned list = 0; list < 2 && ok; list++)
		for (uint64_t at = list ? h->free_stack : h->parked; ok && at != ORACLE_NONE;
		     at = read_stack(o, at)->next) {
			ok = at < h->stacks && !stacks[at]++ &&
			     (list || (read_stack(o, at)->node < h->nodes &&
			               oracle_contexts_mark_frames(o, marks, read_stack(o, at)->top,
			                                           &frames)));
			if (!ok)
				break;
		}
	ok = ok && frames == h->frames &&
	     oracle_contexts_mark_frames(o, marks, h->free_frame, &unused);
	for (uint64_t i = 0; i < h->frames_used && ok; i++)
		ok = read_frame(o, i)->node < h->nodes;
	free(marks);
	return ok ? NULL : wrong;
}

const char *oracle_contexts_check(const struct oracle *o)
{
	const struct oracle_head *h = &o->head;
	uint64_t insts = h->pending;
	if (!o->contexts)
		return h->nodes || h->frames ? "contexts without oracle.contexts" : NULL;
	if (h->nodes > o->nodes_max || h->frames > h->frames_used ||
	    h->frames_used > o->frames_max || h->stacks > o->stacks_max ||
	    (h->nodes && h->node >= h->nodes))
		return "the oracle is in no context";
	for (uint64_t i = 0; i < h->nodes; i++) {
		const struct oracle_node *n = read_node(o, i);
		if (n->parent > i ||
		    (i && (n->parent == i || n->depth != read_node(o, n->parent)->depth + 1)))
			return "a context is not below its caller's";
		insts += n->insts;
	}
	const char *wrong = oracle_contexts_check_stacks(o);
	if (wrong)
		return wrong;
	for (uint32_t i = 0; i < h->count[ORACLE_ARCS]; i++) {
		uint32_t to = oracle_table_entry(&o->table[ORACLE_ARCS], i)->aux;
		if (to != ORACLE_NO_NODE && to >= h->nodes)
			return "a call leads to no context";
	}
	if (h->lost[ORACLE_NODES] ? insts > h->insts : insts != h->insts)
		return "instructions of all contexts are not those of the program";
	return NULL;
}
