#include "loader/flow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"

/* Flags of one parcel (2 bytes) of the function. */
enum parcel {
	INST = 1 << 0,   /* an instruction begins */
	LEADER = 1 << 1, /* a block begins */
	BEHIND_CALL = 1 << 2,
	LAST = 1 << 3,   /* the instruction is a call that never returns */
};

struct builder {
	const struct flow_code *code;
	const struct flow_known *known;
	struct flow *f;
	uint8_t *parcel; /* [(hi - lo) / 2 + 1], owned */
};

bool flow_decode(const struct flow_code *code, uint64_t addr, struct inst *out)
{
	uint16_t parcel[2] = {0, 0};
	if (!code->read(code->ctx, addr, &parcel[0], 2) ||
	    ((parcel[0] & 3) == 3 && !code->read(code->ctx, addr + 2, &parcel[1], 2)))
		return false;
	inst_decode_as(code->isa, parcel[0] | (uint32_t)parcel[1] << 16, out);
	return true;
}

static bool flow_address_is_inside(const struct flow *f, uint64_t addr)
{
	return addr >= f->lo && addr < f->hi;
}

static void flow_mark_leader(const struct builder *b, uint64_t addr)
{
	if (flow_address_is_inside(b->f, addr) && !(addr & 1))
		b->parcel[(addr - b->f->lo) / 2] |= LEADER;
}

static bool flow_inst_is_call(const struct inst *in)
{
	return (inst_flags(in) & OPF_JUMP) && in->rd != REG_SINK;
}

static bool ends_block(const struct inst *in)
{
	return (inst_flags(in) & (OPF_BRANCH | OPF_JUMP)) && !flow_inst_is_call(in);
}

static uint64_t flow_direct_target(const struct inst *in, uint64_t addr)
{
	return (inst_flags(in) & OPF_INDIRECT) ? 0 : addr + (uint64_t)(int64_t)in->imm;
}

bool flow_never_returns(const struct flow_code *code, uint64_t lo, uint64_t hi)
{
	struct inst in = {0};
	for (uint64_t at = lo; at < hi; at += in.len) {
		if (!flow_decode(code, at, &in))
			return false;
		if (!ends_block(&in))
			continue;
		const uint64_t to = flow_direct_target(&in, at);
		if (to < lo || to >= hi)
			return false;
	}
	return lo < hi;
}

static bool is_last(const struct builder *b, const struct inst *in, uint64_t addr)
{
	return flow_inst_is_call(in) && !(inst_flags(in) & OPF_INDIRECT) &&
	       b->code->never_returns &&
	       b->code->never_returns(b->code->ctx, flow_direct_target(in, addr));
}

static bool find_leaders(struct builder *b)
{
	struct flow *f = b->f;
	struct inst in = {0};
	flow_mark_leader(b, f->lo);
	for (uint64_t at = f->lo; at < f->hi; at += in.len) {
		if (!flow_decode(b->code, at, &in))
			return false;
		const bool last = is_last(b, &in, at);
		b->parcel[(at - f->lo) / 2] |= last ? INST | LAST : INST;
		if (flow_inst_is_call(&in))
			b->parcel[(at + in.len - f->lo) / 2] |= BEHIND_CALL;
		if (last || ends_block(&in))
			flow_mark_leader(b, at + in.len);
		if (ends_block(&in))
			flow_mark_leader(b, flow_direct_target(&in, at));
	}
	for (size_t i = 0; i < b->known->leader_count; i++)
		if (!b->known->skip_behind_calls ||
		    !flow_address_is_inside(f, b->known->leaders[i]) ||
		    !(b->parcel[(b->known->leaders[i] - f->lo) / 2] & BEHIND_CALL))
			flow_mark_leader(b, b->known->leaders[i]);
	for (size_t i = 0; i < b->known->jump_count; i++)
		if (flow_address_is_inside(f, b->known->jumps[i].at))
			flow_mark_leader(b, b->known->jumps[i].to);
	return true;
}

