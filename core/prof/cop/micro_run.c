/* The engine's pipeline: three stages, in which microinstructions are fetched, predicted and
 * performed (micro_perform.c). */
#include <stddef.h>

#include "core/base/state_ranges.h"
#include "core/isa/inst.h"
#include "core/prof/cop/micro_code.h"

/* ---- the pipeline ---- */
static enum micro_outcome micro_run_halt_engine(struct micro_state *st, enum micro_outcome why)
{
	st->halted = 1;
	return why;
}

static enum micro_outcome micro_run_raise_fault(struct micro *m, enum micro_fault fault,
                                                struct micro_trace *t)
{
	m->st->fault = (uint16_t)fault;
	m->st->fault_at = t->at;
	t->fault = (uint8_t)fault;
	t->next = (struct micro_next){MICRO_GOAL_STOP, 0};
	return micro_run_halt_engine(m->st, MICRO_FAULT);
}

static bool is_endless(const struct micro *m)
{
	return m->watchdog && m->st->worked >= m->watchdog;
}

/* The third stage. */
static enum micro_outcome micro_run_execute_stage(struct micro *m, const struct micro_slot *s,
                                                  const struct cop_record *r, struct micro_trace *t)
{
	t->kind = s->kind;
	t->at = s->at;
	t->word = s->word;
	t->next = (struct micro_next){MICRO_GOAL_RECORD, 0};
	if (s->kind == MICRO_SLOT_SKIP)
		return MICRO_DONE;
	const enum micro_fault fault = s->kind == MICRO_SLOT_FAULT ? MICRO_FAULT_CODE
	                               : is_endless(m)             ? MICRO_FAULT_ENDLESS
	                                                           : micro_perform(m, s, r, t);
	if (fault)
		return micro_run_raise_fault(m, fault, t);
	t->wrong = t->next.goal != s->predicted.goal || t->next.at != s->predicted.at;
	m->st->worked += m->st->worked < UINT32_MAX;
	return t->next.goal == MICRO_GOAL_STOP     ? micro_run_halt_engine(m->st, MICRO_INTERRUPT)
	       : t->next.goal == MICRO_GOAL_RECORD ? MICRO_DONE
	                                           : MICRO_NOTHING;
}

/* i < count */
static const struct cop_record *micro_run_record_at(const struct micro_records *r, unsigned i)
{
	const unsigned at = r->head + i;
	return &r->ring[at < r->capacity ? at : at - r->capacity];
}

/* Predicts the microinstruction's successor. Targets are relative or in registers that only the
 * host writes, so only the direction must be predicted: by its bit. */
static struct micro_next micro_run_predict_next(const struct micro_state *st,
                                                const struct micro_slot *s)
{
	/* the compiler drops all but the branch's fields */
	const struct micro_inst in = micro_unpack(s->word);
	return in.branch_p ? micro_branch_goal(st, &in, s->at)
	                   : (struct micro_next){MICRO_GOAL_AT, (uint16_t)(s->at + 1)};
}

static struct micro_slot fetch_from(const struct micro *m, uint16_t at)
{
	struct micro_slot s = {
		.kind = MICRO_SLOT_FAULT, .at = at, .predicted = {MICRO_GOAL_STOP, 0}};
	if (at < m->code_n) {
		s.kind = MICRO_SLOT_CODE;
		s.word = m->code[at];
		s.predicted = micro_run_predict_next(m->st, &s);
	}
	return s;
}

/* The first stage. gone: records at the head that leave in this clock. */
static struct micro_slot micro_run_fetch_stage(struct micro *m, const struct micro_records *r,
                                               unsigned gone)
{
	struct micro_state *st = m->st;
	struct micro_slot s = {0};
	if (st->fetch.goal == MICRO_GOAL_AT) {
		s = fetch_from(m, st->fetch.at);
	} else if (st->fetch.goal == MICRO_GOAL_RECORD && gone + st->ahead < r->count) {
		const unsigned kind = micro_run_record_at(r, gone + st->ahead)->kind;
		const uint16_t start = kind < MICRO_CLASSES ? st->start[kind] : MICRO_NO_ROUTINE;
		if (start == MICRO_NO_ROUTINE)
			s.kind = MICRO_SLOT_SKIP;
		else
			s = fetch_from(m, start);
	}
	if (s.kind == MICRO_SLOT_EMPTY)
		return s;
	st->fetch = s.predicted;
	if (s.predicted.goal == MICRO_GOAL_RECORD)
		st->ahead++;
	return s;
}

enum micro_outcome micro_cycle(struct micro *m, const struct micro_records *r,
                               struct micro_trace *out)
{
	struct micro_state *st = m->st;
	const struct micro_slot now = st->execute;
	enum micro_outcome outcome = MICRO_NOTHING;
	*out = (struct micro_trace){0};
	if (st->halted)
		return MICRO_NOTHING;
	if (now.kind != MICRO_SLOT_EMPTY) {
		assert(r->count);
		outcome = micro_run_execute_stage(m, &now, micro_run_record_at(r, 0), out);
		out->outcome = (uint8_t)outcome;
		st->last = *out;
		if (st->halted || out->wrong) {
			const uint32_t worked = outcome == MICRO_NOTHING ? st->worked : 0;
			micro_restart(m);
			if (!st->halted)
				st->fetch = out->next;
			st->worked = worked;
			return outcome;
		}
		if (outcome == MICRO_DONE) {
			st->ahead--;
			st->worked = 0;
		}
	}
	st->execute = st->decode;
	st->decode = micro_run_fetch_stage(m, r, outcome == MICRO_DONE);
	return outcome;
}

