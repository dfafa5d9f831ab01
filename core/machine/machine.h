/* The machine: one simulated processor with its memory and its Linux environment.
 *
 * Lifecycle: machine_new(config), load a program into machine_mem() and machine_hart()
 * (loader/program.h), machine_start(), then step or run. Everything that determines the future
 * lives in the arena, in guest memory and in the journal of outside input, so a snapshot restores
 * the machine exactly.
 *
 * A cycle is the unit of time. machine_cycle() is the number of cycles done; a stamp on an
 * instruction is the number of the cycle of an event, counted from 0. */
#ifndef CYCLOPS_CORE_MACHINE_MACHINE_H
#define CYCLOPS_CORE_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/isa/exec.h"
#include "core/pipe/port.h"

struct arena_section;
struct config;
struct journal;
struct machine;
struct mem;
struct os;
struct pipe;
struct plugins;
struct snapshot;

/* NULL with *err if the configuration breaks a rule or memory runs out. */
struct machine *machine_new(const struct config *cfg, struct err *err);
/* The same with exactly the plug-ins (core/pipe/plugin.h) that the configuration marks external;
 * each is borrowed until machine_free(). NULL: none. */
struct machine *machine_new_with(const struct config *cfg, const struct plugins *plugins,
                                 struct err *err);
/* The same for an arena of `bytes`, SIZE_MAX: any size. NULL with *err, before it is allocated, if
 * the configuration needs another size. */
struct machine *machine_new_like(const struct config *cfg, const struct plugins *plugins,
                                 size_t arena_bytes, struct err *err);
void machine_free(struct machine *m);

const struct config *machine_config(const struct machine *m);
unsigned machine_isa(const struct machine *m); /* its parameter `isa`: ISA_RV32GC, ... */
struct mem *machine_mem(struct machine *m);
const struct mem *machine_mem_const(const struct machine *m);
struct os *machine_os(struct machine *m);
const struct os *machine_os_const(const struct machine *m);
/* Dispatch-point state; write it only before machine_start(). */
struct hart *machine_hart(struct machine *m);
/* Whether all instructions of the program are words, for bpred.index_shift=0; call before the first
 * cycle. */
void machine_set_words(struct machine *m, bool words);
/* Call when the program is loaded: sets the break, takes over registers and begins fetching at
 * hart->pc. */
void machine_start(struct machine *m, uint64_t brk);

/* Boots firmware, which is in memory, at `entry` in M-mode; its first mret leads to the program.
 * Call between loading the program and machine_start(). False with *err if not possible. */
bool machine_boot_firmware(struct machine *m, uint64_t entry, struct err *err);

/* ---- running ---- */
/* Executes up to n instructions of the program without timing (fast-forward); with warm, caches and
 * predictors are trained. Only while the pipeline is empty: before the first cycle. Returns the
 * number executed; stops early on exit or fault. */
uint64_t machine_run_functional(struct machine *m, uint64_t n, bool warm);

/* One clock cycle. False if the machine has stopped (nothing happens), or if a blocking read was
 * interrupted (machine_interrupted(); nothing happened), or if host memory is out. Listeners are
 * called. */
bool machine_step(struct machine *m);

/* Runs until machine_cycle() == until_cycle, or until_insts instructions have committed (at the end
 * of that cycle), or the machine stops, or machine_interrupt(). Fastest without listeners. */
void machine_run(struct machine *m, uint64_t until_cycle, uint64_t until_insts);

/* Asks a run to stop soon (within some thousand cycles); safe in a signal handler. Sticky until
 * cleared. */
void machine_interrupt(struct machine *m);
bool machine_interrupted(const struct machine *m);
void machine_clear_interrupt(struct machine *m);
/* Ends the current machine_run() after this cycle; for a listener or alarm, while it is called. */
void machine_request_stop(const struct machine *m);
/* Whether that was requested in the last machine_run() or machine_step(). */
bool machine_stop_requested(const struct machine *m);

/* Moves from's program into `to`, new and maybe of another configuration, to go on there:
 * registers, memory, system and statistics, but not caches, predictors and devices. Only before the
 * first cycle; instructions without timing are allowed. `from` is unchanged. False with *err: then
 * `to` can only be freed. */
bool machine_move_program(struct machine *to, const struct machine *from, struct err *err);

/* Parts of a machine's state that another configuration reshapes: */
enum {
	MACHINE_PART_PIPELINE = 1, /* instructions in flight */
	MACHINE_PART_TARGETS = 2,  /* the branch target buffer */
	MACHINE_PART_REST = 4      /* any other */
};
/* The parts of `from` that have another shape or meaning in `to`. */
unsigned machine_reshaped(const struct machine *to, const struct machine *from);
/* Copies the state of `from`, in the middle of its run, to `to`, which is new and maybe of another
 * configuration. Reshaped parts begin empty; if the pipeline is one of them, `from` must be
 * drained. Listeners and attachments other than devices are not copied. False with *err: then `to`
 * can only be freed. */
bool machine_copy(struct machine *to, const struct machine *from, struct err *err);
/* Copies the branch target buffer of a machine whose buffer has the same shape. */
void machine_copy_targets(struct machine *to, const struct machine *from);
/* Empties the pipeline, as an interrupt between two instructions would. */
void machine_drain(struct machine *m);

/* ---- looking ---- */
uint64_t machine_cycle(const struct machine *m);
/* the program's committed instructions, fast-forwarded ones included */
uint64_t machine_insts(const struct machine *m);
/* the same plus firmware's, as machine_run() counts them */
uint64_t machine_committed(const struct machine *m);
enum machine_status machine_status(const struct machine *m);
/* Whether it can never run again. */
bool machine_has_ended(const struct machine *m);
int machine_exit_status(const struct machine *m);

