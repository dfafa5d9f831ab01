/* The one notification that the program's code may be new: bytes or mappings that instructions are
 * fetched from.
 *
 * fence.i and system calls note it in hart.new_code, with timing or without; the stage or loop that
 * has executed them calls pipe_new_code(), which notifies each structure that remembers code by its
 * address: the block descriptor table, the last pblen, and devices (device.new_code). Decoded pages
 * see each store and mapping themselves (core/mem/code.c), and the fetch queue is the caller's to
 * empty. The target buffer, predictors and prefetchers need no notice: they only guess. */
#ifndef CYCLOPS_CORE_PIPE_NEW_CODE_H
#define CYCLOPS_CORE_PIPE_NEW_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipe;
struct uop;

/* Notifies all if the hart has noted new code; returns whether it has. u: the instruction that
 * commits, NULL: none. */
bool pipe_new_code(struct pipe *p, const struct uop *u);
/* The same for `n` executable bytes that were written by hand. */
void pipe_code_written(struct pipe *p, uint64_t at, size_t n);

#endif