static void flow_append_edge(struct builder *b, uint32_t from, enum flow_kind kind, uint64_t target)
{
	struct flow *f = b->f;
	struct flow_block *block = &f->blocks[from];
	f->edges[f->edge_count] = (struct flow_edge){
		.from = from, .to = FLOW_NONE, .target = target, .kind = (uint8_t)kind};
	if (!block->edges++)
		block->edge = f->edge_count;
	f->edge_count++;
}

/* Adds edges for jumps that were seen, and one edge for all others. */
static void add_indirect(struct builder *b, uint32_t from)
{
	const struct flow_block *block = &b->f->blocks[from];
	for (size_t i = 0; i < b->known->jump_count; i++) {
		const struct flow_jump *j = &b->known->jumps[i];
		if (j->at != block->last || !flow_address_is_inside(b->f, j->to))
			continue;
		flow_append_edge(b, from, FLOW_SEEN, j->to);
		b->f->edges[b->f->edge_count - 1].count =
			(struct flow_count){j->count, true, false};
	}
	b->f->indirect |= !reg_is_link(block->inst.rs1); /* not a return */
	flow_append_edge(b, from, FLOW_UNKNOWN, 0);
}

static void add_edges(struct builder *b, uint32_t from)
{
	const struct flow_block *block = &b->f->blocks[from];
	const unsigned flags = inst_flags(&block->inst);
	if (b->parcel[(block->last - b->f->lo) / 2] & LAST)
		return;
	if (ends_block(&block->inst) && (flags & OPF_INDIRECT)) {
		add_indirect(b, from);
		return;
	}
	if (flags & OPF_BRANCH)
		flow_append_edge(b, from, FLOW_TAKEN,
		                 flow_direct_target(&block->inst, block->last));
	if (ends_block(&block->inst) && (flags & OPF_JUMP))
		flow_append_edge(b, from, FLOW_JUMP, flow_direct_target(&block->inst, block->last));
	else
		flow_append_edge(b, from, FLOW_NEXT, block->end);
}

/* Finds the blocks. Bytes that do not decode are data, and in no block. */
static void flow_find_blocks(struct builder *b)
{
	struct flow *f = b->f;
	struct flow_block *open = NULL;
	struct inst in = {0};
	for (uint64_t at = f->lo; at < f->hi; at += 2) {
		const uint8_t parcel = b->parcel[(at - f->lo) / 2];
		if (!(parcel & INST) || !flow_decode(b->code, at, &in) || in.op == OP_ILLEGAL) {
			open = parcel & INST ? NULL : open;
			continue;
		}
		if (!open || (parcel & LEADER)) {
			open = &f->blocks[f->block_count++];
			*open = (struct flow_block){.start = at};
		}
		open->last = at;
		open->end = at + in.len;
		open->inst = in;
		open->insts++;
		open->calls += flow_inst_is_call(&in);
	}
}

