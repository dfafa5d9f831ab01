/* What tours, labs and hand-ins ask a person and what they state: answers by name, the question
 * that waits for one, and the points of all that was expected.
 *
 * Answers outlive a session that is begun anew, as a tour does; points are counted again then. */
#ifndef CYCLOPS_UI_CONSOLE_QUIZ_H
#define CYCLOPS_UI_CONSOLE_QUIZ_H

#include <stdbool.h>

#include "core/base/err.h"

struct exprs;

enum { QUIZ_ANSWERS = 64, QUIZ_NAME = 32, QUIZ_TEXT = 160, QUIZ_SAID = 400 };

struct quiz_answer {
	char name[QUIZ_NAME], text[QUIZ_TEXT]; /* text "": passed over */
};

struct quiz {
	struct quiz_answer answers[QUIZ_ANSWERS]; /* [count] */
	unsigned count;
	char asked[QUIZ_NAME]; /* the question that is open; "": none */
	unsigned got, of;      /* points */
	unsigned expected;     /* statements, so far */
};

/* What became of one statement. */
struct quiz_verdict {
	bool holds;
	unsigned points;      /* that it is worth */
	char said[QUIZ_SAID]; /* in words, without what would have been right */
};

/* Points from the beginning; answers stay. */
void quiz_restart(struct quiz *q);
/* A name as of a question: a letter, then letters, digits and _. */
bool quiz_name_ok(const char *name);
/* NULL: not answered. */
const struct quiz_answer *quiz_find(const struct quiz *q, const char *name);
/* False with *err if there is no room. Closes the question if it is the one that is open. */
bool quiz_answer(struct quiz *q, const char *name, const char *text, struct err *err);
/* Judges `[POINTS:] STATEMENT [else HINT]` (help expect) and counts it. False with *err if it can't
 * be read or evaluated: nothing is counted. */
bool quiz_expect(struct quiz *q, struct exprs *x, const char *text, struct quiz_verdict *v,
                 struct err *err);

#endif
