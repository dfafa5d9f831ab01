/* The machine: one simulated processor with its memory and its Linux environment.
 *
 * Lifecycle: machine_new(config), load a program into machine_mem() and machine_hart()
 * (loader/program.h), machine_start(), then step or run. Everything that determines the future
 * lives in the arena, in guest memory and in the journal of what came from outside, so a snapshot
 * restores the machine exactly.
 *
 * A cycle is the unit of time. machine_cycle() is the number of cycles done; a stamp on an
 * instruction is the number of the cycle in which something happened, counted from 0. */
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
/* The same with plug-ins (core/pipe/plugin.h) wherever the configuration says external, no more and
 * no fewer; each is borrowed until machine_free(). NULL: none. */
struct machine *machine_new_with(const struct config *cfg, const struct plugins *plugins,
                                 struct err *err);
/* The same for an arena of so many bytes, SIZE_MAX: any: NULL with *err, before it is allocated, if
 * the configuration asks for another size. */
struct machine *machine_new_like(const struct config *cfg, const struct plugins *plugins,
                                 size_t arena_bytes, struct err *err);
void machine_free(struct machine *m);

const struct config *machine_config(const struct machine *m);
struct mem *machine_mem(struct machine *m);
const struct mem *machine_mem_const(const struct machine *m);
struct os *machine_os(struct machine *m);
const struct os *machine_os_const(const struct machine *m);
/* Dispatch-point state; write it only before machine_start(). */
struct hart *machine_hart(struct machine *m);
/* Before the first cycle: whether all instructions of the program are words, for
 * bpred.index_shift=0. */
void machine_set_words(struct machine *m, bool words);
/* The program is loaded: sets the break, takes over registers and begins fetching at hart->pc. */
void machine_start(struct machine *m, uint64_t brk);

/* Firmware, which is in memory, begins at `entry` in M-mode and leads to the program with its first
 * mret. Between loading the program and machine_start(). False with *err if it can't. */
bool machine_boot_firmware(struct machine *m, uint64_t entry, struct err *err);

/* ---- running ---- */
/* Executes up to n instructions of the program without timing (fast-forward); with warm, caches and
 * predictors learn. Only while the pipeline is empty: before the first cycle. Returns the number
 * executed; stops early on exit or fault. */
uint64_t machine_run_functional(struct machine *m, uint64_t n, bool warm);

/* One clock cycle. False if the machine has stopped (nothing happens), or if a blocking read was
 * interrupted (machine_interrupted(); nothing happened), or if host memory is out. Listeners are
 * called. */
bool machine_step(struct machine *m);

/* Runs until machine_cycle() == until_cycle, or committed instructions >= until_insts (at the end
 * of that cycle), or the machine stops, or machine_interrupt(). Fastest while nobody listens. */
void machine_run(struct machine *m, uint64_t until_cycle, uint64_t until_insts);

/* Asks a run to stop soon (within some thousand cycles); safe in a signal handler. Sticky until
 * cleared. */
void machine_interrupt(struct machine *m);
bool machine_interrupted(const struct machine *m);
void machine_clear_interrupt(struct machine *m);
/* A listener or alarm, while it is called, asks the current machine_run() to end after this cycle.
 */
void machine_request_stop(const struct machine *m);
/* Whether one did so in the last machine_run() or machine_step(). */
bool machine_stop_requested(const struct machine *m);

/* `to`, new and maybe of another configuration, goes on with from's program where that is:
 * registers, memory, system and statistics; from's caches, predictors and devices stay behind. Only
 * before the first cycle: instructions without timing are no obstacle. `from` stays as it is. False
 * with *err: then `to` is good for nothing but machine_free(). */
bool machine_move_program(struct machine *to, const struct machine *from, struct err *err);

/* ---- looking ---- */
uint64_t machine_cycle(const struct machine *m);
/* committed, fast-forwarded ones and firmware's included */
uint64_t machine_insts(const struct machine *m);
enum machine_status machine_status(const struct machine *m);
/* Whether it runs no more, whatever is tried. */
bool machine_has_ended(const struct machine *m);
int machine_exit_status(const struct machine *m);

/* Valid while status is MACHINE_FAULTED. */
const struct fault *machine_fault(const struct machine *m);

/* Valid while status is MACHINE_BROKEN: which plug-in failed when, where and why. */
const char *machine_failure(const struct machine *m);

/* Valid while status is MACHINE_STARVED: why it can't go on, "the host has no memory for ..." or
 * what else a person has to see to. Nothing is lost, the machine stands between two cycles, or two
 * instructions, and all but running works. */
const char *machine_lacks(const struct machine *m);
/* True if the host is out of memory, and not what a person has to mend. */
bool machine_lacks_memory(const struct machine *m);
/* What the next run does about it: "continue tries again", ... */
const char *machine_lacks_then(const struct machine *m);
/* It is MACHINE_RUNNING until that is found to be so still. */
void machine_try_again(struct machine *m);
/* Asked for host memory before the machine gives up; false if there is none to give. NULL: nobody
 * is asked. */
