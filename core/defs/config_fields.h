/* The fields of struct config, for files that read and write them: these are recompiled for each
 * new row of params.def. Elsewhere use CONFIG(). */
#ifndef CYCLOPS_CORE_DEFS_CONFIG_FIELDS_H
#ifdef CYCLOPS_CORE_DEFS_CONFIG_H
#error "include core/defs/config_fields.h before core/defs/config.h"
#endif
#define CYCLOPS_CORE_DEFS_CONFIG_FIELDS_H

#include "core/defs/choices.h"
#include "core/defs/config.h"

#include <assert.h>

enum {
	CONFIG_USED = 0
#define PARAM(field, ...) +sizeof(int64_t)
#define TEXT(field, ...) +PARAM_TEXT_MAX
#include "core/defs/params.def"
#undef PARAM
#undef TEXT
};
static_assert((size_t)CONFIG_USED < CONFIG_ROOM, "parameters need a larger CONFIG_ROOM");

struct config {
#define PARAM(field, ...) int64_t field;
#define TEXT(field, ...) char field[PARAM_TEXT_MAX];
#include "core/defs/params.def"
#undef PARAM
#undef TEXT
	char unused[CONFIG_ROOM - CONFIG_USED];
};
static_assert(sizeof(struct config) == CONFIG_ROOM, "the size is the same without access to the "
                                                    "fields");

#endif