uint32_t flow_block_at(const struct flow *f, uint64_t addr)
{
	uint32_t lo = 0, hi = f->block_count;
	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;
		if (f->blocks[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->block_count && f->blocks[lo].start <= addr ? lo : FLOW_NONE;
}

static void flow_connect_edges(struct flow *f)
{
	for (uint32_t k = 0; k < f->edge_count; k++) {
		struct flow_edge *e = &f->edges[k];
		const uint32_t to = e->target ? flow_block_at(f, e->target) : FLOW_NONE;
		if (to != FLOW_NONE && f->blocks[to].start == e->target)
			e->to = to;
	}
}

/* Marks back edges: depth first, from the first block and then from each unreached one; an edge to
 * a block that is being visited goes back. */
static bool find_back_edges(struct flow *f)
{
	enum { NEW, OPEN, CLOSED };
	uint32_t *stack = alloc_zeroed(f->block_count + 1, sizeof *stack),
		 *next = alloc_zeroed(f->block_count + 1, sizeof *next), depth;
	uint8_t *state = alloc_zeroed(f->block_count + 1, 1);
	const bool ok = stack && next && state;
	for (uint32_t root = 0; ok && root < f->block_count; root++) {
		if (state[root] != NEW)
			continue;
		depth = 0;
		stack[depth++] = root;
		state[root] = OPEN;
		while (depth) {
			const uint32_t at = stack[depth - 1];
			if (next[at] == f->blocks[at].edges) {
				state[at] = CLOSED;
				depth--;
				continue;
			}
			struct flow_edge *e = &f->edges[f->blocks[at].edge + next[at]++];
			if (e->to == FLOW_NONE)
				continue;
			e->back = state[e->to] == OPEN;
			if (state[e->to] == NEW) {
				state[e->to] = OPEN;
				stack[depth++] = e->to;
			}
		}
	}
	free(stack);
	free(next);
	free(state);
	return ok;
}

void flow_free(struct flow *f)
{
	free(f->blocks);
	free(f->edges);
	*f = (struct flow){0};
}

bool flow_of(const struct flow_code *code, uint64_t lo, uint64_t hi, const struct flow_known *known,
             struct flow *out, struct err *err)
{
	const size_t parcels = (hi - lo) / 2 + 3; /* the last instruction may reach beyond */
	struct builder b = {
		.code = code, .known = known, .f = out, .parcel = alloc_zeroed(parcels, 1)};
	*out = (struct flow){.lo = lo, .hi = hi};
	if (!b.parcel)
		return err_set(err, "out of memory for a flow graph");
	if (!find_leaders(&b)) {
		free(b.parcel);
		return err_set(err, "no code lies between 0x%" PRIx64 " and 0x%" PRIx64, lo, hi);
	}
	out->blocks = alloc_zeroed(parcels, sizeof *out->blocks);
	out->edges = alloc_zeroed(2 * parcels + known->jump_count + 1, sizeof *out->edges);
	bool ok = out->blocks && out->edges;
	if (ok) {
		flow_find_blocks(&b);
		for (uint32_t k = 0; k < out->block_count; k++)
			add_edges(&b, k);
		flow_connect_edges(out);
		ok = find_back_edges(out);
	}
	free(b.parcel);
	if (!ok) {
		flow_free(out);
		return err_set(err, "out of memory for a flow graph");
	}
	return out->block_count ||
	       (flow_free(out),
	        err_set(err, "no code lies between 0x%" PRIx64 " and 0x%" PRIx64, lo, hi));
}

/* ---- counts ---- */
/* One side of a block: its incoming or its outgoing edges. */
struct side {
	uint64_t sum;          /* of the known counts */
	uint32_t all, unknown;
	struct flow_edge *one; /* the last edge of unknown count */
};

static void add_to_side(struct side *s, struct flow_edge *e)
{
	s->all++;
	if (e->count.known) {
		s->sum += e->count.n;
	} else {
		s->unknown++;
		s->one = e;
	}
}

/* A block's count equals the sum of its edges; solves for the missing one. Without edges nothing
 * follows: landing pads have none. */
static bool flow_solve_count(struct flow_count *count, const struct side *s)
{
	if (s->all && s->unknown == 0 && !count->known) {
		*count = (struct flow_count){s->sum, true, true};
		return true;
	}
	if (s->unknown == 1 && count->known) {
		s->one->count =
			(struct flow_count){count->n > s->sum ? count->n - s->sum : 0, true, true};
		return true;
	}
	return false;
}

void flow_solve(struct flow *f)
{
	struct side *in = alloc_zeroed(f->block_count + 1, sizeof *in);
	for (bool more = in; more;) {
		more = false;
		for (uint32_t k = 0; k < f->block_count; k++) {
			struct side out = {0, 0, 0, NULL};
			for (uint32_t i = 0; i < f->blocks[k].edges; i++)
				add_to_side(&out, &f->edges[f->blocks[k].edge + i]);
			more |= flow_solve_count(&f->blocks[k].count, &out);
		}
		/* Unknown: entries of the first block from outside, and targets of jumps through
		 * registers. */
		memset(in, 0, (f->block_count + 1) * sizeof *in);
		for (uint32_t k = 0; k < f->edge_count; k++)
			if (f->edges[k].to != FLOW_NONE)
				add_to_side(&in[f->edges[k].to], &f->edges[k]);
		for (uint32_t k = 1; !f->indirect && k < f->block_count; k++)
			more |= flow_solve_count(&f->blocks[k].count, &in[k]);
	}
	free(in);
}