typedef bool machine_reclaim(void *ctx);
void machine_set_reclaim(struct machine *m, machine_reclaim *fn, void *ctx);

const struct stats *machine_stats(const struct machine *m);
/* Everything in the pipeline, read-only (core/pipe/pipe.h). */
const struct pipe *machine_pipe(const struct machine *m);
/* Committed register 0..63: what a debugger calls the register. */
uint64_t machine_reg(const struct machine *m, unsigned reg);
uint64_t machine_fcsr(const struct machine *m);
/* pc of the oldest instruction not yet committed. */
uint64_t machine_pc(const struct machine *m);

/* What registers and memory are for whoever looks at another place than the machine is at: between
 * two instructions of a cycle, or in a thread that does not run. */
struct machine_viewpoint {
	uint64_t r[64], pc, fcsr;
	/* Puts into buf what differs there from what the machine has at [addr, addr + n); NULL:
	 * nothing does. */
	void (*peek)(const void *ctx, uint64_t addr, void *buf, size_t n);
	const void *ctx;
	uint32_t tid; /* of the thread that does not run; 0: it is the one that runs */
};
/* Changes nothing. From now on machine_seen_*() and machine_peek() say what is seen from v,
 * borrowed, as long as the machine stands in this cycle and is not changed; NULL: what the machine
 * has. */
void machine_look_from(struct machine *m, const struct machine_viewpoint *v);
/* The same from the thread with this number: its registers are as it gave the hart away. 0, or the
 * one that runs: what the machine has. */
void machine_see_thread(struct machine *m, uint32_t tid);
struct os_thread;
/* The thread that is looked at, else the one that runs; and the former alone, NULL if it is the one
 * that runs. */
const struct os_thread *machine_seen_thread(const struct machine *m);
const struct os_thread *machine_parked(const struct machine *m);
uint64_t machine_seen_reg(const struct machine *m, unsigned reg);
uint64_t machine_seen_fcsr(const struct machine *m);
uint64_t machine_seen_pc(const struct machine *m);
/* Reads memory as the committed program sees it: uncommitted stores are taken back in the copy. */
bool machine_peek(const struct machine *m, uint64_t addr, void *buf, size_t n);

/* What came from outside, and where in it the machine is. */
const struct journal *machine_journal(const struct machine *m);

/* Nobody will go back, or save the machine: what came from outside is forgotten as soon as it has
 * been used. Input of any length then takes no room. */
void machine_forget_past(struct machine *m);

/* ---- snapshots ---- */
/* A copy of everything; owned by the caller. What did not change since the last one, or the last
 * that was restored, is shared with it. NULL if memory runs out. */
struct snapshot *machine_snapshot(struct machine *m);
void machine_restore(struct machine *m, const struct snapshot *s);
/* The same for a snapshot of a future that was cut: the journal comes back with it, as
 * journal_save() wrote it at that place. The output made is the caller's (core/os/os.h). False with
 * *err, and nothing changed, if memory is out. */
bool machine_revive(struct machine *m, const struct snapshot *s, const void *journal, size_t n,
                    struct err *err);
void snapshot_free(struct snapshot *s);
/* Whether nothing can have been written or mapped at [addr, addr + n) between these two of one
 * machine. */
bool snapshot_same_memory(const struct snapshot *a, const struct snapshot *b, uint64_t addr,
                          uint64_t n);
/* Host bytes of a snapshot that are never shared: the same for as long as it lives. */
size_t snapshot_bytes(const struct snapshot *s);
/* Host bytes that all snapshots of the machine share, with each other or the present, and that the
 * machine would not hold without them: with the former they are all that snapshots cost, exactly.
 */
size_t machine_held_bytes(const struct machine *m);
/* Host bytes ever taken for memory, its copies and the machine's state in snapshots. */
uint64_t machine_taken_bytes(const struct machine *m);
/* All that s shares, or the present if s is NULL, to be counted again. */
struct ledger_walk;
void snapshot_walk(const struct machine *m, const struct snapshot *s, const struct ledger_walk *w);

/* Digest of the arena and guest memory: equal machines give equal values. */
uint64_t machine_hash(const struct machine *m);
/* The arena's bytes, for checkpoint files and comparisons. */
const void *machine_arena(const struct machine *m, size_t *n);
/* Its sections, by place; names say what differs between two machines. */
const struct arena_section *machine_sections(const struct machine *m, unsigned *count);
/* Replaces the arena by bytes saved from a machine of the same configuration; n must match. The
 * caller restores memory and then journal and output as well. */
bool machine_load_arena(struct machine *m, const void *bytes, size_t n, struct err *err);
/* Replaces the journal by what journal_save() wrote. False with *err, which says what is wrong with
 * it, and nothing changed. */
bool machine_load_journal(struct machine *m, const void *bytes, size_t n, struct err *err);

#endif
