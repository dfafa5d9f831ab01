/* Records on their way from commit to the sample buffer. */
#include "core/defs/event_fields.h"
#include <assert.h>

#include "core/defs/config_fields.h"
#include "core/defs/events.h"
#include "core/defs/stats_fields.h"
#include "core/os/os.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/uop.h"
#include "core/prof/common/emit.h"
#include "core/prof/cop/cop.h"

static unsigned place_in(uint64_t head, uint64_t i, uint64_t capacity)
{
	const uint64_t at = head + i;
	return (unsigned)(at >= capacity ? at - capacity : at);
}

const struct cop_record *cop_way_at(const struct prof *d, uint64_t i)
{
	return &d->cop->way[place_in(d->cop->st->way_head, i, d->cop->way_n)];
}

const struct cop_record *cop_record_at(const struct prof *d, uint64_t i)
{
	return &d->cop->buffer[place_in(d->cop->st->head, i, (uint64_t)d->cfg->cop_buffer)];
}

struct micro_records cop_records(const struct prof *d)
{
	const struct cop_state *st = d->cop->st;
	return (struct micro_records){d->cop->buffer, (unsigned)d->cfg->cop_buffer,
	                              (unsigned)st->head, (unsigned)st->count};
}

static uint16_t cop_record_event_bits(const struct uop *u)
{
	const bool taken = u->exec.next_pc != u->pc + uop_len(u);
	const bool memory = (u->op_flags & OPF_MEMORY) != 0,
		   missed = memory &&
		   level_is_miss(u->mem.level, u->mem.delayed);
	return (uint16_t)(taken << RECORD_EVENT_TAKEN |
	                  ((u->flags & UF_MISPREDICT) != 0) << RECORD_EVENT_MISPREDICTED |
	                  missed << RECORD_EVENT_L1_MISS |
	                  (missed && u->mem.level == LEVEL_MEMORY) << RECORD_EVENT_L2_MISS |
	                  (memory && (u->flags & UF_TLB_MISS)) << RECORD_EVENT_TLB_MISS |
	                  (memory && u->mem.delayed) << RECORD_EVENT_L1_DELAYED |
	                  (memory && (u->mem.level == LEVEL_FORWARD ||
	                              u->mem.level == LEVEL_BUFFER))
	                          << RECORD_EVENT_FORWARDED);
}

/* A record of this class, with the fields that its records carry. */
static struct cop_record cop_record_with_fields(const struct cop_state *st, enum inst_kind kind,
                                                const uint64_t all[RECORD_FIELD_COUNT])
{
	const uint16_t fields = st->fields[kind];
#define FIELD(ID) (fields >> RECORD_##ID & 1 ? all[RECORD_##ID] : 0)
	return (struct cop_record){
		.pc = FIELD(PC),
		.inst = FIELD(INST),
		.rs1 = FIELD(RS1),
		.rs2 = FIELD(RS2),
		.result = FIELD(RESULT),
		.addr = FIELD(ADDR),
		.target = FIELD(TARGET),
		.kind = (uint16_t)kind,
		.fields = fields,
		.words = (uint16_t)(1 + __builtin_popcount(fields)),
	};
#undef FIELD
}

/* The instruction's record. */
static struct cop_record cop_record_of(const struct cop_state *st, const struct retired *r)
{
	const struct uop *u = r->u;
	const uint64_t all[RECORD_FIELD_COUNT] = {
		[RECORD_PC] = u->pc + u->prefix_len,
		[RECORD_INST] = u->inst.len == 2 ? u->inst.raw & 0xffff : u->inst.raw,
		[RECORD_RS1] = r->source[0],
		[RECORD_RS2] = r->source[1],
		[RECORD_RESULT] = u->inst.rd == REG_SINK ? 0 : u->result,
		[RECORD_ADDR] = u->op_flags & OPF_MEMORY ? u->exec.addr : 0,
		[RECORD_TARGET] = u->exec.next_pc,
	};
	struct cop_record record = cop_record_with_fields(st, inst_kind(u->inst.op), all);
	record.seq = u->seq;
	record.latency = r->latency;
	record.events = cop_record_event_bits(u);
	return record;
}

uint64_t cop_record_header(const struct cop_record *r)
{
	return (uint64_t)r->kind | (uint64_t)r->events << 8 | (uint64_t)r->fields << 24 |
	       (uint64_t)r->latency << 32;
}

static bool is_of_stream(const struct cop_record *r)
{
	return r->events >> RECORD_EVENT_STREAM & 1;
}

/* Drops the newest records of the transport queue, up to a stream's, until there is room for
 * another stream's: otherwise all later records would be attributed to the previous stream. */
static void cop_record_make_way(struct prof *d, const struct cop_record *record)
{
	struct cop_state *st = d->cop->st;
	const uint64_t first = st->sent + (st->part != 0);
	while (st->words + record->words > (uint64_t)d->cfg->cop_transport &&
	       st->way_count > first && !is_of_stream(cop_way_at(d, st->way_count - 1))) {
		const unsigned words = cop_way_at(d, --st->way_count)->words;
		st->words -= words;
		st->fresh -= st->fresh < words ? st->fresh : words;
		d->stats->cop_dropped++;
	}
}

