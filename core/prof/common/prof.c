#include "core/prof/common/prof.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/config_fields.h"
#include "core/defs/events.h"
#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/pipe/plugin.h"

enum { REGISTER_PAGE_LOG2 = 12 };

/* Places of their registers, in pages from DEVICE_BASE on. */
static const struct {
	uint32_t first, count;
} pages[DEVICE_COUNT] = {
#define DEVICE(id, name, option, first, count, help) {first, count},
#include "core/defs/devices.def"
#undef DEVICE
};

#define DEVICE(id, name, option, first, count, help)                                               \
	static_assert((uint64_t)(first) + (count) <= (MEM_END - DEVICE_BASE) >>                    \
	                      REGISTER_PAGE_LOG2,                                                  \
	              "registers lie below MEM_END");
#include "core/defs/devices.def"
#undef DEVICE

static unsigned taps_of(const struct device *v, const struct config *cfg)
{
	if (v->taps)
		return v->taps(cfg);
	return (v->retired ? TAP_OPERANDS : 0u) | (v->decoded ? TAP_DECODED : 0u) |
	       (v->accessed ? TAP_ACCESSED : 0u) | (v->squashed ? TAP_SQUASHED : 0u) |
	       (v->retired ? TAP_RETIRED : 0u) | (v->executed ? TAP_EXECUTED : 0u) |
	       (v->cycle ? TAP_CYCLE : 0u);
}

static void find_present(struct prof *d)
{
	d->count = 0;
	memset(d->tap, 0, sizeof d->tap);
	memset(d->ticks, 0, sizeof d->ticks);
	d->wanted = (struct wanted){0};
	d->holds = d->cfg->vsample;
	for (unsigned i = 0; i < DEVICE_COUNT; i++) {
		const struct device *v = d->table[i];
		if (!device_exists(d->cfg, (enum device_id)i))
			continue;
		d->present[d->count++] = v;
		d->pending |= v->pending && d->cfg->firmware;
		unsigned taps = taps_of(v, d->cfg);
		for (unsigned t = 0; t < TAP_COUNT; t++)
			if (taps >> t & 1)
				d->tap[t].of[d->tap[t].count++] = v;
		d->ticks[i] = taps & TAP_CYCLE ? v : NULL;
		d->decoded |= (taps & TAP_DECODED) != 0;
		d->accessed |= (taps & TAP_ACCESSED) != 0;
		d->squashed |= (taps & TAP_SQUASHED) != 0;
		d->retired |= (taps & TAP_RETIRED) != 0;
		d->operands |= (taps & TAP_OPERANDS) != 0;
		d->executed |= (taps & TAP_EXECUTED) != 0;
	}
}

void prof_place(struct prof *d, struct arena *a)
{
	find_present(d);
	d->prompt = d->pending || d->plugins->at[PLUGIN_STAGE];
	d->st = arena_take(a, "devices", 1, sizeof *d->st);
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->place)
			d->present[i]->place(d, a);
}

bool prof_init(struct prof *d, struct err *err)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->stream && !d->streams &&
		    !(d->streams = alloc_zeroed(OS_STREAMS, sizeof *d->streams)))
			return err_set(err, "out of memory for the program's streams");
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->init && !d->present[i]->init(d, err))
			return false;
	return true;
}

void prof_deinit(struct prof *d)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->deinit)
			d->present[i]->deinit(d);
	free(d->devices);
	free(d->streams);
}

/* The operations of these kinds. */
static struct op_set ops_of_kinds(uint32_t kinds)
{
	struct op_set ops = {0};
	for (unsigned op = OP_ILLEGAL + 1; op < OP_COUNT; op++)
		if (kinds >> inst_kind(op) & 1)
			op_set_add(&ops, op);
	return ops;
}

/* Sets the union of the operations that devices need at commit. */
static void find_retired_ops(struct prof *d)
{
	const struct tap *tap = &d->tap[__builtin_ctz(TAP_RETIRED)];
	d->st->retired = (struct op_set){0};
	for (unsigned i = 0; i < tap->count; i++) {
		if (tap->of[i]->retired_ops)
			tap->of[i]->retired_ops(d, &d->st->retired);
		else
			d->st->retired = ops_of_kinds(UINT32_MAX);
		if (tap->of[i]->stream)
			op_set_add(&d->st->retired, OP_ECALL);
	}
}

