#include "core/defs/event_fields.h"
#include "core/prof/sampler/sampler.h"

#include <assert.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/csr.h"
#include "core/isa/op.h"
#include "core/pipe/plugin.h"
#include "core/pipe/uop.h"
#include "core/prof/common/emit.h"
#include "core/prof/sampler/sampler_exact.h"
#include "core/prof/sampler/sampler_priv.h"

enum sampler_reader { READER_SERVICE, READER_INTERRUPT };

enum sampler_register {
	REGISTER_CONTROL = 0x00,
	REGISTER_WAITING = 0x08,
	REGISTER_THRESHOLD = 0x10,
	REGISTER_PC = 0x18,
	REGISTER_VALUE = 0x20,
	REGISTER_TAG = 0x28,
	REGISTER_TAKE = 0x30,
	REGISTER_DRAIN = SAMPLER_REGISTER_DRAIN,
	REGISTER_TAGGED_PC = 0x40,
	REGISTER_STREAMS = 0x100,
	REGISTER_STREAMS_END =
		REGISTER_STREAMS + SAMPLER_STREAMS_MAX * sizeof(struct sampler_stream)
};
static_assert(sizeof(struct sampler_stream) == 0x80, "as firmware sees it");

/* ---- rings ---- */
static struct tuple pop_tuple(struct prof *d)
{
	struct sampler_state *st = d->sampler->st;
	struct tuple t = d->sampler->tuples[st->tuple_head];
	st->tuple_head = sampler_place_in(st->tuple_head, 1, d->cfg->sampler_tuple_queue);
	st->tuple_count--;
	return t;
}

static struct message pop_message(struct prof *d)
{
	struct sampler_state *st = d->sampler->st;
	struct message m = d->sampler->messages[st->message_head].message;
	st->message_head = sampler_place_in(st->message_head, 1, d->cfg->sampler_message_queue);
	st->message_count--;
	d->stats->sampler_read++;
	if (d->sampler->exact)
		sampler_exact_told(d->sampler->exact, &m);
	return m;
}

/* ---- messages ---- */
/* The cycle in which the service thread takes the oldest message; there must be one. */
static uint64_t service_from(const struct prof *d)
{
	const uint64_t arrived = sampler_message(d, 0)->arrived,
		       free = d->sampler->st->service_free;
	return arrived + 1 > free ? arrived + 1 : free;
}

/* Whether a message waits for the service thread. */
static bool has_service(const struct prof *d)
{
	return d->sampler->st->message_count && d->cfg->sampler_reader == READER_SERVICE;
}

void sampler_serve(struct prof *d, uint64_t now)
{
	struct sampler_state *st = d->sampler->st;
	while (has_service(d)) {
		const uint64_t from = service_from(d);
		if (from > now)
			return;
		pop_message(d);
		st->service_free = from + (uint64_t)d->cfg->sampler_service;
	}
}

/* Records the time since the last message. */
static void note_gap(struct prof *d, uint64_t now)
{
	struct sampler_state *st = d->sampler->st;
	if (d->stats->sampler_messages) {
		uint64_t gap = now - st->last_message;
		unsigned bucket = gap ? 64 - (unsigned)__builtin_clzll(gap) : 0;
		st->gap[bucket < GAP_BUCKETS ? bucket : GAP_BUCKETS - 1]++;
		d->stats->sampler_late += gap < (uint64_t)d->cfg->sampler_service;
	}
	st->last_message = now;
}

/* Adds a message's cost for the processor by the paper's analytic model (5.3.2). */
static void note_model(struct prof *d)
{
	struct stats *s = d->stats;
	s->sampler_model_cycles += (uint64_t)d->cfg->sampler_model_message;
	if (s->sampler_messages % (uint64_t)d->cfg->sampler_threshold == 0)
		s->sampler_model_cycles += (uint64_t)d->cfg->sampler_model_interrupt;
}

void sampler_send(struct prof *d, const struct message *m, uint64_t now)
{
	struct sampler_state *st = d->sampler->st;
	sampler_serve(d, now);
	note_gap(d, now);
	d->stats->sampler_messages++;
	note_model(d);
	const bool room = st->message_count < (uint64_t)d->cfg->sampler_message_queue;
	if (room) {
		uint64_t at = sampler_place_in(st->message_head, st->message_count++,
		                               d->cfg->sampler_message_queue);
		d->sampler->messages[at] = (struct sampler_waiting){*m, now};
		if (st->message_count > st->most_messages)
			st->most_messages = st->message_count;
	} else {
		d->stats->sampler_messages_dropped++;
	}
	PROF_EMIT(d, MESSAGE, message, NULL, tuple_pc(m->tuple), .value = m->tuple.value,
	          .count = m->count, .waiting = st->message_count, .dropped = !room);
}

