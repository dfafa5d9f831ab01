/* Common parts of the time travel tests: a session whose output is caught, places by symbol, and a
 * reference: facts about every cycle of a run, found by stepping a machine of its own forwards
 * only. */
#ifndef TESTS_REVERSE_RIG_H
#define TESTS_REVERSE_RIG_H

#include <stdint.h>

#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/run/run.h"
#include "hwviews/session/session.h"
#include "tests/cases.h"

enum { OUTPUT_MAX = 1 << 16 };

struct rig {
	struct session *s;
	struct run *r;
	char out[OUTPUT_MAX]; /* what the guest wrote to stdout and stderr, each byte once */
	size_t out_n;
};

/* A program and how to run it. */
struct subject {
	const char *program;   /* below the top of the tree */
	const char *firmware;  /* the same, NULL: none */
	const char *arguments; /* words after argv[0], or NULL */
	const struct plugins *plugins; /* NULL: none */
	const char *settings;  /* "name=value name=value", or "" */
	struct run_options history;
	int stdin_fd;
};

extern const struct subject guest; /* tests/reverse/guest.c, default configuration, history on */

/* Makes a folder with data.txt and goes there; remembers where the programs are. For cmocka's group
 * set-up. */
int rig_enter(void **state);
int rig_leave(void **state);
/* Goes (back) to the folder, or to the top of the tree, which the demo programs expect. */
void rig_go_data(void);
void rig_go_top(void);
void rig_write_data(const char *text);
bool rig_small(void); /* fewer repetitions are requested */

struct rig *rig_open(const struct subject *how);
struct run_history rig_history(const struct rig *g);
void rig_close(struct rig *g);

uint64_t rig_symbol(const struct rig *g, const char *name);
uint64_t rig_cycle(const struct rig *g);
uint64_t rig_hash(const struct rig *g);
uint64_t rig_peek(const struct rig *g, const char *symbol); /* 8 bytes, committed */
int rig_break(struct rig *g, const char *symbol, enum stop_stage stage);

/* Motions that must be possible; they return why they stopped. */
enum stop_reason rig_continue(struct rig *g);
enum stop_reason rig_back_continue(struct rig *g);
enum stop_reason rig_cycles(struct rig *g, uint64_t n);
enum stop_reason rig_back_cycles(struct rig *g, uint64_t n);
enum stop_reason rig_insts(struct rig *g, uint64_t n);
enum stop_reason rig_back_insts(struct rig *g, uint64_t n);
enum stop_reason rig_goto(struct rig *g, uint64_t cycle);
/* Runs to a place by a temporary breakpoint at its commit; returns the cycle. */
uint64_t rig_run_to(struct rig *g, const char *symbol);
extern struct run_stop_info rig_info; /* of the last motion */

/* ---- reference ---- */
struct reference {
	uint64_t end;          /* cycle in which the program ended, or the last looked at */
	uint64_t *insts;       /* [end + 1] committed, after each number of cycles */
	uint64_t *next_seq;    /* [end + 1] */
	uint8_t *hit;          /* [end + 1] the probe's results */
};

/* Returns whether cycle (just done) counts; called each cycle, in order. */
typedef bool probe_fn(void *ctx, const struct rig *g);
struct reference *reference_new(const struct subject *how, uint64_t max_cycles, probe_fn *probe,
                                void *ctx);
void reference_free(struct reference *ref);

uint64_t random_below(uint64_t *state, uint64_t n);

/* ---- parts beside the machine ---- */
/* Checks the invariants of a part, and returns its hash: it depends only on the cycle, not on the
 * motions. */
typedef uint64_t beside_fn(const struct rig *g);
/* Runs to the end, then goes to `places` random cycles, and compares the state in each with that of
 * a machine that only runs forwards. */
void rig_assert_past(const struct subject *how, unsigned places, beside_fn *beside);

#endif
