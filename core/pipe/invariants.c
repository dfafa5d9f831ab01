/* Invariants between the pipeline's structures. */
#include "core/pipe/invariants.h"

#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/pipe/checkpoint_check.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"

#define MUST(holds, otherwise) \
	do { \
		if (!(holds)) \
			return otherwise; \
	} while (0)

static bool invariants_bit_is_set(const uint64_t *bits, uint32_t pos)
{
	return bits[pos >> 6] >> (pos & 63) & 1;
}

static uint32_t bits_set(const uint64_t *bits, size_t words)
{
	uint32_t n = 0;
	for (size_t w = 0; w < words; w++)
		n += (uint32_t)__builtin_popcountll(bits[w]);
	return n;
}

/* Counts over the window's uops. */
struct tally {
	uint32_t waiting_to_issue, retries, memory, unknown_stores, ready, due, pending;
	uint16_t filter[256];
};

/* ---- instructions ---- */
/* Fetch and dispatch change class, destination and sources of some instructions. */
bool inst_is_valid(const struct inst *in)
{
	struct inst as_decoded;
	unsigned isa = ISA_ALL;
	do
		inst_decode_as(isa, in->raw, &as_decoded);
	while (in->op != as_decoded.op && isa++ < ISA_RV32GC);
	const bool xprof = inst_is_xprof(&as_decoded);
	return in->op == as_decoded.op && in->len == as_decoded.len && in->imm == as_decoded.imm &&
	       in->rm == as_decoded.rm && in->rs3 == as_decoded.rs3 &&
	       (in->rd == as_decoded.rd || in->rd == REG_SINK) &&
	       (in->rs1 == as_decoded.rs1 || (xprof && in->rs1 == REG_SP)) &&
	       in->rs2 == as_decoded.rs2 &&
	       (in->klass == as_decoded.klass || in->klass == CLASS_NOP ||
	        in->klass == CLASS_SYSTEM ||
	        (xprof && (in->klass == CLASS_LOAD || in->klass == CLASS_STORE)));
}

/* True if op_flags are the operation's, or as Xprof and devices change them in fetch and decode. */
static bool flags_are_possible(const struct uop *u)
{
	const unsigned own = op_info[u->inst.op].flags;
	if (u->op_flags == own || u->op_flags == OPF_XPROF || u->op_flags == OPF_HINT)
		return true;
	/* A textbook's killed fetch is predicted nothing. */
	if (u->op_flags == (own & ~(unsigned)OPF_REDIRECT) && u->state == UOP_SQUASHED)
		return !(u->flags & UF_EXECUTED);
	if (u->prefix_len)
		return u->op_flags == (own | OPF_XPROF);
	if (u->op_flags == OPF_SERIAL)
		return u->flags & UF_DEVICE;
	/* Fetch removes OPF_HINT from accesses to the shadow of the stack; the value sampler's
	 * handler does not. */
	const unsigned access = u->op_flags & ~(unsigned)OPF_HINT;
	return inst_is_xprof(&u->inst) &&
	       (access == (OPF_XPROF | OPF_LOAD) || access == (OPF_XPROF | OPF_STORE));
}

/* Checks every slot that was ever used. */
static const char *invariants_check_uop(const struct pipe *p, const struct uop *u)
{
	const struct bpred *b = &p->bpred;
	const bool nowhere =
		u->trap == TRAP_FETCH_FAULT && u->inst.op == OP_ILLEGAL && u->inst.len == 2;
	MUST(u->seq < p->st->next_seq, "an instruction is younger than the youngest");
	MUST(nowhere || inst_is_valid(&u->inst), "an instruction's fields differ from its bits");
	MUST(flags_are_possible(u), "an instruction is of no valid kind");
	MUST(!(u->prefix_len & 1), "a prefix has an odd length");
	if (!(u->op_flags & OPF_REDIRECT))
		return NULL;
	MUST(b->ras_size || !(u->mark.flags & BPM_RAS),
	     "a return address came from an absent return stack");
	MUST(b->btb_ways || !(u->mark.flags & BPM_BTB_LEARNT),
	     "a target was learnt by an absent target buffer");
	return NULL;
}

