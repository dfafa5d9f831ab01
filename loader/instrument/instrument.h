/* Instrumentation of finished executables: code that counts, put in by the editor, and where its
 * counters are.
 *
 * Counters are 64-bit words, or several each, in the program's memory. A section of the new file,
 * which is not loaded, has a table for each kind that says what each of its counters counts, so
 * that whoever has the file can read a machine's memory as a profile.
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

/* A new program in whose file *file, of *n bytes and malloc'd, the summary's numbers are true; file
 * and sum may be NULL. NULL with *err. p stays the caller's. */
struct program *instrument_program(const struct program *p, const struct instrument_options *o,
                                   struct instrument_summary *sum, void **file, size_t *n,
                                   struct err *err);
/* The same as an editor (loader/launch.h); ctx is a struct instrument_options. */
struct program *instrument_edit(struct program *p, void *ctx, struct err *err);

#endif
