/* The sampler's deferred work: tuples are picked and kept, and pass through it in batches, which
 * takes a fraction of the time. The resulting state is, byte for byte, the one of working cycle by
 * cycle: it must not depend on where a run was interrupted. */
#include <assert.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/uop.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "core/prof/sampler/sampler_priv.h"

enum { TUPLE_QUEUE_MAX = 256 }; /* the most of sampler.tuple_queue */

/* Tuples that the queue had room for, oldest first, and the cycle in which the first component
 * takes each. */
struct queued {
	size_t count;
	struct tuple tuple[TUPLE_QUEUE_MAX + SAMPLER_BATCH];
	uint64_t at[TUPLE_QUEUE_MAX + SAMPLER_BATCH];
};

void sampler_selected(struct prof *d, const struct tuple *t, size_t n, uint64_t now, bool dropped)
{
	struct sampler *s = d->sampler;
	s->st->last = t[n - 1];
	s->st->last_cycle = now;
	s->st->last_dropped = dropped;
	d->stats->sampler_selected += n;
	if (s->exact)
		sampler_exact_selected(s->exact, t, n);
	for (size_t i = 0; s->sink && i < n; i++)
		s->sink(s->sink_ctx, t[i]);
}

/* ---- without timing ---- */
static void sampler_later_compress_batch(struct prof *d)
{
	struct sampler_batch *b = &d->sampler->batch;
	sampler_selected(d, b->tuple, b->count, b->now[b->count - 1], false);
	for (size_t i = 0, taken; i < b->count; i += taken) {
		struct message m;
		if (compressor_feed(&d->sampler->compressor, b->tuple + i, b->count - i, &m, 1,
		                    &taken))
			sampler_send(d, &m, b->now[i + taken - 1]);
	}
	sampler_stay_busy(d);
	b->count = 0;
}

/* ---- with timing ---- */
/* Begins with the tuples that wait already, which are taken from cycle `undone` on. */
static void queue_waiting(const struct prof *d, struct queued *q)
{
	for (q->count = 0; q->count < d->sampler->st->tuple_count; q->count++) {
		q->tuple[q->count] = sampler_tuple(d, q->count);
		q->at[q->count] = d->undone + q->count;
	}
}

/* Adds a batch: one tuple is taken in each cycle, after the arrivals of that cycle, and none in the
 * cycle of its own arrival. True if there was no room for the last one. */
static bool queue_batch(struct prof *d, struct queued *q)
{
	const struct sampler_batch *b = &d->sampler->batch;
	struct sampler_state *st = d->sampler->st;
	const uint64_t capacity = (uint64_t)d->cfg->sampler_tuple_queue;
	uint64_t tail = sampler_place_in(st->tuple_head, st->tuple_count, (int64_t)capacity);
	uint64_t next = d->undone + q->count; /* cycle in which the first component is free */
	/* cycle of the tuple's arrival; cycle in which the oldest tuple then waiting is taken */
	uint64_t cycle = 0, first = 0;
	uint64_t most = st->most_tuples, dropped = 0;
	bool room = true;
	size_t n = q->count;
	for (size_t i = 0; i < b->count; i++) {
		if (b->now[i] != cycle || !i) {
			cycle = first = b->now[i];
			if (next <= cycle)
				next = first = cycle + 1;
		}
		room = next - first < capacity;
		if (!room) {
			dropped++;
			continue;
		}
		d->sampler->tuples[tail] = q->tuple[n] = b->tuple[i];
		tail = tail + 1 == capacity ? 0 : tail + 1;
		q->at[n++] = next++;
		most = next - first > most ? next - first : most;
	}
	q->count = n;
	st->most_tuples = most;
	d->stats->sampler_dropped += dropped;
	return !room;
}

/* Passes a component's output of cycle now - 1 through the chain, up to cycle `through`. */
static void sampler_later_pass_message(struct prof *d, unsigned stage, const struct message *m,
                                       uint64_t now, uint64_t through)
{
	struct sampler_state *st = d->sampler->st;
	for (; stage < d->sampler->compressor.spec.count; stage++, now++) {
		st->latch[stage - 1] = *m;
		if (now > through) {
			st->latched |= UINT64_C(1) << (stage - 1);
			return;
		}
		m = sampler_step(d, stage, &st->latch[stage - 1], now);
		if (!m)
			return;
	}
	sampler_send(d, m, now - 1);
}

