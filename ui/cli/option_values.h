/* Values of options: counts, folders, settings. On false, *err describes the error in the value. */
#ifndef CYCLOPS_UI_CLI_OPTION_VALUES_H
#define CYCLOPS_UI_CLI_OPTION_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

bool option_count(const char *name, const char *value, uint64_t *out, struct err *err);
/* "10M", "10M,insts", "5M,cycles" */
bool option_save_every(const char *value, uint64_t *every, bool *cycles, struct err *err);
bool option_small_count(const char *name, const char *value, unsigned least, unsigned most,
                        unsigned *out, struct err *err);
/* Resolves the folder of FILE in WHAT=FILE now, so that guests can't redirect the file by renaming.
 */
void option_keep_folder(const char *value);
bool option_sysroot_exists(const char *folder, struct err *err);

#endif
