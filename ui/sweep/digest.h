/* Digests by which results are known again. They stand in files' names: what is here does not
 * change. */
#ifndef CYCLOPS_UI_SWEEP_DIGEST_H
#define CYCLOPS_UI_SWEEP_DIGEST_H

#include <stdint.h>

enum { DIGEST_TEXT_BYTES = 17 };

/* Of a file's bytes; what is no ordinary file that can be read has one of its own. */
uint64_t digest_file(const char *path);
/* Of this program itself, as 16 digits: two builds may simulate differently. */
void digest_build(char text[static DIGEST_TEXT_BYTES]);

#endif
