/* The value sampler's daemon: software on a processor of its own (Burrows et al., sections 2.2 to
 * 2.4). It takes tuples from the sampler's queue, has customisation modules turn them into values
 * of instructions, and keeps these as hotlists: the profile database.
 *
 * When. It takes a tuple every vsample.service cycles (core/prof/values/vsample.h) and looks every
 * VSAMPLE_PERIOD cycles whether an interpretation is over and all of its tuples have been taken:
 * that sequence is handed to each module, in their order. When the program has ended it takes the
 * rest. A tuple that was lost divides a sequence: what comes behind it is a piece of its own, for a
 * module that pairs neighbours must not pair across a gap.
 *
 * Modules are somebody else's (scripting/values/value_modules.h, Lua); the core knows what they are
 * asked (struct value_source). What they answer is an entry of the machine's journal: going back
 * and forth and checkpoints repeat it, and ask nobody. What a module remembers from one sequence to
 * the next is bytes that it gives with its answer and gets with the next question, so that it is
 * right in the past, too. A module that fails is asked no more, and what is wrong is kept until
 * somebody takes it; its answer to that sequence counts for nothing, those of others do.
 *
 * A daemon stands beside one machine at a time as attachments (core/prof/common/attachment.h): the
 * values, and what it knows of sequences. It goes along when another machine takes the place of the
 * one before, and is as at its beginning then. */
#ifndef CYCLOPS_CORE_PROF_VALUES_VALUE_DAEMON_H
#define CYCLOPS_CORE_PROF_VALUES_VALUE_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/prof/values/hotlist.h"
#include "core/prof/values/value_answer.h"
#include "core/prof/values/vsample_tuple.h"

struct config;
struct machine;

/* "samples", "top", "exact". */
extern const char *const hotlist_method_name[HOTLIST_METHODS];

/* "results,strides", names or files: whether it can be such a list; or "none". */
bool value_daemon_check_modules(const char *text, struct err *err);

/* A kind of values, which has hotlists of its own. */
struct value_kind {
	const char *name;    /* "results", "args.a0" */
	const char *summary; /* a line */
	const char *column;  /* what reports head its values by: "latencies" */
	unsigned module;
};

struct value_module {
	const char *name;    /* "results" */
	const char *summary; /* a line */
	/* what it asked for; its extra words are named in the capture of all */
	const struct vsample_capture *capture;
	unsigned first_kind, kinds;
};

/* What an interpretation recorded, or a piece of it between two gaps. */
struct value_sequence {
	uint64_t number; /* of the interpretation, from 1 on */
	bool behind_gap; /* tuples of it were lost just before */
	const struct vsample_tuple *tuple; /* [count], borrowed for the call */
	uint32_t count;
};

/* Customisation modules, for the core. All of it is borrowed for as long as the daemon lives. */
struct value_source {
	void *ctx;
	const struct value_module *module; /* [modules] */
	unsigned modules;
	const struct value_kind *kind; /* [kinds] */
	unsigned kinds;
	struct vsample_capture capture; /* what all of them ask for */
	/* Turns a sequence, of those tuples that the module asked for, into values. False with
	 * *err: it failed. */
	bool (*turn)(void *ctx, unsigned module, const struct value_sequence *s,
	             struct value_answer *a, struct err *err);
	/* A value as people read it: "0x1f", "D". Returns buf. Never fails: what a module can't say
	 * is hexadecimal. */
	char *(*format)(void *ctx, unsigned kind, uint64_t pc, uint64_t value, char *buf, size_t n);
	/* Whether a module could not say a value since this was asked last. May be NULL: all can.
	 */
	bool (*take_format_failure)(void *ctx, struct err *err);
};

struct value_daemon;

/* Beside no machine yet; values.* of cfg say how values are kept. NULL with *err. */
struct value_daemon *value_daemon_new(const struct config *cfg, const struct value_source *source,
                                      struct err *err);
/* Behind the machine, or never attached. Takes NULL. */
void value_daemon_free(struct value_daemon *d);
/* Begins beside this machine, whose device must capture what the source asks for; once. */
bool value_daemon_attach(struct value_daemon *d, struct machine *m, struct err *err);

/* ---- looking ---- */
const struct value_source *value_daemon_source(const struct value_daemon *d);
/* Lists of a method, by (pc, kind); NULL: values.method does not have it. */
const struct hotlists *value_daemon_lists(const struct value_daemon *d, enum hotlist_method method);
/* Those of the first method there is: samples before top before exact. */
const struct hotlists *value_daemon_main(const struct value_daemon *d);
struct value_totals value_daemon_totals(const struct value_daemon *d);
/* Number of a kind, or -1 with *err that names the nearest. */
int value_daemon_kind(const struct value_daemon *d, const char *name, struct err *err);
char *value_daemon_format(const struct value_daemon *d, unsigned kind, uint64_t pc, uint64_t value,
                          char *buf, size_t n);
/* All that it keeps: equal profiles, equal digests. */
uint64_t value_daemon_hash(const struct value_daemon *d);
/* NULL, or what is impossible. */
const char *value_daemon_check(const struct value_daemon *d);
/* Whether a module failed since this was asked last, and in which words: the first of them. The
 * motion under way went on. */
bool value_daemon_take_failure(struct value_daemon *d, struct err *err);
/* The same of a module that could not say a value: it was shown as a number. */
bool value_daemon_take_format_failure(struct value_daemon *d, struct err *err);
/* What is said of totals.refused. */
#define VALUES_REFUSED                                                                             \
	"values: %" PRIu64                                                                         \
	" that modules added are refused: no address of code, or a kind that there is not"

#endif
