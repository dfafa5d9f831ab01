/* The value sampler's daemon: software on a processor of its own (Burrows et al., sections 2.2 to
 * 2.4). It takes tuples from the sampler's queue, has customisation modules turn them into values
 * of instructions, and keeps these as hotlists: the profile database.
 *
 * Timing. It takes a tuple every vsample.service cycles (core/prof/values/vsample.h) and checks
 * every VSAMPLE_PERIOD cycles whether an interpretation is over and all of its tuples have been
 * taken: this sequence is handed to each module in turn. When the program has ended it takes the
 * rest. A lost tuple divides a sequence into two pieces, because a module that pairs neighbours
 * must not pair across a gap.
 *
 * Modules are outside the core (scripting/values/value_modules.h, Lua), reached by struct
 * value_source. Their answers are entries of the machine's journal: going back and forth and
 * checkpoints repeat these without calling modules. A module's memory between sequences is bytes
 * that it returns with its answer and gets with the next sequence, so that it is right when the
 * machine goes back. A module that fails is not called again, and its error is kept until
 * value_daemon_take_failure(); its answer to that sequence is discarded, other modules' answers are
 * not.
 *
 * A daemon is attached to one machine at a time, as several attachments
 * (core/prof/common/attachment.h): its hotlists, and its state between sequences. When another
 * machine takes the machine's place, the daemon moves to it and begins anew. */
#ifndef CYCLOPS_CORE_RUN_VALUE_DAEMON_H
#define CYCLOPS_CORE_RUN_VALUE_DAEMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/prof/values/hotlist.h"
#include "core/prof/values/value_answer.h"
#include "core/prof/values/vsample_tuple.h"

struct config;
struct machine;

/* "samples", "top", "exact", "counting". */
extern const char *const hotlist_method_name[HOTLIST_METHODS];

/* A kind of values, which has hotlists of its own. */
struct value_kind {
	const char *name;    /* "results", "args.a0" */
	const char *summary; /* a line */
	const char *column;  /* heading of its values in reports: "latencies" */
	unsigned module;
};

struct value_module {
	const char *name;    /* "results" */
	const char *summary; /* a line */
	/* what it needs; its extra words are defined in value_source.capture */
	const struct vsample_capture *capture;
	unsigned first_kind, kinds;
};

/* Tuples of an interpretation, or of a piece of it between two gaps. */
struct value_sequence {
	uint64_t number; /* of the interpretation, from 1 on */
	bool behind_gap; /* tuples of it were lost just before */
	const struct vsample_tuple *tuple; /* [count], borrowed for the call */
	uint32_t count;
};

/* The customisation modules, as the core uses them. Borrowed while the daemon lives. */
struct value_source {
	void *ctx;
	const struct value_module *module; /* [modules] */
	unsigned modules;
	const struct value_kind *kind; /* [kinds] */
	unsigned kinds;
	struct vsample_capture capture; /* the union of what they need */
	/* Has the module turn a sequence, of tuples in its capture, into values. False with *err:
	 * it failed. */
	bool (*turn)(void *ctx, unsigned module, const struct value_sequence *s,
	             struct value_answer *a, struct err *err);
	/* Formats a value for display: "0x1f", "D"; in hexadecimal if the module fails. Returns
	 * buf. */
	char *(*format)(void *ctx, unsigned kind, uint64_t pc, uint64_t value, char *buf, size_t n);
	/* True with *err if a module failed to format a value since the last call. NULL: none ever
	 * fails.
	 */
	bool (*take_format_failure)(void *ctx, struct err *err);
};

struct value_daemon;

/* A new daemon, attached to no machine; cfg's values.* set how values are kept. NULL with *err. */
struct value_daemon *value_daemon_new(const struct config *cfg, const struct value_source *source,
                                      struct err *err);
/* Call it after the machine's end, or if never attached. Accepts NULL. */
void value_daemon_free(struct value_daemon *d);
/* Attaches the daemon, once, to a machine whose device captures what the source needs. */
bool value_daemon_attach(struct value_daemon *d, struct machine *m, struct err *err);

/* ---- looking ---- */
const struct value_source *value_daemon_source(const struct value_daemon *d);
/* The address of an extra word that is in memory, of the program that machines will be made of. */
void value_daemon_locate(struct value_daemon *d, unsigned extra, uint64_t address);
/* Lists of a method, by (place, kind); NULL: values.method does not include it. */
const struct hotlists *value_daemon_lists(const struct value_daemon *d, enum hotlist_method method);
/* Lists of the first method in use, in the order of enum hotlist_method. */
const struct hotlists *value_daemon_main(const struct value_daemon *d);
struct value_totals value_daemon_totals(const struct value_daemon *d);
/* Number of a kind, or -1 with *err that names the nearest. */
int value_daemon_kind(const struct value_daemon *d, const char *name, struct err *err);
char *value_daemon_format(const struct value_daemon *d, unsigned kind, uint64_t pc, uint64_t value,
                          char *buf, size_t n);
/* Digest of its state: equal profiles give equal digests. */
uint64_t value_daemon_hash(const struct value_daemon *d);
/* NULL, or the invariant that is broken. */
const char *value_daemon_check(const struct value_daemon *d);
/* True if a module failed since the last call, with the first error in *err. The machine was not
 * stopped for it. */
bool value_daemon_take_failure(struct value_daemon *d, struct err *err);
/* The same for a module that failed to format a value, which was shown in hexadecimal. */
bool value_daemon_take_format_failure(struct value_daemon *d, struct err *err);
/* The message about totals.refused. */
#define VALUES_REFUSED                                                                             \
	"values: %" PRIu64                                                                         \
	" that modules added are refused: no address of code, or a kind that there is not"

#endif
