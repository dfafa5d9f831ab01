#include "core/prof/values/vsample.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/defs/system_word.h"
#include "core/isa/op.h"
#include "core/os/code_versions.h"
#include "core/pipe/memory/cache.h"
#include "core/prof/common/prof.h"

const char *const vsample_stop_name[VSAMPLE_STOP_COUNT] = {
	[VSAMPLE_GOES_ON] = "",
#define S(id, name, help) [VSAMPLE_STOP_##id] = #name,
	VSAMPLE_STOPS(S)
#undef S
};

const char *const vsample_stop_help[VSAMPLE_STOP_COUNT] = {
	[VSAMPLE_GOES_ON] = "",
#define S(id, name, help) [VSAMPLE_STOP_##id] = (help),
	VSAMPLE_STOPS(S)
#undef S
};

const char *const vsample_phase_name[VSAMPLE_PHASES] = {
#define P(id, name, help) [VSAMPLE_##id] = #name,
	VSAMPLE_PHASE_LIST(P)
#undef P
};

/* ---- captures as text ---- */
uint64_t vsample_most(const struct config *cfg)
{
	return (uint64_t)(cfg->vsample_length < VSAMPLE_BLOCK_MAX ? VSAMPLE_BLOCK_MAX
	                                                          : cfg->vsample_length);
}

uint64_t vsample_room(const struct config *cfg)
{
	return (uint64_t)cfg->vsample_queue + vsample_most(cfg) + VSAMPLE_PERIOD;
}

static const struct {
	const char *name;
	unsigned bits;
} captures[] = {
#define F(id, name, help) {name, VSAMPLE_##id},
	VSAMPLE_FIELDS(F)
#undef F
	{"all", (1u << VSAMPLE_FIELD_COUNT) - 1},
	{"none", 0},
};

bool vsample_read_capture(const char *text, unsigned *bits, struct err *err)
{
	struct nearest nearest;
	unsigned words = 0;
	for (*bits = 0;; words++) {
		while (*text == ' ')
			text++;
		const size_t n = strcspn(text, " "), count = sizeof captures / sizeof *captures;
		char word[24];
		size_t i = 0;
		if (!n)
			break;
		snprintf(word, sizeof word, "%.*s", (int)n, text);
		nearest_init(&nearest, word);
		while (i < count &&
		       (strncmp(captures[i].name, text, n) != 0 || captures[i].name[n]))
			nearest_offer(&nearest, captures[i++].name);
		if (i == count)
			return err_set(err, "unknown capture '%s'; %s", word,
			               nearest_said(&nearest, "expected operands, result, address, "
			                                      "latency, context, all or none"));
		*bits |= captures[i].bits;
		text += n;
	}
	return words || err_set(err, "nothing is named; expected operands, result, address, "
	                             "latency, context, all or none");
}

bool vsample_check_capture(const char *text, struct err *err)
{
	unsigned bits;
	return vsample_read_capture(text, &bits, err);
}

/* ---- intervals ---- */
/* 0 to n, all equally likely but for 1 in 2^64. */
static uint64_t up_to(uint64_t *random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)hash_splitmix64_next(random) * (n + 1) >> 64);
}

void vsample_begin_interval(struct prof *d)
{
	struct vsample_state *st = d->vsample->st;
	const uint64_t least = (uint64_t)d->cfg->vsample_interval_min,
		       most = (uint64_t)d->cfg->vsample_interval_max;
	st->interval = least + up_to(&st->random, most - least);
	st->at = d->stats->insts + st->interval;
	prof_changed(d);
}

void vsample_arm(struct prof *d, uint64_t user_cycles)
{
	struct vsample_state *st = d->vsample->st;
	st->armed = 1;
	st->user_cycles = st->user_left = user_cycles;
	st->at = 0;
	prof_changed(d);
}

bool vsample_counts_down(struct prof *d)
{
	struct vsample_state *st = d->vsample->st;
	d->stats->vsample_interrupts++;
	prof_sampled(d);
	if (!st->countdown || --st->countdown)
		return false;
	st->countdown = (uint64_t)d->cfg->vsample_every;
	d->stats->vsample_interpretations++;
	return true;
}

static uint64_t least_skip(const struct prof *d)
{
	if (d->cfg->vsample_skip_min >= 0)
		return (uint64_t)d->cfg->vsample_skip_min;
	return d->vsample->capture->latencies ? (uint64_t)d->cfg->rob_size : 0;
}

uint64_t vsample_draw_skip(struct prof *d)
{
	const uint64_t most = (uint64_t)d->cfg->vsample_skip, least = least_skip(d);
	return most > least ? least + up_to(&d->vsample->st->random, most - least) : least;
}

/* ---- the queue ---- */
/* Number of tuples that the daemon has taken by now; *taking: the cycle in which it is done with
 * the next. */
static uint64_t taken_by(const struct prof *d, uint64_t now, uint64_t *taking)
{
	const struct vsample_state *st = d->vsample->st;
	const uint64_t service = (uint64_t)d->cfg->vsample_service;
	uint64_t waiting = st->written - st->taken;
	*taking = st->taking;
	if (!service || !waiting || st->taking > now)
		return st->taken;
	uint64_t done = 1 + (now - st->taking) / service;
	if (done > waiting)
		done = waiting;
	*taking += done * service;
	return st->taken + done;
}

