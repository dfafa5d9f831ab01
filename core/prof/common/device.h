/* What a device is to the machine.
 *
 * A device keeps its state in sections of the arena, or beside it as an attachment, and acts at
 * fixed points of a cycle. It learns what the modelled hardware knows at that point, and changes
 * nothing but its own state, except through interrupts. Every function takes the set of devices and
 * finds its own part there; those that may be NULL say so.
 *
 * What it does it may report as events of its own, in any of these functions that a cycle calls
 * (core/prof/common/emit.h). */
#ifndef CYCLOPS_CORE_PROF_COMMON_DEVICE_H
#define CYCLOPS_CORE_PROF_COMMON_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/state_ranges.h"
#include "core/defs/choices.h"
#include "core/defs/devices.h"

struct attachment_ops;
struct config;
struct exec;
struct hart;
struct inst;
struct op_set;
struct prof;
struct uop;

/* An instruction that has just committed, oldest first in its bundle. */
struct retired {
	const struct uop *u;  /* borrowed until the end of the cycle; all of it is known now */
	/* The next three are there if a device asks for TAP_OPERANDS. */
	uint64_t source[3];   /* values of rs1, rs2, rs3; 0 where it has none */
	uint64_t a0;          /* the register, before it */
	/* cycles from issue to completion; of loads, from the memory system */
	uint32_t latency;
	bool machine;         /* firmware's */
};

/* An instruction that was executed without timing. Pointers are borrowed until the tap returns. */
struct executed {
	uint64_t pc;
	const struct inst *in;
	const struct exec *done; /* all but store_old and store_new, which may be missing */
	/* as the instruction left it, but for the counters, which may be behind */
	const struct hart *h;
	uint64_t result; /* value of in->rd after it; nothing's if that is REG_SINK */
	uint64_t now;    /* guest cycle */
	bool machine;    /* firmware's */
	bool marked;     /* a `mark` was executed just before it */
};

enum device_tap {
	TAP_DECODED = 1 << 0,
	TAP_ACCESSED = 1 << 1,
	TAP_SQUASHED = 1 << 2,
	TAP_RETIRED = 1 << 3,
	TAP_EXECUTED = 1 << 4,
	TAP_CYCLE = 1 << 5,
	TAP_COUNT = 6,
	TAP_OPERANDS = 1 << 6 /* of what retires also source, a0 and latency */
};

struct device {
	/* enum device_tap: which of its taps it wants in such a machine. NULL: all that are not
	 * NULL. */
	unsigned (*taps)(const struct config *cfg);
	/* Called twice, as arena_take() is. May be NULL. */
	void (*place)(struct prof *d, struct arena *a);
	/* False with *err if memory beside the arena is short. May be NULL. */
	bool (*init)(struct prof *d, struct err *err);
	void (*deinit)(struct prof *d); /* may be NULL */
	/* What lies in the arena is zero before. May be NULL. */
	void (*reset)(struct prof *d);
	/* What it keeps beside the arena takes part in snapshots in this way, from the machine's
	 * beginning; ctx as the attachment's functions get it, NULL: this machine's has none. Both
	 * or none of the two NULL. */
	const struct attachment_ops *attachment;
	void *(*attachment_ctx)(struct prof *d);

	/* ---- in a cycle; each may be NULL ---- */
	/* An instruction was decoded and dispatched, right path or not. */
	void (*decoded)(struct prof *d, const struct uop *u);
	/* A load or atomic was sent to a level of the memory system, right path or not. */
	void (*accessed)(struct prof *d, const struct uop *u);
	/* An instruction was taken back. */
	void (*squashed)(struct prof *d, const struct uop *u);
	/* What committed in this cycle, of the operations that somebody wants to know of; 0 < n <=
	 * PIPE_WIDTH_MAX. */
	void (*retired)(struct prof *d, const struct retired *bundle, unsigned n);
	/* Adds the operations that it wants to know of in this way: what all leave out costs next
	 * to nothing. Asked at reset and behind each access to its registers. NULL: all. */
	void (*retired_ops)(const struct prof *d, struct op_set *ops);
	/* Commit is over, with or without instructions: the device's own work of this cycle, behind
	 * `retired` and before interrupts are asked for. Only while it is busy: prof_busy().
	 * Without timing there are no cycles; it does then at once, in `executed`, what it would
	 * have left for later. */
	void (*cycle)(struct prof *d);
	/* Of a busy device, if until then nobody touches it: the first guest cycle in which `cycle`
	 * does anything, or 0 if it may in any. NULL: it may. */
	uint64_t (*rests_until)(const struct prof *d);
	/* An instruction was executed while there is no timing (fast-forward, functional mode).
	 * prof_now() and prof_insts() may be behind. True: one of the device's interrupts has
	 * become pending, and is to be taken right behind this instruction. */
	bool (*executed)(struct prof *d, const struct executed *e);
	/* What was put off is to be done now: somebody is about to look. `executed` may put off; so
	 * may `retired` and `cycle` while prof.puts_off, up to and with this guest cycle, and must
	 * leave the state that cycle after cycle would have. May be NULL. */
	void (*catch_up)(struct prof *d, uint64_t through);
	/* The kinds that it wants to be told of in this way, 1 << enum inst_kind each: what it
	 * leaves out costs nothing. Asked whenever execution without timing begins or goes on, and
	 * so behind each access to its registers and each stop that it asks for. NULL: all. */
	uint32_t (*kinds)(const struct prof *d);

	/* ---- interrupts; all or none NULL, but for next_inst: commit also stops for who has an
	 * interrupt of its own ---- */
	/* Bits of the causes that it asks for now. */
	uint64_t (*pending)(const struct prof *d);
	/* The next guest cycle, or number of committed guest instructions, at which that will
	 * change by itself; UINT64_MAX: never. */
	uint64_t (*next_cycle)(const struct prof *d);
	uint64_t (*next_inst)(const struct prof *d);

	/* ---- registers: 64 bits each, at offsets that are multiples of 8 into its pages; both or
	 * none NULL ---- */
	uint64_t (*read)(struct prof *d, unsigned offset);
	void (*write)(struct prof *d, unsigned offset, uint64_t value);
	/* What a load or store of theirs takes beside what any device's does, with timing. NULL:
	 * nothing. */
	uint64_t (*access_cycles)(const struct prof *d);

	/* Its structures in the arena, for people: how many. NULL: there are none. */
	unsigned (*tables)(const struct prof *d, struct state_part out[STATE_PARTS_MAX]);
	/* What may stand in its sections of the arena: debug builds ask now and then, checkpoints
	 * always. NULL: anything. */
	void (*ranges)(const struct prof *d, struct ranges *rs);
	/* NULL, or what about its state is impossible though it lies within its ranges: for debug
	 * builds, which ask in each cycle and now and then for `all`, what takes long, and for
	 * checkpoints, which want all of it. May be NULL. */
	const char *(*check)(const struct prof *d, bool all);
};

extern const struct device *const devices[DEVICE_COUNT];

/* Where its registers lie: address of the first, and bytes; 0: it has none. */
uint64_t device_registers(enum device_id id);
uint64_t device_register_bytes(enum device_id id);

/* A register to write: as bytes of a change (core/os/journal.def). */
struct device_write {
	uint64_t offset; /* a multiple of 8 below device_register_bytes() */
	uint64_t value;
};

#endif
