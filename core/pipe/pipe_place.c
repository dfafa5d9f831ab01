/* Builds a pipeline: turns parameters into limits and sizes of tables, and resets the state. */
#include "core/defs/choices.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/xprof/xprof.h"

static uint32_t pow2_at_least(uint32_t n)
{
	uint32_t p = 1;
	while (p < n)
		p *= 2;
	return p;
}

static struct class_timing pipe_class_timing_of(enum fu_pool pool, int64_t latency,
                                                int64_t occupancy)
{
	return (struct class_timing){
		.pool = pool, .latency = (uint16_t)latency, .occupancy = (uint16_t)occupancy};
}

struct class_timing class_timing(const struct config *c, enum op_class klass)
{
	const enum fu_pool idiv = c->fu_div ? FU_DIV : FU_IMULDIV,
			   fdiv = c->fu_div ? FU_DIV : FU_FMULDIV;
	switch (klass) {
	case CLASS_INT:
		return pipe_class_timing_of(FU_INT, c->lat_int, 1);
	case CLASS_IMUL:
		return pipe_class_timing_of(FU_IMULDIV, c->lat_imul, c->occ_imul);
	case CLASS_IDIV:
		return pipe_class_timing_of(idiv, c->lat_idiv, c->occ_idiv);
	case CLASS_FADD:
		return pipe_class_timing_of(FU_FADD, c->lat_fadd, c->occ_fadd);
	case CLASS_FMUL:
		return pipe_class_timing_of(FU_FMULDIV, c->lat_fmul, c->occ_fmul);
	case CLASS_FMA:
		return pipe_class_timing_of(FU_FMULDIV, c->lat_fma, c->occ_fma);
	case CLASS_FDIV:
		return pipe_class_timing_of(fdiv, c->lat_fdiv, c->occ_fdiv);
	case CLASS_FSQRT:
		return pipe_class_timing_of(fdiv, c->lat_fsqrt, c->occ_fsqrt);
	case CLASS_LOAD:
	case CLASS_STORE:
	case CLASS_AMO:
		return pipe_class_timing_of(FU_MEM, c->lsq_agen, 1);
	case CLASS_NOP:
	case CLASS_SYSTEM:
	case CLASS_COUNT:
		break;
	}
	return pipe_class_timing_of(FU_NONE, 1, 0);
}

static void set_timing(struct pipe *p)
{
	const struct config *c = p->cfg;
	for (int klass = 0; klass < CLASS_COUNT; klass++)
		p->timing[klass] = class_timing(c, (enum op_class)klass);
	p->fu_count[FU_NONE] = 1;
#define P(id, field, name) p->fu_count[FU_##id] = (uint16_t)c->field;
	FU_POOLS(P)
#undef P
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		p->fu_all.pool[pool] = (uint16_t)((1u << p->fu_count[pool]) - 1);
}

