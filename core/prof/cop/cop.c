#include "core/defs/event_fields.h"
#include "core/prof/cop/cop.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/events.h"
#include "core/defs/stats_fields.h"
#include "core/isa/csr.h"
#include "core/pipe/uop.h"
#include "core/prof/common/emit.h"

const char *const cop_step_name[COP_STEP_COUNT] = {
#define S(id, name) [COP_STEP_##id] = name,
	COP_STEPS(S)
#undef S
};

/* ---- decode and commit ---- */
static void cop_on_decoded(struct prof *d, const struct uop *u)
{
	if (!op_set_has(&d->cop->st->ops, u->inst.op) || (u->flags & UF_MACHINE))
		return;
	if (!cop_wants(d, inst_kind(u->inst.op), u->pc + u->prefix_len))
		return;
	d->cop->tag[u - d->pool] = u->seq;
	d->stats->cop_tagged++;
}

bool cop_tagged(const struct prof *d, const struct uop *u)
{
	return d->cop->tag[u - d->pool] == u->seq;
}

/* Simple sampling before the bus: true for one record in st->every. */
static bool cop_takes_record(struct cop_state *st)
{
	if (st->every > 1 && ++st->passed < st->every)
		return false;
	st->passed = 0;
	return true;
}

static void cop_on_retired(struct prof *d, const struct retired *bundle, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (cop_tagged(d, bundle[i].u) && cop_takes_record(d->cop->st))
			cop_commit(d, &bundle[i]);
	if (d->cop->st->way_count)
		prof_busy(d, DEVICE_COP, true);
}

static void cop_add_retired_ops(const struct prof *d, struct op_set *ops)
{
	for (unsigned i = 0; i < sizeof ops->bits / sizeof *ops->bits; i++)
		ops->bits[i] |= d->cop->st->ops.bits[i];
}

/* ---- the engine ---- */
static enum cop_step step_of(const struct micro_trace *t)
{
	static const enum cop_step by_outcome[] = {[MICRO_NOTHING] = COP_STEP_ON,
	                                           [MICRO_DONE] = COP_STEP_DONE,
	                                           [MICRO_INTERRUPT] = COP_STEP_INTERRUPT,
	                                           [MICRO_FAULT] = COP_STEP_FAULT};
	return t->kind == MICRO_SLOT_SKIP ? COP_STEP_SKIPPED : by_outcome[t->outcome];
}

/* Counts a clock, and reports what the engine executed, if anything, for the record at the head. */
static void cop_account_clock(struct prof *d, const struct micro_trace *t)
{
	struct stats *s = d->stats;
	s->cop_clocks++;
	if (t->kind == MICRO_SLOT_EMPTY)
		return;
	d->cop->st->executed_end = *d->cycle + 1;
	s->cop_micro += t->kind == MICRO_SLOT_CODE;
	s->cop_mispredicted += t->wrong;
	PROF_EMIT(d, MICRO, micro, NULL, cop_record_at(d, 0)->pc, .at = t->at, .taken = t->taken,
	          .wrong = t->wrong, .step = step_of(t));
}

/* Halts the engine, which has no record, if software has set the halt bit. */
static void cop_halt_on_request(struct prof *d, uint64_t pc)
{
	if (!(d->cop->st->control & COP_HALT))
		return;
	d->cop->st->control &= ~(uint64_t)COP_HALT;
	if (d->cop->micro.st->halted)
		return;
	micro_halt(&d->cop->micro);
	d->stats->cop_interrupts++;
	PROF_EMIT(d, COP_INTERRUPT, cop_interrupt, NULL, pc, .waiting = d->cop->st->count);
}

static void cop_clock_engine(struct prof *d)
{
	const struct micro_records r = cop_records(d);
	struct micro_trace t;
	if (micro_waits(&d->cop->micro, &r)) {
		cop_halt_on_request(d, 0);
		return;
	}
	const enum micro_outcome outcome = micro_cycle(&d->cop->micro, &r, &t);
	const uint64_t pc = r.count ? cop_record_at(d, 0)->pc : 0;
	cop_account_clock(d, &t);
	if (outcome == MICRO_NOTHING)
		return;
	if (t.kind == MICRO_SLOT_SKIP)
		d->stats->cop_skipped++;
	else
		d->stats->cop_samples++;
	cop_pop(d);
	if (outcome == MICRO_DONE) {
		cop_halt_on_request(d, pc);
		return;
	}
	d->stats->cop_interrupts++;
	d->stats->cop_faults += outcome == MICRO_FAULT;
	PROF_EMIT(d, COP_INTERRUPT, cop_interrupt, NULL, pc, .at = t.at, .fault = t.fault,
	          .waiting = d->cop->st->count);
}

