/* Xprof in the pipeline: profile instructions, profile flags and profile flag prediction (Vaswani,
 * III and IV).
 *
 * Fetch puts a prefix pi.k and the instruction behind it together: they are one uop, whose pc is
 * the prefix's. Decode drops it while flag k is off. Control instructions act at decode and go no
 * further, but for pushpf and poppf, which are a store and a load in the shadow of the stack;
 * decode waits for what a poppf brings before it decides by that flag.
 *
 * Flags are known at three places. hart->pflags is the dispatch point's: exact, and early where a
 * poppf is under way. known is decode's, as hardware has it. bits are fetch's prediction bits: set
 * by setpf and resetpf as they are fetched, and put right on a squash. Each uop carries the flags
 * behind it, so that a squash can take them back, and those behind its predecessor in the window:
 * the oldest says what the committed flags are.
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
	XPROF_PLAIN,   /* what is in the queue is as it should be; it doesn't redirect */
	XPROF_CONTROL, /* the same, and the branch predictor decides where to go on */
	XPROF_SKIP,    /* a leader: go on at u->pred_next, behind its block */
	XPROF_BACK,    /* the rest of it isn't in this line: u was taken out of the queue again */
	XPROF_NOWHERE  /* the rest of it is where nothing may be executed */
};

/* Fetch: u has just entered the queue and is an Xprof instruction. */
enum xprof_fetched xprof_fetch(struct pipe *p, struct uop *u, uint64_t line);
/* The predictor expects u, a profile branch, not to be taken. A call that has no entry in the
 * target buffer is expected to be dropped by `ignored-update`, and what it has pushed on the return
 * stack is taken back at once. */
void xprof_not_taken(struct pipe *p, struct uop *u);

enum xprof_decoded {
	XPROF_WAITS, /* for a poppf's value */
	XPROF_GONE,  /* it was dropped, or has acted */
	XPROF_GOES   /* it is to be dispatched */
};

/* Decode: u is the oldest in the queue and an Xprof instruction. GONE: *redirect receives where
 * fetch has to go on instead, if it is not right. GOES: then u has UF_FLAG_MISS, and its pred_next
 * says where. */
enum xprof_decoded xprof_decode(struct pipe *p, struct uop *u, uint64_t *redirect);

/* An instruction that dispatch has looked at closer is about to be dispatched. */
void xprof_dispatches(struct pipe *p, struct uop *u);
/* One with OPF_XPROF or OPF_SERIAL has been; not called for profile instructions that redirect. */
void xprof_dispatched(struct pipe *p, struct uop *u);
/* Decode has sent fetch back to what Xprof says comes next. */
void xprof_sent_back(struct pipe *p);
/* The window was squashed back to where the flags were these. Fetch has been emptied. */
void xprof_squashed(struct pipe *p, uint16_t flags);
/* An instruction with OPF_XPROF commits. */
/* What goes on then is not what follows the youngest but an instruction that was there already,
 * before which the flags were `flags`: control instructions between the two have acted and are not
 * fetched again. `behind`: those behind the youngest. */
void xprof_resume(struct pipe *p, uint16_t behind, uint16_t flags);
void xprof_committed(struct pipe *p, const struct uop *u);
/* A CSR instruction commits. */
void xprof_csr_committed(struct pipe *p, const struct uop *u);
/* The program's code may have changed (fence.i, if bdt.fence_i). */
void xprof_fence(struct pipe *p, const struct uop *u);

/* Fetch begins anew behind what decode has seen. */
void xprof_refetched(struct pipe *p);
/* What hart says is committed, and nothing behind it has been decoded. */
void xprof_adopt(struct pipe *p);

/* Whether a slot in which nothing commits was lost to Xprof at decode: when decode could last have
 * dispatched what would commit now, it did Xprof's work (DECODE), or had nothing because fetch had
 * been sent elsewhere (FETCH). `oldest` in the window, NULL: it is empty. */
enum xprof_gap { XPROF_NO_GAP, XPROF_GAP_DECODE, XPROF_GAP_FETCH };
enum xprof_gap xprof_gap(const struct pipe *p, const struct uop *oldest);
/* As long as nothing moves from cycle `now` on: the first cycle in which that may be answered in
 * another way; `now` if that may be in any. UINT64_MAX: never. */
uint64_t xprof_gap_until(const struct pipe *p, const struct uop *oldest, uint64_t now);

/* Flags behind the last instruction that committed. */
uint16_t xprof_committed_flags(const struct pipe *p);
/* Flags that decode can know now, as views show them; *late receives those that a poppf has still
 * to bring. */
uint16_t xprof_known(const struct pipe *p, uint16_t *late);
/* The leader address register; 0: decode is in no block. */
uint64_t xprof_leader(const struct pipe *p);
/* What a plug-in predicts with, of a block or of a branch at pc without one (e NULL), as fetch
 * would ask now. */
struct plugin_flag;
struct plugin_flag xprof_asked(const struct xprof *x, uint64_t pc, unsigned type,
                               const struct bdt_entry *e);
/* The poppf whose flag decode needs before it can take u, the youngest; NULL: none. Changes
 * nothing. */
const struct uop *xprof_awaited(const struct pipe *p, const struct uop *u);

/* What each word of its state may be; its structures, for people: how many. */
void xprof_ranges(const struct pipe *p, struct ranges *rs);
unsigned xprof_tables(const struct pipe *p, struct state_part out[STATE_PARTS_MAX]);

#endif
