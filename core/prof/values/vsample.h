/* The value sampler (Burrows et al., Efficient and Flexible Value Sampling, 2.1.2). The sampler
 * interrupts the program at intervals counted in instructions. In every m-th interrupt its handler
 * interprets the program's next n instructions, with the same effect as if the processor had
 * executed them, and records what each one computed.
 *
 * Interrupts. With timing, the processor counts the program's committed instructions. Exactly after
 * the instruction that completes the interval, the pipeline is emptied as by any interrupt and
 * stands still while the handler runs. When the handler returns, the next interval is drawn, all
 * lengths from vsample.interval_min to interval_max equally likely, and counting begins anew:
 * interpreted instructions are not counted. An interrupt waits while a serialising instruction is
 * in the window, and while firmware runs.
 *
 * The handler is not code: it has only time and a footprint in the caches. It takes
 * interrupt_cycles; if it interprets, start_cycles more; for each instruction inst_cycles, and for
 * a load all the cycles until its data is there; for each tuple tuple_cycles, and context_cycles if
 * the tuple has the caller. So
 *
 *   vsample.cycles = interrupts * interrupt_cycles + interpretations * start_cycles + insts *
 *     inst_cycles + tuples * tuple_cycles + contexts * context_cycles + memory_cycles
 *
 * where memory_cycles are spent waiting for interpreted loads and stores. Loads and stores go
 * through TLB, caches and write buffer in the cycle in which they are interpreted; a load's latency
 * is what a cycle counter shows, read before and after it. Lines of the handler's own code and
 * data, one of each a cycle while it runs, lines of the routine that interprets an operation, the
 * word that is interpreted and the record of each tuple go through L1I, L1D and L2 too, and so
 * evict the program's lines; their misses take no extra time, because the cycles above include
 * them. They lie at VSAMPLE_BASE, in memory that is not translated.
 *
 * struct vsample_capture sets for each operation what is recorded: nothing, which costs nothing, or
 * a tuple with certain words; vsample.capture sets the same for all. A tuple's cost does not depend
 * on its words, except for the caller.
 *
 * Every interrupt touches the same lines of the handler's data; vsample.varied_lines more are
 * touched by some interrupts each, at random.
 *
 * An interpretation ends after vsample.length instructions, not counting those skipped, before an
 * instruction that it can't interpret, or for an interrupt of firmware's; see VSAMPLE_STOPS. The
 * program then goes on there.
 *
 * vsample.deadline bounds the cycles at a stretch for which the handler keeps interrupts off: it
 * ends before an instruction whose cycles, memory apart, would exceed the bound. With
 * vsample.fault_cycles a store to a page of zeros is a page fault, which the handler can't take.
 *
 * There are two other methods (vsample.method). Interrupts, the choice of those that sample, tuples
 * and queue are the same.
 *
 * By upcall (2.1.3) a library in the program's own address space interprets. The interrupt sends
 * the program there (upcall_cycles) and finally back (return_cycles): each upcall adds both. The
 * library runs with interrupts on. So there is no deadline; firmware's interrupts are taken between
 * two of its instructions, after which it goes on; page faults are resolved, fault_cycles each.
 * Everything else that ends the handler's interpretation also ends the library's; so do system
 * calls: instructions that trap can't be interpreted (paper, 6), and a call made by the library
 * might not come back to it. Its tuples lack what only the kernel may see: they have a load's
 * latency, not its level. It changes the program's memory: a frame of vsample.frame_bytes is
 * written below sp and vsample.red_zone, the program's pc and registers on top, the rest zeros; the
 * lines of the frame, of the library's code, routines and queue are translated. There is no upcall
 * if the program may not write to the frame. Code that keeps data below sp and the red zone loses
 * it, as with any signal.
 *
 * By bouncing back (2.1.1) nothing is interpreted: core/pipe/interrupt/bounce.h. Each second
 * interrupt costs interrupt_cycles, and start_cycles again if it finds no progress.
 *
 * Interpreted instructions are executed by the machine's own semantics on the committed state
 * (core/pipe/interrupt/interpret.h lists what observes them).
 *
 * Tuples go to a bounded queue, from which a daemon on a processor of its own takes one every
 * vsample.service cycles (0: never); a tuple that finds no room is lost and counted. Taken or not,
 * a tuple can be read by its number until its slot is needed, and by the daemon
 * (core/run/value_daemon.h) until it fetches what it has taken: every VSAMPLE_PERIOD cycles, in
 * whole interpretations.
 *
 * Without timing there are no interrupts, and the interval stands still. All state lies in the
 * arena; the random numbers are splitmix64's from vsample.seed on. */
