/* Listeners: who hears which event. For core/ only; others use machine_listen() and its kin
 * (core/defs/events.h).
 *
 * As many as memory allows, in the order in which they came. They may come and go while events are
 * told: one that goes leaves a gap that closes when all has been told. */
#ifndef CYCLOPS_CORE_MACHINE_LISTEN_H
#define CYCLOPS_CORE_MACHINE_LISTEN_H

struct listeners;

/* NULL if memory is short. */
struct listeners *listeners_new(void);
void listeners_free(struct listeners *l);

#endif
