/* Sequences from a load-reserved to its store-conditional, and the branch that repeats them.
 *
 * A core promises that such a loop ends only while nothing between the two accesses memory, and the
 * loop has 16 instructions at most (the RISC-V manual, "Eventual success of store-conditional
 * instructions"): code put between them may make it spin for ever. So a sequence is one piece: code
 * goes before its first instruction, for control from outside, after its last instruction, and onto
 * branches that leave it. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

enum { SEQUENCE_MOST = 32 }; /* instructions: twice what cores must keep their promise for */

static bool sequence_is_load_reserved(const struct inst *in)
{
	return in->op == OP_LR_W || in->op == OP_LR_D;
}

static bool sequence_is_store_conditional(const struct inst *in)
{
	return in->op == OP_SC_W || in->op == OP_SC_D;
}

/* Whether control may go on from instruction i to the next one in the same piece of code. */
static bool sequence_goes_on(const struct edit *e, uint32_t i)
{
	const struct edit_inst *at = &e->insts[i];
	return i + 1 < e->inst_count && !((at->flags | at[1].flags) & EDIT_DATA) &&
	       at[1].addr == at->addr + at->in.len && at[1].function == at->function &&
	       !(inst_flags(&at->in) & OPF_JUMP) && at->in.op != OP_ECALL;
}

/* The store-conditional of the load-reserved at i; EDIT_NONE: there is none near. */
static uint32_t sequence_find_store(const struct edit *e, uint32_t i)
{
	for (uint32_t k = i; k - i < SEQUENCE_MOST && sequence_goes_on(e, k);) {
		k++;
		if (sequence_is_store_conditional(&e->insts[k].in))
			return k;
		if (sequence_is_load_reserved(&e->insts[k].in))
			return EDIT_NONE; /* its own sequence begins */
	}
	return EDIT_NONE;
}

/* Extends [*first, *last] by a following branch that repeats the sequence, if there is one. */
static void sequence_find_retry(const struct edit *e, uint32_t *first, uint32_t *last)
{
	for (uint32_t k = *last; k - *first < SEQUENCE_MOST && sequence_goes_on(e, k);) {
		const struct edit_inst *at = &e->insts[++k];
		const uint32_t to =
			at->ref == REF_NEAR ? edit_inst_at(e, at->target) : EDIT_NONE;
		if (to <= *first && *first - to < SEQUENCE_MOST &&
		    e->insts[to].function == at->function) {
			for (uint32_t n = to; n < *first; n++)
				if (!sequence_goes_on(e, n) ||
				    (inst_flags(&e->insts[n].in) & OPF_MEMORY))
					return;
			*first = to;
			*last = k;
			return;
		}
		if (inst_flags(&at->in) & (OPF_CONTROL | OPF_MEMORY))
			return;
	}
}

/* Unmarks sequences into whose middle control may come from outside; their functions have blocks
 * that no code may be put into. */
static void sequences_drop_entered(struct edit *e)
{
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		uint32_t to = at->ref == REF_NEAR ? edit_inst_at(e, at->target) : EDIT_NONE;
		if (at->flags & (EDIT_TAKEN | EDIT_PAD | EDIT_ENTRY))
			to = i;
		if (to == EDIT_NONE || !e->sequence[to] || e->sequence[to] == to + 1 ||
		    (to != i && e->sequence[i] == e->sequence[to]))
			continue;
		const uint32_t mark = e->sequence[to];
		e->functions[e->insts[to].function].entered = true;
		for (uint32_t k = mark - 1; k < e->inst_count && e->sequence[k] == mark; k++)
			e->sequence[k] = 0;
	}
}

bool edit_find_sequences(struct edit *e, struct err *err)
{
	e->sequence = alloc_zeroed((size_t)e->inst_count + 1, sizeof *e->sequence);
	if (!e->sequence)
		return err_set(err, "out of memory for the atomic sequences of %s", e->p->path);
	for (uint32_t i = 0; i < e->inst_count; i++) {
		if ((e->insts[i].flags & EDIT_DATA) ||
		    !sequence_is_load_reserved(&e->insts[i].in))
			continue;
		uint32_t first = i, last = sequence_find_store(e, i);
		if (last == EDIT_NONE)
			continue;
		sequence_find_retry(e, &first, &last);
		for (uint32_t k = first; k <= last; k++)
			e->sequence[k] = first + 1;
	}
	sequences_drop_entered(e);
	return true;
}

bool edit_may_insert_before(const struct edit *e, uint32_t i)
{
	return !e->sequence[i] || e->sequence[i] == i + 1;
}

bool edit_may_insert_behind(const struct edit *e, uint32_t i)
{
	return !e->sequence[i] || e->sequence[i + 1] != e->sequence[i];
}

bool edit_may_insert_taken(const struct edit *e, uint32_t i)
{
	const uint32_t to = e->sequence[i] && e->insts[i].ref == REF_NEAR
	                            ? edit_inst_at(e, e->insts[i].target)
	                            : EDIT_NONE;
	return to == EDIT_NONE || e->sequence[to] != e->sequence[i];
}

bool edit_begins_block(const struct edit *e, uint32_t i)
{
	return edit_is_leader(e, i) && edit_may_insert_before(e, i);
}
