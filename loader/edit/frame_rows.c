/* Rewrites the rows of a function's unwind table for the new code: the state at an instruction also
 * holds for the code inserted before it. Inserted code that lowers sp temporarily gets rows of its
 * own; a branch's stub has the branch's state.
 *
 * Rows refer to states: each state is its predecessor plus one call frame instruction, so an
 * earlier state is restored by going back to the first and on from there. DW_CFA_remember_state and
 * _restore_state in the old table become such returns. */
#include <dwarf.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/edit/frame_table.h"

enum { SP = 2, NESTED = 64 };

struct state {
	/* predecessor, of a lower number; state 0, from the CIE, has none */
	uint32_t before;
	size_t from, end;     /* its call frame instruction: bytes of the table */
	struct frame_cfa cfa;
};

/* From this address on: the state, and by how much sp is lower than in that state. */
struct row {
	uint64_t at;
	uint32_t state;
	int64_t lowered;
};

struct rows {
	struct state *states; /* [state_count], owned */
	uint32_t state_count, state_room;
	/* [old_count], [now_count], owned: addresses in the old program and in the new one */
	struct row *old, *now;
	size_t old_count, now_count, old_room, now_room;
	bool failed;          /* out of memory */
};

/* ---- reading ---- */
void frame_instruction(struct table *t, unsigned op, struct frame_cfa *cfa)
{
	unsigned lebs = 0;
	uint64_t block;
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
	case DW_CFA_GNU_window_save:
		return;
	case DW_CFA_def_cfa:
		cfa->at_sp = frame_leb(t) == SP;
		cfa->offset = frame_leb(t);
		return;
	case DW_CFA_def_cfa_register:
		cfa->at_sp = frame_leb(t) == SP;
		return;
	case DW_CFA_def_cfa_offset:
		cfa->offset = frame_leb(t);
		return;
	case DW_CFA_def_cfa_sf:
		frame_leb(t);
		/* fall through */
	case DW_CFA_def_cfa_offset_sf:
		frame_leb(t);
		cfa->at_sp = false; /* compilers never write these for sp */
		return;
	case DW_CFA_restore_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_GNU_args_size:
		lebs = 1;
		break;
	case DW_CFA_offset_extended:
	case DW_CFA_register:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		lebs = 2;
		break;
	case DW_CFA_def_cfa_expression:
		cfa->at_sp = false;
		/* fall through */
	case DW_CFA_expression: case DW_CFA_val_expression:
		if (op != DW_CFA_def_cfa_expression)
			frame_leb(t);
		block = frame_leb(t);
		if (block > t->n - t->at)
			t->damaged = true;
		else
			t->at += block;
		return;
	default:
		if ((op & 0xc0) == DW_CFA_offset)
			lebs = 1;
		else if ((op & 0xc0) != DW_CFA_restore)
			t->damaged = true;
	}
	while (lebs-- > 0)
		frame_leb(t);
}

static void frame_rows_append_row(struct rows *r, bool now, struct row row)
{
	struct row **all = now ? &r->now : &r->old;
	size_t *count = now ? &r->now_count : &r->old_count,
	       *room = now ? &r->now_room : &r->old_room;
	if (*count && (*all)[*count - 1].at == row.at)
		--*count; /* replaced */
	if (*count && (*all)[*count - 1].state == row.state &&
	    (*all)[*count - 1].lowered == row.lowered)
		return;
	if (*count == *room) {
		struct row *more = alloc_resize(*all, (2 * *room + 16) * sizeof *more);
		if (!more) {
			r->failed = true;
			return;
		}
		*all = more;
		*room = 2 * *room + 16;
	}
	(*all)[(*count)++] = row;
}

static uint32_t frame_rows_add_state(struct rows *r, struct state s)
{
	if (r->state_count == r->state_room) {
		struct state *more =
			alloc_resize(r->states, (2 * (size_t)r->state_room + 16) * sizeof *more);
		if (!more) {
			r->failed = true;
			return 0;
		}
		r->states = more;
		r->state_room = 2 * r->state_room + 16;
	}
	r->states[r->state_count] = s;
	return r->state_count++;
}

static void read_rows(struct table *t, size_t end, const struct cie *c, uint64_t pc, struct rows *r)
{
	const uint64_t factor = c->code_factor ? c->code_factor : 1;
	uint32_t stack[NESTED], depth = 0,
				state = frame_rows_add_state(r, (struct state){.cfa = c->cfa});
	frame_rows_append_row(r, false, (struct row){pc, state, 0});
	while (t->at < end && !t->damaged && !r->failed) {
		const size_t from = t->at;
		const unsigned op = (unsigned)frame_number(t, 1);
		if ((op & 0xc0) == DW_CFA_advance_loc) {
			pc += (op & 0x3f) * factor;
		} else if (op >= DW_CFA_advance_loc1 && op <= DW_CFA_advance_loc4) {
			pc += frame_number(t, 1u << (op - DW_CFA_advance_loc1)) * factor;
		} else if (op == DW_CFA_remember_state || op == DW_CFA_restore_state) {
			t->damaged |= op == DW_CFA_remember_state ? depth == NESTED : depth == 0;
			if (!t->damaged && op == DW_CFA_remember_state)
				stack[depth++] = state;
			else if (!t->damaged)
				state = stack[--depth];
		} else if (op != DW_CFA_nop) {
			struct state next = {state, from, 0, r->states[state].cfa};
			frame_instruction(t, op, &next.cfa);
			next.end = t->at;
			state = frame_rows_add_state(r, next);
		}
		frame_rows_append_row(r, false, (struct row){pc, state, 0});
	}
	t->damaged |= t->at > end;
}