/* A slot has room for the words that any operation captures, packed. */
unsigned vsample_record_bytes(const struct vsample_capture *capture)
{
	static const struct {
		unsigned bit, words;
	} takes[] = {{VSAMPLE_OPERANDS, 3},
	             {VSAMPLE_RESULT, 1},
	             {VSAMPLE_ADDRESS, 1},
	             {VSAMPLE_LATENCY, 1},
	             {VSAMPLE_CONTEXT, 2}};
	unsigned some = 0, words = 2; /* pc; instruction word */
	for (unsigned op = 0; op < OP_COUNT; op++)
		some |= capture->fields[op];
	for (size_t i = 0; i < sizeof takes / sizeof *takes; i++)
		words += some & takes[i].bit ? takes[i].words : 0;
	for (unsigned i = 0; i < VSAMPLE_EXTRAS; i++)
		words += capture->extra[i].source != VSAMPLE_NOTHING;
	return words * (unsigned)sizeof(uint64_t);
}

uint64_t vsample_record(struct prof *d, struct vsample_tuple *t, uint64_t now)
{
	struct vsample *v = d->vsample;
	struct vsample_state *st = v->st;
	const uint64_t room = (uint64_t)d->cfg->vsample_queue, kept = vsample_room(d->cfg);
	st->taken = taken_by(d, now, &st->taking);
	t->version = (uint8_t)os_code_version(v->os, t->pc);
	t->serial = ++st->serial;
	t->sequence = d->stats->vsample_interpretations;
	d->stats->vsample_tuples++;
	if (st->written - st->taken == room) {
		d->stats->vsample_lost++;
		return 0;
	}
	if (st->written == st->taken)
		st->taking = now + (uint64_t)d->cfg->vsample_service;
	const uint64_t n = st->written++;
	v->queue[n % kept] = *t;
	return (d->cfg->vsample_method == VSAMPLE_BY_UPCALL ? VSAMPLE_LIBRARY_QUEUE
	                                                    : VSAMPLE_QUEUE) +
	       n % room * vsample_record_bytes(v->capture);
}

/* ---- looking ---- */
uint64_t vsample_distance(const struct prof *d)
{
	const struct vsample_state *st = d->vsample->st;
	return st->phase == VSAMPLE_AWAY && st->at > d->stats->insts ? st->at - d->stats->insts : 0;
}

uint64_t vsample_waiting(const struct prof *d)
{
	uint64_t taking;
	return d->vsample->st->written - taken_by(d, *d->cycle, &taking);
}

uint64_t vsample_taken(const struct prof *d)
{
	uint64_t taking;
	return taken_by(d, *d->cycle, &taking);
}

const struct vsample_tuple *vsample_entered(const struct prof *d, uint64_t n)
{
	return &d->vsample->queue[n % vsample_room(d->cfg)];
}

const struct vsample_tuple *vsample_find(const struct prof *d, uint64_t serial)
{
	const struct vsample_state *st = d->vsample->st;
	const uint64_t room = (uint64_t)d->cfg->vsample_queue,
		       n = st->written < room ? st->written : room;
	/* Serial numbers rise, with gaps where tuples were lost. */
	uint64_t lo = st->written - n, hi = st->written;
	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;
		if (vsample_entered(d, mid)->serial < serial)
			lo = mid + 1;
		else
			hi = mid;
	}
	const struct vsample_tuple *t = vsample_entered(d, lo);
	return lo < st->written && t->serial == serial ? t : NULL;
}

/* ---- life ---- */
static void vsample_place_state(struct prof *d, struct arena *a)
{
	d->vsample->st = arena_take(a, "value sampler", 1, sizeof *d->vsample->st);
	d->vsample->queue = arena_take(a, "value tuples", (size_t)vsample_room(d->cfg),
	                               sizeof *d->vsample->queue);
	d->vsample->capture = arena_take(a, "value capture", 1, sizeof *d->vsample->capture);
}

void vsample_set_capture(struct prof *d, const struct vsample_capture *capture)
{
	*d->vsample->capture = *capture;
}

static void vsample_reset_device(struct prof *d)
{
	struct err err;
	unsigned bits;
	vsample_read_capture(d->cfg->vsample_capture, &bits, &err); /* it has been checked */
	for (unsigned op = 0; op < OP_COUNT; op++)
		d->vsample->capture->fields[op] = (uint16_t)(bits | VSAMPLE_TUPLE);
	d->vsample->st->random = (uint64_t)d->cfg->vsample_seed;
	d->vsample->st->countdown = (uint64_t)d->cfg->vsample_every;
	vsample_begin_interval(d);
}

static uint64_t vsample_next_irq_inst(const struct prof *d)
{
	const uint64_t at = d->vsample->st->at;
	return at > d->stats->insts ? at + d->stats->functional_insts : UINT64_MAX;
}

