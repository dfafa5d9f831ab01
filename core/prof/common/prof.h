/* The devices of one machine, and how the pipeline reaches them.
 *
 * struct prof holds pointers into the arena and to what devices keep beside it; none of that moves
 * while the machine lives. The pipeline calls prof_*() in its profiling variants only; with no
 * device there is no call. */
#ifndef CYCLOPS_CORE_PROF_COMMON_PROF_H
#define CYCLOPS_CORE_PROF_COMMON_PROF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/defs/stats.h"
#include "core/isa/inst.h"
#include "core/prof/common/device.h"
#include "core/prof/common/squash_cause.h"

struct config;
struct cop;
struct event_sink;
struct firmware;
struct oracle;
struct plugin_bank;
struct profileme;
struct sampler;
struct uop;
struct vsample;

struct prof_state {
	/* committed guest instructions behind which a device must be asked, before another commits
	 */
	uint64_t next_inst;
	struct op_set retired; /* operations that devices want to know of when they commit */
	uint64_t busy;      /* 1 << enum device_id: who has something to do in each cycle */
};

struct prof {
	const struct config *cfg;
	struct stats *stats;
	const uint64_t *cycle; /* the pipeline's clock */
	struct event_sink *events; /* the pipeline's */
	struct plugin_bank *plugins; /* the pipeline's */
	const struct uop *pool; /* the pipeline's, where events find the slot of an instruction */
	uint32_t pool_size;
	/* without timing: guest cycles minus instructions that the hart has counted */
	uint64_t functional_from;
	bool functional;       /* the machine executes without timing: no cycles, no events */
	bool puts_off;         /* nobody looks: devices may leave work for prof_catch_up() */
	uint64_t undone;       /* then: the first guest cycle whose work they may have left */
	struct prof_state *st; /* in the arena */
	const struct device *present[DEVICE_COUNT]; /* [count], in the table's order */
	unsigned count;
	/* Who wants what. */
	bool decoded, accessed, squashed, retired, operands, executed, pending;
	bool holds; /* the value sampler may hold the pipeline */
	/* what devices do may not wait: somebody may be interrupted, or a plug-in fail */
	bool prompt;
	struct tap {
		const struct device *of[DEVICE_COUNT]; /* [count], in the table's order */
		unsigned count;
	} tap[TAP_COUNT];
	/* by enum device_id: who wants TAP_CYCLE, else NULL */
	const struct device *ticks[DEVICE_COUNT];
	/* Of what is executed without timing, as of the last prof_wanted(). */
	struct wanted {
		uint32_t kinds[DEVICE_COUNT];     /* [tap.count], as the devices said */
		struct op_set ops[DEVICE_COUNT]; /* [tap.count], the same as operations */
		struct op_set all;               /* what any of them wants */
	} wanted;

	struct squash_cause squash; /* of the squash under way */
	/* Owned; opaque here: whoever needs a device's fields includes its header. */
	struct devices *devices;
	struct firmware *firmware;
	struct sampler *sampler;
	struct cop *cop;
	struct vsample *vsample;
	struct profileme *profileme;
	struct oracle *oracle; /* NULL: there is none */
};

/* Makes room for the devices; false: there is no memory. */
bool prof_alloc(struct prof *d);
/* cfg, stats, cycle, events, plugins and pool are set by the caller. */
void prof_place(struct prof *d, struct arena *a);
bool prof_init(struct prof *d, struct err *err);
void prof_deinit(struct prof *d);
void prof_reset(struct prof *d);

/* Guest time in cycles: fast-forwarded instructions are one each. */
static inline uint64_t prof_now(const struct prof *d)
{
	return stats_guest_cycle(d->stats, *d->cycle);
}

/* Guest instructions committed. */
static inline uint64_t prof_insts(const struct prof *d)
{
	return STAT(d->stats, functional_insts) + STAT(d->stats, insts);
}

/* A device with a cycle tap says whether it wants to be called in each cycle from now on, beginning
 * with this one if commit is not over yet. At first nobody does. */
static inline void prof_busy(struct prof *d, enum device_id id, bool busy)
{
	d->st->busy = (d->st->busy & ~(UINT64_C(1) << id)) | (uint64_t)busy << id;
}

/* ---- the points of a cycle ---- */
void prof_decoded(struct prof *d, const struct uop *u);
void prof_accessed(struct prof *d, const struct uop *u);
void prof_squashed(struct prof *d, const struct uop *u);
void prof_retired(struct prof *d, const struct retired *bundle, unsigned n);
/* Of those that are busy; there is one. */
void prof_cycle(struct prof *d);
/* If none of them is touched until then: the first guest cycle in which a busy one does anything.
 * 0: one may in any; UINT64_MAX: none is busy. */
uint64_t prof_rests_until(const struct prof *d);
/* Without timing: asks what devices want to know of, and tells those that want to know of this one.
 * True if somebody asks for an interrupt behind it. */
const struct op_set *prof_wanted(struct prof *d);
bool prof_executed(struct prof *d, const struct executed *e);
/* From this cycle on nobody looks at devices, and none can be asked for an interrupt before
 * prof_catch_up(): they may put off what they do. Not if there is firmware, or a device that could
 * interrupt it. */
void prof_put_off(struct prof *d);
/* Whatever they have put off is done, before anybody looks at them. Cycles are over up to and with
 * this guest cycle; without timing all are. */
void prof_catch_up(struct prof *d, uint64_t through);

/* ---- interrupts ---- */
/* What devices ask for now. */
uint64_t prof_pending(const struct prof *d);
/* The same, for who runs the machine: at least whenever as many guest instructions have committed
 * as prof_state.next_inst says, which is then found anew. */
uint64_t prof_poll(struct prof *d);
uint64_t prof_next_cycle(const struct prof *d);
/* A device's registers were written: asks all again when commit has to stop for them, and what they
 * want to know of there. */
void prof_changed(struct prof *d);

/* ---- registers ---- */
/* Whether an access of this size there is one to a device's register. */
bool prof_register_at(const struct prof *d, uint64_t addr, unsigned size);
uint64_t prof_read(struct prof *d, uint64_t addr);
void prof_write(struct prof *d, uint64_t addr, uint64_t value);
/* Cycles that such an access takes beside what any device's does. */
uint64_t prof_access_cycles(const struct prof *d, uint64_t addr);
/* Between two cycles: registers of a device that has some, as n struct device_write say, in their
 * order. Tells of no events. */
void prof_write_all(struct prof *d, enum device_id id, const void *writes, size_t n);

/* What may stand in the devices' sections of the arena. */
void prof_ranges(const struct prof *d, struct ranges *rs);
/* NULL, or what about a device's state is impossible: what is cheap to ask, and all there is to
 * ask. */
const char *prof_check(const struct prof *d);
const char *prof_state_error(const struct prof *d);

#endif
