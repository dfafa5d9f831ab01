/* The devices of one machine, and how the pipeline reaches them.
 *
 * struct prof holds pointers into the arena and to what devices keep beside it; these addresses
 * don't change while the machine lives. The pipeline calls prof_*() in its profiling variants only;
 * with no device there is no call. */
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
struct event_sink;
struct os_stream;
struct plugin_bank;
struct uop;
#define DEVICE(id, name, ...) struct name;
#include "core/defs/devices.def"
#undef DEVICE

struct prof_state {
	/* committed guest instructions at which devices must be polled before another commits
	 */
	uint64_t next_inst;
	struct op_set retired; /* operations that devices' `retired` needs */
	uint64_t busy;      /* 1 << enum device_id: devices with work in each cycle */
};

struct prof {
	const struct config *cfg;
	struct stats *stats;
	const uint64_t *cycle; /* the pipeline's clock */
	struct event_sink *events; /* the pipeline's */
	struct plugin_bank *plugins; /* the pipeline's */
	/* the pipeline's: an instruction's index in it is an event's slot */
	const struct uop *pool;
	uint32_t pool_size;
	/* without timing: guest cycles minus instructions that the hart has counted */
	uint64_t functional_from;
	bool functional;       /* the machine executes without timing: no cycles, no events */
	bool puts_off;         /* devices may defer work to prof_catch_up() */
	uint64_t undone;       /* then: the first guest cycle whose work may be deferred */
	struct prof_state *st; /* in the arena */
	const struct device *present[DEVICE_COUNT]; /* [count], in the table's order */
	unsigned count;
	/* True if a device uses the tap; pending: if one can request interrupts, with firmware. */
	bool decoded, accessed, squashed, retired, operands, executed, pending;
	bool holds; /* the value sampler may hold the pipeline */
	/* devices must not defer work: an interrupt may follow at once, or a plug-in fail */
	bool prompt;
	struct tap {
		const struct device *of[DEVICE_COUNT]; /* [count], in the table's order */
		unsigned count;
	} tap[TAP_COUNT];
	/* by enum device_id: the device if it uses TAP_CYCLE, else NULL */
	const struct device *ticks[DEVICE_COUNT];
	/* Instructions that devices' `executed` needs, as of the last prof_wanted(). */
	struct wanted {
		uint32_t kinds[DEVICE_COUNT];     /* [tap.count], as devices' kinds() returned */
		struct op_set ops[DEVICE_COUNT]; /* [tap.count], the same as operations */
		struct op_set all;               /* their union */
	} wanted;

	struct squash_cause squash; /* of the squash under way */
	const struct device *const *table; /* borrowed; [DEVICE_COUNT] */
	void *devices; /* owned: memory that the next point into */
	/* By name; a device's own header has its fields. NULL if the device allocates its own
	 * memory, and the machine is without it. */
#define DEVICE(id, name, ...) struct name *name;
#include "core/defs/devices.def"
#undef DEVICE
	/* Owned, [stream_count]: until the instruction that led to them has been reported; none
	 * between two cycles. NULL: no device has a `stream`. */
	struct os_stream *streams;
	unsigned stream_count;
};

/* core/machine/devices.c: allocates the devices and sets their table; false if memory is out. */
bool prof_alloc(struct prof *d);
/* The caller has set cfg, stats, cycle, events, plugins and pool. */
void prof_place(struct prof *d, struct arena *a);
bool prof_init(struct prof *d, struct err *err);
void prof_deinit(struct prof *d);
void prof_reset(struct prof *d);

/* Guest time in cycles: a fast-forwarded instruction takes one. */
static inline uint64_t prof_now(const struct prof *d)
{
	return stats_guest_cycle(d->stats, *d->cycle);
}

/* Guest instructions committed. */
static inline uint64_t prof_insts(const struct prof *d)
{
	return STAT(d->stats, functional_insts) + STAT(d->stats, insts);
}

/* Sets whether a device's cycle tap is called in each cycle from now on, beginning with this one if
 * commit is not over yet. No device is busy at the beginning. */
static inline void prof_busy(struct prof *d, enum device_id id, bool busy)
{
	d->st->busy = (d->st->busy & ~(UINT64_C(1) << id)) | (uint64_t)busy << id;
}

/* ---- the points of a cycle ---- */
void prof_decoded(struct prof *d, const struct uop *u);
void prof_accessed(struct prof *d, const struct uop *u);
void prof_squashed(struct prof *d, const struct uop *u);
/* The program's code may be new (core/pipe/new_code.h). */
void prof_new_code(struct prof *d);
/* Takes a copy for prof_tell_streams(), which reports all to devices. */
void prof_stream(struct prof *d, const struct os_stream *s);
void prof_tell_streams(struct prof *d);
void prof_retired(struct prof *d, const struct retired *bundle, unsigned n);
/* Calls the cycle tap of each busy device. */
void prof_cycle(struct prof *d);
/* The value sampler's handler has begun. */
void prof_sampled(struct prof *d);
/* First guest cycle in which a busy device does anything, if no other call reaches one before. 0:
 * one may in any; UINT64_MAX: none is busy. */
uint64_t prof_rests_until(const struct prof *d);
/* Without timing: prof_wanted() returns the operations that devices need, prof_executed() notifies
 * the devices that need this instruction. True: stop right after it. */
const struct op_set *prof_wanted(struct prof *d);
bool prof_executed(struct prof *d, const struct executed *e);
/* Devices may defer work from this cycle on: their state is not read and their interrupts are not
 * polled before prof_catch_up(). No effect if there is firmware or a plug-in as a component. */
void prof_put_off(struct prof *d);
/* Does all deferred work; call it before reading devices' state. Cycles are over up to and
 * including this guest cycle; without timing all are. */
void prof_catch_up(struct prof *d, uint64_t through);

/* ---- interrupts ---- */
/* Causes of the interrupts that devices request now, as bits. */
uint64_t prof_pending(const struct prof *d);
/* The same, for the loop that runs the machine: call it at least whenever prof_state.next_inst
 * guest instructions have committed; it then recomputes that number. */
uint64_t prof_poll(struct prof *d);
uint64_t prof_next_cycle(const struct prof *d);
/* Recomputes where commit has to stop for devices, and which operations they need there. Call it
 * after a write to a device's registers. */
void prof_changed(struct prof *d);

/* ---- registers ---- */
/* True if an access of this size at addr is one to a device's register. */
bool prof_register_at(const struct prof *d, uint64_t addr, unsigned size);
uint64_t prof_read(struct prof *d, uint64_t addr);
void prof_write(struct prof *d, uint64_t addr, uint64_t value);
/* Cycles that such an access takes beyond any device access. */
uint64_t prof_access_cycles(const struct prof *d, uint64_t addr);
/* Between two cycles: makes n writes (struct device_write) to registers of a device that has some,
 * in order. Reports no events. */
void prof_write_all(struct prof *d, enum device_id id, const void *writes, size_t n);

/* Lists the valid ranges of words in the devices' sections of the arena. */
void prof_ranges(const struct prof *d, struct ranges *rs);
/* NULL, or the invariant that a device's state breaks: prof_check() makes the cheap checks,
 * prof_state_error() all. */
const char *prof_check(const struct prof *d);
const char *prof_state_error(const struct prof *d);

#endif
