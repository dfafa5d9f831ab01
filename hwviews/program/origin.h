/* Where code of a program that the editor has laid out again comes from: the program as it was, or
 * instrumentation. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_ORIGIN_H
#define CYCLOPS_HWVIEWS_PROGRAM_ORIGIN_H

#include "hwviews/session/session.h"
#include "loader/edit/moved_code.h"

enum origin_kind {
	ORIGIN_ITSELF, /* the program was not laid out again, or it is no code of it */
	ORIGIN_MOVED,
	ORIGIN_PUT_IN, /* by instrumentation, or so that a branch reaches further */
};

struct origin {
	enum origin_kind kind;
	/* ORIGIN_MOVED: where it was. ORIGIN_PUT_IN: where what comes behind it was; 0: nothing
	 * known does */
	uint64_t was;
};

struct origin origin_of(const struct session *s, uint64_t now);
/* "path, bb": the kinds of instrumentation in the program, "" if it has none. Returns buf. */
char *origin_kinds(const struct session *s, char *buf, size_t n);
/* " (was 0x10dc6)", " (put in by path, before 0x10dc6)", or "". Returns buf. */
char *origin_text(const struct session *s, uint64_t now, char *buf, size_t n);
/* The instruction of the program as it was that is executed next from `now` on, which may be
 * something put in; 0: none is near. */
uint64_t origin_next(const struct session *s, const struct moved_code *m, uint64_t now);

#endif