/* ---- the compressor ---- */
const struct message *sampler_step(struct prof *d, unsigned stage, const struct message *in,
                                   uint64_t now)
{
	struct sampler_step *s = &d->sampler->st->step[stage];
	s->cycle = now;
	s->in = *in;
	const bool made =
		compressor_stage(&d->sampler->compressor, stage, &s->in, &s->out, &s->touch);
	if (!made)
		s->out.count = 0;
	PROF_EMIT(d, COMPRESS, compress, NULL, tuple_pc(in->tuple), .stage = stage,
	          .act = s->touch.act, .entry = s->touch.entry, .count = s->touch.after);
	return made ? &s->out : NULL;
}

/* Passes an input through the components from `stage` on, without waiting. */
static void sampler_pass_stages(struct prof *d, unsigned stage, const struct message *m,
                                uint64_t now)
{
	for (; m && stage < d->sampler->compressor.spec.count; stage++)
		m = sampler_step(d, stage, m, now);
	if (m)
		sampler_send(d, m, now);
}

void sampler_stay_busy(struct prof *d)
{
	const struct sampler_state *st = d->sampler->st;
	prof_busy(d, DEVICE_SAMPLER, st->tuple_count || st->latched || has_service(d));
}

/* Passes all that waits through at once, oldest first: without timing there are no cycles to wait
 * for.
 */
static void sampler_flush_queue(struct prof *d, uint64_t now)
{
	struct sampler_state *st = d->sampler->st;
	for (unsigned i = d->sampler->compressor.spec.count; i-- > 0;) {
		if (!(st->latched >> i & 1))
			continue;
		st->latched &= ~(UINT64_C(1) << i);
		sampler_pass_stages(d, i + 1, &st->latch[i], now);
	}
	while (st->tuple_count)
		sampler_pass_stages(d, 0, &(struct message){pop_tuple(d), 1}, now);
	st->fresh = 0;
	sampler_stay_busy(d);
}

/* One component's cycle: its output waits for the next one, or for software. */
static void sampler_advance_stage(struct prof *d, unsigned stage, const struct message *in,
                                  uint64_t now)
{
	struct sampler_state *st = d->sampler->st;
	const struct message *out = sampler_step(d, stage, in, now);
	if (!out)
		return;
	if (stage + 1 == d->sampler->compressor.spec.count) {
		sampler_send(d, out, now);
		return;
	}
	st->latch[stage] = *out;
	st->latched |= UINT64_C(1) << stage;
}

/* Starts with the last component, so that each takes its predecessor's output of the previous
 * cycle. */
static void sampler_on_cycle(struct prof *d)
{
	struct sampler_state *st = d->sampler->st;
	const uint64_t now = prof_now(d);
	if (d->puts_off) {
		prof_busy(d, DEVICE_SAMPLER, false); /* until it has caught up */
		return;
	}
	if (st->message_count)
		sampler_serve(d, now);
	for (unsigned i = COMPRESSOR_STAGES_MAX - 1; st->latched && i > 0; i--) {
		const uint64_t before = UINT64_C(1) << (i - 1);
		if (!(st->latched & before))
			continue;
		st->latched &= ~before;
		sampler_advance_stage(d, i, &st->latch[i - 1], now);
	}
	if (st->tuple_count > st->fresh)
		sampler_advance_stage(d, 0, &(struct message){pop_tuple(d), 1}, now);
	st->fresh = 0;
	sampler_stay_busy(d);
}

/* With nothing in the chain it rests until the service thread takes a message. */
static uint64_t rests_until(const struct prof *d)
{
	const struct sampler_state *st = d->sampler->st;
	return d->puts_off || st->tuple_count || st->latched || !has_service(d) ? 0
	                                                                         : service_from(d);
}

/* ---- the selector ---- */
static void sampler_enqueue_tuple(struct prof *d, struct tuple t, unsigned kind,
                                  const struct uop *u, uint64_t now)
{
	struct sampler_state *st = d->sampler->st;
	const bool room = st->tuple_count < (uint64_t)d->cfg->sampler_tuple_queue;
	sampler_selected(d, &t, 1, now, !room);
	if (room) {
		d->sampler->tuples[sampler_place_in(st->tuple_head, st->tuple_count++,
		                                    d->cfg->sampler_tuple_queue)] = t;
		st->fresh++;
		if (st->tuple_count > st->most_tuples)
			st->most_tuples = st->tuple_count;
	} else {
		d->stats->sampler_dropped++;
	}
	PROF_EMIT(d, TUPLE, tuple, u, u->pc, .value = t.value, .kind = kind, .tag = tuple_tag(t),
	          .dropped = !room);
}