static bool is_clocked(const struct prof *d)
{
	return d->cop->st->control & COP_RUN;
}

void cop_stay_busy(struct prof *d)
{
	const struct micro_records r = cop_records(d);
	prof_busy(d, DEVICE_COP,
	          d->cop->st->way_count ||
	                  (is_clocked(d) && (!micro_waits(&d->cop->micro, &r) ||
	                                     (d->cop->st->control & COP_HALT))));
}

static void cop_on_cycle(struct prof *d)
{
	if (is_clocked(d) && *d->cycle % (uint64_t)d->cfg->cop_divider == 0)
		cop_clock_engine(d);
	cop_transport(d);
	cop_stay_busy(d);
}

/* ---- interrupts: raised by events, not by time ---- */
static uint64_t cop_pending_irqs(const struct prof *d)
{
	return (uint64_t)d->cop->micro.st->halted << IRQ_COP;
}

static uint64_t cop_next_irq_never(const struct prof *d)
{
	(void)d;
	return UINT64_MAX;
}

static uint64_t access_cycles(const struct prof *d)
{
	return (uint64_t)d->cfg->cop_access;
}

/* ---- reading ---- */
const struct cop *cop_of(const struct prof *d)
{
	return d->cfg->cop ? d->cop : NULL;
}

/* Records are in two queues, not in the table. */
static void record_ranges(const struct cop_record *r, uint64_t n, const char *name,
                          struct ranges *rs)
{
	RANGE(rs, name, r, n, kind, RANGE_MOST, INST_KIND_COUNT - 1);
	RANGE(rs, name, r, n, events, RANGE_BITS, (1u << RECORD_EVENT_COUNT) - 1);
	RANGE(rs, name, r, n, fields, RANGE_BITS, (1u << RECORD_FIELD_COUNT) - 1);
	RANGE(rs, name, r, n, words, RANGE_MOST, COP_RECORD_WORDS_MAX);
}

static const struct state_field state_fields[] = {
#define STATE(...) STATE_ROW(cop_state, __VA_ARGS__)
#include "core/prof/cop/cop_state.def"
#undef STATE
};

static const struct state_field engine_fields[] = {
#define STATE(...) STATE_ROW(micro_state, __VA_ARGS__)
#include "core/prof/cop/micro_state.def"
#undef STATE
};

static unsigned cop_state_tables(const struct prof *d, struct state_part out[STATE_PARTS_MAX])
{
	out[0] = STATE_PART("co-processor", state_fields, d->cop->st, 1);
	out[1] = STATE_PART("cop engine", engine_fields, d->cop->micro.st, 1);
	return 2;
}

static void cop_state_ranges(const struct prof *d, struct ranges *rs)
{
	static const char name[] = "co-processor";
	const struct cop_state *st = d->cop->st;
	const uint64_t transport = (uint64_t)d->cfg->cop_transport,
		       buffer = (uint64_t)d->cfg->cop_buffer;
#define STATE(...) STATE_RANGE(rs, name, st, __VA_ARGS__)
#include "core/prof/cop/cop_state.def"
#undef STATE
	record_ranges(d->cop->way, d->cop->way_n, "co-processor transport", rs);
	record_ranges(d->cop->buffer, buffer, "co-processor sample buffer", rs);
	micro_ranges(&d->cop->micro, rs);
}

static bool has_its_words(const struct cop_record *r)
{
	return r->words == 1 + __builtin_popcount(r->fields);
}

/* Records on the bus were sent within the last cop.bus_latency cycles, at most cop.bus in each: so
 * there is always room. */
static const char *check_bus(const struct prof *d)
{
	const struct cop_state *st = d->cop->st;
	const uint64_t width = (uint64_t)d->cfg->cop_bus,
		       last = *d->cycle + (uint64_t)d->cfg->cop_bus_latency;
	for (uint64_t i = 0; i < st->sent; i++) {
		const uint64_t arrived = cop_way_at(d, i)->arrived;
		if (arrived > last || (i && arrived < cop_way_at(d, i - 1)->arrived) ||
		    (i >= width && arrived == cop_way_at(d, i - width)->arrived))
			return "records arrive at the co-processor that were not sent";
	}
	return NULL;
}