static const char *check_pool(const struct pipe *p)
{
	uint32_t in_flight = 0;
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		const char *wrong = u->seq ? invariants_check_uop(p, u) : NULL;
		if (wrong)
			return wrong;
		/* The slot's next instruction keeps these until it is dispatched. */
		MUST(!(u->exec.size & (u->exec.size - 1)),
		     "an access has an invalid size");
		MUST(!u->exec.stored || u->exec.size, "a store of no bytes");
		MUST(u->seq || !uop_in_flight(u),
		     "an instruction in flight was never fetched");
		in_flight += uop_in_flight(u);
	}
	MUST(in_flight == p->st->rob_count + p->st->fetchq_count,
	     "an instruction in flight is in no queue");
	return NULL;
}

/* ---- the window ---- */
/* Checks the list of consumers of u, the youngest first. */
static const char *check_users(const struct pipe *p, const struct uop *u, struct tally *t)
{
	const uint16_t slot = window_slot_index(p, u);
	uint64_t before = UINT64_MAX;
	for (uint32_t link = u->state == UOP_DONE ? NO_LINK : u->users; link != NO_LINK;) {
		const struct uop *c = pipe_uop(p, (uint16_t)(link >> 2));
		const unsigned operand = link & 3;
		MUST(uop_in_window(c) && (c->src.pending >> operand & 1) &&
		             c->src.slot[operand_source(operand)] == slot,
		     "an instruction's consumer does not wait for it");
		MUST(c->seq << 2 < before - operand, "consumers are out of order");
		before = c->seq << 2 | operand;
		t->pending--;
		link = c->src.next[operand];
	}
	return NULL;
}

static const char *check_operands(const struct pipe *p, const struct uop *u, struct tally *t)
{
	MUST(uop_is_store(u) ? !(u->src.pending & ~(1u | 1u << SOURCE_LATER))
	                     : !(u->src.pending >> SOURCE_LATER),
	     "an instruction waits for an operand that it lacks");
	MUST((u->state == UOP_WAITING) == !has_operands(u),
	     "an instruction's pending operands are not those that are missing");
	for (unsigned operand = 0; operand <= SOURCE_LATER; operand++) {
		const unsigned i = operand_source(operand);
		if (!(u->src.pending >> operand & 1))
			continue;
		MUST(u->src.slot[i] != NO_SLOT, "an instruction waits for no producer");
		const struct uop *q = pipe_uop(p, u->src.slot[i]);
		MUST(uop_in_window(q) && q->seq == u->src.seq[i] && q->seq < u->seq &&
		             q->state != UOP_DONE,
		     "an instruction waits for a result without a producer");
		t->pending++;
	}
	return NULL;
}

static const char *check_memory(const struct pipe *p, const struct uop *u, struct tally *t)
{
	const struct pipe_state *st = p->st;
	const bool unknown = uop_may_store(u) && !(u->flags & UF_ADDR_KNOWN);
	MUST(uop_is_memory(u) == (u->at.lsq != NO_SLOT),
	     "the load/store queue lacks an access, or has another instruction");
	MUST(uop_is_memory(u) || (u->state != UOP_ADDRESS && !(u->flags & UF_IN_FILTER)),
	     "an instruction in the memory system is no access");
	if (!uop_is_memory(u))
		return NULL;
	MUST(u->at.lsq == ((st->lsq_head + t->memory) & p->lsq_mask) &&
	             p->lsq[u->at.lsq] == window_slot_index(p, u),
	     "the load/store queue is not in the order of the window");
	MUST(unknown == invariants_bit_is_set(p->unknown, u->at.lsq),
	     "a store's address is marked known in one place only");
	MUST(u->state != UOP_ADDRESS || (u->exec.size && (u->flags & UF_ADDR_KNOWN)),
	     "an access enters memory without an address");
	MUST(u->state != UOP_EXECUTING || !(u->flags & UF_ADDR_KNOWN) ||
	             (uop_is_store(u) && !(u->flags & UF_DATA_READY)),
	     "an access with an address is not under way");
	MUST(!uop_is_store(u) || (u->flags & UF_DATA_READY) ==
	                                 (u->src.pending >> SOURCE_LATER ? 0 : UF_DATA_READY),
	     "a store's data is marked ready in one place only");
	t->memory++;
	t->unknown_stores += unknown;
	if (u->flags & UF_IN_FILTER) {
		const unsigned a = filter_granule_index(u->exec.addr),
			       b = filter_granule_index(u->exec.addr + u->exec.size - 1);
		MUST(u->exec.size, "the store filter has a store of no bytes");
		t->filter[a]++;
		t->filter[b] = (uint16_t)(t->filter[b] + (a != b));
	}
	return NULL;
}

