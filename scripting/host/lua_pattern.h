/* Lua 5.4's patterns, as in its manual (6.4.1), in an interruptible matcher.
 *
 * A pattern such as ("a*"):rep(20) .. "b" takes practically forever, and Lua's own matcher can't be
 * interrupted. This matcher calls `tick` regularly, which may raise an error. It keeps open choices
 * in an array, not on the C stack. Character classes are ASCII's in any locale.
 *
 * For scripting/ only. Open records: the caller's storage, nothing to free. */
#ifndef CYCLOPS_SCRIPTING_HOST_LUA_PATTERN_H
#define CYCLOPS_SCRIPTING_HOST_LUA_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Limits of Lua's own matcher, so that the same patterns work. */
enum { PATTERN_CAPTURES_MAX = 32, PATTERN_CHOICES_MAX = 199, PATTERN_TICK = 4096 };

enum pattern_result { PATTERN_NO, PATTERN_YES, PATTERN_BAD };

struct pattern_capture {
	size_t at;
	size_t length;
	enum { CAPTURE_OPEN, CAPTURE_CLOSED, CAPTURE_POSITION } kind;
};

/* A place to return to if the rest does not match. */
struct pattern_choice {
	enum { CHOICE_FEWER, CHOICE_MORE, CHOICE_WITHOUT, CHOICE_UNOPEN, CHOICE_UNCLOSE } kind;
	size_t item, next; /* in the pattern: the repeated item, and its end */
	/* in the subject: start of the repetition, or (MORE) its present end; UNCLOSE: number of
	 * the capture */
	size_t at;
	size_t count;      /* repetitions taken */
};

struct pattern {
	/* Set by pattern_init(). */
	const char *subject, *text;
	size_t subject_bytes, text_bytes;
	/* called after about PATTERN_TICK character comparisons */
	void (*tick)(void *ctx, size_t work);
	void *ctx;
	size_t work;
	/* Results of the last match. */
	size_t end;             /* end in the subject */
	const char *bad;        /* error in the pattern */
	unsigned capture_count;
	struct pattern_capture captures[PATTERN_CAPTURES_MAX];
	unsigned choice_count;
	struct pattern_choice choices[PATTERN_CHOICES_MAX];
};

/* Initialises. Both texts are borrowed while the pattern is used; they may contain zeros. The
 * caller must skip a leading `^`, and then try one place only. */
void pattern_init(struct pattern *x, const char *subject, size_t subject_bytes, const char *text,
                  size_t text_bytes);
/* Matches the pattern at byte `at` of the subject. BAD with x->bad: the part of the pattern reached
 * so far is invalid. */
enum pattern_result pattern_match(struct pattern *x, size_t at);

#endif
