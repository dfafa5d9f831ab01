/* What all commands that move the machine share: checks before, the report after. */
#ifndef CYCLOPS_UI_CONSOLE_MOTION_H
#define CYCLOPS_UI_CONSOLE_MOTION_H

#include "core/run/run.h"
#include "ui/console/command.h"
#include "ui/console/step_goals.h"

/* To be called before a motion: remembers what shown views look like. False with c->err when a
 * program that has ended is to go on. */
bool motion_start(struct console *c, bool forward);

/* Between the two, by a motion that ended in a certain call frame: selects it. */
void motion_select(struct console *c, unsigned level);
/* A step has moved, or not: where it got where it was to, its thread is looked at, though another
 * may have got the hart in the same cycle. */
void motion_step_ended(struct console *c, const struct goal *g, bool began,
                       const struct run_stop_info *info);
/* What people look at from now on, where a step by lines goes on as before. */
void motion_look_at(struct console *c, unsigned level);

enum motion_style {
	MOTION_STATUS, /* a line of status even when nothing special happened */
	MOTION_SOURCE  /* and the source line */
};

/* To be called after it: `began` is what run_*() returned, with *err. Prints the report and the
 * displays. */
enum command_result motion_end_report(struct console *c, bool began,
                                      const struct run_stop_info *info, const struct err *err,
                                      enum motion_style style);

/* "cycle 1,204,377, find+0x10 (words.c:41), 2,431,902 instructions". */
void motion_status(struct console *c);
/* Where inlined functions begin at pc, people are in them: behind steps by instructions and cycles,
 * and where it was a place to reach; `place`: how that was named, of which a function's name means
 * this function. NULL: in all. */
void motion_enter_inlined(struct console *c, uint64_t pc, const char *place);
/* The source line of the frame that is looked at, if its file can be read. */
void motion_source(struct console *c);

#endif