/* Valid while status is MACHINE_FAULTED. */
const struct fault *machine_fault(const struct machine *m);

/* Valid while status is MACHINE_BROKEN: which plug-in failed when, where and why. */
const char *machine_failure(const struct machine *m);

/* Valid while status is MACHINE_STARVED: why it can't go on, "the host has no memory for ..." or
 * another problem that the user has to solve. Nothing is lost: the machine stands between two
 * cycles or two instructions, and everything but running works. */
const char *machine_lacks(const struct machine *m);
/* True if the host is out of memory; false if the user has to solve another problem. */
bool machine_lacks_memory(const struct machine *m);
/* The next run's reaction to the problem: "continue tries again", ... */
const char *machine_lacks_then(const struct machine *m);
/* Sets status to MACHINE_RUNNING until the next run finds the problem again. */
void machine_try_again(struct machine *m);
/* Called to free host memory before the machine gives up; returns false if it can free none. NULL:
 * no call. */
typedef bool machine_reclaim(void *ctx);
void machine_set_reclaim(struct machine *m, machine_reclaim *fn, void *ctx);

const struct stats *machine_stats(const struct machine *m);
/* Everything in the pipeline, read-only (core/pipe/pipe.h). */
const struct pipe *machine_pipe(const struct machine *m);
/* Committed register 0..63, as in a debugger. */
uint64_t machine_reg(const struct machine *m, unsigned reg);
uint64_t machine_fcsr(const struct machine *m);
/* pc of the oldest instruction not yet committed. */
uint64_t machine_pc(const struct machine *m);

/* Registers and memory at another place than the machine's: between two instructions of a cycle, or
 * in a thread that does not run. */
struct machine_viewpoint {
	uint64_t r[64], pc, fcsr;
	/* Patches buf with the bytes of [addr, addr + n) that differ there from the machine's;
	 * NULL: none differ */
	void (*peek)(const void *ctx, uint64_t addr, void *buf, size_t n);
	const void *ctx;
	uint32_t tid; /* of a thread that does not run; 0: the running thread */
};
/* Makes machine_seen_*() and machine_peek() look from v, borrowed, until the machine leaves this
 * cycle or is changed; NULL: from the machine's own place. Does not change the machine. */
void machine_look_from(struct machine *m, const struct machine_viewpoint *v);
/* The same from the thread with this number, with the registers that it had when it gave the hart
 * away. 0, or the running thread: the machine's own place. */
void machine_see_thread(struct machine *m, uint32_t tid);
struct os_thread;
/* machine_seen_thread(): the thread looked at, else the running one. machine_parked(): the thread
 * looked at; NULL if it is the running one. */
const struct os_thread *machine_seen_thread(const struct machine *m);
const struct os_thread *machine_parked(const struct machine *m);
uint64_t machine_seen_reg(const struct machine *m, unsigned reg);
uint64_t machine_seen_fcsr(const struct machine *m);
uint64_t machine_seen_pc(const struct machine *m);
/* Reads the committed program's memory: undoes uncommitted stores in the copy. */
bool machine_peek(const struct machine *m, uint64_t addr, void *buf, size_t n);

/* The journal of outside input; it has the machine's position. */
const struct journal *machine_journal(const struct machine *m);

/* Drops outside input as soon as it has been used: no going back, no saving. Input of any length
 * then takes no room. */
void machine_forget_past(struct machine *m);

/* ---- snapshots ---- */
/* A copy of everything; owned by the caller. Shares what did not change since the last snapshot
 * taken or restored. NULL if memory runs out. */
struct snapshot *machine_snapshot(struct machine *m);
void machine_restore(struct machine *m, const struct snapshot *s);
/* The same for a snapshot of a future that was cut: also restores the journal that journal_save()
 * wrote there. Output is the caller's to restore (core/os/os.h). False with *err, and nothing
 * changed, if memory is out. */
bool machine_revive(struct machine *m, const struct snapshot *s, const void *journal, size_t n,
                    struct err *err);
void snapshot_free(struct snapshot *s);
/* Whether nothing can have been written or mapped at [addr, addr + n) between these two snapshots
 * of one machine. */
bool snapshot_same_memory(const struct snapshot *a, const struct snapshot *b, uint64_t addr,
                          uint64_t n);
/* Host bytes of a snapshot that are never shared: constant for its lifetime. */
size_t snapshot_bytes(const struct snapshot *s);
/* Host bytes that snapshots share, with each other or with the present, and that the machine would
 * not hold without snapshots. With snapshot_bytes() of each added: the exact cost of all snapshots.
 */
size_t machine_held_bytes(const struct machine *m);
/* Host bytes ever taken for memory, its copies and the machine's state in snapshots. */
uint64_t machine_taken_bytes(const struct machine *m);
/* Walks everything that s shares, or the present if s is NULL, for a recount. */
struct ledger_walk;
void snapshot_walk(const struct machine *m, const struct snapshot *s, const struct ledger_walk *w);

/* Digest of the arena and guest memory: equal machines give equal values. */
uint64_t machine_hash(const struct machine *m);
/* The arena's bytes, for checkpoint files and comparisons. */
const void *machine_arena(const struct machine *m, size_t *n);
/* The arena's sections, by place; named, to report differences of two machines. */
const struct arena_section *machine_sections(const struct machine *m, unsigned *count);
/* Replaces the arena by bytes saved from a machine of the same configuration; n must match. The
 * caller restores memory and then journal and output as well. */
bool machine_load_arena(struct machine *m, const void *bytes, size_t n, struct err *err);
/* Replaces the journal by one that journal_save() wrote. False with *err, and nothing changed, if
 * it is not valid. */
bool machine_load_journal(struct machine *m, const void *bytes, size_t n, struct err *err);

#endif
