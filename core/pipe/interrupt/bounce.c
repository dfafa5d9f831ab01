#include "core/pipe/interrupt/bounce.h"

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "core/prof/common/prof.h"

static struct vsample_block *bounce_sampled_block(const struct pipe *p)
{
	return &p->prof->vsample->st->block;
}

/* ---- the first interrupt ---- */
static bool bounce_is_jump(const struct inst *in)
{
	return inst_flags(in) & OPF_JUMP;
}

/* Notes the block that one cycle of fetch brings if no branch is taken. */
static void note_block(struct pipe *p, struct vsample_block *b)
{
	const uint64_t most = (uint64_t)p->cfg->fetch_width,
		       room = (uint64_t)p->cfg->fetch_lines * (p->line_mask + 1);
	const struct inst *in;
	uint64_t pc = p->hart->pc, end = 0;
	b->n = b->executed = b->recorded = 0;
	while (b->n < most && (in = mem_fetch(p->ram, pc)) &&
	       !(inst_is_xprof(in) && p->hart->xprof)) {
		if (!end) /* an instruction belongs to the line of its last byte */
			end = ((pc + in->len - 1) & ~p->line_mask) + room;
		if (pc + in->len > end)
			break;
		b->pc[b->n] = pc;
		b->at[b->n++] = *in;
		pc += in->len;
		if (bounce_is_jump(in))
			break;
	}
	b->pc[b->n] = pc;
}

bool bounce_set_up(struct pipe *p)
{
	struct vsample_block *b = bounce_sampled_block(p);
	const struct hart *h = p->hart;
	note_block(p, b);
	if (!b->n)
		return false;
	for (unsigned r = 0; r < REG_COUNT; r++)
		b->reg[r] = h->r[r];
	b->top = 0;
	mem_load(p->ram, h->r[REG_SP], 8, &b->top);
	b->insts = b->seen = p->stats->insts;
	b->followed = 0;
	for (uint64_t at = b->pc[0]; at < b->pc[b->n]; at = (at | p->line_mask) + 1)
		hierarchy_drop_code(&p->mem, at);
	return true;
}

/* Instructions committed in this cycle are still in the reorder buffer, just before its head. */
void bounce_follow(struct pipe *p)
{
	struct vsample_block *b = bounce_sampled_block(p);
	const struct pipe_state *st = p->st;
	for (uint64_t n = p->stats->insts - b->seen; n; n--, b->seen++) {
		const struct uop *u =
			pipe_uop(p, p->rob[(st->rob_head - (uint32_t)n) & p->rob_mask]);
		if (b->followed == b->seen - b->insts && b->followed < b->n &&
		    u->pc == b->pc[b->followed])
			b->followed++;
	}
}

/* ---- the second ---- */
/* True if this instruction may change register r. */
static bool bounce_inst_writes_reg(const struct inst *in, unsigned r)
{
	return in->rd == r || (in->op == OP_ECALL && r == REG_A0);
}

/* Index of the last of the block's first n instructions that writes r; n: none does. */
static uint64_t last_writer(const struct vsample_block *b, uint64_t n, unsigned r)
{
	for (uint64_t i = n; i-- > 0;)
		if (bounce_inst_writes_reg(&b->at[i], r))
			return i;
	return n;
}

/* Target of a branch or jump if taken; false: its register is written earlier in the block. */
static bool bounce_find_branch_target(const struct vsample_block *b, uint64_t i, uint64_t *target)
{
	const struct inst *in = &b->at[i];
	if (!(inst_flags(in) & OPF_INDIRECT)) {
		*target = b->pc[i] + (uint64_t)(int64_t)in->imm;
		return true;
	}
	*target = (b->reg[in->rs1] + (uint64_t)(int64_t)in->imm) & ~UINT64_C(1);
	return last_writer(b, i, in->rs1) == i;
}

struct progress {
	uint64_t executed; /* instructions executed to get there; 0: no path leads there */
	bool ambiguous;
};

static void bounce_match_exit(struct progress *way, uint64_t to, uint64_t pc, uint64_t executed)
{
	if (to != pc)
		return;
	way->ambiguous |= way->executed && way->executed != executed;
	way->executed = executed;
}

static struct progress bounce_infer_progress(const struct vsample_block *b, uint64_t pc)
{
	struct progress way = {0, false};
	bool inside = false; /* a path leads back into the block */
	for (uint64_t i = 0; i < b->n; i++) {
		uint64_t target;
		if (!bounce_is_jump(&b->at[i]))
			bounce_match_exit(&way, b->pc[i + 1], pc, i + 1);
		if (!(inst_flags(&b->at[i]) & OPF_CONTROL) ||
		    !bounce_find_branch_target(b, i, &target))
			continue;
		bounce_match_exit(&way, target, pc, i + 1);
		inside |= target >= b->pc[0] && target < b->pc[b->n];
	}
	way.ambiguous |= inside && (way.executed || pc == b->pc[0]);
	return way;
}

