#include "tests/edit/contexts_reference.h"

#include <stdio.h>
#include <stdlib.h>

void die(const char *what)
{
	printf("%s\n", what);
	exit(1);
}

static uint32_t find_child(const struct reference *r, struct slot from, uint64_t callee)
{
	for (uint32_t k = from.node + 1; k < r->t.count; k++)
		if (r->t.nodes[k].parent == from.node && r->t.nodes[k].site == from.site &&
		    r->t.nodes[k].callee == callee)
			return k;
	return CONTEXT_NONE;
}

static bool has_back(const struct reference *r, struct slot from, uint32_t to)
{
	for (uint32_t k = 0; k < r->t.back_count; k++)
		if (r->t.backs[k].from == from.node && r->t.backs[k].to == to &&
		    r->t.backs[k].site == from.site)
			return true;
	return false;
}

void *more(void *old, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return old;
	*room = 2 * *room + 64;
	void *new = realloc(old, *room * size);
	if (!new)
		die("out of memory");
	return new;
}

/* A procedure is called from a slot: its node. */
static uint32_t reference_enter_context(struct reference *r, struct slot from, uint64_t callee)
{
	for (uint32_t up = from.node; up; up = r->t.nodes[up].parent) {
		if (r->t.nodes[up].callee != callee)
			continue;
		if (!has_back(r, from, up)) {
			r->t.backs = more(r->t.backs, r->t.back_count, &r->back_room,
			                  sizeof *r->t.backs);
			r->t.backs[r->t.back_count++] = (struct context_back){
				.from = from.node, .to = up, .site = from.site};
		}
		r->t.nodes[up].calls++;
		return up;
	}
	uint32_t k = find_child(r, from, callee);
	if (k == CONTEXT_NONE) {
		r->t.nodes = more(r->t.nodes, r->t.count, &r->node_room, sizeof *r->t.nodes);
		k = r->t.count++;
		r->t.nodes[k] =
			(struct context){.callee = callee, .site = from.site, .parent = from.node};
	}
	r->t.nodes[k].calls++;
	return k;
}

void reference_call(struct reference *r, uint64_t back, uint64_t sp, uint64_t site)
{
	const struct active *top = &r->stack[r->depth - 1];
	if (r->depth == r->room) {
		r->room *= 2;
		r->stack = realloc(r->stack, r->room * sizeof *r->stack);
		if (!r->stack)
			die("out of memory");
		top = &r->stack[r->depth - 1];
	}
	const struct slot slot = top->node == CONTEXT_NONE
	                                 ? top->slot
	                                 : (struct slot){top->node, r->merged ? 0 : site};
	r->stack[r->depth++] =
		(struct active){.back = back, .sp = sp, .slot = slot, .node = CONTEXT_NONE};
}

void reference_return(struct reference *r, uint64_t to, uint64_t sp)
{
	if (r->depth > 1 && r->stack[r->depth - 1].back == to) {
		r->depth--;
		return;
	}
	while (r->depth > 1 && r->stack[r->depth - 1].sp <= sp)
		if (r->stack[--r->depth].back == to)
			return;
}

void reference_arrive(struct reference *r, uint32_t function, uint64_t at)
{
	struct active *top = &r->stack[r->depth - 1];
	r->alone_ran |= r->alone && r->alone[function];
	top->node = r->alone && r->alone[function] ? CONTEXT_NONE
	                                           : reference_enter_context(r, top->slot, at);
}

void reference_begin(struct reference *r, const uint8_t *alone, bool merged)
{
	*r = (struct reference){.alone = alone, .merged = merged, .room = 64, .depth = 1};
	r->stack = calloc(r->room, sizeof *r->stack);
	r->t.nodes = more(NULL, 0, &r->node_room, sizeof *r->t.nodes);
	if (!r->stack)
		die("out of memory");
	r->t.nodes[r->t.count++] = (struct context){0};
	r->stack[0] = (struct active){.back = 1, .sp = UINT64_MAX, .node = CONTEXT_NONE};
}
