/* What the files of Xprof share: flags and events (xprof.c), for fetch (xprof_fetch.c) and decode
 * (xprof_decode.c). */
#ifndef CYCLOPS_CORE_PIPE_XPROF_XPROF_PRIV_H
#define CYCLOPS_CORE_PIPE_XPROF_XPROF_PRIV_H

#include "core/pipe/pipe.h"
#include "core/pipe/xprof/xprof.h"

/* An event of u, or of none. NULL: nobody wants it. */
struct event *xprof_tell(struct pipe *p, enum event_id id, const struct uop *u);
/* The event of what decode did to an entry of the table, NULL: to all of them. */
void xprof_tell_entry(struct pipe *p, const struct uop *u, enum bdt_action action,
                      const struct bdt_entry *e);

/* Decode knows the flags to be these, because of u or of a squash. */
void xprof_know(struct pipe *p, const struct uop *u, unsigned flags);
/* Takes over what poppfs have brought. */
void xprof_settle(struct pipe *p);
/* Nothing has changed since the youngest instruction in the window. */
void xprof_settle_stamp(struct pipe *p);
/* Decode changes the flags, between two instructions in the window. */
void xprof_change_flags(struct pipe *p, uint16_t flags);
/* A setpf or resetpf sets its prediction bit. */
void xprof_fetch_flag(struct pipe *p, const struct uop *u);
/* Decode waits for what this poppf brings of these types, once it needs one of them. */
void xprof_await_pop(struct pipe *p, const struct uop *u, uint64_t types);

/* Counts u in the row of its type, with the row of type 0 given: those of the others follow
 * (core/defs/stats.def). */
static inline void xprof_count_type(uint64_t *rows, const struct uop *u)
{
	rows[u->profile_type]++;
}

/* `old` with the types in `mask` set to what `flags` says. */
static inline uint16_t xprof_with(uint16_t old, uint64_t mask, uint64_t flags)
{
	return (uint16_t)((old & ~mask) | (flags & mask));
}

#endif