/* Passes on the contents of the latches between components, the last one first. */
static void pass_latched(struct prof *d, uint64_t through)
{
	struct sampler_state *st = d->sampler->st;
	for (unsigned i = COMPRESSOR_STAGES_MAX - 1; st->latched && i-- > 0;) {
		const uint64_t bit = UINT64_C(1) << i;
		if (!(st->latched & bit))
			continue;
		st->latched &= ~bit;
		const struct message m = st->latch[i];
		sampler_later_pass_message(d, i + 1, &m, d->undone, through);
	}
}

/* Feeds n > 0 tuples to the first component. Only its last step is kept for display. */
static void sampler_later_feed_tuples(struct prof *d, const struct queued *q, size_t n,
                                      uint64_t through)
{
	struct compressor *c = &d->sampler->compressor;
	struct sampler_step *s = &d->sampler->st->step[0];
	struct message made;
	bool sent;
	for (size_t i = 0; i < n - 1;) {
		i += compressor_feed_first(c, q->tuple + i, n - 1 - i, &made, &sent);
		if (!sent)
			break;
		s->out = made;
		sampler_later_pass_message(d, 1, &made, q->at[i - 1] + 1, through);
	}
	const struct message last = {q->tuple[n - 1], 1},
			     *out = sampler_step(d, 0, &last, q->at[n - 1]);
	if (out)
		sampler_later_pass_message(d, 1, out, q->at[n - 1] + 1, through);
}

static void do_cycles(struct prof *d, uint64_t through)
{
	struct sampler_state *st = d->sampler->st;
	struct sampler_batch *b = &d->sampler->batch;
	struct queued q;
	queue_waiting(d, &q);
	if (b->count) {
		const bool dropped = queue_batch(d, &q);
		sampler_selected(d, b->tuple, b->count, b->now[b->count - 1], dropped);
		b->count = 0;
	}
	size_t taken = q.count;
	while (taken && q.at[taken - 1] > through)
		taken--;
	pass_latched(d, through);
	if (taken)
		sampler_later_feed_tuples(d, &q, taken, through);
	st->tuple_head = (st->tuple_head + taken) % (uint64_t)d->cfg->sampler_tuple_queue;
	st->tuple_count = q.count - taken;
	sampler_serve(d, through);
	sampler_stay_busy(d);
}

void sampler_catch_up(struct prof *d, uint64_t through)
{
	if (d->functional) {
		if (d->sampler->batch.count)
			sampler_later_compress_batch(d);
	} else if (through >= d->undone) {
		do_cycles(d, through);
	}
}

/* ---- putting off ---- */
void sampler_put_off(struct prof *d, struct tuple t, uint64_t now)
{
	struct sampler_batch *b = &d->sampler->batch;
	b->tuple[b->count] = t;
	b->now[b->count++] = now;
	if (b->count == SAMPLER_BATCH)
		sampler_catch_up(d, UINT64_MAX);
}

void sampler_put_off_retired(struct prof *d, const struct retired *bundle, unsigned n, uint64_t now)
{
	struct sampler_batch *b = &d->sampler->batch;
	struct sampler_state *st = d->sampler->st;
	uint8_t kind[SAMPLER_STREAMS_MAX];
	static_assert(SAMPLER_BATCH >= 2 * PIPE_WIDTH_MAX * SAMPLER_STREAMS_MAX,
	              "a batch takes what commits in a cycle");
	if (b->count > SAMPLER_BATCH - PIPE_WIDTH_MAX * SAMPLER_STREAMS_MAX)
		prof_catch_up(d, now - 1);
	for (unsigned i = 0; i < n; i++) {
		const struct uop *u = bundle[i].u;
		struct tuple *picked = &b->tuple[b->count];
		unsigned count;
		if (!st->wanted[u->inst.op])
			continue;
		if (!sampler_pick_plain(st, &u->inst, u->pc, u->result, picked, kind, &count))
			count = sampler_pick_retired(st, &bundle[i], picked, kind);
		for (unsigned k = 0; k < count; k++)
			b->now[b->count++] = now;
	}
}