enum vsample_stop bounce_look(struct pipe *p)
{
	struct vsample_state *v = p->prof->vsample->st;
	struct vsample_block *b = bounce_sampled_block(p);
	const uint64_t pc = p->hart->pc;
	const struct progress way = bounce_infer_progress(b, pc);
	b->executed = b->recorded = 0;
	if (way.ambiguous)
		return VSAMPLE_STOP_AMBIGUOUS;
	if (!way.executed && pc != b->pc[0])
		return VSAMPLE_STOP_FAR;
	if (p->stats->insts - b->insts != way.executed || b->followed != way.executed) {
		p->stats->vsample_misjudged++;
		p->stats->vsample_wrong += way.executed;
	}
	if (way.executed) {
		b->executed = way.executed;
		return way.executed == b->n ? VSAMPLE_STOP_BLOCK : VSAMPLE_STOP_PART;
	}
	if (v->user_cycles >= (uint64_t)p->cfg->vsample_bounce_max)
		return VSAMPLE_STOP_STUCK;
	p->stats->vsample_retries++;
	return VSAMPLE_GOES_ON;
}

/* ---- tuples ---- */
/* Register r before the i-th instruction of the block; false if it is lost. */
static bool bounce_recover_register(const struct pipe *p, uint64_t i, unsigned r, uint64_t *value)
{
	const struct vsample_block *b = bounce_sampled_block(p);
	const uint64_t writer = last_writer(b, i, r);
	*value = 0;
	if (writer == i) {
		*value = b->reg[r];
		return true;
	}
	if (last_writer(b, b->executed, r) != writer)
		return false;
	*value = p->hart->r[r];
	return true;
}

static void recall_operands(const struct pipe *p, uint64_t i, struct vsample_tuple *t)
{
	const struct inst *in = &bounce_sampled_block(p)->at[i];
	const unsigned r[3] = {in->rs1, in->rs2, in->rs3};
	for (unsigned k = 0; k < 3; k++)
		if (!bounce_recover_register(p, i, r[k], &t->operand[k]))
			t->unknown |= (uint16_t)(VSAMPLE_NO_OPERAND << k);
}

static void recall_address(const struct pipe *p, uint64_t i, struct vsample_tuple *t)
{
	const struct inst *in = &bounce_sampled_block(p)->at[i];
	uint64_t base;
	if (!bounce_recover_register(p, i, in->rs1, &base))
		t->unknown |= VSAMPLE_NO_ADDRESS;
	else
		t->address = base + (uint64_t)(int64_t)in->imm;
}

static void recall_context(const struct pipe *p, uint64_t i, struct vsample_tuple *t)
{
	const struct vsample_block *b = bounce_sampled_block(p);
	if (!bounce_recover_register(p, i, REG_RA, &t->ra))
		t->unknown |= VSAMPLE_NO_RA;
	for (uint64_t k = 0; k < i; k++)
		if ((inst_flags(&b->at[k]) & OPF_STORE) || b->at[k].op == OP_ECALL ||
		    bounce_inst_writes_reg(&b->at[k], REG_SP)) {
			t->unknown |= VSAMPLE_NO_TOP;
			return;
		}
	t->top = b->top;
}

/* Extra fields: only registers can be recovered, not counters or memory. The system's state is that
 * of the block: a call ends it. */
static void recall_extras(const struct pipe *p, uint64_t i, unsigned capture,
                          struct vsample_tuple *t)
{
	for (unsigned k = 0; k < VSAMPLE_EXTRAS; k++) {
		const struct vsample_extra *x = &p->prof->vsample->capture->extra[k];
		if (!(capture & (unsigned)VSAMPLE_EXTRA << k))
			continue;
		if (x->source == VSAMPLE_SYSTEM)
			t->extra[k] = p->os->word(p->os->ctx, (enum system_word)x->number);
		else if (x->source != VSAMPLE_REG ||
		         !bounce_recover_register(p, i, (unsigned)x->number, &t->extra[k]))
			t->unknown |= (uint16_t)(VSAMPLE_NO_EXTRA << k);
	}
}

unsigned bounce_tuple(struct pipe *p, struct vsample_tuple *t)
{
	struct vsample_block *b = bounce_sampled_block(p);
	const uint16_t *fields = p->prof->vsample->capture->fields;
	while (b->recorded < b->executed && !(fields[b->at[b->recorded].op] & VSAMPLE_TUPLE))
		b->recorded++;
	const uint64_t i = b->recorded;
	if (i == b->executed)
		return 0;
	b->recorded++;
	const struct inst *in = &b->at[i];
	const unsigned capture = fields[in->op];
	*t = (struct vsample_tuple){.pc = b->pc[i], .word = in->raw, .place = (uint32_t)i};
	if (capture & VSAMPLE_OPERANDS)
		recall_operands(p, i, t);
	if ((capture & VSAMPLE_RESULT) && in->rd != REG_SINK) {
		if (last_writer(b, b->executed, in->rd) == i)
			t->result = p->hart->r[in->rd];
		else
			t->unknown |= VSAMPLE_NO_RESULT;
	}
	if ((capture & VSAMPLE_ADDRESS) && op_info[in->op].mem_bytes)
		recall_address(p, i, t);
	if ((capture & VSAMPLE_LATENCY) && (inst_flags(in) & OPF_LOAD))
		t->unknown |= VSAMPLE_NO_LATENCY | VSAMPLE_NO_LEVEL;
	if (capture & VSAMPLE_CONTEXT)
		recall_context(p, i, t);
	recall_extras(p, i, capture, t);
	return capture;
}
