/* Live points: the states of a program at many places, from each of which a machine can go on with
 * timing at once: registers, memory and system, and what warming has left in caches, TLBs and
 * predictors (Wenisch, Wunderlich, Falsafi and Hoe, "Simulation Sampling with Live-Points", ISPASS
 * 2006). Theirs hold what a unit touches; these hold all, so that wrong paths find it, too, and
 * each is kept as what differs from the one before, in words of eight bytes. So a file of them is
 * read from its beginning on.
 *
 * Both who writes and who reads begin with a machine that has just been launched. Of what came from
 * outside nothing is kept: the program's files and its input are read again. */
#ifndef CYCLOPS_CORE_RUN_LIVE_POINTS_H
#define CYCLOPS_CORE_RUN_LIVE_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

struct live_points;
struct machine;

/* To write into f, or to read from it: m stands before its first instruction, and is borrowed, as f
 * is. NULL if memory is out. */
struct live_points *live_points_new(struct machine *m, FILE *f, bool writes);
void live_points_free(struct live_points *p);

/* Writes the machine's present state, in which no cycle has passed. False with *err if memory is
 * out; that f could not be written to is for its owner to find. */
bool live_points_put(struct live_points *p, struct err *err);
/* Behind the last. */
void live_points_close(struct live_points *p);

/* The machine, in the state of the last point, has now that of the next, for
 * machine_warm_adopt(). *more: there was one. False with *err if the file is damaged: then the
 * machine is good for nothing but machine_free(). */
bool live_points_get(struct live_points *p, bool *more, struct err *err);

#endif
