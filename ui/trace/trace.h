/* Traces for external viewers: the stages of every instruction, cycle by cycle, streamed to a file.
 *
 * A trace receives events in the order of cycles, from a listener or from run_replay. It skips
 * cycles that it already has, so that going back and forward again leaves it intact. It survives a
 * replacement of the session's machine, but its cycles belong to one run: close a trace that has
 * begun before replacing the machine. */
#ifndef CYCLOPS_UI_TRACE_TRACE_H
#define CYCLOPS_UI_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/events.h"
#include "hwviews/session/session.h"

struct trace;

enum trace_format { TRACE_KONATA, TRACE_CHROME };

/* Creates the file of a trace of cycles [from, to). NULL with *err. */
struct trace *trace_open(const struct session *s, enum trace_format format, const char *path,
                         uint64_t from, uint64_t to, struct err *err);
/* Finishes the file and frees the trace; takes NULL. False with *err if the file could not be
 * written in full. */
bool trace_close(struct trace *t, struct err *err);

/* The filter for events that a trace needs, and the listener; ctx is the trace. */
struct event_filter trace_filter(const struct trace *t);
void trace_event(void *ctx, const struct machine *m, const struct event *ev);

/* Listens to the session's machine from now on. */
bool trace_listen(struct trace *t, struct err *err);
/* A motion begins: events of cycles already written will be skipped. */
void trace_motion(struct trace *t);

const char *trace_path(const struct trace *t);
/* True if its range is complete, or if it can't be written: then it has requested the motion to
 * stop, and trace_close() returns the reason. */
bool trace_is_done(const struct trace *t);
/* True if cycles of the trace's range have passed. */
bool trace_has_begun(const struct trace *t);
/* Describes the trace's contents so far: "7,621 instructions, cycles 25,598 to 33,219, for Konata".
 * Writes at most n bytes; returns buf. */
char *trace_told(const struct trace *t, char *buf, size_t n);

#endif
