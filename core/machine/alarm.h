/* Alarms: callbacks every N instructions or cycles, or when the machine stops, at no cost in
 * between. A run with alarms only is as fast as one without: machine_run() computes where the next
 * one rings.
 *
 * An alarm rings after the events of the first cycle at whose end its place is reached: commit is
 * not held back, and a cycle that reaches two of its places rings once. Its places follow from
 * `every` and `first` alone, and the next one from the present cycle or instruction count: going
 * back and forth does not shift them. Alarms of one cycle ring in the order in which they were set.
 *
 * Rules of listeners apply (core/defs/events.h): machine_mute() silences alarms, re-execution does
 * not ring them, machine_take_observers() moves them to another machine; they may be added and
 * removed while alarms ring or events are delivered, request changes by machine_change_later() and
 * a stop by machine_request_stop(). Functional execution rings none. */
#ifndef CYCLOPS_CORE_MACHINE_ALARM_H
#define CYCLOPS_CORE_MACHINE_ALARM_H

#include <stdint.h>

#include "core/base/err.h"

struct machine;

enum alarm_unit {
	ALARM_INSTS,  /* of the program, fast-forwarded ones included, firmware's not */
	ALARM_CYCLES, /* machine_cycle() */
	ALARM_END     /* the cycle in which the machine stops for good: exit, fault, signal */
};

struct alarm {
	enum alarm_unit unit;
	uint64_t every; /* between one place and the next; 0: there is one place, `first` */
	/* place, counted from the machine's beginning; 0: `every` from the present */
	uint64_t first;
};

typedef void alarm_fn(void *ctx, const struct machine *m);

/* Returns an id > 0, never given twice; 0 with *err if it could never ring or memory is out. */
int machine_alarm(struct machine *m, const struct alarm *a, alarm_fn *fn, void *ctx,
                  struct err *err);
/* Ignores ids of alarms that do not exist. */
void machine_unalarm(struct machine *m, int id);

#endif