bool micro_waits(const struct micro *m, const struct micro_records *r)
{
	const struct micro_state *st = m->st;
	if (st->halted)
		return true;
	return !r->count && st->fetch.goal == MICRO_GOAL_RECORD &&
	       st->decode.kind == MICRO_SLOT_EMPTY && st->execute.kind == MICRO_SLOT_EMPTY;
}

static const char *micro_check_slot(const struct micro *m, const struct micro_slot *s)
{
	if (s->kind > MICRO_SLOT_FAULT || s->predicted.goal > MICRO_GOAL_STOP ||
	    (s->kind == MICRO_SLOT_SKIP && s->predicted.goal != MICRO_GOAL_RECORD))
		return "the co-processor's pipeline holds something that nothing is";
	return s->kind == MICRO_SLOT_CODE && s->at >= m->code_n
	               ? "the co-processor holds a microinstruction from beyond its array"
	               : NULL;
}

/* Lists the ranges of the table's fields and of its structures' fields. All other words, microcode
 * among them, are written by software and may be anything. */
void micro_ranges(const struct micro *m, struct ranges *rs)
{
	static const char name[] = "cop engine";
	const struct micro_state *st = m->st;
	const struct micro_slot *const slots[] = {&st->decode, &st->execute};
	for (unsigned i = 0; i < 2; i++) {
		RANGE(rs, name, slots[i], 1, kind, RANGE_MOST, MICRO_SLOT_FAULT);
		RANGE(rs, name, slots[i], 1, predicted.goal, RANGE_MOST, MICRO_GOAL_STOP);
	}
#define STATE(...) STATE_RANGE(rs, name, st, __VA_ARGS__)
#include "core/prof/cop/micro_state.def"
#undef STATE
	RANGE(rs, name, st, 1, fetch.goal, RANGE_MOST, MICRO_GOAL_STOP);
	RANGE(rs, name, st, 1, last.kind, RANGE_MOST, MICRO_SLOT_FAULT);
	RANGE(rs, name, st, 1, last.fault, RANGE_MOST, MICRO_FAULT_COUNT - 1);
	RANGE(rs, name, st, 1, last.outcome, RANGE_MOST, MICRO_FAULT);
	RANGE(rs, name, st, 1, last.next.goal, RANGE_MOST, MICRO_GOAL_STOP);
	RANGE_EACH(rs, name, st, 1, last.wrote_v, RANGE_MOST, MICRO_VALUES);
	RANGE_EACH(rs, name, st, 1, last.wrote_x, RANGE_MOST, MICRO_INDEXES);
	RANGE(rs, name, st, 1, last.cam_op, RANGE_MOST, MC_COUNT - 1);
	RANGE(rs, name, st, 1, last.data_op, RANGE_MOST, MD_COUNT - 1);
	RANGE(rs, name, st, 1, last.cam_index, RANGE_MOST, m->cam_n - 1);
	RANGE(rs, name, st, 1, last.data_address, RANGE_MOST, m->data_n - 1);
}

/* Each microinstruction in the pipeline must have its record. */
static const char *micro_run_check_records(const struct micro_state *st, uint64_t records)
{
	const bool decode = st->decode.kind != MICRO_SLOT_EMPTY,
		   execute = st->execute.kind != MICRO_SLOT_EMPTY;
	const bool leaves = execute && st->execute.predicted.goal == MICRO_GOAL_RECORD;
	if (st->halted && (decode || execute))
		return "the co-processor is halted, and goes on";
	if (records < (uint64_t)(decode || execute) + (decode && leaves) ||
	    records < st->ahead + (uint64_t)(st->fetch.goal == MICRO_GOAL_AT))
		return "the co-processor works on no record";
	return NULL;
}

const char *micro_check(const struct micro *m, uint64_t records)
{
	const struct micro_state *st = m->st;
	const unsigned left = m->cam_n % 64;
	const char *wrong;
	if (!st->lfsr)
		return "the co-processor's random number register is 0";
	if (left && m->valid[m->cam_n / 64] >> left)
		return "an entry of the co-processor's associative array is valid that does not "
		       "exist";
	if (st->fetch.goal > MICRO_GOAL_STOP || st->halted > 1 || st->fault >= MICRO_FAULT_COUNT ||
	    st->conditions > 0xff)
		return "the co-processor's engine is in a state that there is not";
	if ((wrong = micro_check_slot(m, &st->decode)) ||
	    (wrong = micro_check_slot(m, &st->execute)))
		return wrong;
	unsigned dones = 0;
	const struct micro_slot *slots[] = {&st->decode, &st->execute};
	for (unsigned i = 0; i < 2; i++)
		dones += slots[i]->kind != MICRO_SLOT_EMPTY &&
		         slots[i]->predicted.goal == MICRO_GOAL_RECORD;
	if (dones != st->ahead)
		return "the co-processor counts other `done`s than its pipeline holds";
	return micro_run_check_records(st, records);
}
