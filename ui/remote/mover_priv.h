/* Shared by motions by instructions and by lines; for ui/remote/ only. */
#ifndef CYCLOPS_UI_REMOTE_MOVER_PRIV_H
#define CYCLOPS_UI_REMOTE_MOVER_PRIV_H

#include "ui/remote/mover.h"

void mover_halt(struct mover *v, enum halt_kind kind, uint64_t addr);
enum halt_kind mover_break_kind(const struct point *p);
enum halt_kind mover_watch_kind(const struct point *p);
/* Halts before instruction i of the group. Always true; on failure the halt has the reason. */
bool mover_before(struct mover *v, unsigned i, enum halt_kind kind, uint64_t addr);
/* Halts after instruction i. Always true. */
bool mover_behind(struct mover *v, const struct group *g, unsigned i, enum halt_kind kind,
                  uint64_t addr);
/* True if p (NULL: none) stops the program after i instructions of the group. */
bool mover_stops(struct mover *v, const struct group *g, unsigned i, const struct point *p,
                 bool forward);

/* Call for instruction i of the group, about to be undone: true if a stop point stops a step back
 * there. */
bool mover_back_stops(struct mover *v, const struct group *g, unsigned i);
/* Enters the outermost inlined function that begins at the present pc and is not entered yet,
 * without executing an instruction. False: none begins here. */
bool mover_enter_inlined(struct mover *v);

/* ---- back_lines.c ---- */
/* Steps back by a line of the call frame of this level from the place, which is g's. */
void back_lines(struct mover *v, enum line_motion how, unsigned level, const struct goal *g);

/* The halt is at the session's own stop points that motion_hits() has. Always true. */
bool mover_own(struct mover *v);
/* True if stop points stop the program at the end of the cycle; sets the halt. placed: as
 * own_at_end(). */
bool mover_at_end(struct mover *v, bool placed);
/* Call after a leg of run control: its stop is the last one, of the session's own stop points, too.
 */
void mover_leg(struct mover *v, const struct run_stop_info *info, bool forward);

/* True if a breakpoint before instruction i of the group, or a watchpoint after it, stops the
 * motion there. check: breakpoints count. */
bool mover_over(struct mover *v, const struct group *g, unsigned i, bool check);
/* Moves the place back over instructions [first, i) of the group, from the last on, up to a stop.
 */
bool mover_walk_backward(struct mover *v, unsigned first, unsigned i);

/* ---- own_stops.c: the session's own stop points ---- */
/* Call after each leg of run control. */
void own_landed(struct mover *v, const struct run_stop_info *info, bool forward);
/* True if a breakpoint stops before instruction i of the group, a watchpoint after it, another one
 * at the end of the cycle: motion_hits() has them. */
bool own_before(struct mover *v, const struct group *g, unsigned i, bool forward);
bool own_behind(struct mover *v, const struct group *g, unsigned i, bool forward);
/* placed: watchpoints whose change no instruction explains, too */
bool own_at_end(struct mover *v, bool placed);

/* ---- signals.c ---- */
/* True if a signal that counts acted in the cycle of this stop: the place and the halt are then
 * before the signal. */
bool signals_met(struct mover *v, const struct run_stop_info *info, bool forward);
/* The halt is the end of the program: notes its signal. */
void signals_ended(struct mover *v);
/* Begins a motion forwards from before a signal: v->deliver acts. False: it is over, the halt has
 * the reason. *entered: the place is the beginning of a handler. */
bool signals_leave(struct mover *v, bool step, bool *entered);
/* Sends v->to_send, from after signals_leave() on, which may undo changes at the place. False: the
 * halt has the reason. */
bool signals_send(struct mover *v);
/* Begins a motion backwards. True: it is over, before an earlier signal of the same call. */
bool signals_back(struct mover *v);

/* ---- held.c ---- */
/* True if the motion holds the thread. */
bool held_thread(const struct mover *v, uint32_t tid);
/* Begins a motion forwards: holds v->held where one of them runs, and ends other holds. False: it
 * is over, the halt has the reason. */
bool held_begin(struct mover *v);
/* Ends the motion; v->held is empty. */
void held_end(struct mover *v);
/* After a leg: if a thread that is to be held has got the hart, goes back to before, and holds it.
 * False: the halt has the reason. */
bool held_keep(struct mover *v);
/* True if all threads that are not held have ended. */
bool held_alone(const struct mover *v);

/* Begins a motion; notifies the console's own hooks. False: the halt has the reason. */
bool mover_begin(struct mover *v, bool forward);
/* True if a motion of run control could not begin: the halt has the reason. */
bool mover_failed(struct mover *v, bool began, const struct err *err);
/* Sets the halt's reason when the machine has stopped and no instruction explains it. False: the
 * motion continues. */
bool mover_explain(struct mover *v, const struct run_stop_info *info);
/* True if a cause that debuggers have no word for stopped it, such as the session's own stop point.
 */
bool mover_is_ours(const struct mover *v, const struct run_stop_info *info);
/* True if an interrupted motion continues nevertheless. */
bool mover_resumes(struct mover *v);
/* True if the motion should stop. Call between two legs, which may be too short for a progress
 * callback. */
bool mover_is_stopped(struct mover *v);
/* Prints the console's report of the stop; to the peer (`tell`) if debuggers have no word for it.
 */
void mover_report(struct mover *v, bool began, const struct err *err, bool tell);
/* A commit_goal, true for the instructions up to number *ctx of those that have committed. */
bool insts_until(void *ctx, const struct machine *m, const struct event *ev);
/* Call after a leg forwards: before changes by hand at the end of its cycle, and before its
 * instructions. */
void mover_landed(struct mover *v);
/* True after a leg that began when `insts` instructions were committed, if the group's first one is
 * not the next after these. */
bool mover_has_passed(const struct mover *v, uint64_t insts);
/* The place is after all instructions of the group, and after changes by hand. */
void mover_pass_group(struct mover *v);
/* All instructions of the group are undone: goes to the end of a group before it that the machine
 * can't return to by itself, as it ends with changes by hand or is followed by them. False: there
 * is none. */
bool mover_enter_earlier(struct mover *v);
/* Moves the machine to the end of the latest cycle that committed the last instruction done at the
 * debugger's place, before its changes by hand. False: the halt has the reason. */
bool mover_machine_back(struct mover *v);

#endif