static const char *check_window_uop(const struct pipe *p, const struct uop *u, uint32_t age,
                                    struct tally *t)
{
	const struct pipe_state *st = p->st;
	const bool issued = u->state >= UOP_EXECUTING;
	const char *wrong;
	MUST(uop_in_window(u) && u->seq, "an instruction in the window is not in flight");
	MUST(u->at.rob == ((st->rob_head + age) & p->rob_mask),
	     "an instruction is not at its place in the window");
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		MUST(invariants_bit_is_set(ready_in(p, pool), u->at.rob) ==
		             (u->state == UOP_READY && u->at.pool == pool),
		     "an instruction is marked ready in one place only");
	MUST((u->state == UOP_ADDRESS) == invariants_bit_is_set(p->retry, u->at.rob),
	     "an access is marked for a retry in one place only");
	MUST(issued == (u->when.issue != NO_CYCLE),
	     "an instruction is marked issued in one place only");
	MUST(!uop_is_in_wheel(u) || u->at.wheel != NO_SLOT, "an instruction is never due");
	if (uop_is_in_wheel(u))
		MUST(invariants_bit_is_set(p->wheel + (size_t)u->at.wheel * p->rob_words,
		                           u->at.rob),
		     "an instruction is due at a cycle other than its own");
	wrong = check_operands(p, u, t);
	wrong = wrong ? wrong : check_memory(p, u, t);
	t->waiting_to_issue += !issued;
	t->retries += u->state == UOP_ADDRESS;
	t->ready += u->state == UOP_READY;
	t->due += uop_is_in_wheel(u);
	return wrong;
}

/* Checks that bitmaps and counters hold nothing else: their totals equal the window's. */
static const char *check_tally(const struct pipe *p, const struct tally *t)
{
	const struct pipe_state *st = p->st;
	MUST(t->waiting_to_issue == st->iq_count,
	     "the count of instructions that wait for issue is wrong");
	MUST(t->retries == st->mem_retries && bits_set(p->retry, p->rob_words) == t->retries,
	     "the count of accesses to retry is wrong");
	MUST(t->memory == st->lsq_count,
	     "the window and the load/store queue have different numbers of accesses");
	MUST(t->unknown_stores == st->unknown_stores &&
	             bits_set(p->unknown, p->lsq_words) == t->unknown_stores,
	     "the count of stores without an address is wrong");
	for (uint32_t w = 0; p->rob_words > 2 && w < p->rob_words; w++) {
		uint64_t all = 0;
		for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
			all |= ready_in(p, pool)[w];
		MUST(window_all_ready(p)[w] == all &&
		             (all != 0) == (p->ready_sum->words >> w & 1),
		     "a word of ready instructions is noted wrongly");
	}
	for (unsigned pool = 0; p->rob_words > 2 && pool <= FU_POOL_COUNT; pool++)
		MUST(bits_set(ready_in(p, pool), p->rob_words) == p->ready_sum->count[pool],
		     "the count of a pool's ready instructions is wrong");
	for (uint32_t i = 0; p->rob_words > 2 && i < WHEEL * p->rob_words; i++)
		MUST((p->wheel[i] != 0) ==
		             (p->wheel_words[i / p->rob_words] >> i % p->rob_words & 1),
		     "a word of due instructions is noted wrongly");
	MUST(bits_set(p->ready, (size_t)(FU_POOL_COUNT + 1) * p->rob_words) == t->ready,
	     "a ready instruction is not in the window");
	MUST(bits_set(p->wheel, (size_t)WHEEL * p->rob_words) == t->due,
	     "a due instruction is not in the window");
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		MUST((st->held_pools >> pool & 1) == (st->fu_held[pool] != 0),
		     "a unit is held, but its pool is not marked");
	MUST(!memcmp(t->filter, st->store_filter, sizeof t->filter),
	     "the store filter counts stores that are not in the queue");
	return NULL;
}

