/* Runs a part of the run again on machines that lack one cause of lost slots each, to compare the
 * saved cycles with those that the slot stack charges to the cause.
 *
 * All runs begin with the session's state at the beginning of the part. Structures that a remedy
 * reshapes begin anew: a pipeline empty, a target buffer warmed by earlier instructions. The
 * unchanged machine, rebuilt in the same way, must then be within 1 % of the part's cycles. */
#ifndef CYCLOPS_HWVIEWS_WHY_WHAT_IF_H
#define CYCLOPS_HWVIEWS_WHY_WHAT_IF_H

#include "core/base/err.h"
#include "core/base/textbuf.h"
#include "core/defs/config.h"
#include "hwviews/session/marks.h"

/* Most instructions that are run again; earlier cycles whose instructions warm a target buffer: a
 * fixed number, and a number for each entry. */
enum { WHAT_IF_INSTS = 1000000, WHAT_IF_WARMING = 1000000, WHAT_IF_WARMING_ENTRY = 64 };

enum {
#define REMEDY(...) +1
#define KEPT(...) +1
	WHAT_IF_ROWS = 0
#include "hwviews/why/what_if.def"
#undef REMEDY
#undef KEPT
};

/* A row of what_if.def; kept: why no parameter removes the cause, else NULL. */
struct what_if_remedy {
	const char *name, *rows, *reasons, *settings, *kept;
};
extern const struct what_if_remedy what_if_remedies[WHAT_IF_ROWS];

/* The remedy of a row of the slot stack, "latency_int", to which its rows are added up; NULL: no
 * parameter removes it. */
const struct what_if_remedy *what_if_cause(const char *row);
/* "without", or "with unlimited": before a remedy's name, what its machine is. */
const char *what_if_with(const struct what_if_remedy *r);
/* True if `row` is one of the words of a remedy's rows. */
bool what_if_has_row(const char *rows, const char *row);
/* True if cfg has the cause: its remedy changes a parameter. */
bool what_if_applies(const struct config *cfg, const struct what_if_remedy *r);

struct what_if_row {
	const struct what_if_remedy *remedy;
	double claim;       /* cycles charged to it by the slot stack; 0 if it has no row */
	uint64_t cycles;    /* without the cause; minus cycles that rebuilding adds */
	/* the other cause that grows most without this one; if only one of its rows grows, the
	 * remedy of that row alone, if any. NULL: none grows by half a per cent of all cycles */
	const char *next;
	double grew;        /* growth in cycles */
	/* likewise, the other cause that shrinks most: this cause hid it */
	const char *also;
	double shrank;      /* in cycles */
	/* settings that differ from this machine's, "NAME=VALUE ..."; empty: none differ, so the
	 * remedy was not run */
	char settings[160];
	bool ran;           /* false: see `why`; also for causes that no parameter removes */
	char why[160];
};

struct what_if {
	char text[96];       /* description of the region; empty: all until then */
	uint64_t to;         /* `text` describes the region until this cycle */
	struct what_if_part {
		uint64_t from, to; /* the part's cycles */
	} part;
	/* first instruction and number: of the program, by machine_insts() */
	uint64_t from, insts;
	bool cut;            /* the region was longer */
	uint64_t cycles;     /* of the unchanged machine, to the part's last commit */
	uint64_t idle;       /* from then to the part's end; 0 if cut */
	struct what_if_row row[WHAT_IF_ROWS]; /* by cycles saved, largest first */
};

/* Cycles saved by removing the cause; negative: cycles added. */
int64_t what_if_saved(const struct what_if *w, const struct what_if_row *row);
/* The session's last answer if it is about exactly this region, with the instructions and cycles of
 * `counted`; else NULL. */
const struct what_if *what_if_of(const struct session *s, const struct region *r,
                                 const struct stats *counted);
/* Appends "; then 12% more goes to fetch width, and 5% less to the bus": the causes that
 * hide this one, or that it hides. Nothing if there are none. */
void what_if_tell_hidden(struct textbuf *t, const struct what_if *w, const struct what_if_row *row);

/* Parses a region's words; "" is all until now. False with *err. */
bool what_if_region(const struct session *s, const char *words, struct region *out,
                    struct err *err);

/* Called before each of `all` runs, and regularly during them; steps: cycles, or instructions
 * without timing, since the last call. False cancels. */
typedef bool what_if_goes_on(void *ctx, unsigned done, unsigned all, uint64_t steps);

/* False with *err: the run can't be repeated (files to write, firmware, changes by hand), its
 * beginning is not recorded, it was cancelled, or memory ran out. The session is unchanged. */
bool what_if_run(const struct session *s, const struct region *r, what_if_goes_on *goes_on,
                 void *ctx, struct what_if *out, struct err *err);

#endif
