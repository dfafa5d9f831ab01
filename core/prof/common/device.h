/* The interface of a device.
 *
 * A device keeps its state in sections of the arena, or beside it as an attachment, and acts at
 * fixed points of a cycle. It sees what the modelled hardware has at that point, and changes
 * nothing but its own state, except through interrupts. Every function takes the set of devices and
 * finds its own part there; functions that may be NULL are marked.
 *
 * Any function that a cycle calls may report events of the device's own (core/prof/common/emit.h).
 */
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
struct os_stream;
struct prof;
struct uop;

/* An instruction that has just committed, oldest first in its bundle. */
struct retired {
	const struct uop *u;  /* borrowed until the end of the cycle; complete */
	/* The next three are set if a device uses TAP_OPERANDS. */
	uint64_t source[3];   /* values of rs1, rs2, rs3; 0 where it has none */
	uint64_t a0;          /* value of the register before it */
	/* cycles from issue to completion; of loads, from the memory system */
	uint32_t latency;
	bool machine;         /* firmware's */
};

/* An instruction that was executed without timing. Pointers are borrowed until the tap returns. */
struct executed {
	uint64_t pc;
	const struct inst *in;
	const struct exec *done; /* complete, but store_old and store_new may be missing */
	/* after the instruction; its counters may lag */
	const struct hart *h;
	uint64_t result; /* value of in->rd after it; unused if that is REG_SINK */
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
	TAP_OPERANDS = 1 << 6 /* of retired instructions also source, a0 and latency */
};

struct device {
	size_t bytes; /* of its struct, which is zero before place(); 0: it allocates its own */
	/* Set of enum device_tap that it uses in such a machine. NULL: all functions that are not
	 * NULL. */
	unsigned (*taps)(const struct config *cfg);
	/* Called twice, as arena_take() is. May be NULL. */
	void (*place)(struct prof *d, struct arena *a);
	/* False with *err if memory beside the arena is short. May be NULL. */
	bool (*init)(struct prof *d, struct err *err);
	void (*deinit)(struct prof *d); /* may be NULL */
	/* Its sections of the arena are zero before. May be NULL. */
	void (*reset)(struct prof *d);
	/* Saves its state beside the arena in snapshots, from the machine's beginning.
	 * attachment_ctx() returns the ctx of the attachment's functions, NULL if this machine's
	 * device has no such state. Both or neither NULL. */
	const struct attachment_ops *attachment;
	void *(*attachment_ctx)(struct prof *d);

	/* ---- in a cycle; each may be NULL ---- */
	/* An instruction was decoded and dispatched, right path or not. */
	void (*decoded)(struct prof *d, const struct uop *u);
	/* A load or atomic was sent to a level of the memory system, right path or not. */
	void (*accessed)(struct prof *d, const struct uop *u);
	/* An instruction was squashed. */
	void (*squashed)(struct prof *d, const struct uop *u);
	/* The hart continues with another stream of the program's instructions: a thread, a
	 * signal's handler, or the code that a handler interrupted. Called after the system call
	 * that leads there; also without timing. Such a device's `retired_ops` include ecall.
	 */
	void (*stream)(struct prof *d, const struct os_stream *s);
	/* The program's code may be new (core/pipe/new_code.h): drops what it keeps by
	 * address. Also called in functional mode. */
	void (*new_code)(struct prof *d);
	/* Instructions committed in this cycle, of the operations that devices need (retired_ops);
	 * 0 < n <= PIPE_WIDTH_MAX. */
	void (*retired)(struct prof *d, const struct retired *bundle, unsigned n);
	/* Adds the operations that `retired` needs: those that no device needs cost next to
	 * nothing. Called at reset and after each write to a device's registers. NULL: all. */
	void (*retired_ops)(const struct prof *d, struct op_set *ops);
	/* The device's own work of a cycle, after `retired`, whether or not anything committed, and
	 * before interrupts are polled. Called only while it is busy: prof_busy(). Without timing
	 * there are no cycles; `executed` then does the work at once. */
	void (*cycle)(struct prof *d);
	/* First guest cycle in which a busy device's `cycle` does anything, if no other call comes
	 * before; 0: it may in any. NULL: the same as 0. */
	uint64_t (*rests_until)(const struct prof *d);
	/* An instruction was executed without timing (fast-forward, functional mode). prof_now()
	 * and prof_insts() may lag. True: execution must stop right after this instruction, for an
	 * interrupt of the device or a plug-in that failed. */
	bool (*executed)(struct prof *d, const struct executed *e);
	/* Does deferred work up to and including this guest cycle, before the device's state is
	 * read. `executed` may defer work; so may `retired` and `cycle` while prof.puts_off. The
	 * resulting state equals that of work done cycle by cycle. May be NULL. */
	void (*catch_up)(struct prof *d, uint64_t through);
	/* Kinds that `executed` needs, 1 << enum inst_kind each: others cost nothing. Called
	 * whenever execution without timing begins or goes on, hence after each access to its
	 * registers and each stop that it requests. NULL: all. */
	uint32_t (*kinds)(const struct prof *d);

	/* ---- interrupts; all or none NULL, except that next_inst may be alone: commit stops at it
	 * for an interrupt that the pipeline serves itself (vsample) ---- */
	/* Causes of the interrupts that it requests now, as bits. */
	uint64_t (*pending)(const struct prof *d);
	/* The next guest cycle, or number of committed guest instructions, at which `pending` will
	 * change by itself; UINT64_MAX: never. */
	uint64_t (*next_cycle)(const struct prof *d);
	uint64_t (*next_inst)(const struct prof *d);
	/* Called when the value sampler's handler has begun. May be NULL. */
	void (*sampled)(struct prof *d);

	/* ---- registers: 64 bits each, at offsets that are multiples of 8 into its pages; both or
	 * none NULL ---- */
	uint64_t (*read)(struct prof *d, unsigned offset);
	void (*write)(struct prof *d, unsigned offset, uint64_t value);
	/* With timing: cycles that a load or store of these registers takes beyond any device
	 * access. NULL: 0. */
	uint64_t (*access_cycles)(const struct prof *d);

	/* Lists its structures in the arena, for display; returns how many. NULL: there are none.
	 */
	unsigned (*tables)(const struct prof *d, struct state_part out[STATE_PARTS_MAX]);
	/* Lists the valid ranges of words in its sections of the arena: debug builds check them now
	 * and then, checkpoints always. NULL: anything is valid. */
	void (*ranges)(const struct prof *d, struct ranges *rs);
	/* NULL, or a message: the invariant that its state breaks although it lies within its
	 * ranges. Debug builds check in each cycle, and with `all`, which takes long, now and then;
	 * checkpoints check all. May be NULL. */
	const char *(*check)(const struct prof *d, bool all);
};

extern const struct device *const devices[DEVICE_COUNT];

/* Where its registers lie: address of the first, and bytes; 0: it has none. */
uint64_t device_registers(enum device_id id);
uint64_t device_register_bytes(enum device_id id);

/* A write to a register, as bytes of a change (core/os/journal.def). */
struct device_write {
	uint64_t offset; /* a multiple of 8 below device_register_bytes() */
	uint64_t value;
};

#endif
