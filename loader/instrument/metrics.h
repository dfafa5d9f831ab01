/* What pic0 and pic1 count in an instrumented program (Ammons, Ball and Larus, section 3): any two
 * of the machine's statistics that count. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_METRICS_H
#define CYCLOPS_LOADER_INSTRUMENT_METRICS_H

#include "loader/instrument/instrument_options.h"

struct job;

#define METRICS_SECTION ".cyclops.metrics"

/* "sim.cycles,l1d.misses", or one alone: into o->metrics. False with *err, which names the nearest,
 * and o as before. */
bool metrics_parse(struct instrument_options *o, const char *text, struct err *err);
/* At the program's entry: selects them. Says in a section of the file which they are. */
bool metrics_select(struct job *j);
/* Their names: borrowed from p, NULL where there is none. False if p counts no metrics. */
bool program_metrics(const struct program *p, const char *names[INSTRUMENT_METRICS]);

#endif