static const char *check_window(const struct pipe *p, uint64_t *last_seq)
{
	const struct pipe_state *st = p->st;
	struct tally t = {0};
	const char *wrong = NULL;
	for (uint32_t age = 0; !wrong && age < st->rob_count; age++) {
		const struct uop *u = pipe_rob_at(p, age);
		MUST(u->seq > *last_seq, "the window is not in program order");
		*last_seq = u->seq;
		wrong = check_window_uop(p, u, age, &t);
	}
	for (uint32_t age = 0; !wrong && age < st->rob_count; age++)
		wrong = check_users(p, pipe_rob_at(p, age), &t);
	MUST(wrong || !t.pending, "an instruction is not among its producer's consumers");
	return wrong ? wrong : check_tally(p, &t);
}

static const char *check_fetch_queue(const struct pipe *p, uint64_t last_seq)
{
	for (uint32_t i = 0; i < p->st->fetchq_count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		MUST(u->state == UOP_FETCHED && u->seq > last_seq,
		     "the fetch queue is not in program order");
		last_seq = u->seq;
	}
	return NULL;
}

static const char *check_slots(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	MUST(st->spec_slot == NO_SLOT || uop_in_window(pipe_uop(p, st->spec_slot)),
	     "a misprediction's instruction is not in the window");
	/* The misprediction resolves when the instruction completes. */
	const struct uop *spec = st->spec_slot == NO_SLOT ? NULL : pipe_uop(p, st->spec_slot);
	MUST(!spec || ((spec->flags & UF_MISPREDICT) && spec->state != UOP_DONE),
	     "a misprediction's instruction will never resolve");
	MUST(st->serial_slot == NO_SLOT ||
	             (st->rob_count == 1 && p->rob[st->rob_head] == st->serial_slot),
	     "an instruction that serialises is not alone");
	for (unsigned reg = 0; reg < REG_COUNT; reg++) {
		const uint16_t slot = st->rename[reg];
		if (slot == NO_SLOT)
			continue;
		const struct uop *u = pipe_uop(p, slot);
		MUST(reg != REG_ZERO && reg != REG_SINK && uop_in_window(u) && u->inst.rd == reg,
		     "a register has no producer");
	}
	for (unsigned reg = 1; reg < REG_SINK; reg++)
		MUST(st->rename[reg] != NO_SLOT || p->hart->r[reg] == st->creg[reg],
		     "a register without a producer differs from its committed value");
	return NULL;
}

/* Each instruction is at the next pc of its predecessor `from`, unless `from` was mispredicted or
 * is mret. */
static const char *invariants_check_path(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	const struct uop *from = NULL;
	for (uint32_t i = 0; i < st->rob_count + st->fetchq_count; i++) {
		const struct uop *u = i < st->rob_count ? pipe_rob_at(p, i)
		                                        : pipe_fetchq_at(p, i - st->rob_count);
		const bool strays = from && from->state != UOP_FETCHED &&
		                    (((from->flags & UF_MISPREDICT) && from->state != UOP_DONE) ||
		                     from->trap == TRAP_MRET);
		const uint64_t at = !from                        ? st->commit_pc
		                    : from->state == UOP_FETCHED ? from->pred_next
		                                                 : from->exec.next_pc;
		MUST(strays || u->pc == at || p->xprof.enabled,
		     "an instruction does not follow the one before it");
		from = u;
	}
	return NULL;
}

/* True if nothing else is in the pipeline while the value sampler's handler runs. */
static bool is_held_alone(const struct pipe *p)
{
	const struct vsample_state *v = p->prof->vsample->st;
	return !v || v->phase == VSAMPLE_AWAY || p->hart->mode != MODE_U ||
	       !(p->st->rob_count + p->st->fetchq_count);
}

/* ---- the memory system ---- */
/* True if misses that wait for a register belong to entries of the write buffer, at most two to
 * each, which stay until they complete; or to loads across two lines, of which the first has a
 * register already. */