void pipe_place(struct pipe *p, struct arena *a)
{
	const struct config *cfg = p->cfg;
	p->counts = p->stats ? &p->stats->counts : NULL; /* NULL while sizing */
	uint32_t rob = (uint32_t)cfg->rob_size, fetchq = (uint32_t)cfg->fetch_queue;
	uint32_t rob_cap = pow2_at_least(rob < 64 ? 64 : rob);
	p->rob_mask = rob_cap - 1;
	p->rob_words = rob_cap / 64;
	p->fetchq_mask = pow2_at_least(fetchq) - 1;
	p->lsq_mask = pow2_at_least(cfg->lsq_size < 64 ? 64 : (uint32_t)cfg->lsq_size) - 1;
	p->lsq_words = (p->lsq_mask + 1) / 64;
	/* Four times the instructions in flight, so that the recent past stays visible. */
	p->pool_size = pow2_at_least(4 * (rob + fetchq) < 512 ? 512 : 4 * (rob + fetchq));
	p->pool_mask = p->pool_size - 1;
	assert(p->pool_size <= UOP_SLOTS_MAX);
	p->st = arena_take(a, "pipeline", 1, sizeof *p->st);
	p->hart = arena_take(a, "hart", 1, sizeof *p->hart);
	p->pool = arena_take(a, "instructions", p->pool_size, sizeof *p->pool);
	p->fetchq = arena_take(a, "fetch queue", p->fetchq_mask + 1, sizeof *p->fetchq);
	p->rob = arena_take(a, "reorder buffer", p->rob_mask + 1, sizeof *p->rob);
	p->lsq = arena_take(a, "load/store queue", p->lsq_mask + 1, sizeof *p->lsq);
	const size_t ready_rows = FU_POOL_COUNT + 1 + (p->rob_words > 2);
	p->ready = arena_take(a, "ready", ready_rows * p->rob_words, sizeof *p->ready);
	p->retry = arena_take(a, "retry", p->rob_words, sizeof *p->retry);
	p->unknown = arena_take(a, "unknown stores", p->lsq_words, sizeof *p->unknown);
	p->wheel = arena_take(a, "wheel", (size_t)WHEEL * p->rob_words, sizeof *p->wheel);
	p->writes = NULL;
	if (cfg->int_writes || cfg->fp_writes)
		p->writes = arena_take(a, "write ports", WRITE_CYCLES, sizeof *p->writes);
	if (p->rob_words > 2) {
		p->ready_sum = arena_take(a, "ready summary", 1, sizeof *p->ready_sum);
		p->wheel_words = arena_take(a, "wheel words", WHEEL, sizeof *p->wheel_words);
	}
	bpred_place(&p->bpred, cfg, a);
	xprof_place(&p->xprof, cfg, a);
	memdep_place(&p->memdep, cfg, a);
	hierarchy_place(&p->mem, cfg, p->stats, a);
	plugins_place(&p->plugins, p->given, cfg, a);
	p->bpred.plugins = p->mem.plugins = &p->plugins;
	p->plugins.outcome = p->st ? &p->st->outcome : NULL; /* NULL while sizing */
	p->plugins.cycle = p->st ? &p->st->cycle : NULL;
	p->plugins.stats = p->stats;
	p->xprof.plugins = cfg->xprof_predictor == XPROF_EXTERNAL ? &p->plugins : NULL;
	set_timing(p);
	p->fetch_width = (uint32_t)cfg->fetch_width;
	p->fetch_lines = (uint32_t)cfg->fetch_lines;
	p->fetchq_limit = fetchq;
	p->issue_width = (uint32_t)cfg->issue_width;
	p->line_mask = (uint64_t)cfg->l1i_line - 1;
	p->in_order = cfg->in_order;
	p->speculate = cfg->lsq_speculate;
	p->replay_size = cfg->lsq_replay_size;
	p->fetch_past_taken = cfg->fetch_taken;
	p->bpred_penalty = (uint32_t)cfg->bpred_penalty;
	p->lsq_forward = (uint32_t)cfg->lsq_forward;
	p->commit_width = (uint32_t)cfg->commit_width;
	p->unordered = cfg->in_order && cfg->completion;
	p->forwarding = cfg->forwarding;
	p->resolve = (uint16_t)cfg->bpred_resolve;
	p->unified_port = cfg->unified_port;
	p->late_operands = !p->forwarding || p->resolve == RESOLVE_ID;
	p->issue_rules = p->unordered || p->writes || p->late_operands;
	p->waw_unit = cfg->waw;
	p->memory_stage = (uint32_t)cfg->memory_stage;
	p->write_ports[0] = cfg->int_writes ? (uint32_t)cfg->int_writes : UINT32_MAX;
	p->write_ports[1] = cfg->fp_writes ? (uint32_t)cfg->fp_writes : UINT32_MAX;
	p->retire_limit = p->unordered ? PIPE_WIDTH_MAX : p->commit_width;
	if (p->unordered && p->issue_width > p->commit_width)
		p->issue_width = p->commit_width;
	p->decode_width = (uint32_t)cfg->decode_width;
	p->slots = pipe_slots(cfg);
	p->fetch_full = cfg->fetch_queue < cfg->fetch_width ? SLOT_fetch_queue : SLOT_fetch_width;
	p->rob_limit = rob;
	p->to_commit[1] = (uint32_t)cfg->commit_delay;
	p->to_commit[0] = (uint32_t)(cfg->commit_delay + cfg->memory_stage);
	p->commit_extra = OPF_SERIAL | OPF_FP | OPF_XPROF |
	                  (p->bpred.learn_at_commit || p->bpred.tells ? OPF_REDIRECT : 0);
	/* one cycle to issue, and one on a unit */
	p->decode_to_commit = p->unordered ? 1 : 2 + p->to_commit[0];
	p->lsq_limit = (uint32_t)cfg->lsq_size;
	p->iq_limit = cfg->issue_queue ? (uint32_t)cfg->issue_queue : rob;
}

static int64_t pipe_min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

uint32_t pipe_slots(const struct config *cfg)
{
	const int64_t others =
		pipe_min_i64(cfg->fetch_width, pipe_min_i64(cfg->issue_width, cfg->commit_width));
	return (uint32_t)(cfg->decode_width > others ? cfg->decode_width : others);
}

void pipe_reset(struct pipe *p)
{
	struct pipe_state *st = p->st;
	st->next_seq = 1;
	st->signals_at = UINT64_MAX;
	pipe_drop_line(st);
	st->spec_slot = st->serial_slot = NO_SLOT;
	st->miss_slot = NO_SLOT;
	for (unsigned i = 0; i < sizeof st->rename / sizeof *st->rename; i++)
		st->rename[i] = NO_SLOT;
	p->hart->reserved = RESERVED_NONE;
	p->hart->xprof = (uint64_t)p->cfg->xprof;
	p->hart->isa = (uint64_t)p->cfg->isa;
	bpred_reset(&p->bpred);
	xprof_reset(&p->xprof);
	memdep_reset(&p->memdep);
	hierarchy_reset(&p->mem);
	plugins_reset(&p->plugins);
}
