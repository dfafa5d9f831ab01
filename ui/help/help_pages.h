/* The pages of help: lists of what there is, and how things are written. Help, its search and the
 * reference share them. */
#ifndef CYCLOPS_UI_HELP_HELP_PAGES_H
#define CYCLOPS_UI_HELP_HELP_PAGES_H

#include "core/defs/field_type.h"
#include "core/isa/csr.h"
#include "ui/console/command.h"

struct help_page {
	const char *name, *summary;
	void (*put)(struct console *c);
};

extern const struct help_page help_pages[];
extern const unsigned help_page_count;

/* Groups of commands, in the order of the list. */
struct help_group {
	const char *name, *title; /* name: a command's `group` */
};

extern const struct help_group help_groups[];
extern const unsigned help_group_count;

/* What the mouse does, in lines. */
extern const char help_mouse[];

void help_put_group(struct console *c, const struct help_group *g);
void help_put_commands(struct console *c);
/* "mepc"; of a row that stands for several, "hpmcounter3-31". Returns buf, or a name that stays. */
const char *help_csr_name(const struct csr_info *csr, char *buf, size_t n);
/* The statistics from row `i` on that differ in a number behind `_` only, as one line:
 * "xprof.dropped_0-7". Returns how many. */
size_t help_put_stats(struct console *c, size_t i);
/* Whether a word is how an instruction of Xprof begins: "pi.0", "setpf". Page "xprof" has them all.
 */
bool help_is_xprof(const char *word);
void help_put_field(struct console *c, const char *name, const char *help, enum field_type type);

#endif
