/* Runs a stretch of the run again on machines that lack one cause each. The cycles that this saves
 * stand beside those that the slot stack charges to the cause. */
#ifndef CYCLOPS_HWVIEWS_WHY_WHAT_IF_H
#define CYCLOPS_HWVIEWS_WHY_WHAT_IF_H

#include "core/base/err.h"
#include "hwviews/session/marks.h"

/* At most so many instructions of the stretch are run again, behind at most so many that warm
 * caches and predictors. */
enum { WHAT_IF_INSTS = 1000000, WHAT_IF_WARMING = 1000000 };

enum {
#define REMEDY(...) +1
	WHAT_IF_ROWS = 0
#include "hwviews/why/what_if.def"
#undef REMEDY
};

/* A row of what_if.def. */
struct what_if_remedy {
	const char *name, *rows, *settings;
};
extern const struct what_if_remedy what_if_remedies[WHAT_IF_ROWS];

struct what_if_row {
	const struct what_if_remedy *remedy;
	double claim;       /* cycles that the slot stack charges to it; 0 if it has no row */
	uint64_t cycles;    /* without it */
	/* the row of the slot stack that then grows most, NULL if none grows by as much as half a
	 * per cent of all cycles */
	const char *next;
	double grew;        /* by so many cycles */
	bool ran;           /* else `why` says why not */
	char why[160];
};

struct what_if {
	char text[96];       /* of the region; empty: all until then */
	/* first instruction and number: of the program, as machine_insts() counts */
	uint64_t from, insts;
	bool cut;            /* the region had more */
	uint64_t cycles;     /* of the machine as it is, when it runs these again */
	struct what_if_row row[WHAT_IF_ROWS]; /* by cycles saved, most first */
};

/* The stretch that words name, as regions are named; "" is all until now. False with *err. */
bool what_if_region(const struct session *s, const char *words, struct region *out,
                    struct err *err);

/* Asked before each run, of so many, and every so many cycles; steps: cycles, or instructions
 * without timing, since it was asked last. False ends all. */
typedef bool what_if_goes_on(void *ctx, unsigned done, unsigned all, uint64_t steps);

/* False with *err: it would not be the same again (what was typed, files to write, firmware,
 * changes by hand), it was ended, or memory ran out. The session stays as it is. */
bool what_if_run(const struct session *s, const struct region *r, what_if_goes_on *goes_on,
                 void *ctx, struct what_if *out, struct err *err);

#endif
