/* Questions and statements of tours, labs and hand-ins: answers by name, the open question, and the
 * points of all statements.
 *
 * Answers survive a restart of the session, as in a tour; points are then counted again. */
#ifndef CYCLOPS_UI_CONSOLE_QUIZ_H
#define CYCLOPS_UI_CONSOLE_QUIZ_H

#include <stdbool.h>

#include "core/base/err.h"

struct exprs;

enum { QUIZ_ANSWERS = 64, QUIZ_NAME = 32, QUIZ_TEXT = 160, QUIZ_SAID = 400 };

struct quiz_answer {
	char name[QUIZ_NAME], text[QUIZ_TEXT]; /* text "": passed over */
	unsigned tries;                        /* answers so far, including this one */
};

struct quiz {
	struct quiz_answer answers[QUIZ_ANSWERS]; /* [count] */
	unsigned count;
	char asked[QUIZ_NAME]; /* the question that is open; "": none */
	unsigned got, of;      /* points */
	unsigned expected;     /* statements, so far */
};

/* The result of one statement. */
struct quiz_verdict {
	bool holds;
	bool unread;          /* the answer is no number, but should be */
	unsigned points;      /* of this statement */
	char said[QUIZ_SAID]; /* in words, without the solution */
};

/* Resets the points; answers stay. */
void quiz_restart(struct quiz *q);
/* True if the name is valid for a question: a letter, then letters, digits and _. */
bool quiz_name_ok(const char *name);
/* Returns the answer of that name; NULL: not answered. */
const struct quiz_answer *quiz_find(const struct quiz *q, const char *name);
/* Stores an answer, and closes its question if open. False with *err if there is no room. */
bool quiz_answer(struct quiz *q, const char *name, const char *text, struct err *err);
/* Opens an answered question again. Without `counts` its last answer was no try. */
void quiz_ask_again(struct quiz *q, const char *name, bool counts);
/* Judges `[POINTS:] STATEMENT [else HINT]` (help expect) and counts its points. False with *err if
 * it can't be parsed or evaluated: nothing is counted. */
bool quiz_expect(struct quiz *q, struct exprs *x, const char *text, struct quiz_verdict *v,
                 struct err *err);

#endif
