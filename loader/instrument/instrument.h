/* Instrumentation of finished executables: counting code, inserted by the editor, and where its
 * counters are.
 *
 * A counter is one or several 64-bit words in the program's memory. A section of the new file,
 * which is not loaded, has a table for each kind that describes each of its counters, so that with
 * the file a machine's memory can be read as a profile.
 *
 * Several kinds may be put into one program, each as plain code or as profile instructions of its
 * own type. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_INSTRUMENT_H
#define CYCLOPS_LOADER_INSTRUMENT_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "loader/instrument/counters.h"
#include "loader/instrument/instrument_options.h"
#include "loader/program.h"

/* The instrumented program. *file receives its file, *n bytes, malloc'd, and *sum a summary; both
 * may be NULL. NULL with *err. p stays the caller's. */
struct program *instrument_program(const struct program *p, const struct instrument_options *o,
                                   struct instrument_summary *sum, void **file, size_t *n,
                                   struct err *err);
/* The same as an editor (loader/launch.h); ctx is a struct instrument_options. */
struct program *instrument_edit(struct program *p, void *ctx, struct err *err);

#endif