/* ---- placing ---- */
static uint32_t state_at(const struct rows *r, uint64_t addr)
{
	size_t lo = 0, hi = r->old_count;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->old[mid].at <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return r->old[lo].state;
}

/* Adds the rows for one old instruction and the code inserted around it. */
static void place_one(const struct edit *e, uint32_t i, struct rows *r)
{
	const struct edit_inst *at = &e->insts[i];
	bool passed = false;
	int64_t lowered = 0;
	uint32_t branch = EDIT_NONE;
	for (uint32_t k = e->start[i]; k < e->start[i + 1]; k++) {
		const struct edit_item *item = &e->items[k];
		if (item->origin != EDIT_NONE || item->branch != branch)
			lowered = 0;
		branch = item->branch;
		const uint32_t state = state_at(r, branch != EDIT_NONE ? e->insts[branch].addr
		                                   : passed            ? at->addr + at->in.len
		                                                       : at->addr);
		frame_rows_append_row(
			r, true,
			(struct row){item->addr, state, r->states[state].cfa.at_sp ? lowered : 0});
		passed |= item->origin != EDIT_NONE;
		if (item->origin == EDIT_NONE && item->in.op == OP_ADDI && item->in.rd == SP &&
		    item->in.rs1 == SP)
			lowered -= item->in.imm;
	}
}

static void frame_rows_relocate_rows(const struct edit *e, uint64_t pc, uint64_t bytes,
                                     struct rows *r)
{
	const uint32_t first = edit_inst_at(e, pc);
	for (uint32_t i = first; i < e->inst_count && e->insts[i].addr - pc < bytes; i++)
		place_one(e, i, r);
	if (first == EDIT_NONE) /* not in moved code */
		for (size_t k = 0; k < r->old_count; k++)
			frame_rows_append_row(r, true,
			                      (struct row){edit_new_address(e, r->old[k].at),
			                                   r->old[k].state, 0});
}

/* ---- writing ---- */
static bool leads_to(const struct rows *r, uint32_t from, uint32_t to)
{
	while (to > from)
		to = r->states[to].before;
	return to == from;
}

static void put_advance(struct buffer *b, uint64_t delta)
{
	if (!delta)
		return;
	if (delta < 64) {
		frame_put_number(b, DW_CFA_advance_loc | delta, 1);
	} else {
		unsigned n = delta < 256 ? 1 : delta < 65536 ? 2 : 4;
		frame_put_number(b,
		                 n == 1   ? DW_CFA_advance_loc1
		                 : n == 2 ? DW_CFA_advance_loc2
		                          : DW_CFA_advance_loc4,
		                 1);
		frame_put_number(b, delta, n);
	}
}

/* Writes the instructions that lead from a state to one of its descendants. */
static void frame_rows_write_state_change(struct table *t, const struct rows *r, uint32_t from,
                                          uint32_t to)
{
	uint32_t n = 0;
	for (uint32_t s = to; s != from; s = r->states[s].before)
		n++;
	for (; n > 0; n--) {
		uint32_t s = to;
		for (uint32_t k = 1; k < n; k++)
			s = r->states[s].before;
		frame_put(&t->out, t->bytes + r->states[s].from,
		          r->states[s].end - r->states[s].from);
	}
}

static void put_offset(struct table *t, uint64_t offset)
{
	frame_put_number(&t->out, DW_CFA_def_cfa_offset, 1);
	frame_put_leb(&t->out, offset);
}

static void frame_rows_write_rows(struct table *t, const struct rows *r, uint64_t factor)
{
	bool back = false;
	for (size_t k = 1; k < r->now_count; k++)
		back |= !leads_to(r, r->now[k - 1].state, r->now[k].state);
	if (back)
		frame_put_number(&t->out, DW_CFA_remember_state, 1);
	struct row last = {r->now_count ? r->now[0].at : 0, 0, 0};
	for (size_t k = 0; k < r->now_count; k++) {
		const struct row *row = &r->now[k];
		put_advance(&t->out, (row->at - last.at) / factor);
		if (last.lowered)
			put_offset(t, r->states[last.state].cfa.offset);
		if (!leads_to(r, last.state, row->state)) {
			frame_put_number(&t->out, DW_CFA_restore_state, 1);
			frame_put_number(&t->out, DW_CFA_remember_state, 1);
			last.state = 0;
		}
		frame_rows_write_state_change(t, r, last.state, row->state);
		if (row->lowered)
			put_offset(t, r->states[row->state].cfa.offset + (uint64_t)row->lowered);
		last = *row;
	}
}

void frame_rows(struct table *t, size_t end, const struct cie *c, uint64_t pc, uint64_t bytes)
{
	struct rows r = {0};
	read_rows(t, end, c, pc, &r);
	if (!t->damaged && !r.failed) {
		frame_rows_relocate_rows(t->e, pc, bytes, &r);
		frame_rows_write_rows(t, &r, c->code_factor ? c->code_factor : 1);
	}
	t->out.failed |= r.failed;
	free(r.states);
	free(r.old);
	free(r.now);
}