#ifndef CYCLOPS_CORE_PROF_VALUES_VSAMPLE_H
#define CYCLOPS_CORE_PROF_VALUES_VSAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/state_ranges.h"
#include "core/defs/choices.h"
#include "core/isa/inst.h"
#include "core/prof/values/vsample_tuple.h"

struct config;
struct prof;

/* Addresses of the handler: code, then 16 MiB on its data, then the queue. Below the devices, where
 * firmware does not reach. */
#define VSAMPLE_BASE UINT64_C(0x7e00000000)
#define VSAMPLE_ROUTINES (VSAMPLE_BASE + (UINT64_C(8) << 20))
#define VSAMPLE_DATA (VSAMPLE_BASE + (UINT64_C(16) << 20))
/* in other sets than the data before it */
#define VSAMPLE_VARIED (VSAMPLE_DATA + (UINT64_C(8) << 20) + 16384)
#define VSAMPLE_QUEUE (VSAMPLE_BASE + (UINT64_C(32) << 20))
/* Addresses of the library that an upcall enters, in the program's own space: code, routines, then
 * its queue. Nothing is mapped there. */
#define VSAMPLE_LIBRARY UINT64_C(0x1000000000)
#define VSAMPLE_LIBRARY_ROUTINES (VSAMPLE_LIBRARY + (UINT64_C(8) << 20))
#define VSAMPLE_LIBRARY_QUEUE (VSAMPLE_LIBRARY + (UINT64_C(32) << 20))

/*   id, name, place where it stops */
#define VSAMPLE_STOPS(S)                                                                           \
	S(LENGTH, length, "after as many instructions as it was to interpret")                     \
	S(TRAP, trap, "before an instruction that traps, or can't be fetched")                     \
	S(SYSCALL, syscall, "before a system call")                                                \
	S(PROTECTED, protected,                                                                    \
	  "before an instruction in vsample.protect_from to protect_to, or one that would access " \
	  "it")                                                                                    \
	S(INTERRUPT, interrupt, "before an interrupt of firmware's")                               \
	S(FENCE, fence, "before a fence.i")                                                        \
	S(TIME, time, "before an instruction that reads a counter or the time, or writes one")     \
	S(DEADLINE, deadline,                                                                      \
	  "before an instruction that would keep interrupts off for longer than vsample.deadline") \
	S(STACK, stack, "at once: below sp is no room of a known stack to make an upcall on")      \
	S(BLOCK, block, "after all instructions of its block, by bouncing back")                   \
	S(PART, part, "after some instructions of its block, by bouncing back")                    \
	S(STUCK, stuck, "by bouncing back: with no progress, however many cycles the program had") \
	S(FAR, far, "by bouncing back: with more progress than its block")                         \
	S(AMBIGUOUS, ambiguous,                                                                    \
	  "by bouncing back: where several ways through its block lead, or the way is unknown")

enum vsample_stop {
	VSAMPLE_GOES_ON,
#define S(id, name, help) VSAMPLE_STOP_##id,
	VSAMPLE_STOPS(S)
#undef S
	VSAMPLE_STOP_COUNT
};

/* "length"; "" of VSAMPLE_GOES_ON. */
extern const char *const vsample_stop_name[VSAMPLE_STOP_COUNT];
extern const char *const vsample_stop_help[VSAMPLE_STOP_COUNT];