static bool is_accounted_for(const struct pipe *p, uint64_t ready)
{
	const struct hierarchy_state *st = p->mem.st;
	uint32_t waiting = 0, entries = 0;
	for (uint32_t i = 0; i < st->mshr_count; i++)
		waiting += st->mshr[i].since > p->st->cycle && st->mshr[i].ready >= ready;
	for (uint32_t i = 0; i < p->mem.wbuf_limit; i++)
		entries += st->wbuf.entry[i].until >= ready;
	return waiting <= 2 * entries + p->mem.mshr_limit;
}

/* True if another miss takes over this register when it becomes free. */
static bool has_successor(const struct hierarchy_state *st, const struct mshr *m)
{
	for (uint32_t i = 0; i < st->mshr_count; i++)
		if (st->mshr[i].since == m->ready && st->mshr[i].ready > m->ready)
			return true;
	return false;
}

static const char *check_misses(const struct pipe *p)
{
	const struct hierarchy_state *st = p->mem.st;
	const uint64_t now = p->st->cycle;
	uint32_t held = 0;
	for (uint32_t i = 0; i < st->mshr_count; i++) {
		const struct mshr *m = &st->mshr[i];
		if (m->ready <= now)
			continue;
		held += m->since <= now;
		MUST(m->since <= now || is_accounted_for(p, m->ready),
		     "a miss waits for a register without a store or load");
		MUST(!m->chained || has_successor(st, m),
		     "a miss register has no successor to take it over");
	}
	MUST(held <= p->mem.mshr_limit, "more misses are on their way than there are registers");
	return NULL;
}

/* Checks that every commit slot of every cycle is charged to one row of the CPI stack. */
static const char *check_slots_charged(const struct pipe *p)
{
	uint64_t slots = 0;
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, "cpi.", 4))
			slots += (uint64_t)stat_value(p->stats, &stat_rows[i]);
	return slots == p->stats->cycles * p->commit_width
	               ? NULL
	               : "commit slots are not charged, or charged twice";
}

static const char *check_levels(const struct pipe *p)
{
	for (uint32_t i = 0; i < p->pool_size; i++)
		MUST((p->pool[i].fetched & FETCHED_LEVEL) < LEVEL_COUNT,
		     "an instruction was fetched from an invalid level");
	return (p->st->fetched & FETCHED_LEVEL) < LEVEL_COUNT
	               ? NULL
	               : "a line was fetched from an invalid level";
}

const char *pipe_state_error(const struct pipe *p)
{
	uint64_t last_seq = 0;
	const char *wrong = check_pool(p);
	wrong = wrong ? wrong : check_levels(p);
	wrong = wrong ? wrong : check_window(p, &last_seq);
	wrong = wrong ? wrong : check_fetch_queue(p, last_seq);
	wrong = wrong ? wrong : check_slots(p);
	wrong = wrong ? wrong : invariants_check_path(p);
	wrong = wrong ? wrong : check_misses(p);
	MUST(wrong || is_held_alone(p), "the value sampler's handler runs beside the program");
	MUST(wrong || p->hart->mode == MODE_U || p->hart->mode == MODE_M,
	     "the processor is in an invalid mode");
	return wrong ? wrong : check_slots_charged(p);
}

static bool is_within_ranges(const struct pipe *p, struct err *err)
{
	struct range_search s = range_search(err);
	pipe_ranges(p, &s.rs);
	prof_ranges(p->prof, &s.rs);
	return s.ok;
}

static void invariants_assert_state(const struct pipe *p, bool all)
{
	struct err err;
	const char *wrong = !all || is_within_ranges(p, &err) ? pipe_state_error(p) : err.msg;
	wrong = wrong ? wrong : all ? prof_state_error(p->prof) : prof_check(p->prof);
	if (wrong)
		__assert_fail(wrong, __FILE__, __LINE__, __func__);
}

void pipe_check(struct pipe *p)
{
	enum { ALL_EVERY = 199 };
	invariants_assert_state(p, ++p->checks % ALL_EVERY == 0);
}

void pipe_check_all(const struct pipe *p)
{
	invariants_assert_state(p, true);
}
