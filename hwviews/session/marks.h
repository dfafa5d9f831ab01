/* Regions of the run, and the machine's counts in them.
 *
 *   since main   since last   since NAME   since 5000   since -5000 (cycles back)   1000 2000
 *   selection
 *
 * After them, or alone: thread 2, thread switch, thread ended: counts while that thread had the
 * hart, while threads were switched, or of ended threads whose entries others have taken.
 *
 * A region is the cycles after its first number, up to and including the last. Counters of a region
 * are those at its end less those at its beginning; derived values are computed from the
 * differences. Unknown counts of a cycle are found by going there and back (run_look). */
#ifndef CYCLOPS_HWVIEWS_SESSION_MARKS_H
#define CYCLOPS_HWVIEWS_SESSION_MARKS_H

#include "core/defs/stats.h"
#include "core/machine/thread_stats.h"
#include "hwviews/grid/view.h"

struct marks;

/* Without a mark; NULL if memory is short. */
struct marks *marks_new(void);
void marks_free(struct marks *r);
/* Forgets marks and stops, when the program begins anew. */
void marks_clear(struct marks *r);

/* ---- marks ---- */
enum { MARK_NAME_MAX = 32 };
struct mark {
	char name[MARK_NAME_MAX];
	uint64_t cycle, insts; /* instructions, by machine_insts() */
};

/* Names the present cycle; moves an existing mark of that name. False with *err. */
bool region_mark(struct session *s, const char *name, struct err *err);
/* The i-th, by age; NULL after the last. */
const struct mark *region_mark_at(const struct session *s, unsigned i);

/* ---- stops ---- */
/* Call before the machine moves: makes the present the last stop. */
void region_motion_begins(struct session *s);

/* Progress since the last stop, negative going back: "+190 cycles, +93 instructions, 2
 * mispredictions"; empty if none; "+190 cycles, +93 insts" in brief. Returns buf. */
char *region_passed_text(const struct session *s, bool brief, char *buf, size_t n);

/* ---- parsing ---- */
enum { REGION_WORDS_MAX = 16 };

struct region {
	bool given;         /* false: everything until now */
	uint64_t from, to;  /* cycles done */
	/* whose counts: a thread's number, or COUNTS_OF_*; 0: the machine's */
	int64_t thread;
	char text[96];      /* "since main, cycles 5,521 to 7,000"; "" unless given */
	/* all other words */
	int argc;
	const char *argv[REGION_WORDS_MAX]; /* borrowed */
};

/* Sets `selection`, until the program begins anew. */
void region_select(struct session *s, uint64_t from, uint64_t to);
void region_unselect(struct session *s);
/* False if nothing is selected. */
bool region_selected(const struct session *s, uint64_t *from, uint64_t *to);

/* Takes the words that name a region out of argv. False with *err, which lists the possible
 * forms. */
bool region_take(const struct session *s, int argc, const char *const *argv, struct region *out,
                 struct err *err);
/* The same, but also accepts a thread. */
bool region_take_thread(const struct session *s, int argc, const char *const *argv,
                        struct region *out, struct err *err);
/* The machine's counts in the region. False with *err if a cycle can't be reached. */
bool region_stats(const struct session *s, const struct region *r, struct stats *out,
                  struct err *err);
/* Calls fn with the machine as it is, or was, at the end of a cycle; otherwise like run_look(). */
bool region_look(const struct session *s, uint64_t cycle, run_look_fn *fn, void *ctx,
                 struct err *err);
/* Text about regions for the help of views and commands. */
#define REGION_ARGS "[since NAME | FROM TO | selection]"
#define REGION_THREAD_ARGS REGION_ARGS " [thread N | switch | ended]"

#endif