/* The choices of vsample.method. */
enum vsample_method { VSAMPLE_BY_HANDLER, VSAMPLE_BY_UPCALL, VSAMPLE_BY_BOUNCE };

/*   id, name, what the handler does */
#define VSAMPLE_PHASE_LIST(P) \
	P(AWAY, away, "the program runs") \
	P(ENTERED, enter, "the handler has been entered") \
	P(STARTS, start, "it is about to interpret") \
	P(INST, interpret, "it interprets the instruction at `pc`") \
	P(LOAD, data, "and waits for its data") \
	P(RECORD, record, "it records a tuple") \
	P(UPCALL, upcall, "the program is sent to the library's handler") \
	P(RETURN, return, "and the library back to the program")

enum vsample_phase {
#define P(id, name, help) VSAMPLE_##id,
	VSAMPLE_PHASE_LIST(P)
#undef P
	VSAMPLE_PHASES
};

extern const char *const vsample_phase_name[VSAMPLE_PHASES];

/* State that the bounce-back technique saves at its first interrupt: the instructions from the
 * program's next one to the end of its issue block, and the registers before them. */
enum { VSAMPLE_BLOCK_MAX = PIPE_WIDTH_MAX };

struct vsample_block {
#define STATE STATE_FIELD
#include "core/prof/values/vsample_block.def"
#undef STATE
};

enum { VSAMPLE_BROUGHT = 8 };

/* In the arena. */
struct vsample_state {
#define STATE STATE_FIELD
#include "core/prof/values/vsample_state.def"
#undef STATE
};

struct vsample {
	struct vsample_state *st;    /* in the arena; NULL: this machine has none */
	/* [vsample_room()], in the arena; the n-th tuple that entered, from 0 on, is at n %
	 * vsample_room() */
	struct vsample_tuple *queue;
	struct vsample_capture *capture; /* in the arena */
	const struct os *os; /* borrowed: it has the versions of code */
};

/* The most tuples of an interpretation, or of a block. */
uint64_t vsample_most(const struct config *cfg);
/* Capacity of the queue: waiting tuples, tuples of an interpretation that the daemon has taken in
 * part, and tuples that may enter before its next fetch. */
uint64_t vsample_room(const struct config *cfg);

/* Bytes of a record in the handler's memory: pc and word of the instruction, and the words that any
 * operation captures. */
unsigned vsample_record_bytes(const struct vsample_capture *capture);

/* Sets what is recorded. Call it before the first cycle. */
void vsample_set_capture(struct prof *d, const struct vsample_capture *capture);

/* ---- for core/pipe/interrupt/interpret.c ---- */
/* Begins the next interval, when the handler returns. */
void vsample_begin_interval(struct prof *d);
/* Counts an interrupt. True if its handler interprets. */
bool vsample_counts_down(struct prof *d);
/* For bouncing back: lets the program run for user_cycles cycles of its own, without an interval.
 */
void vsample_arm(struct prof *d, uint64_t user_cycles);
/* Draws how many instructions are interpreted before the first that is recorded. */
uint64_t vsample_draw_skip(struct prof *d);
/* Records *t, whose serial and sequence it sets. Returns the byte address of its place in the
 * queue; 0: there was no room. */
uint64_t vsample_record(struct prof *d, struct vsample_tuple *t, uint64_t now);

/* ---- looking ---- */
/* Instructions that the program has yet to commit before the next interrupt; 0 while the handler
 * runs. */
uint64_t vsample_distance(const struct prof *d);
/* Tuples that wait for the daemon now. */
uint64_t vsample_waiting(const struct prof *d);
/* Tuples that the daemon has taken by now, in all. */
uint64_t vsample_taken(const struct prof *d);
/* The n-th tuple that entered the queue, from 0 on; n < written, and among the last vsample_room().
 */
const struct vsample_tuple *vsample_entered(const struct prof *d, uint64_t n);
/* The tuple with this serial number, or NULL if it was lost or its slot was needed; borrowed until
 * the machine moves. */
const struct vsample_tuple *vsample_find(const struct prof *d, uint64_t serial);

#endif
