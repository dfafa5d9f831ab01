/* Records what the screen shows as an asciinema file (version 2): a line of JSON for the size, then
 * one for each picture, with when it was drawn and what a terminal makes it of. What is unchanged
 * is not written again. */
#ifndef CYCLOPS_UI_SCREEN_RECORDING_H
#define CYCLOPS_UI_SCREEN_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

/* So much is written at most: hours of stepping, minutes of animation. */
#define RECORDING_BYTES_MAX (UINT64_C(64) << 20)

struct recording;

/* The file is there when the recording ends, as whatever had its name is until then. NULL with
 * *err. */
struct recording *recording_new(const char *path, int rows, int cols, struct err *err);
const char *recording_path(const struct recording *r);
/* How much has been written: bytes, and pictures. full: no more is taken. */
uint64_t recording_bytes(const struct recording *r, uint64_t *pictures, bool *full);
/* What ncurses shows now. cursor: it is visible. NULL: nothing is recorded. */
void recording_take(struct recording *r, bool cursor);
/* The end: the file is written, r is gone. NULL: nothing was recorded. False with *err. */
bool recording_end(struct recording *r, struct err *err);

#endif
