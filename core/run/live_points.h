/* Live points: the states of a program at many places, from each of which a machine can continue
 * with timing at once: registers, memory and system, and the warmed caches, TLBs and predictors
 * (Wenisch, Wunderlich, Falsafi and Hoe, "Simulation Sampling with Live-Points", ISPASS 2006).
 * Theirs hold only the state that a unit touches; these hold all of it, for wrong paths. Each is
 * stored as its differences from the previous one, in words of eight bytes. So a file is read from
 * its beginning.
 *
 * Writer and reader begin with a machine that has just been launched. External data is not stored:
 * the program's files and its input are read again. */
#ifndef CYCLOPS_CORE_RUN_LIVE_POINTS_H
#define CYCLOPS_CORE_RUN_LIVE_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

struct live_points;
struct machine;

/* Writes into f, or reads from it: m is before its first instruction. m and f are borrowed. NULL if
 * memory is out. */
struct live_points *live_points_new(struct machine *m, FILE *f, bool writes);
void live_points_free(struct live_points *p);

/* Writes the machine's present state, in which no cycle has passed. False with *err if memory is
 * out; errors of f are for its owner to find. */
bool live_points_put(struct live_points *p, struct err *err);
/* Call after the last point. */
void live_points_close(struct live_points *p);

/* Brings the machine from the state of the last point to that of the next, for
 * machine_warm_adopt(). *more: there was one. False with *err if the file is damaged: then the
 * machine can only be freed. */
bool live_points_get(struct live_points *p, bool *more, struct err *err);

#endif
