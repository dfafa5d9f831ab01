/* The statistics that pic0 and pic1 count in an instrumented program (Ammons, Ball and Larus,
 * section 3): any two of the machine's that are counts. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_METRICS_H
#define CYCLOPS_LOADER_INSTRUMENT_METRICS_H

#include "loader/instrument/instrument_options.h"

struct job;

#define METRICS_SECTION ".cyclops.metrics"

/* Parses "sim.cycles,l1d.misses", or one alone, into o->metrics. False with *err, which names the
 * nearest, and o unchanged. */
bool metrics_parse(struct instrument_options *o, const char *text, struct err *err);
/* Inserts the selection of the metrics at the program's entry, and adds a section with their
 * names. */
bool metrics_select(struct job *j);
/* The names of the metrics: borrowed from p, NULL where there is none. False if p counts no
 * metrics. */
bool program_metrics(const struct program *p, const char *names[INSTRUMENT_METRICS]);

#endif