static const char *cop_check_records(const struct prof *d)
{
	const struct cop_state *st = d->cop->st;
	uint64_t words = 0;
	for (uint64_t i = 0; i < st->count; i++) {
		if (!has_its_words(cop_record_at(d, i)))
			return "a record for the co-processor has more words than fields, or fewer";
		words += cop_record_at(d, i)->words;
	}
	if (words != st->buffer_words)
		return "the co-processor's sample buffer holds other words than its records have";
	for (uint64_t i = 0; i < st->way_count; i++)
		if (!has_its_words(cop_way_at(d, i)))
			return "a record for the co-processor has more words than fields, or fewer";
	if (st->fresh > st->words ||
	    (st->part && (st->sent == st->way_count || st->part >= cop_way_at(d, st->sent)->words)))
		return "a part of a record has left that is not there";
	struct cop_state filter = *st;
	cop_filter_changed(&filter);
	if (memcmp(&filter.ops, &st->ops, sizeof filter.ops) != 0)
		return "the co-processor tags other operations than its program selects";
	return check_bus(d);
}

static const char *cop_check_state(const struct prof *d, bool all)
{
	const struct cop_state *st = d->cop->st;
	const struct config *cfg = d->cfg;
	const struct stats *s = d->stats;
	uint64_t words = 0;
	if (st->way_count > d->cop->way_n || st->sent > st->way_count ||
	    st->words > (uint64_t)cfg->cop_transport)
		return "more records are on their way to the co-processor than there is room for";
	if (st->buffer_words > (uint64_t)cfg->cop_buffer || st->count > st->buffer_words)
		return "the co-processor's sample buffer holds more than it can";
	for (uint64_t i = st->sent; i < st->way_count; i++)
		words += cop_way_at(d, i)->words;
	if (words != st->words + st->part)
		return "the co-processor's transport queue holds other words than its records have";
	if (s->cop_records != s->cop_dropped + st->way_count + s->cop_lost + st->count +
	                              s->cop_samples + s->cop_skipped + s->cop_flushed)
		return "records for the co-processor are missing, or there are too many";
	const char *wrong = all ? cop_check_records(d) : NULL;
	return wrong ? wrong : micro_check(&d->cop->micro, st->count);
}

/* ---- life ---- */
static void cop_place_state(struct prof *d, struct arena *a)
{
	struct cop *c = d->cop;
	const struct config *cfg = d->cfg;
	const struct micro_sizes sizes = {(unsigned)cfg->cop_microcode, (unsigned)cfg->cop_cam,
	                                  (unsigned)cfg->cop_data, (uint32_t)cfg->cop_watchdog};
	/* Records on the bus left the queue within the last cop.bus_latency cycles, at most cop.bus
	 * in each. */
	c->way_n = (unsigned)(cfg->cop_transport + cfg->cop_bus * (cfg->cop_bus_latency + 1));
	c->st = arena_take(a, "co-processor", 1, sizeof *c->st);
	c->tag = arena_take(a, "co-processor tags", d->pool_size, sizeof *c->tag);
	c->way = arena_take(a, "co-processor transport", c->way_n, sizeof *c->way);
	c->buffer = arena_take(a, "co-processor sample buffer", (size_t)cfg->cop_buffer,
	                       sizeof *c->buffer);
	for (unsigned t = 0; t < COP_TABLE_COUNT; t++)
		c->table[t] = arena_take(a,
		                         t == COP_TABLE_HIGH ? "co-processor table high"
		                                             : "co-processor table low",
		                         (size_t)cfg->cop_filter / 64, sizeof *c->table[t]);
	micro_place(&c->micro, a, &sizes);
}

static void cop_reset_state(struct prof *d)
{
	micro_reset(&d->cop->micro, (uint32_t)d->cfg->cop_seed);
}

const struct device device_cop = {
	.bytes = sizeof(struct cop),
	.place = cop_place_state,
	.reset = cop_reset_state,
	.decoded = cop_on_decoded,
	.stream = cop_stream,
	.new_code = cop_new_code,
	.retired = cop_on_retired,
	.retired_ops = cop_add_retired_ops,
	.cycle = cop_on_cycle,
	.pending = cop_pending_irqs,
	.next_cycle = cop_next_irq_never,
	.next_inst = cop_next_irq_never,
	.read = cop_read,
	.write = cop_write,
	.access_cycles = access_cycles,
	.tables = cop_state_tables,
	.ranges = cop_state_ranges,
	.check = cop_check_state,
};
