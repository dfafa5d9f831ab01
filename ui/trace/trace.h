/* Traces for other programs' viewers: what every instruction did, cycle by cycle, streamed to a
 * file.
 *
 * A trace is fed events in the order of cycles, by a listener or by run_replay; a cycle that it has
 * already is left out, so that going back and forward again doesn't spoil it. It stays when the
 * session's machine is replaced, but its cycles are those of one run: one that has begun should be
 * closed then. */
#ifndef CYCLOPS_UI_TRACE_TRACE_H
#define CYCLOPS_UI_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/events.h"
#include "hwviews/session/session.h"

struct trace;

enum trace_format { TRACE_KONATA, TRACE_CHROME };

/* Creates the file; cycles [from, to). NULL with *err. */
struct trace *trace_open(const struct session *s, enum trace_format format, const char *path,
                         uint64_t from, uint64_t to, struct err *err);
/* Finishes the file and frees the trace; takes NULL. False with *err if the file could not be
 * written in full. */
bool trace_close(struct trace *t, struct err *err);

/* The events a trace wants, and the function that takes them: ctx is the trace. */
struct event_filter trace_filter(const struct trace *t);
void trace_event(void *ctx, const struct machine *m, const struct event *ev);

/* Listens to the session's machine from now on. */
bool trace_listen(struct trace *t, struct err *err);
/* A motion begins: what comes again of cycles already written is left out. */
void trace_motion(struct trace *t);

const char *trace_path(const struct trace *t);
/* All cycles of its range have come by, or it can't be written: then it has asked the motion to
 * stop, and trace_close() says why. */
bool trace_is_done(const struct trace *t);
/* Some of its cycles have. */
bool trace_has_begun(const struct trace *t);
/* What has been written so far: "7,621 instructions, cycles 25,598 to 33,219, for Konata". Writes
 * at most n bytes; returns buf. */
char *trace_told(const struct trace *t, char *buf, size_t n);

#endif
