#include "core/prof/profileme/profileme.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/uop.h"
#include "core/prof/common/prof.h"

const char *const profileme_event_name[PROFILEME_EVENT_COUNT] = {
#define E(id, name, help) #name,
	PROFILEME_EVENTS(E)
#undef E
};

const char *const profileme_fate_name[PROFILEME_FATE_COUNT] = {
#define F(id, name, help) #name,
	PROFILEME_FATES(F)
#undef F
};

const char *const profileme_latency_name[PROFILEME_LATENCY_COUNT] = {
#define L(id, name, help) #name,
	PROFILEME_LATENCIES(L)
#undef L
};

/* ---- counts by pc ---- */
enum { COUNT_WORDS = sizeof(struct profileme_counts) / sizeof(uint64_t) };

static void profileme_count_record(struct prof *d, const struct profileme_record *r)
{
	struct profileme_table *t = d->profileme->table;
	struct oracle_entry *e;
	t->head.told++;
	t->head.delay += r->delay;
	const enum oracle_outcome found = oracle_table_at(&t->table, r->pc, 0, 0, &e);
	if (found > ORACLE_NEW) {
		t->head.lost++;
		t->head.starved += found == ORACLE_NO_MEMORY;
		/* statistics must not depend on the host's memory */
		d->stats->profileme_lost = t->head.lost - t->head.starved;
		return;
	}
	struct profileme_counts *c = (struct profileme_counts *)(void *)e->more;
	e->count++;
	c->fates[r->fate]++;
	for (uint64_t left = r->events; left; left &= left - 1)
		c->events[__builtin_ctzll(left)]++;
	if (r->fate != PROFILEME_FATE_RETIRED)
		return;
	c->delay += r->delay;
	for (unsigned i = 0; i < PROFILEME_LATENCY_COUNT; i++)
		c->latency[i] += r->latency[i];
}

/* ---- tags ---- */
static bool read_by_handler(const struct config *cfg)
{
	return cfg->vsample && cfg->profileme_reader == 0;
}

/* The longest interval; if it is not given, the value sampler's shortest one. */
static uint64_t profileme_max_interval(const struct config *cfg)
{
	if (cfg->profileme_interval_max)
		return (uint64_t)cfg->profileme_interval_max;
	const uint64_t most = (uint64_t)cfg->vsample_interval_min,
		       least = (uint64_t)cfg->profileme_interval_min;
	return most > least ? most : least;
}

static void profileme_arm_interval(struct prof *d)
{
	struct profileme_state *st = d->profileme->st;
	const uint64_t least = (uint64_t)d->cfg->profileme_interval_min,
		       lengths = profileme_max_interval(d->cfg) - least + 1;
	st->interval = st->left =
		least +
		(uint64_t)((unsigned __int128)hash_splitmix64_next(&st->random) * lengths >> 64);
	st->phase = PROFILEME_COUNTS;
}

static void profileme_consume_record(struct prof *d)
{
	d->stats->profileme_records++;
	d->stats->profileme_retired += d->profileme->st->record.fate == PROFILEME_FATE_RETIRED;
	profileme_count_record(d, &d->profileme->st->record);
	profileme_arm_interval(d);
}

/* The value sampler's handler reads the record, if there is one, unless a daemon does. */
static void profileme_on_sampled(struct prof *d)
{
	if (d->profileme->st->phase == PROFILEME_HOLDS && read_by_handler(d->cfg))
		profileme_consume_record(d);
}

static void profileme_on_decoded(struct prof *d, const struct uop *u)
{
	struct profileme_state *st = d->profileme->st;
	d->stats->profileme_decoded++;
	if (st->phase != PROFILEME_COUNTS || --st->left)
		return;
	st->phase = PROFILEME_FOLLOWS;
	st->record = (struct profileme_record){
		.serial = st->record.serial + 1, .pc = u->pc, .seq = u->seq};
}

/* ---- fates ---- */
static uint64_t profileme_event_bits(const struct uop *u, uint64_t now)
{
	const bool accessed = (u->op_flags & OPF_LOAD) && u->when.mem <= now;
	const bool missed = accessed && level_is_miss(u->mem.level, u->mem.delayed);
	const bool resolved = u->when.done <= now;
#define BIT(id, yes) ((uint64_t)(yes) << PROFILEME_##id)
	return BIT(ICACHE_MISS, (u->fetched & FETCHED_LEVEL) > LEVEL_L1) |
	       BIT(ITLB_MISS, (u->fetched & FETCHED_TLB_MISS) != 0) |
	       BIT(DCACHE_MISS, missed) |
	       BIT(DCACHE_DELAYED, accessed && u->mem.delayed) |
	       BIT(L2_MISS, missed && u->mem.level == LEVEL_MEMORY) |
	       BIT(DTLB_MISS, accessed && (u->flags & UF_TLB_MISS)) |
	       BIT(FORWARDED, accessed && (u->mem.level == LEVEL_FORWARD ||
	                                   u->mem.level == LEVEL_BUFFER)) |
	       BIT(MISPREDICTED, resolved && (u->flags & UF_MISPREDICT));
#undef BIT
}