static const struct state_field state_fields[] = {
#define STATE(...) STATE_ROW(vsample_state, __VA_ARGS__)
#include "core/prof/values/vsample_state.def"
#undef STATE
};

static const struct state_field block_fields[] = {
#define STATE(...) STATE_ROW(vsample_block, __VA_ARGS__)
#include "core/prof/values/vsample_block.def"
#undef STATE
};

static unsigned vsample_state_tables(const struct prof *d, struct state_part out[STATE_PARTS_MAX])
{
	out[0] = STATE_PART("value sampler", state_fields, d->vsample->st, 1);
	out[1] = STATE_PART("its block", block_fields, &d->vsample->st->block, 1);
	return 2;
}

static uint64_t vsample_most_skip(const struct prof *d)
{
	const uint64_t most = (uint64_t)d->cfg->vsample_skip;
	return most > least_skip(d) ? most : least_skip(d);
}

/* Ranges of the table's fields, and of the fields of its instructions. */
static void block_ranges(const struct vsample_block *b, struct ranges *rs)
{
	static const char name[] = "value sampler";
#define STATE(...) STATE_RANGE(rs, name, b, __VA_ARGS__)
#include "core/prof/values/vsample_block.def"
#undef STATE
	INST_FORM_RANGES(rs, name, b->at, VSAMPLE_BLOCK_MAX, );
	RANGE(rs, name, b->at, VSAMPLE_BLOCK_MAX, klass, RANGE_MOST, CLASS_COUNT - 1);
	RANGE(rs, name, b->at, VSAMPLE_BLOCK_MAX, rd, RANGE_MOST, REG_SINK);
	RANGE(rs, name, b->at, VSAMPLE_BLOCK_MAX, rs1, RANGE_MOST, REG_SINK - 1);
	RANGE(rs, name, b->at, VSAMPLE_BLOCK_MAX, rs2, RANGE_MOST, REG_SINK - 1);
	RANGE(rs, name, b->at, VSAMPLE_BLOCK_MAX, rs3, RANGE_MOST, REG_SINK - 1);
}

static void vsample_state_ranges(const struct prof *d, struct ranges *rs)
{
	static const char name[] = "value sampler";
	const struct vsample_state *st = d->vsample->st;
	const struct vsample_tuple *queue = d->vsample->queue;
#define STATE(...) STATE_RANGE(rs, name, st, __VA_ARGS__)
#include "core/prof/values/vsample_state.def"
#undef STATE
	block_ranges(&st->block, rs);
	RANGE_PART(rs, "value tuples", queue, vsample_room(d->cfg), served, 0, 7, "level",
	           RANGE_MOST, LEVEL_COUNT - 1);
	RANGE(rs, "value capture", d->vsample->capture, 1, latencies, RANGE_MOST, 1);
	RANGE(rs, "value tuples", queue, vsample_room(d->cfg), place, RANGE_MOST, RANGE_TIME);
	RANGE(rs, "value capture", d->vsample->capture->extra, VSAMPLE_EXTRAS, source, RANGE_MOST,
	      VSAMPLE_SOURCES - 1);
	RANGE(rs, "value capture", d->vsample->capture->extra, VSAMPLE_EXTRAS, number, RANGE_MOST,
	      stat_row_count > REG_SINK ? stat_row_count : REG_SINK);
}

static const char *vsample_check_state(const struct prof *d, bool all)
{
	(void)all;
	const struct vsample_state *st = d->vsample->st;
	const struct stats *s = d->stats;
	if (st->phase >= VSAMPLE_PHASES)
		return "the value sampler's handler is nowhere";
	if (st->armed > 1 || (st->armed && st->at) || st->block.n > VSAMPLE_BLOCK_MAX ||
	    st->block.recorded > st->block.executed || st->block.executed > st->block.n)
		return "the value sampler's block is impossible";
	if (st->taken > st->written || st->written - st->taken > (uint64_t)d->cfg->vsample_queue)
		return "the value sampler's queue holds more than there is room for";
	if (st->written + s->vsample_lost != s->vsample_tuples || st->serial != s->vsample_tuples)
		return "the value sampler's tuples don't add up";
	for (unsigned i = 0; i < VSAMPLE_EXTRAS; i++) {
		const struct vsample_extra *x = &d->vsample->capture->extra[i];
		if (x->source >= VSAMPLE_SOURCES ||
		    (x->source == VSAMPLE_SYSTEM && x->number >= SYSTEM_WORD_COUNT) ||
		    (x->source == VSAMPLE_REG && x->number >= REG_SINK) ||
		    (x->source == VSAMPLE_STAT &&
		     (x->number >= stat_row_count || stat_rows[x->number].derived)))
			return "the value sampler is to capture a register, a counter or a state "
			       "that there is not";
	}
	return NULL;
}

const struct device device_vsample = {
	.bytes = sizeof(struct vsample),
	.place = vsample_place_state,
	.reset = vsample_reset_device,
	.next_inst = vsample_next_irq_inst,
	.tables = vsample_state_tables,
	.ranges = vsample_state_ranges,
	.check = vsample_check_state,
};
