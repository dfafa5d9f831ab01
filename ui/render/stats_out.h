/* Statistics as text and JSON. */
#ifndef CYCLOPS_UI_RENDER_STATS_OUT_H
#define CYCLOPS_UI_RENDER_STATS_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "core/defs/stats.h"

/* Writes every statistic that the machine has to a file: JSON if its name ends in .json, otherwise
 * text; "-" is stderr. False with *err: the file may be incomplete. */
bool stats_write(const char *path, const struct stats *s, const struct config *cfg,
                 struct err *err);

/* Writes one object that maps dotted names to numbers, in the order of stats.def. */
void stats_write_json(FILE *f, const struct stats *s, const struct config *cfg);
/* Writes a line for each statistic: name, value, description. */
void stats_write_text(FILE *f, const struct stats *s, const struct config *cfg);

/* Writes the main statistics; host_seconds > 0 adds the speed of the simulation. */
void stats_write_summary(FILE *f, const struct stats *s, const struct config *cfg,
                         double host_seconds);

/* Formats 1234567 as "1,234,567". Returns buf. */
char *stats_grouped(uint64_t v, char buf[32]);

#endif