static void sampler_on_retired(struct prof *d, const struct retired *bundle, unsigned n)
{
	struct sampler_state *st = d->sampler->st;
	struct tuple picked[SAMPLER_STREAMS_MAX];
	uint8_t kind[SAMPLER_STREAMS_MAX];
	const uint64_t now = prof_now(d);
	if (d->puts_off) {
		sampler_put_off_retired(d, bundle, n, now);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct uop *u = bundle[i].u;
		unsigned count;
		if (!st->wanted[u->inst.op] || bundle[i].machine)
			continue;
		if (!sampler_pick_plain(st, &u->inst, u->pc, u->result, picked, kind, &count))
			count = sampler_pick_retired(st, &bundle[i], picked, kind);
		for (unsigned k = 0; k < count; k++)
			sampler_enqueue_tuple(d, picked[k], kind[k], u, now);
	}
	if (st->fresh)
		prof_busy(d, DEVICE_SAMPLER, true);
}

static void sampler_add_retired_ops(const struct prof *d, struct op_set *ops)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (d->sampler->st->wanted[op])
			op_set_add(ops, op);
}

static bool sampler_on_executed(struct prof *d, const struct executed *e)
{
	struct sampler_state *st = d->sampler->st;
	struct tuple picked[SAMPLER_STREAMS_MAX];
	uint8_t kind[SAMPLER_STREAMS_MAX];
	if (!st->wanted[e->in->op] || e->machine)
		return false;
	unsigned count;
	if (!sampler_pick_plain(st, e->in, e->pc, e->result, picked, kind, &count))
		count = sampler_pick_executed(st, e, picked, kind);
	if (!count)
		return false;
	if (st->tuple_count | st->latched) {
		d->plugins->untimed_now = e->now;
		sampler_flush_queue(d, e->now);
	}
	for (unsigned k = 0; k < count; k++)
		sampler_put_off(d, picked[k], e->now);
	if (__builtin_expect(!d->prompt, 1))
		return false;
	d->plugins->untimed_now = e->now;
	/* firmware's interrupt or a plug-in's failure comes right after this instruction */
	sampler_catch_up(d, UINT64_MAX);
	return (st->threshold && st->message_count >= st->threshold) ||
	       (d->plugins->record && d->plugins->record->failed);
}

static uint32_t sampler_selected_kinds(const struct prof *d)
{
	return (uint32_t)d->sampler->st->kinds;
}

/* ---- interrupts: raised by events, not by time ---- */
static uint64_t sampler_pending_irqs(const struct prof *d)
{
	const struct sampler_state *st = d->sampler->st;
	return (uint64_t)(st->threshold && st->message_count >= st->threshold) << IRQ_SAMPLER;
}

static uint64_t sampler_next_irq_never(const struct prof *d)
{
	(void)d;
	return UINT64_MAX;
}

/* ---- registers ---- */
static void sampler_drain_compressor(struct prof *d)
{
	const struct sampler_state *st = d->sampler->st;
	struct message m;
	d->plugins->untimed_now = prof_now(d);
	while (st->message_count < (uint64_t)d->cfg->sampler_message_queue &&
	       compressor_drain(&d->sampler->compressor, &m))
		sampler_send(d, &m, prof_now(d));
	sampler_stay_busy(d);
}

static uint64_t sampler_read_register(struct prof *d, unsigned offset)
{
	const struct sampler_state *st = d->sampler->st;
	const struct message head =
		st->message_count ? sampler_message(d, 0)->message : (struct message){0};
	uint64_t value;
	if (offset >= REGISTER_STREAMS && offset < REGISTER_STREAMS_END) {
		memcpy(&value, (const uint8_t *)st->stream + (offset - REGISTER_STREAMS),
		       sizeof value);
		return value;
	}
	switch (offset) {
	case REGISTER_CONTROL:
		return st->control;
	case REGISTER_WAITING:
		return st->message_count;
	case REGISTER_THRESHOLD:
		return st->threshold;
	case REGISTER_PC:
		return tuple_pc(head.tuple);
	case REGISTER_VALUE:
		return head.tuple.value;
	case REGISTER_TAG:
		return tuple_tag(head.tuple);
	case REGISTER_TAGGED_PC:
		return head.tuple.pc;
	case REGISTER_TAKE:
		if (st->message_count)
			pop_message(d);
		return head.count;
	default:
		return 0;
	}
}