void prof_reset(struct prof *d)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->reset)
			d->present[i]->reset(d);
	prof_changed(d);
}

void prof_new_code(struct prof *d)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->new_code)
			d->present[i]->new_code(d);
}

void prof_stream(struct prof *d, const struct os_stream *s)
{
	if (d->streams && d->stream_count < OS_STREAMS)
		d->streams[d->stream_count++] = *s;
}

void prof_tell_streams(struct prof *d)
{
	for (unsigned at = 0; at < d->stream_count; at++)
		for (unsigned i = 0; i < d->count; i++)
			if (d->present[i]->stream)
				d->present[i]->stream(d, &d->streams[at]);
	d->stream_count = 0;
}

/* Calls function(d, arguments...) of each device that uses this tap. */
#define TELL(TAP, function, ...) \
	do { \
		const struct tap *tap = &d->tap[__builtin_ctz(TAP)]; \
		for (unsigned i = 0; i < tap->count; i++) \
			tap->of[i]->function(d, __VA_ARGS__); \
	} while (0)

void prof_decoded(struct prof *d, const struct uop *u)
{
	TELL(TAP_DECODED, decoded, u);
}

void prof_accessed(struct prof *d, const struct uop *u)
{
	TELL(TAP_ACCESSED, accessed, u);
}

void prof_squashed(struct prof *d, const struct uop *u)
{
	TELL(TAP_SQUASHED, squashed, u);
}

void prof_retired(struct prof *d, const struct retired *bundle, unsigned n)
{
	const struct tap *tap = &d->tap[__builtin_ctz(TAP_RETIRED)];
	tap->of[0]->retired(d, bundle, n);
	for (unsigned i = 1; i < tap->count; i++)
		tap->of[i]->retired(d, bundle, n);
	if (d->stream_count)
		prof_tell_streams(d);
}

void prof_cycle(struct prof *d)
{
	for (uint64_t left = d->st->busy; left; left &= left - 1)
		d->ticks[__builtin_ctzll(left)]->cycle(d);
}

void prof_sampled(struct prof *d)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->sampled)
			d->present[i]->sampled(d);
}

uint64_t prof_rests_until(const struct prof *d)
{
	uint64_t first = UINT64_MAX;
	for (uint64_t left = d->st->busy; left; left &= left - 1) {
		const struct device *v = d->ticks[__builtin_ctzll(left)];
		const uint64_t until = v->rests_until ? v->rests_until(d) : 0;
		first = until < first ? until : first;
	}
	return first;
}

const struct op_set *prof_wanted(struct prof *d)
{
	const struct tap *tap = &d->tap[__builtin_ctz(TAP_EXECUTED)];
	struct wanted *w = &d->wanted;
	uint32_t all = 0, before = 0;
	for (unsigned i = 0; i < tap->count; i++) {
		const struct device *v = tap->of[i];
		uint32_t kinds = v->kinds ? v->kinds(d) : UINT32_MAX;
		all |= kinds;
		before |= w->kinds[i];
		if (kinds == w->kinds[i])
			continue;
		w->kinds[i] = kinds;
		w->ops[i] = ops_of_kinds(kinds);
	}
	if (all != before)
		w->all = ops_of_kinds(all);
	return &w->all;
}

bool prof_executed(struct prof *d, const struct executed *e)
{
	const struct tap *tap = &d->tap[__builtin_ctz(TAP_EXECUTED)];
	bool stop = false;
	if (tap->count == 1) /* for speed */
		return op_set_has(&d->wanted.ops[0], e->in->op) && tap->of[0]->executed(d, e);
	for (unsigned i = 0; i < tap->count; i++)
		if (op_set_has(&d->wanted.ops[i], e->in->op))
			stop |= tap->of[i]->executed(d, e);
	return stop;
}

void prof_put_off(struct prof *d)
{
	d->puts_off = !d->prompt && !d->cfg->firmware;
	d->undone = prof_now(d);
}

void prof_catch_up(struct prof *d, uint64_t through)
{
	if (!d->puts_off && !d->functional)
		return;
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->catch_up)
			d->present[i]->catch_up(d, through);
	d->undone = through + 1;
}

uint64_t prof_poll(struct prof *d)
{
	if (prof_insts(d) >= d->st->next_inst)
		prof_changed(d);
	return prof_pending(d);
}

uint64_t prof_pending(const struct prof *d)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->pending)
			bits |= d->present[i]->pending(d);
	return bits;
}

