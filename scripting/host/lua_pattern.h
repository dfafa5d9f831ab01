/* Lua 5.4's patterns, as its manual (6.4.1) describes them, in a matcher that can be stopped.
 *
 * A pattern such as ("a*"):rep(20) .. "b" takes longer than anybody lives; Lua's own matcher runs
 * such a one to the end without looking up. This one calls `tick` on its way, which may raise. It
 * keeps the choices that are open in an array instead of on the C stack. Classes of letters are
 * ASCII's, whatever the locale.
 *
 * For scripting/ only. Open records: the caller's storage, nothing to free. */
#ifndef CYCLOPS_SCRIPTING_HOST_LUA_PATTERN_H
#define CYCLOPS_SCRIPTING_HOST_LUA_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* As many as Lua's own: a pattern that is fine there is fine here. */
enum { PATTERN_CAPTURES_MAX = 32, PATTERN_CHOICES_MAX = 199, PATTERN_TICK = 4096 };

enum pattern_result { PATTERN_NO, PATTERN_YES, PATTERN_BAD };

struct pattern_capture {
	size_t at;
	size_t length;
	enum { CAPTURE_OPEN, CAPTURE_CLOSED, CAPTURE_POSITION } kind;
};

/* A place to come back to if what follows does not match. */
struct pattern_choice {
	enum { CHOICE_FEWER, CHOICE_MORE, CHOICE_WITHOUT, CHOICE_UNOPEN, CHOICE_UNCLOSE } kind;
	size_t item, next; /* in the pattern: what is repeated, and what follows */
	/* in the subject, where the repetition began or (MORE) has come to; of UNCLOSE the capture
	 */
	size_t at;
	size_t count;      /* repetitions taken */
};

struct pattern {
	/* Set by pattern_init(). */
	const char *subject, *text;
	size_t subject_bytes, text_bytes;
	/* after about PATTERN_TICK comparisons of a character */
	void (*tick)(void *ctx, size_t work);
	void *ctx;
	size_t work;
	/* Of the last match. */
	size_t end;             /* behind it in the subject */
	const char *bad;        /* what is wrong with the pattern */
	unsigned capture_count;
	struct pattern_capture captures[PATTERN_CAPTURES_MAX];
	unsigned choice_count;
	struct pattern_choice choices[PATTERN_CHOICES_MAX];
};

/* Both texts are borrowed while the pattern is used; they may contain zeros. A `^` at the beginning
 * is the caller's: it leaves it out and asks for one place only. */
void pattern_init(struct pattern *x, const char *subject, size_t subject_bytes, const char *text,
                  size_t text_bytes);
/* Whether the pattern matches at byte `at` of the subject. BAD with x->bad: the part of the pattern
 * that was tried is wrong. */
enum pattern_result pattern_match(struct pattern *x, size_t at);

#endif
