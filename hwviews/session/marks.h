/* Stretches of the run that people ask about, and what the machine counted in them.
 *
 *   since main   since last   since NAME   since 5000   since -5000 (cycles back)   1000 2000
 * selection
 *
 * Behind them, or alone: thread 2, thread switch, thread ended: what was counted there while that
 * thread had the hart, while threads were switched, or by threads whose place others have taken.
 *
 * A region is the cycles behind its first number, up to and including the last. Counters of a
 * region are those at its end less those at its beginning; what is derived from them is computed
 * from the differences. What is not known of a cycle is found out by going there and back
 * (run_look). */
#ifndef CYCLOPS_HWVIEWS_SESSION_MARKS_H
#define CYCLOPS_HWVIEWS_SESSION_MARKS_H

#include "core/defs/stats.h"
#include "core/machine/thread_stats.h"
#include "hwviews/grid/view.h"

struct marks;

/* Without a mark; NULL if memory is short. */
struct marks *marks_new(void);
void marks_free(struct marks *r);
/* The program begins anew: marks and stops are forgotten. */
void marks_clear(struct marks *r);

/* ---- marks ---- */
enum { MARK_NAME_MAX = 32 };
struct mark {
	char name[MARK_NAME_MAX];
	uint64_t cycle, insts; /* instructions as machine_insts() counts */
};

/* The present gets a name; a mark of that name is moved here. False with *err. */
bool region_mark(struct session *s, const char *name, struct err *err);
/* The i-th, by age; NULL behind the last. */
const struct mark *region_mark_at(const struct session *s, unsigned i);

/* ---- stops ---- */
/* The machine is about to move: this is the last stop from now on. */
void region_motion_begins(struct session *s);

/* What passed since the last stop, negative going back: "+190 cycles, +93 instructions, 2
 * mispredictions"; empty if nothing passed; "+190 cycles, +93 insts" in brief. Returns buf. */
char *region_passed_text(const struct session *s, bool brief, char *buf, size_t n);

/* ---- asking ---- */
enum { REGION_WORDS_MAX = 16 };

struct region {
	bool given;         /* else everything until now */
	uint64_t from, to;  /* cycles done */
	/* whose counts: a thread's number, or COUNTS_OF_*; 0: the machine's */
	int64_t thread;
	char text[96];      /* "since main, cycles 5,521 to 7,000"; "" unless given */
	/* the words that were not about it */
	int argc;
	const char *argv[REGION_WORDS_MAX]; /* borrowed */
};

/* What `selection` stands for from now on, until the program begins anew. */
void region_select(struct session *s, uint64_t from, uint64_t to);
void region_unselect(struct session *s);
/* False if nothing is selected. */
bool region_selected(const struct session *s, uint64_t *from, uint64_t *to);

/* Takes what names a region out of words. False with *err, which says what can be asked. */
bool region_take(const struct session *s, int argc, const char *const *argv, struct region *out,
                 struct err *err);
/* The same, and counts of a thread can be asked for. */
bool region_take_thread(const struct session *s, int argc, const char *const *argv,
                        struct region *out, struct err *err);
/* What the machine counted there. False with *err if a cycle can't be reached. */
bool region_stats(const struct session *s, const struct region *r, struct stats *out,
                  struct err *err);
/* Calls fn with the machine as it is, or was, at the end of a cycle; as run_look() otherwise. */
bool region_look(const struct session *s, uint64_t cycle, run_look_fn *fn, void *ctx,
                 struct err *err);
/* What they say about regions in the help of views and commands. */
#define REGION_ARGS "[since NAME | FROM TO | selection]"
#define REGION_THREAD_ARGS REGION_ARGS " [thread N | switch | ended]"

#endif
