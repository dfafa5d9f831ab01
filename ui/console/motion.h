/* Shared by all commands that move the machine: checks before a motion, the report after. */
#ifndef CYCLOPS_UI_CONSOLE_MOTION_H
#define CYCLOPS_UI_CONSOLE_MOTION_H

#include "core/run/run.h"
#include "ui/console/command.h"
#include "ui/console/stop_hits.h"

/* Call before a motion by cycles, which begins at the end of the present cycle. Keeps the contents
 * of shown views. False with c->err if the motion goes forward and the program has ended. */
bool motion_start(struct console *c, bool forward);
/* Likewise before a motion from the place (ui/console/here.h): the program's end may still be ahead
 * of the place, though the machine has reached it. */
bool motion_depart(struct console *c, bool forward);

/* Call before the report of run control's motion to a goal: if the motion reached the goal, sets
 * the place right after the instruction that did. */
void motion_reached(struct console *c, bool began, const struct run_stop_info *info);
/* Call when a motion by cycles has been undone: resets the place to where the motion began. */
void motion_undone(struct console *c);
/* Selects a call frame. */
void motion_select(struct console *c, unsigned level);

enum motion_style {
	MOTION_STATUS, /* a line of status for ordinary stops, too */
	MOTION_SOURCE  /* and the source line */
};

/* The stop points met where the last motion ended; a motion that puts them between the instructions
 * of the cycle sets them before its report. */
struct stop_hits *motion_hits(const struct console *c);
/* Call after a motion: prints the report and the displays. began, err: the result of run_*(). */
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
