/* Pages of `help` that list the rows of a table: views, events, statistics, parameters, keys. */
#ifndef CYCLOPS_UI_HELP_HELP_TABLES_H
#define CYCLOPS_UI_HELP_HELP_TABLES_H

#include "core/defs/field_type.h"
#include "core/isa/csr.h"
#include "ui/console/command.h"

/* Groups of commands, in the order of the list. */
struct help_group {
	const char *name, *title; /* name: a command's `group` */
};

extern const struct help_group help_groups[];
extern const unsigned help_group_count;

/* Text about the mouse, in lines. */
extern const char help_mouse[];

void help_put_group(struct console *c, const struct help_group *g);
void help_put_commands(struct console *c);
/* "mepc"; for a row that stands for several, "hpmcounter3-31". Returns buf or a constant name. */
const char *help_csr_name(const struct csr_info *csr, char *buf, size_t n);
/* Prints the statistics from row `i` on that differ only in a number after `_` as one line:
 * "xprof.dropped_0-7". Returns how many. */
size_t help_put_stats(struct console *c, size_t i);
void help_put_field(struct console *c, const char *name, const char *help, enum field_type type);

void help_list_views(struct console *c);
void help_list_reports(struct console *c);
void help_list_events(struct console *c);
void help_list_fields(struct console *c);
void help_list_stats(struct console *c);
void help_list_params(struct console *c);
void help_list_csrs(struct console *c);
void help_list_keys(struct console *c);
void help_list_mouse(struct console *c);

#endif