/* The same in the sample buffer, except for records that the engine may have begun. */
static void cop_record_make_room(struct prof *d, const struct cop_record *record)
{
	struct cop_state *st = d->cop->st;
	const uint64_t begun = d->cop->micro.st->ahead + UINT64_C(2);
	while (st->buffer_words + record->words > (uint64_t)d->cfg->cop_buffer &&
	       st->count > begun && !is_of_stream(cop_record_at(d, st->count - 1))) {
		st->buffer_words -= cop_record_at(d, --st->count)->words;
		d->stats->cop_lost++;
	}
}

/* Puts the record, of u unless it is NULL, into the transport queue, or drops it. */
static void cop_record_queue(struct prof *d, const struct cop_record *record, const struct uop *u)
{
	struct cop_state *st = d->cop->st;
	if (is_of_stream(record))
		cop_record_make_way(d, record);
	const bool room = st->words + record->words <= (uint64_t)d->cfg->cop_transport;
	d->stats->cop_records++;
	if (room) {
		assert(st->way_count < d->cop->way_n);
		d->cop->way[place_in(st->way_head, st->way_count++, d->cop->way_n)] = *record;
		st->words += record->words;
		st->fresh += record->words;
		if (st->words > st->most_words)
			st->most_words = st->words;
	} else {
		d->stats->cop_dropped++;
	}
	PROF_EMIT(d, SAMPLE, sample, u, u ? u->pc : record->pc, .words = record->words,
	          .waiting = st->words, .dropped = !room);
}

void cop_commit(struct prof *d, const struct retired *r)
{
	const struct cop_record record = cop_record_of(d->cop->st, r);
	cop_record_queue(d, &record, r->u);
}

void cop_stream(struct prof *d, const struct os_stream *s)
{
	const struct cop_state *st = d->cop->st;
	if (d->functional || !(st->control & COP_TAG) || !(st->classes >> INST_SYSTEM & 1))
		return;
	const uint64_t all[RECORD_FIELD_COUNT] = {
		[RECORD_PC] = s->pc,
		[RECORD_RS1] = s->thread,
		[RECORD_RS2] = s->kind == OS_STREAM_HANDLER ? (uint64_t)s->info.signo : 0,
		[RECORD_RESULT] = s->kind == OS_STREAM_RETURN ? 1 : s->ended ? 2 : 0,
		[RECORD_ADDR] = s->sp,
		[RECORD_TARGET] = s->back,
	};
	struct cop_record record = cop_record_with_fields(st, INST_SYSTEM, all);
	record.events = 1 << RECORD_EVENT_STREAM;
	cop_record_queue(d, &record, NULL);
	prof_busy(d, DEVICE_COP, true);
}

/* ---- arriving ---- */
static void cop_record_buffer_arrival(struct prof *d, const struct cop_record *r)
{
	struct cop_state *st = d->cop->st;
	if (is_of_stream(r))
		cop_record_make_room(d, r);
	const bool room = st->buffer_words + r->words <= (uint64_t)d->cfg->cop_buffer;
	if (room) {
		d->cop->buffer[place_in(st->head, st->count++, (uint64_t)d->cfg->cop_buffer)] = *r;
		st->buffer_words += r->words;
		if (st->buffer_words > st->most_buffer_words)
			st->most_buffer_words = st->buffer_words;
	} else {
		d->stats->cop_lost++;
	}
	PROF_EMIT(d, RECORD, record, NULL, r->pc, .kind = r->kind, .words = r->words,
	          .waiting = st->buffer_words, .dropped = !room);
}

static void cop_record_process_arrivals(struct prof *d)
{
	struct cop_state *st = d->cop->st;
	while (st->sent && cop_way_at(d, 0)->arrived <= *d->cycle) {
		cop_record_buffer_arrival(d, cop_way_at(d, 0));
		st->way_head = place_in(st->way_head, 1, d->cop->way_n);
		st->way_count--;
		st->sent--;
	}
}

/* ---- sending ---- */
static void cop_record_send_words(struct prof *d)
{
	struct cop_state *st = d->cop->st;
	uint64_t left = st->words - st->fresh;
	if (left > (uint64_t)d->cfg->cop_bus)
		left = (uint64_t)d->cfg->cop_bus;
	st->fresh = 0;
	st->words -= left;
	d->stats->cop_words += left;
	while (left) {
		struct cop_record *r =
			&d->cop->way[place_in(st->way_head, st->sent, d->cop->way_n)];
		const uint64_t rest = r->words - st->part, taken = rest < left ? rest : left;
		left -= taken;
		st->part += taken;
		if (st->part < r->words)
			return;
		r->arrived = *d->cycle + (uint64_t)d->cfg->cop_bus_latency;
		st->sent++;
		st->part = 0;
	}
}

void cop_transport(struct prof *d)
{
	cop_record_process_arrivals(d);
	cop_record_send_words(d);
}

/* ---- leaving ---- */
void cop_pop(struct prof *d)
{
	struct cop_state *st = d->cop->st;
	assert(st->count);
	st->buffer_words -= cop_record_at(d, 0)->words;
	st->head = place_in(st->head, 1, (uint64_t)d->cfg->cop_buffer);
	st->count--;
}

void cop_flush(struct prof *d)
{
	struct cop_state *st = d->cop->st;
	d->stats->cop_flushed += st->count + st->way_count;
	st->way_head = st->way_count = st->sent = st->words = st->part = st->fresh = 0;
	st->head = st->count = st->buffer_words = 0;
	micro_restart(&d->cop->micro);
}
