#include "scripting/host/lua_pattern.h"

#include <string.h>

enum { NONE = -1 }; /* the character beyond an end */

void pattern_init(struct pattern *x, const char *subject, size_t subject_bytes, const char *text,
                  size_t text_bytes)
{
	x->subject = subject;
	x->subject_bytes = subject_bytes;
	x->text = text;
	x->text_bytes = text_bytes;
	x->tick = NULL;
	x->work = 0;
	x->bad = NULL;
	x->capture_count = x->choice_count = 0;
}

static int pattern_text_at(const struct pattern *x, size_t i)
{
	return i < x->text_bytes ? (unsigned char)x->text[i] : NONE;
}

static int subject_at(const struct pattern *x, size_t i)
{
	return i < x->subject_bytes ? (unsigned char)x->subject[i] : NONE;
}

static void pattern_charge_work(struct pattern *x, size_t work)
{
	x->work += work;
	if (x->work < PATTERN_TICK)
		return;
	work = x->work;
	x->work = 0;
	if (x->tick)
		x->tick(x->ctx, work);
}

static bool pattern_set_error(struct pattern *x, const char *what)
{
	x->bad = what;
	return false;
}

/* ---- single characters ---- */
static bool lua_pattern_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(int c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(int c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_letter(int c)
{
	return is_lower(c) || is_upper(c);
}

static bool pattern_is_printable(int c)
{
	return c > ' ' && c < 0x7f;
}

static bool in_lower_class(int c, int letter)
{
	switch (letter) {
	case 'a':
		return is_letter(c);
	case 'c':
		return c < ' ' || c == 0x7f;
	case 'd':
		return lua_pattern_is_digit(c);
	case 'g':
		return pattern_is_printable(c);
	case 'l':
		return is_lower(c);
	case 'p':
		return pattern_is_printable(c) && !is_letter(c) && !lua_pattern_is_digit(c);
	case 's':
		return c == ' ' || (c >= '\t' && c <= '\r');
	case 'u':
		return is_upper(c);
	case 'w':
		return is_letter(c) || lua_pattern_is_digit(c);
	case 'z': /* no longer in the manual, still in Lua */
		return c == 0;
	default: /* x */
		return lua_pattern_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
	}
}

/* Whether c matches %letter: a class, its complement, or the character itself. */
static bool in_class(int c, int letter)
{
	int lower = is_upper(letter) ? letter - 'A' + 'a' : letter;
	if (lower <= 0 || !strchr("acdglpsuwxz", lower))
		return c == letter;
	return in_lower_class(c, lower) == (lower == letter);
}

/* Whether c is in the set from the `[` at `from` to the `]` at `to`. */
static bool in_set(struct pattern *x, int c, size_t from, size_t to)
{
	size_t i = from + 1;
	bool inverse = pattern_text_at(x, i) == '^', found = false;
	pattern_charge_work(x, (to - from) / 4);
	for (i += inverse; i < to && !found;) {
		int here = pattern_text_at(x, i);
		if (here == '%') {
			found = in_class(c, pattern_text_at(x, i + 1));
			i += 2;
		} else if (i + 2 < to && pattern_text_at(x, i + 1) == '-') {
			found = here <= c && c <= pattern_text_at(x, i + 2);
			i += 3;
		} else {
			found = here == c;
			i++;
		}
	}
	return found != inverse;
}

/* The end of the single-character item at `from`; 0 with x->bad. */
static size_t item_end(struct pattern *x, size_t from)
{
	size_t i = from + 1;
	if (pattern_text_at(x, from) == '%') {
		if (i >= x->text_bytes)
			return pattern_set_error(x, "malformed pattern (ends with '%')");
		return i + 1;
	}
	if (pattern_text_at(x, from) != '[')
		return i;
	i += pattern_text_at(x, i) == '^';
	/* A `]` that comes first is a member. */
	do {
		if (i >= x->text_bytes)
			return pattern_set_error(x, "malformed pattern (missing ']')");
		i += pattern_text_at(x, i) == '%' && i + 1 < x->text_bytes ? 2 : 1;
	} while (pattern_text_at(x, i) != ']');
	pattern_charge_work(x, (i - from) / 4);
	return i + 1;
}

/* Whether the item [item, end) matches the character at `at`. */
static bool item_matches(struct pattern *x, size_t item, size_t end, size_t at)
{
	int c = subject_at(x, at);
	pattern_charge_work(x, 1);
	if (c == NONE)
		return false;
	switch (pattern_text_at(x, item)) {
	case '.':
		return true;
	case '%':
		return in_class(c, pattern_text_at(x, item + 1));
	case '[':
		return in_set(x, c, item, end - 1);
	default:
		return c == pattern_text_at(x, item);
	}
}

/* ---- the pattern ---- */
/* The current place of the match. */
struct place {
	size_t at, p; /* in the subject, in the pattern */
};

static bool pattern_push_choice(struct pattern *x, struct pattern_choice choice)
{
	if (x->choice_count == PATTERN_CHOICES_MAX)
		return pattern_set_error(x, "pattern too complex");
	x->choices[x->choice_count++] = choice;
	return true;
}

/* Continues at the latest open choice; false if there is none. */
static bool pattern_backtrack(struct pattern *x, struct place *w)
{
	for (; x->choice_count; x->choice_count--) {
		struct pattern_choice *choice = &x->choices[x->choice_count - 1];
		switch (choice->kind) {
		case CHOICE_FEWER:
			if (!choice->count)
				continue;
			pattern_charge_work(x, 1);
			choice->count--;
			*w = (struct place){choice->at + choice->count, choice->next};
			return true;
		case CHOICE_MORE:
			if (!item_matches(x, choice->item, choice->next - 1, choice->at))
				continue;
			choice->at++;
			*w = (struct place){choice->at, choice->next};
			return true;
		case CHOICE_WITHOUT:
			*w = (struct place){choice->at, choice->next};
			x->choice_count--;
			return true;
		case CHOICE_UNOPEN:
			x->capture_count--;
			continue;
		case CHOICE_UNCLOSE:
			x->captures[choice->at].kind = CAPTURE_OPEN;
		}
	}
	return false;
}

static bool open_capture(struct pattern *x, struct place *w)
{
	bool position = pattern_text_at(x, w->p + 1) == ')';
	if (x->capture_count == PATTERN_CAPTURES_MAX)
		return pattern_set_error(x, "too many captures");
	x->captures[x->capture_count++] =
		(struct pattern_capture){w->at, 0, position ? CAPTURE_POSITION : CAPTURE_OPEN};
	w->p += position ? 2 : 1;
	return pattern_push_choice(x, (struct pattern_choice){.kind = CHOICE_UNOPEN});
}

static bool close_capture(struct pattern *x, struct place *w)
{
	unsigned i = x->capture_count;
	while (i && x->captures[i - 1].kind != CAPTURE_OPEN)
		i--;
	if (!i)
		return pattern_set_error(x, "invalid pattern capture");
	struct pattern_capture *capture = &x->captures[i - 1];
	capture->kind = CAPTURE_CLOSED;
	capture->length = w->at - capture->at;
	w->p++;
	return pattern_push_choice(x, (struct pattern_choice){.kind = CHOICE_UNCLOSE, .at = i - 1});
}

/* %bxy: from an x to its balancing y. */
static bool match_balanced(struct pattern *x, struct place *w)
{
	int opening = pattern_text_at(x, w->p + 2), closing = pattern_text_at(x, w->p + 3);
	size_t depth = 1;
	if (closing == NONE)
		return pattern_set_error(x, "malformed pattern (missing arguments to '%b')");
	if (subject_at(x, w->at) != opening)
		return false;
	for (size_t i = w->at + 1; i < x->subject_bytes; i++) {
		int c = subject_at(x, i);
		pattern_charge_work(x, 1);
		if (c == closing) {
			if (--depth == 0) {
				*w = (struct place){i + 1, w->p + 4};
				return true;
			}
		} else if (c == opening) {
			depth++;
		}
	}
	return false;
}

/* %f[set]: matches between a character outside the set and a character in it. Zeros count as
 * surrounding the subject. */
static bool match_frontier(struct pattern *x, struct place *w)
{
	size_t set = w->p + 2;
	if (pattern_text_at(x, set) != '[')
		return pattern_set_error(x, "missing '[' after '%f' in pattern");
	size_t end = item_end(x, set);
	int before = w->at ? subject_at(x, w->at - 1) : 0, here = subject_at(x, w->at);
	if (!end || in_set(x, before, set, end - 1) ||
	    !in_set(x, here == NONE ? 0 : here, set, end - 1))
		return false;
	w->p = end;
	return true;
}

/* %1 to %9: the capture's text again. A position capture never matches. */
static bool match_capture(struct pattern *x, struct place *w)
{
	int i = pattern_text_at(x, w->p + 1) - '1';
	if (i < 0 || (unsigned)i >= x->capture_count || x->captures[i].kind == CAPTURE_OPEN)
		return pattern_set_error(x, "invalid capture index in pattern");
	const struct pattern_capture *capture = &x->captures[i];
	if (capture->kind == CAPTURE_POSITION || x->subject_bytes - w->at < capture->length)
		return false;
	pattern_charge_work(x, capture->length / 16);
	if (memcmp(x->subject + capture->at, x->subject + w->at, capture->length) != 0)
		return false;
	*w = (struct place){w->at + capture->length, w->p + 2};
	return true;
}

/* Matches a single-character item with an optional repetition. */
static bool match_item(struct pattern *x, struct place *w)
{
	size_t item = w->p, end = item_end(x, item), from = w->at, n = 0;
	if (!end)
		return false;
	int suffix = pattern_text_at(x, end);
	if (suffix == '-') {
		w->p = end + 1;
		return !item_matches(x, item, end, from) ||
		       pattern_push_choice(
			       x, (struct pattern_choice){CHOICE_MORE, item, end + 1, from, 0});
	}
	bool matches = item_matches(x, item, end, from);
	if (suffix == '?') {
		*w = (struct place){from + matches, end + 1};
		return !matches ||
		       pattern_push_choice(
			       x, (struct pattern_choice){CHOICE_WITHOUT, item, end + 1, from, 0});
	}
	if (suffix != '*' && suffix != '+') {
		*w = (struct place){from + 1, end};
		return matches;
	}
	if (!matches) {
		w->p = end + 1;
		return suffix == '*';
	}
	while (item_matches(x, item, end, from + n))
		n++;
	*w = (struct place){from + n, end + 1};
	/* `+` needs one: choices start after it. */
	size_t least = suffix == '+';
	return pattern_push_choice(
		x, (struct pattern_choice){CHOICE_FEWER, item, end + 1, from + least, n - least});
}

/* Matches one item. False: no match here, or x->bad is set. */
static bool match_next(struct pattern *x, struct place *w)
{
	int next = pattern_text_at(x, w->p + 1);
	switch (pattern_text_at(x, w->p)) {
	case '(':
		return open_capture(x, w);
	case ')':
		return close_capture(x, w);
	case '$':
		if (w->p + 1 != x->text_bytes)
			break;
		w->p++;
		return w->at == x->subject_bytes;
	case '%':
		if (next == 'b')
			return match_balanced(x, w);
		if (next == 'f')
			return match_frontier(x, w);
		if (lua_pattern_is_digit(next))
			return match_capture(x, w);
	}
	return match_item(x, w);
}

enum pattern_result pattern_match(struct pattern *x, size_t at)
{
	struct place w = {at, 0};
	x->capture_count = x->choice_count = 0;
	x->bad = NULL;
	while (w.p < x->text_bytes) {
		pattern_charge_work(x, 1);
		if (match_next(x, &w))
			continue;
		if (x->bad)
			return PATTERN_BAD;
		if (!pattern_backtrack(x, &w))
			return PATTERN_NO;
		if (x->bad)
			return PATTERN_BAD;
	}
	x->end = w.at;
	return PATTERN_YES;
}