static void sampler_write_register(struct prof *d, unsigned offset, uint64_t value)
{
	struct sampler_state *st = d->sampler->st;
	if (offset >= REGISTER_STREAMS && offset < REGISTER_STREAMS_END) {
		memcpy((uint8_t *)st->stream + (offset - REGISTER_STREAMS), &value, sizeof value);
		sampler_streams_changed(st);
	} else if (offset == REGISTER_CONTROL) {
		st->control = value & 1;
		sampler_streams_changed(st);
	} else if (offset == REGISTER_THRESHOLD) {
		st->threshold = value;
	} else if (offset == REGISTER_DRAIN) {
		sampler_drain_compressor(d);
	}
}

/* ---- life ---- */
/* Only streams of types need operands; firmware may set one at any time. */
static unsigned sampler_device_taps(const struct config *cfg)
{
	struct sampler_select select = {0};
	bool operands = cfg->firmware || !sampler_parse_select(cfg->sampler_select, &select, NULL);
	for (unsigned i = 0; i < select.count; i++)
		operands |= select.stream[i].kind == 1 + TUPLE_TYPE;
	return TAP_RETIRED | TAP_EXECUTED | TAP_CYCLE | (operands ? TAP_OPERANDS : 0u);
}

static void sampler_place_state(struct prof *d, struct arena *a)
{
	struct sampler *s = d->sampler;
	struct compressor_spec spec;
	bool right = sampler_parse_select(d->cfg->sampler_select, &s->select, NULL) &&
	             compressor_parse(d->cfg->sampler_compressor, &spec, NULL);
	assert(right); /* they were checked when they were set */
	(void)right;
	s->st = arena_take(a, "sampler", 1, sizeof *s->st);
	s->tuples = arena_take(a, "sampler tuples", (size_t)d->cfg->sampler_tuple_queue,
	                       sizeof *s->tuples);
	s->messages = arena_take(a, "sampler messages", (size_t)d->cfg->sampler_message_queue,
	                         sizeof *s->messages);
	s->memory = arena_take(a, "sampler counters", 1, compressor_bytes(&spec));
	compressor_be_external(&spec, d->plugins);
	compressor_place(&s->compressor, &spec, s->memory);
	s->compressor.plugins = d->plugins;
}

static bool sampler_init_device(struct prof *d, struct err *err)
{
	const struct compressor_spec spec = d->sampler->compressor.spec;
	if (!compressor_init(&d->sampler->compressor, &spec, d->sampler->memory, err))
		return false;
	d->sampler->compressor.plugins = d->plugins;
	d->sampler->exact = d->cfg->sampler_exact ? sampler_exact_new(d->cfg, err) : NULL;
	return d->sampler->exact || !d->cfg->sampler_exact;
}

static void *sampler_device_attachment(struct prof *d)
{
	return d->sampler->exact;
}

static void sampler_deinit_device(struct prof *d)
{
	sampler_exact_free(d->sampler->exact);
	d->sampler->exact = NULL;
	compressor_deinit(&d->sampler->compressor);
}

static void sampler_reset_device(struct prof *d)
{
	struct sampler *s = d->sampler;
	s->st->control = 1;
	s->st->threshold = d->cfg->sampler_reader == READER_INTERRUPT
	                           ? (uint64_t)d->cfg->sampler_threshold
	                           : 0;
	memcpy(s->st->stream, s->select.stream, sizeof s->st->stream);
	sampler_streams_changed(s->st);
	compressor_reset(&s->compressor, (uint64_t)d->cfg->sampler_seed);
}

const struct device device_sampler = {
	.bytes = sizeof(struct sampler),
	.taps = sampler_device_taps,
	.place = sampler_place_state,
	.init = sampler_init_device,
	.deinit = sampler_deinit_device,
	.attachment = &sampler_attachment,
	.attachment_ctx = sampler_device_attachment,
	.reset = sampler_reset_device,
	.retired = sampler_on_retired,
	.retired_ops = sampler_add_retired_ops,
	.executed = sampler_on_executed,
	.catch_up = sampler_catch_up,
	.kinds = sampler_selected_kinds,
	.cycle = sampler_on_cycle,
	.rests_until = rests_until,
	.pending = sampler_pending_irqs,
	.next_cycle = sampler_next_irq_never,
	.next_inst = sampler_next_irq_never,
	.read = sampler_read_register,
	.write = sampler_write_register,
	.tables = sampler_tables,
	.ranges = sampler_ranges,
	.check = sampler_check,
};