/* Cycles between two stamps; 0 if either has not happened. */
static uint64_t profileme_stage_latency(uint64_t from, uint64_t to, uint64_t now)
{
	return from <= to && to <= now ? to - from : 0;
}

static void profileme_complete_record(struct prof *d, const struct uop *u, enum profileme_fate fate,
                                      uint64_t events, uint64_t delay)
{
	struct profileme_state *st = d->profileme->st;
	struct profileme_record *r = &st->record;
	const uint64_t now = *d->cycle;
	const struct uop_when *w = &u->when;
	r->cycle = prof_now(d);
	r->fate = fate;
	r->delay = delay;
	r->events = events | profileme_event_bits(u, now);
	r->latency[PROFILEME_LATENCY_FETCH] = profileme_stage_latency(w->fetch, w->dispatch, now);
	r->latency[PROFILEME_LATENCY_OPERANDS] =
		profileme_stage_latency(w->dispatch, w->ready, now);
	r->latency[PROFILEME_LATENCY_ISSUE] = profileme_stage_latency(w->ready, w->issue, now);
	r->latency[PROFILEME_LATENCY_EXECUTE] = profileme_stage_latency(w->issue, w->done, now);
	if (fate == PROFILEME_FATE_RETIRED)
		r->latency[PROFILEME_LATENCY_RETIRE] = now - w->done;
	if ((u->op_flags & OPF_LOAD) && w->mem <= now)
		r->latency[PROFILEME_LATENCY_LOAD] = profileme_stage_latency(w->mem, w->done, now);
	st->phase = PROFILEME_HOLDS;
	if (!read_by_handler(d->cfg))
		profileme_consume_record(d);
}

static void profileme_on_squashed(struct prof *d, const struct uop *u)
{
	const struct profileme_state *st = d->profileme->st;
	const struct squash_cause *why = &d->squash;
	if (st->phase != PROFILEME_FOLLOWS || u->seq != st->record.seq)
		return;
	profileme_complete_record(d, u, (enum profileme_fate)why->fate,
	                          why->replayed == u->seq ? UINT64_C(1) << why->event : 0, 0);
}

static void profileme_on_retired(struct prof *d, const struct retired *bundle, unsigned n)
{
	struct profileme_state *st = d->profileme->st;
	const uint64_t now = *d->cycle, handler = d->stats->vsample_cycles;
	for (unsigned i = 0; st->phase == PROFILEME_FOLLOWS && i < n; i++)
		if (bundle[i].u->seq == st->record.seq)
			profileme_complete_record(d, bundle[i].u, PROFILEME_FATE_RETIRED, 0,
			                          i ? 0 : now - st->last - (handler - st->handler));
	st->last = now;
	st->handler = handler;
}

/* ---- looking ---- */
const struct profileme_counts *profileme_find(const struct prof *d, uint64_t pc)
{
	const struct profileme_table *t = d->profileme->table;
	const struct oracle_entry *e = t ? oracle_table_find(&t->table, pc, 0) : NULL;
	return e ? (const struct profileme_counts *)(const void *)e->more : NULL;
}

bool profileme_delay(const struct prof *d, uint64_t pc, double *cycles)
{
	const struct profileme_counts *c = profileme_find(d, pc);
	if (!c || !c->fates[PROFILEME_FATE_RETIRED])
		return false;
	*cycles = (double)c->delay / (double)c->fates[PROFILEME_FATE_RETIRED];
	return true;
}

uint32_t profileme_entries(const struct prof *d)
{
	return d->profileme->table ? d->profileme->table->head.pcs : 0;
}

const struct profileme_counts *profileme_entry(const struct prof *d, uint32_t i, uint64_t *pc)
{
	const struct oracle_entry *e = oracle_table_entry(&d->profileme->table->table, i);
	*pc = e->key[0];
	return (const struct profileme_counts *)(const void *)e->more;
}

double profileme_scale(const struct prof *d)
{
	const uint64_t told = d->profileme->table ? d->profileme->table->head.told : 0;
	return told ? (double)d->stats->profileme_decoded / (double)told : 0;
}

uint64_t profileme_all_delay(const struct prof *d)
{
	return d->profileme->table ? d->profileme->table->head.delay : 0;
}

/* ---- invariants ---- */
const char *profileme_check(const struct profileme_table *t)
{
	uint64_t records = t->head.lost;
	const char *wrong = oracle_table_check(&t->table);
	for (uint32_t i = 0; !wrong && i < t->head.pcs; i++) {
		const struct oracle_entry *e = oracle_table_entry(&t->table, i);
		if (profileme_samples((const struct profileme_counts *)(const void *)e->more) !=
		    e->count)
			wrong = "records of an instruction don't add up";
		records += e->count;
	}
	return wrong || records == t->head.told
	               ? wrong
	               : "ProfileMe's records don't add up to what was read";
}

