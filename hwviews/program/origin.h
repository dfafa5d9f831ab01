/* The origin of code in a program that the editor has rewritten: the original program, or
 * instrumentation. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_ORIGIN_H
#define CYCLOPS_HWVIEWS_PROGRAM_ORIGIN_H

#include "hwviews/session/session.h"
#include "loader/edit/moved_code.h"

enum origin_kind {
	ORIGIN_ITSELF, /* the program was not rewritten, or the address is not its code */
	ORIGIN_MOVED,
	ORIGIN_PUT_IN, /* by instrumentation, or to extend a branch's reach */
};

struct origin {
	enum origin_kind kind;
	/* ORIGIN_MOVED: original address. ORIGIN_PUT_IN: original address of the code that follows;
	 * 0: unknown */
	uint64_t was;
};

struct origin origin_of(const struct session *s, uint64_t now);
/* "path, bb": the kinds of instrumentation in the program, "" if it has none. Returns buf. */
char *origin_kinds(const struct session *s, char *buf, size_t n);
/* " (was 0x10dc6)", " (put in by path, before 0x10dc6)", or "". Returns buf. */
char *origin_text(const struct session *s, uint64_t now, char *buf, size_t n);
/* Original address of the next original instruction executed from `now` on, where inserted code may
 * come first; 0: none is near. */
uint64_t origin_next(const struct session *s, const struct moved_code *m, uint64_t now);

#endif
