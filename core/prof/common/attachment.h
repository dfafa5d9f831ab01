/* Attachments: state beside the machine that must be right when the machine goes back, such as an
 * oracle's counts or a script's variables. An attachment's state is a function of what the machine
 * did since it was attached. It takes part in snapshots: machine_snapshot() saves its state,
 * machine_restore() restores it. The machine's hash and timing do not depend on it.
 *
 * Re-execution feeds it again: its events (ops->hear) and the machine's hooks that feed it are
 * never muted, unlike users' listeners, because the restored state lacks all that comes later.
 *
 * A listener, which re-execution does not call, must feed it by changes (core/machine/change.h):
 * journal entries whose bytes ops->change applies.
 *
 * An attachment begins in the cycle in which it is attached, or in that of its first change, if
 * that is earlier. Before that it sleeps: it gets no events, and code that feeds it in another way
 * must check machine_attachment_awake(). A snapshot of an earlier cycle (or of that cycle, before
 * it was attached) has no state of the attachment: restoring the snapshot calls ops->restore() with
 * NULL, or with the state that the attachment took over from a checkpoint. A snapshot of a later
 * cycle can't serve it if it was taken before it was attached, the machine having gone back in
 * between: snapshot_serves() is false, and run control drops such snapshots.
 *
 * States are saved, restored and freed in the order of attaching. Functional execution has no
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
	const char *name; /* in messages and checkpoints */
	/* The present state, to be freed by free(). NULL if memory is out. */
	void *(*save)(void *ctx);
	/* state NULL: resets it to an attachment of which nothing was saved. Can't fail. */
	void (*restore)(void *ctx, const void *state);
	void (*free)(void *state);         /* may be called after the attachment is gone */
	/* host bytes of the state itself: constant while it lives */
	size_t (*bytes)(const void *state);
	/* Host bytes that its saved states share, with each other or the present, beyond those that
	 * the present holds itself. NULL: they share nothing worth counting. */
	size_t (*shared_bytes)(const void *ctx);
	/* Visits all shared memory of a state, or of the present if state is NULL, to recount it;
	 * NULL as above. */
	void (*walk)(const void *ctx, const void *state, const struct ledger_walk *w);
	uint64_t (*hash)(const void *ctx); /* of the present: equal states give equal values */
	event_fn *hear;                    /* its events, after each cycle; NULL: none */
	/* Applies the bytes of a JOURNAL_ATTACHMENT to the present: called when the change is made
	 * and each time that it is repeated. Can't fail: invalid bytes are skipped, each time
	 * alike. NULL: there are no such changes. */
	void (*change)(void *ctx, const void *bytes, size_t n);
	/* The present as bytes for a checkpoint, malloc'd; NULL if memory is out. pack and unpack
	 * are both NULL if it is not saved. */
	void *(*pack)(const void *ctx, size_t *n);
	/* Restores what pack() returned. False with *err, and reset as by restore(ctx, NULL), if
	 * the bytes are not its own. */
	bool (*unpack)(void *ctx, const void *bytes, size_t n, struct err *err);
};

/* ctx is borrowed until machine_detach() or the machine's end, and must be as restore(ctx, NULL)
 * leaves it. hears: filter of the events for ops->hear, or NULL. Returns an id > 0; 0 with *err if
 * memory is out. */
int machine_attach(struct machine *m, const struct attachment_ops *ops, void *ctx,
                   const struct event_filter *hears, struct err *err);
/* Snapshots keep its states until they are freed, but no longer restore them. */
void machine_detach(struct machine *m, int id);

/* Its key in the journal: `a` of a JOURNAL_ATTACHMENT, the entry by which a listener feeds it.
 * Derived from ops->name and id, so that a machine with the same attachments in the same order can
 * replay the journal. */
uint64_t machine_attachment_key(const struct machine *m, int id);

/* True if it has begun by this cycle: check before feeding it from inside a cycle. */
bool machine_attachment_awake(const struct machine *m, int id);
uint64_t machine_attachment_hash(const struct machine *m, int id);

/* Packs all attachments that can be packed, for a checkpoint; *bytes is malloc'd, NULL if memory is
 * out. Attachments have different names. */
void machine_pack_attachments(const struct machine *m, void **bytes, size_t *n);
/* Unpacks into the attachments present, which must be the first ones saved, in order. The rest is
 * kept, and saved again, until an attachment with its name is attached or taken over, and begins
 * with that state. False with *err if the bytes don't fit or memory is out. */
bool machine_unpack_attachments(struct machine *m, const void *bytes, size_t n, struct err *err);

/* True if restoring the snapshot makes all attachments right. */
bool snapshot_serves(const struct snapshot *s, const struct machine *m);

#endif
