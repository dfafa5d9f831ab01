/* Xprof in the pipeline: profile instructions, profile flags and profile flag prediction (Vaswani,
 * III and IV).
 *
 * Fetch fuses a prefix pi.k with the instruction after it: they are one uop, whose pc is the
 * prefix's. Decode drops it while flag k is off. Control instructions act at decode and go no
 * further, except pushpf and poppf, which are a store and a load in the shadow of the stack; decode
 * waits for a poppf's value before it uses that flag.
 *
 * Flags are kept at three places. hart->pflags is the dispatch point's: exact, and early while a
 * poppf is in flight. known is decode's, as in hardware. bits are fetch's prediction bits: set by
 * setpf and resetpf when they are fetched, and corrected on a squash. Each uop carries the flags
 * after it, so that a squash can restore them, and those after its predecessor in the window: the
 * oldest uop's are the committed flags.
 *
 * The stages call in here for uops with OPF_XPROF only. */
#ifndef CYCLOPS_CORE_PIPE_XPROF_XPROF_H
#define CYCLOPS_CORE_PIPE_XPROF_XPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/uop.h"
#include "core/pipe/xprof/xprof_state.h"

struct pipe;

void xprof_place(struct xprof *x, const struct config *cfg, struct arena *a);
void xprof_reset(struct xprof *x);

enum xprof_fetched {
	XPROF_PLAIN,   /* u stays in the queue; fetch continues after it */
	XPROF_CONTROL, /* u stays in the queue; the branch predictor decides the next pc */
	XPROF_SKIP,    /* a leader: continue at u->pred_next, after its block */
	XPROF_BACK,    /* the rest of it isn't in this line: u was removed from the queue */
	XPROF_NOWHERE  /* the rest of it is at an address that is not executable */
};

/* Fetch: handles u, an Xprof instruction that has just entered the queue. */
enum xprof_fetched xprof_fetch(struct pipe *p, struct uop *u, uint64_t line);
/* Call if the predictor predicts that u, a profile branch, is not taken. With `ignored-update`, a
 * call without an entry in the target buffer is expected to be dropped, so its push on the return
 * stack is undone at once. */
void xprof_not_taken(struct pipe *p, struct uop *u);
/* After a skip (XPROF_SKIP) whose target is in the line that has been requested: fetch goes on in
 * the same cycle, if skips take no time. True if it does. */
bool xprof_skips_at_once(struct pipe *p);

enum xprof_decoded {
	XPROF_WAITS, /* for a poppf's value */
	XPROF_GONE,  /* it was dropped, or has acted */
	XPROF_GOES   /* to be dispatched */
};

/* Decode: handles u, the oldest in the queue and an Xprof instruction. GONE: *redirect receives the
 * pc for fetch if fetch is wrong. GOES: if fetch is wrong, u has UF_FLAG_MISS, and its pred_next is
 * the pc. */
enum xprof_decoded xprof_decode(struct pipe *p, struct uop *u, uint64_t *redirect);

/* Call before an instruction is dispatched that look_closer() has handled. */
void xprof_dispatches(struct pipe *p, struct uop *u);
/* Call after one with OPF_XPROF or OPF_SERIAL was dispatched, except profile instructions with
 * OPF_REDIRECT. */
void xprof_dispatched(struct pipe *p, struct uop *u);
/* Call after decode has redirected fetch because of Xprof. */
void xprof_sent_back(struct pipe *p);
/* Call after a squash of the window and the fetch queue; flags: those at that point. */
void xprof_squashed(struct pipe *p, uint16_t flags);
/* Call after a squash that resumes at a removed instruction, not after the youngest remaining one:
 * control instructions between the two have acted and are not fetched again. behind: flags after
 * the youngest; flags: those before the removed one. */
void xprof_resume(struct pipe *p, uint16_t behind, uint16_t flags);
/* Call when an instruction with OPF_XPROF commits. */
void xprof_committed(struct pipe *p, const struct uop *u);
/* Call when an instruction commits that may have set the flags at once: of a CSR, or a signal
 * handler's return. */
void xprof_flags_committed(struct pipe *p, const struct uop *u);
/* Call when all of the program's code may be new: empties the table, if bdt.fence_i. */
void xprof_new_code(struct pipe *p, const struct uop *u);
/* Call when code was written by hand: drops the entries of blocks with these bytes. */
void xprof_code_written(struct pipe *p, uint64_t at, size_t n);

/* Call when fetch restarts after the last decoded instruction. */
void xprof_refetched(struct pipe *p);
/* Adopts the hart's flags, which are committed; nothing after them has been decoded. */
void xprof_adopt(struct pipe *p);

/* Whether an unused commit slot was lost to Xprof at decode: in the last cycle in which decode
 * could have dispatched an instruction that commits now, it did Xprof's work (DECODE), or had no
 * instruction because Xprof had redirected fetch (FETCH). oldest: in the window; NULL: it is
 * empty. */
enum xprof_gap { XPROF_NO_GAP, XPROF_GAP_DECODE, XPROF_GAP_FETCH };
enum xprof_gap xprof_gap(const struct pipe *p, const struct uop *oldest);
/* If no instruction moves from cycle `now` on: the first cycle in which xprof_gap() may change;
 * `now` if it may in any. UINT64_MAX: never. */
uint64_t xprof_gap_until(const struct pipe *p, const struct uop *oldest, uint64_t now);

/* Flags after the last committed instruction. */
uint16_t xprof_committed_flags(const struct pipe *p);
/* Flags that decode has now, for views; *late receives the flags that wait for a poppf. */
uint16_t xprof_known(const struct pipe *p, uint16_t *late);
/* The leader address register; 0: decode is in no block. */
uint64_t xprof_leader(const struct pipe *p);
/* Input of a plug-in's prediction for a block, or for a branch at pc without one (e NULL), at the
 * present state of fetch. */
struct plugin_flag;
struct plugin_flag xprof_asked(const struct xprof *x, uint64_t pc, unsigned type,
                               const struct bdt_entry *e);
/* The youngest poppf whose flag decode needs before it can take u; NULL: none. Changes nothing. */
const struct uop *xprof_awaited(const struct pipe *p, const struct uop *u);

/* xprof_ranges() lists the ranges of its state; xprof_tables() its structures, for printing, and
 * returns their number. */
void xprof_ranges(const struct pipe *p, struct ranges *rs);
unsigned xprof_tables(const struct pipe *p, struct state_part out[STATE_PARTS_MAX]);

#endif
