/* Shared by the files of Xprof: flags and events (xprof.c), for fetch (xprof_fetch.c) and decode
 * (xprof_decode.c). */
#ifndef CYCLOPS_CORE_PIPE_XPROF_XPROF_PRIV_H
#define CYCLOPS_CORE_PIPE_XPROF_XPROF_PRIV_H

#include "core/pipe/pipe.h"
#include "core/pipe/xprof/xprof.h"

/* Adds an event of u, or of none; NULL if it is not wanted. */
struct event *xprof_tell(struct pipe *p, enum event_id id, const struct uop *u);
/* Emits the event of decode's action on an entry of the table; NULL: on all of them. */
void xprof_tell_entry(struct pipe *p, const struct uop *u, enum bdt_action action,
                      const struct bdt_entry *e);

/* Sets decode's flags, because of u or of a squash. */
void xprof_know(struct pipe *p, const struct uop *u, unsigned flags);
/* Adopts flags of poppfs that have completed. */
void xprof_settle(struct pipe *p);
/* Notes that no flag has changed since the youngest instruction in the window. */
void xprof_settle_stamp(struct pipe *p);
/* Changes the flags at decode, between two instructions in the window. */
void xprof_change_flags(struct pipe *p, uint16_t flags);
/* Sets the prediction bit of a setpf or resetpf. */
void xprof_fetch_flag(struct pipe *p, const struct uop *u);
/* Makes decode wait for this poppf when it needs a flag of these types. */
void xprof_await_pop(struct pipe *p, const struct uop *u, uint64_t types);

/* Counts u in the row of its type, with the row of type 0 given: those of the others follow
 * (core/defs/stats.def). */
static inline void xprof_count_type(uint64_t *rows, const struct uop *u)
{
	rows[u->profile_type]++;
}

/* `old` with the bits in `mask` replaced by those of `flags`. */
static inline uint16_t xprof_with(uint16_t old, uint64_t mask, uint64_t flags)
{
	return (uint16_t)((old & ~mask) | (flags & mask));
}

#endif
