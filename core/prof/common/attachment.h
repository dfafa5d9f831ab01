/* Attachments: what stands beside the machine and must be right in the past, such as an oracle's
 * counts or a script's variables. An attachment's state is a function of what the machine did since
 * it was attached. It takes part in snapshots: machine_snapshot() asks it for its state,
 * machine_restore() gives one back. The machine's hash and timing know nothing of it.
 *
 * Re-execution feeds it again: its events (ops->hear) and whatever hooks of the machine it hangs on
 * are never muted, as people's listeners are, for the state that was restored does not hold what
 * comes after.
 *
 * Who feeds it from a listener, which re-execution does not call, does so by changes
 * (core/machine/change.h): entries of the journal that hold whatever bytes ops->change understands.
 *
 * It begins with the cycle in which it is attached, or in which it is changed, if that is earlier.
 * Before that it sleeps: it hears no events, and who feeds it in another way asks
 * machine_attachment_awake(). A snapshot of before that cycle (or of that cycle, from before it was
 * attached) holds no state of it: restoring one calls ops->restore(ctx, NULL), and it is as at its
 * beginning. A snapshot of a later cycle that was taken before it was attached, in a future that
 * the machine had come back from, can't serve it: snapshot_serves() says so, and run control drops
 * such snapshots.
 *
 * States are kept, restored and freed in the order of attaching. Functional execution has no
 * events. */
#ifndef CYCLOPS_CORE_PROF_COMMON_ATTACHMENT_H
#define CYCLOPS_CORE_PROF_COMMON_ATTACHMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/memory_account.h"
#include "core/defs/events.h"

struct machine;
struct snapshot;

/* Static: snapshots refer to it for as long as they live. */
struct attachment_ops {
	const char *name; /* for people */
	/* The present state, to be freed by free(). NULL if memory is out. */
	void *(*save)(void *ctx);
	/* state NULL: as when it was attached, with nothing saved of it. Can't fail. */
	void (*restore)(void *ctx, const void *state);
	void (*free)(void *state);         /* may come after the attachment is gone */
	/* host bytes of its own: the same for as long as it lives */
	size_t (*bytes)(const void *state);
	/* Host bytes that all its saved states share, with each other or the present, and the
	 * present does not hold itself. NULL: they share nothing that counts. */
	size_t (*shared_bytes)(const void *ctx);
	/* All that a state shares, or the present if it is NULL, to be counted again; NULL as
	 * above. */
	void (*walk)(const void *ctx, const void *state, const struct ledger_walk *w);
	uint64_t (*hash)(const void *ctx); /* of the present: equal states give equal values */
	event_fn *hear;                    /* its events, after each cycle; NULL: none */
	/* Changes the present as the bytes of a JOURNAL_ATTACHMENT say, which whoever feeds it
	 * wrote and the journal keeps: called when the change is made and each time that it is
	 * repeated. Can't fail: what makes no sense is passed over, always the same. NULL: there
	 * are no such changes. */
	void (*change)(void *ctx, const void *bytes, size_t n);
	/* The present as bytes for a checkpoint, malloc'd; NULL if memory is out. Both or none
	 * NULL: it is not saved. */
	void *(*pack)(const void *ctx, size_t *n);
	/* Takes it back. False with *err, and as when it was attached, if it is none of its. */
	bool (*unpack)(void *ctx, const void *bytes, size_t n, struct err *err);
};

/* ctx is borrowed until machine_detach() or the machine's end, and now as restore(ctx, NULL) leaves
 * it. hears: the events for ops->hear, or NULL. Returns an id > 0; 0 with *err if memory is out. */
int machine_attach(struct machine *m, const struct attachment_ops *ops, void *ctx,
                   const struct event_filter *hears, struct err *err);
/* Snapshots keep its states until they are freed, but nobody gets them back. */
void machine_detach(struct machine *m, int id);

/* Its name in the journal: `a` of a JOURNAL_ATTACHMENT, which is how somebody who is not executed
 * again feeds it. Made from ops->name and id, so that a machine in which the same are attached in
 * the same order understands the journal. */
uint64_t machine_attachment_key(const struct machine *m, int id);

/* For who feeds it from inside a cycle: whether that is one it takes part in. */
bool machine_attachment_awake(const struct machine *m, int id);
uint64_t machine_attachment_hash(const struct machine *m, int id);

/* All that can be packed, for a checkpoint; *bytes is malloc'd, NULL if memory is out. No two
 * attachments have one name. */
void machine_pack_attachments(const struct machine *m, void **bytes, size_t *n);
/* Into the attachments of these names: those that are there must be the first ones saved. The rest
 * is kept, and saved again, until one of that name is attached or taken over: it begins with that
 * instead. False with *err if something is not as it must be. */
bool machine_unpack_attachments(struct machine *m, const void *bytes, size_t n, struct err *err);

/* Whether restoring it makes all attachments right. */
bool snapshot_serves(const struct snapshot *s, const struct machine *m);

#endif
