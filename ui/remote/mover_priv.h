/* What motions by instructions and by lines share; for ui/remote/ only. */
#ifndef CYCLOPS_UI_REMOTE_MOVER_PRIV_H
#define CYCLOPS_UI_REMOTE_MOVER_PRIV_H

#include "ui/remote/mover.h"

void mover_halt(struct mover *v, enum halt_kind kind, uint64_t addr);
enum halt_kind mover_break_kind(const struct point *p);
enum halt_kind mover_watch_kind(const struct point *p);
/* Halts before instruction i of the group; true, also if that failed. */
bool mover_before(struct mover *v, unsigned i, enum halt_kind kind, uint64_t addr);
/* Halts behind it; true. */
bool mover_behind(struct mover *v, const struct group *g, unsigned i, enum halt_kind kind,
                  uint64_t addr);
/* Whether p, NULL: none, stops the program where i instructions of the group are done. */
bool mover_stops(struct mover *v, const struct group *g, unsigned i, const struct point *p,
                 bool forward);

/* False, and the halt says why. The console's own hooks hear of it. */
bool mover_begin(struct mover *v, bool forward);
/* Whether a motion of run control could not begin: the halt says why. */
bool mover_failed(struct mover *v, bool began, const struct err *err);
/* The machine has stopped, and no instruction explains it: the halt says why. False: it goes on. */
bool mover_explain(struct mover *v, const struct run_stop_info *info);
/* Whether something of ours stopped it, for which debuggers have no word. */
bool mover_is_ours(const struct mover *v, const struct run_stop_info *info);
/* Whether a motion that was interrupted goes on all the same. */
bool mover_resumes(struct mover *v);
/* Between two legs of a motion, which may be too short for anybody to be asked on the way: whether
 * it is to stop there. */
bool mover_is_stopped(struct mover *v);
/* What stopped the machine, as the console tells it: to the peer, if debuggers have no word for it.
 */
void mover_report(struct mover *v, bool began, const struct run_stop_info *info,
                  const struct err *err, bool tell);
/* The machine to the end of the latest cycle that committed what the debugger sees as done last.
 * False: the halt says why not. */
bool mover_machine_back(struct mover *v);

#endif
