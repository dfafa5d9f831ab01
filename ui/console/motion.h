/* Shared by all commands that move the machine: checks before, the report after. */
#ifndef CYCLOPS_UI_CONSOLE_MOTION_H
#define CYCLOPS_UI_CONSOLE_MOTION_H

#include "core/run/run.h"
#include "ui/console/command.h"
#include "ui/console/stop_hits.h"

/* Call before a motion by cycles: it begins at the end of the present one. Keeps the contents of
 * shown views. False with c->err if the motion goes forward and the program has ended. */
bool motion_start(struct console *c, bool forward);
/* The same before a motion from the place at which the program is seen (ui/console/here.h), where
 * the end of the program may be ahead, though the machine has reached it. */
bool motion_depart(struct console *c, bool forward);

/* Call before the report of a motion of run control to a goal: if it reached that, the place is
 * right after the instruction that did. */
void motion_reached(struct console *c, bool began, const struct run_stop_info *info);
/* A motion by cycles is undone, and the machine is where it began: so is the place. */
void motion_undone(struct console *c);
/* Selects a call frame. */
void motion_select(struct console *c, unsigned level);

enum motion_style {
	MOTION_STATUS, /* a line of status even when nothing special happened */
	MOTION_SOURCE  /* and the source line */
};

/* Call after a motion: `began` is what run_*() returned, with *err. Prints the report and the
 * displays. */
/* The stop points met where the last motion ended; a motion that puts them between the instructions
 * of the cycle sets them before its report. */
struct stop_hits *motion_hits(const struct console *c);
enum command_result motion_end_report(struct console *c, bool began,
                                      const struct run_stop_info *info, const struct err *err,
                                      enum motion_style style);

/* Prints "cycle 1,204,377, find+0x10 (words.c:41), 2,431,902 instructions". */
void motion_status(struct console *c);
/* Enters the inlined functions that begin at pc: only the one that `place`, the target of the
 * motion, names, if it names a function; all if NULL. Call after steps by instructions and cycles,
 * and after a motion to a place. */
void motion_enter_inlined(struct console *c, uint64_t pc, const char *place);
/* Prints the source line of the selected frame, if its file can be read. */
void motion_source(struct console *c);

#endif
