/* Records the screen as an asciinema file (version 2): a line of JSON for the size, then a line for
 * each picture: its time, and the terminal output that draws its changed parts. FILE.svg and
 * FILE.gif, beside FILE.cast, are animated pictures of the recording, in the terminal's first size;
 * without the font that a GIF needs there is none.
 *
 * A row below the screen shows the keys typed last. Pauses are cut to RECORDING_PAUSE_SECONDS. */
#ifndef CYCLOPS_UI_SCREEN_RECORDING_H
#define CYCLOPS_UI_SCREEN_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

/* Size limit: enough for hours of stepping, or minutes of animation. */
#define RECORDING_BYTES_MAX (UINT64_C(64) << 20)
/* Longest time that a picture stands. */
#define RECORDING_PAUSE_SECONDS 2.0

struct recording;

/* Starts a recording of a screen on a light or dark background. The file, or a replacement of an
 * existing one, appears when it ends. NULL with *err. */
struct recording *recording_new(const char *path, int rows, int cols, bool light, struct err *err);
/* Shows the name of a key that was typed in later pictures. r may be NULL. */
void recording_key(struct recording *r, const char *name);
/* Call after each key. prompt: a prompt is open, in which `record stop` may be typed. */
void recording_prompt(struct recording *r, bool prompt);
/* Drops the pictures since the prompt was opened that is still open, or whose command runs. */
void recording_drop_prompt(struct recording *r);
/* True until the first picture is taken; false for NULL. */
bool recording_is_empty(const struct recording *r);
/* Paths of the animated pictures, in words; NULL: the recording's name doesn't end in .cast. */
const char *recording_films(const struct recording *r);
/* Why there is no GIF; "": there is one, or the recording's name doesn't end in .cast. */
const char *recording_no_gif(const struct recording *r);
const char *recording_path(const struct recording *r);
/* Returns the bytes written, and the number of pictures. full: the limit is reached. */
uint64_t recording_bytes(const struct recording *r, uint64_t *pictures, bool *full);
/* Records what ncurses shows now. cursor: it is visible. r may be NULL. */
void recording_take(struct recording *r, bool cursor);
/* Ends the recording: writes the file and frees r, which may be NULL. False with *err. */
bool recording_end(struct recording *r, struct err *err);

#endif
