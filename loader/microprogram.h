/* A microprogram of the profiling co-processor, read from a file: the image for the machine, and
 * its names for users.
 *
 * Lifetime: microprogram_open() or microprogram_new(), microprogram_free(). Immutable. */
#ifndef CYCLOPS_LOADER_MICROPROGRAM_H
#define CYCLOPS_LOADER_MICROPROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/prof/cop/micro_asm.h"

struct machine;

struct microprogram {
	char *path; /* the path as given, or the text's name; owned */
	struct micro_image image; /* owned */
};

/* Assembles a file; `defines` and `all` as micro_assemble_all() takes them. NULL with *err, which
 * names file, line and column. */
struct microprogram *microprogram_open(const char *path, const struct micro_define *defines,
                                       unsigned count, struct micro_mistakes *all, struct err *err);
/* The same of n bytes of text; name stands for the file in messages. */
struct microprogram *microprogram_new(const char *text, size_t n, const char *name,
                                      const struct micro_define *defines, unsigned count,
                                      struct micro_mistakes *all, struct err *err);
void microprogram_free(struct microprogram *p);

/* Loads it into a machine that has not begun. False with *err if it has no co-processor or the
 * program does not fit. */
bool microprogram_load(const struct microprogram *p, struct machine *m, struct err *err);

#endif