static const char *profileme_check_table(const void *owner)
{
	return profileme_check(owner);
}

static const struct state_field state_fields[] = {
#define STATE(...) STATE_ROW(profileme_state, __VA_ARGS__)
#include "core/prof/profileme/profileme_state.def"
#undef STATE
};

static unsigned profileme_state_tables(const struct prof *d, struct state_part out[STATE_PARTS_MAX])
{
	out[0] = STATE_PART("ProfileMe", state_fields, d->profileme->st, 1);
	return 1;
}

static void profileme_state_ranges(const struct prof *d, struct ranges *rs)
{
	static const char name[] = "ProfileMe";
	const struct profileme_state *st = d->profileme->st;
#define STATE(...) STATE_RANGE(rs, name, st, __VA_ARGS__)
#include "core/prof/profileme/profileme_state.def"
#undef STATE
	/* fields of its record */
	RANGE(rs, name, st, 1, record.fate, RANGE_MOST, PROFILEME_FATE_COUNT - 1);
	RANGE(rs, name, st, 1, record.events, RANGE_BITS,
	      (UINT64_C(1) << PROFILEME_EVENT_COUNT) - 1);
}

/* Cheap in each cycle, complete (`all`) now and then. */
static const char *profileme_check_state(const struct prof *d, bool all)
{
	const struct profileme_state *st = d->profileme->st;
	const struct profileme_table *t = d->profileme->table;
	if (st->phase > PROFILEME_HOLDS ||
	    (st->phase == PROFILEME_COUNTS && (!st->left || st->left > st->interval)))
		return "ProfileMe's tag is nowhere";
	if (t->head.told != d->stats->profileme_records)
		return "ProfileMe's counts are not of this machine's cycle";
	return all ? profileme_check(t) : NULL;
}

/* ---- life ---- */
static const struct profileme_head blank;
static_assert(offsetof(struct profileme_table, store) == 0,
              "an attachment's functions get the table, and find its store");
static_assert(sizeof(struct profileme_head) % sizeof(uint64_t) == 0, "no padding: it is hashed");

static unsigned profileme_device_taps(const struct config *cfg)
{
	(void)cfg;
	return TAP_DECODED | TAP_SQUASHED | TAP_RETIRED;
}

static void profileme_place_state(struct prof *d, struct arena *a)
{
	d->profileme->st = arena_take(a, "ProfileMe", 1, sizeof *d->profileme->st);
}

static bool profileme_init_device(struct prof *d, struct err *err)
{
	const uint32_t chunks = (uint32_t)(d->cfg->profileme_memory / ORACLE_CHUNK);
	struct profileme_table *t = d->profileme->table = alloc_zeroed(1, sizeof *t);
	if (!t)
		return err_set(err, "out of memory for ProfileMe's counts");
	t->store = (struct oracle_store){.tables = 1,
	                                 .head = &t->head,
	                                 .blank = &blank,
	                                 .head_bytes = sizeof t->head,
	                                 .what = "ProfileMe",
	                                 .memory = "profileme.memory",
	                                 .check = profileme_check_table};
	if (!oracle_store_init(&t->store, chunks, err))
		return false;
	oracle_table_init(&t->table, t->store.cow, 0, chunks, COUNT_WORDS);
	t->table.count = &t->head.pcs;
	t->table.hits = t->store.hits;
	return true;
}

static void profileme_deinit_device(struct prof *d)
{
	if (!d->profileme->table)
		return;
	oracle_store_deinit(&d->profileme->table->store);
	free(d->profileme->table);
	d->profileme->table = NULL;
}

static void profileme_reset_device(struct prof *d)
{
	d->profileme->st->random = (uint64_t)d->cfg->profileme_seed;
	profileme_arm_interval(d);
}

static void *profileme_device_attachment(struct prof *d)
{
	return d->profileme->table;
}

static const struct attachment_ops profileme_attachment = ORACLE_STORE_ATTACHMENT("profileme");

const struct device device_profileme = {
	.bytes = sizeof(struct profileme),
	.taps = profileme_device_taps,
	.place = profileme_place_state,
	.init = profileme_init_device,
	.deinit = profileme_deinit_device,
	.reset = profileme_reset_device,
	.attachment = &profileme_attachment,
	.attachment_ctx = profileme_device_attachment,
	.decoded = profileme_on_decoded,
	.squashed = profileme_on_squashed,
	.retired = profileme_on_retired,
	.sampled = profileme_on_sampled,
	.tables = profileme_state_tables,
	.ranges = profileme_state_ranges,
	.check = profileme_check_state,
};
