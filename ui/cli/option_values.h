/* What options take: counts, folders, settings. Each says what is wrong with a value. */
#ifndef CYCLOPS_UI_CLI_OPTION_VALUES_H
#define CYCLOPS_UI_CLI_OPTION_VALUES_H

#include "ui/cli/options.h"
#include "core/pipe/plugin.h"
#include "scripting/config/config_lua.h"

/* Bounds of what a first and a second pass over the options do: -o wins over --config wherever it
 * stands. */
enum pass { PASS_CONFIG, PASS_REST };

/* A comma as numbers are shown with, 3,000,000: behind up to three digits at the beginning, before
 * three that end or go on alike. */
bool option_is_group(const char *text, const char *s);
bool option_count(const char *name, const char *value, uint64_t *out, struct err *err);
/* "10M", "10M,insts", "5M,cycles" */
bool option_save_every(struct options *o, const char *value, struct err *err);
bool option_small_count(const char *name, const char *value, unsigned least, unsigned most,
                        unsigned *out, struct err *err);
/* WHAT=FILE: the folder of the file is what it is now, whatever guests do to names. */
void option_keep_folder(const char *value);
bool option_take_sysroot(struct options *o, const char *folder, struct err *err);
/* -o NAME=VALUE: a parameter of the machine, or where the screen begins. */
bool option_set(struct options *o, enum option_for which, char *value, struct err *err);
bool option_add_folder(struct options *o, const char *value, struct err *err);

#endif