uint64_t prof_next_cycle(const struct prof *d)
{
	uint64_t first = UINT64_MAX;
	for (unsigned i = 0; i < d->count; i++) {
		uint64_t next = d->present[i]->pending ? d->present[i]->next_cycle(d) : UINT64_MAX;
		first = next < first ? next : first;
	}
	return first;
}

void prof_changed(struct prof *d)
{
	find_retired_ops(d);
	d->st->next_inst = UINT64_MAX;
	for (unsigned i = 0; i < d->count; i++) {
		uint64_t next = d->present[i]->next_inst ? d->present[i]->next_inst(d) : UINT64_MAX;
		if (next < d->st->next_inst)
			d->st->next_inst = next;
	}
}

/* The device whose register is at addr, with its offset; NULL if there is none. */
static const struct device *device_at(const struct prof *d, uint64_t addr, unsigned *offset)
{
	const uint64_t page = (addr - DEVICE_BASE) >> REGISTER_PAGE_LOG2;
	for (unsigned i = 0; addr >= DEVICE_BASE && i < DEVICE_COUNT; i++) {
		const struct device *v = d->table[i];
		if (page < pages[i].first || page - pages[i].first >= pages[i].count)
			continue;
		*offset = (unsigned)(addr - device_registers((enum device_id)i));
		return v->read && device_exists(d->cfg, (enum device_id)i) ? v : NULL;
	}
	return NULL;
}

uint64_t device_registers(enum device_id id)
{
	return DEVICE_BASE + ((uint64_t)pages[id].first << REGISTER_PAGE_LOG2);
}

uint64_t device_register_bytes(enum device_id id)
{
	return (uint64_t)pages[id].count << REGISTER_PAGE_LOG2;
}

bool prof_register_at(const struct prof *d, uint64_t addr, unsigned size)
{
	unsigned offset;
	return size == sizeof(uint64_t) && !(addr & (sizeof(uint64_t) - 1)) &&
	       device_at(d, addr, &offset);
}

uint64_t prof_access_cycles(const struct prof *d, uint64_t addr)
{
	unsigned offset;
	const struct device *v = device_at(d, addr, &offset);
	return v->access_cycles ? v->access_cycles(d) : 0;
}

uint64_t prof_read(struct prof *d, uint64_t addr)
{
	unsigned offset;
	const struct device *v = device_at(d, addr, &offset);
	return v->read(d, offset);
}

void prof_write(struct prof *d, uint64_t addr, uint64_t value)
{
	unsigned offset;
	const struct device *v = device_at(d, addr, &offset);
	v->write(d, offset, value);
	prof_changed(d);
}

void prof_write_all(struct prof *d, enum device_id id, const void *writes, size_t n)
{
	const bool silent = d->functional;
	struct device_write w;
	d->functional = true; /* there is no cycle to report events in */
	for (size_t i = 0; i < n; i++) {
		memcpy(&w, (const uint8_t *)writes + i * sizeof w, sizeof w);
		d->table[id]->write(d, (unsigned)w.offset, w.value);
	}
	d->functional = silent;
	prof_changed(d);
}

void prof_ranges(const struct prof *d, struct ranges *rs)
{
	uint64_t ticking = 0;
	for (unsigned i = 0; i < DEVICE_COUNT; i++)
		ticking |= (uint64_t)(d->ticks[i] != NULL) << i;
	RANGE(rs, "devices", d->st, 1, busy, RANGE_BITS, ticking);
	for (unsigned i = 0; i < d->count; i++)
		if (d->present[i]->ranges)
			d->present[i]->ranges(d, rs);
}

static const char *prof_check_devices(const struct prof *d, bool all)
{
	for (uint64_t left = d->st->busy; left; left &= left - 1)
		if (__builtin_ctzll(left) >= DEVICE_COUNT || !d->ticks[__builtin_ctzll(left)])
			return "a device that has nothing to do in a cycle is busy";
	for (unsigned i = 0; i < d->count; i++) {
		const char *wrong = d->present[i]->check ? d->present[i]->check(d, all) : NULL;
		if (wrong)
			return wrong;
	}
	return NULL;
}

const char *prof_check(const struct prof *d)
{
	return prof_check_devices(d, false);
}

const char *prof_state_error(const struct prof *d)
{
	return prof_check_devices(d, true);
}
