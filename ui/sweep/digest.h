/* Digests that identify results. File names contain them: the algorithm must not change. */
#ifndef CYCLOPS_UI_SWEEP_DIGEST_H
#define CYCLOPS_UI_SWEEP_DIGEST_H

#include <stdint.h>

enum { DIGEST_TEXT_BYTES = 17 };

/* Digest of a file's bytes; a fixed one for anything but a readable regular file. */
uint64_t digest_file(const char *path);
/* Digest of cyclops's own executable, as 16 digits: two builds may simulate differently. */
void digest_build(char text[static DIGEST_TEXT_BYTES]);

#endif
