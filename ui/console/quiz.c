#include "ui/console/quiz.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/alloc.h"
#include "scripting/expr/expr.h"

void quiz_restart(struct quiz *q)
{
	q->got = q->of = q->expected = 0;
	q->asked[0] = '\0';
}

bool quiz_name_ok(const char *name)
{
	size_t n = 0;
	if (!isalpha((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	return !name[n] && n < QUIZ_NAME;
}

const struct quiz_answer *quiz_find(const struct quiz *q, const char *name)
{
	for (unsigned i = 0; i < q->count; i++)
		if (!strcmp(q->answers[i].name, name))
			return &q->answers[i];
	return NULL;
}

bool quiz_answer(struct quiz *q, const char *name, const char *text, struct err *err)
{
	struct quiz_answer *a = (struct quiz_answer *)quiz_find(q, name);
	if (!quiz_name_ok(name))
		return err_set(err,
		               "'%.40s' is no name of a question: letters, digits and _, %d "
		               "at most",
		               name, QUIZ_NAME - 1);
	if (strlen(text) >= QUIZ_TEXT)
		return err_set(err, "an answer has at most %d characters", QUIZ_TEXT - 1);
	if (!a && q->count == QUIZ_ANSWERS)
		return err_set(err, "there are %d answers already, and no room for more",
		               QUIZ_ANSWERS);
	if (!a) {
		a = &q->answers[q->count++];
		snprintf(a->name, sizeof a->name, "%s", name);
	}
	snprintf(a->text, sizeof a->text, "%s", text);
	a->tries++;
	if (!strcmp(q->asked, name))
		q->asked[0] = '\0';
	return true;
}

void quiz_ask_again(struct quiz *q, const char *name, bool counts)
{
	struct quiz_answer *a = (struct quiz_answer *)quiz_find(q, name);
	snprintf(q->asked, sizeof q->asked, "%s", name);
	if (a && a->tries && !counts)
		a->tries--;
}

/* ---- reading ---- */
/* Cuts `text` at the last " WORD " outside quotes and brackets; NULL if there is none. */
static char *cut_at(char *text, const char *word)
{
	const size_t n = strlen(word);
	char quote = '\0', *found = NULL;
	int depth = 0;
	for (char *c = text; *c; c++) {
		if (quote) {
			quote = *c == quote ? '\0' : quote;
			continue;
		}
		if (*c == '"' || *c == '\'')
			quote = *c;
		depth += (strchr("([{", *c) != NULL) - (strchr(")]}", *c) != NULL);
		if (!depth && *c == ' ' && !strncmp(c + 1, word, n) && c[n + 1] == ' ') {
			found = c;
			if (strcmp(word, "in") != 0)
				break;
		}
	}
	if (!found)
		return NULL;
	*found = '\0';
	found += n + 2;
	return found + strspn(found, " ");
}

/* Parses "3: " or "3 points: " at the beginning; 1 if absent. */
static unsigned take_points(char **text)
{
	char *end;
	const unsigned long points = strtoul(*text, &end, 10);
	if (end == *text || !isdigit((unsigned char)**text) || points > 100)
		return 1;
	if (!strncmp(end, " points", 7))
		end += 7;
	else if (!strncmp(end, " point", 6))
		end += 6;
	if (*end != ':')
		return 1;
	*text = end + 1 + strspn(end + 1, " ");
	return (unsigned)points;
}

/* ---- judging ---- */
static bool quiz_evaluate_number(struct exprs *x, const char *text, double *out, struct err *err)
{
	struct expr_value v;
	if (!expr_once(x, text, &v, err))
		return false;
	if (v.type != EXPR_INT && v.type != EXPR_FLOAT && v.type != EXPR_BOOL)
		return err_set(err, "%.200s is no number", text);
	*out = v.type == EXPR_FLOAT ? v.d : (double)v.i;
	return true;
}

/* Describes how far off a number is. */
static const char *quiz_describe_error(double got, double low, double high)
{
	if (isnan(got))
		return "no number";
	if (got < low)
		return low > 0 && got < low / 2 ? "far too low" : "too low";
	return high > 0 && got > high * 2 ? "far too high" : "too high";
}

static bool in_bounds(struct exprs *x, const char *what, char *bounds, struct quiz_verdict *v,
                      struct err *err)
{
	double got, low, high;
	char *dots = strstr(bounds, "..");
	if (!dots)
		return err_set(err, "bounds are LOW .. HIGH, not '%.60s'", bounds);
	*dots = '\0';
	if (!quiz_evaluate_number(x, what, &got, err) ||
	    !quiz_evaluate_number(x, bounds, &low, err) ||
	    !quiz_evaluate_number(x, dots + 2, &high, err))
		return false;
	if (low > high)
		return err_set(err, "empty range %g .. %g", low, high);
	v->holds = got >= low && got <= high;
	snprintf(v->said, sizeof v->said, "%.200s is %.6g%s%s", what, got, v->holds ? "" : ": ",
	         v->holds ? "" : quiz_describe_error(got, low, high));
	return true;
}

/* Parses "12", "0x3f", "12,000", "12 cycles", "1.5". */
static bool typed_number(const char *text, double *out)
{
	char digits[QUIZ_TEXT], *end;
	size_t n = 0;
	for (const char *c = text; *c && n + 1 < sizeof digits; c++)
		if (*c != ',')
			digits[n++] = *c;
	digits[n] = '\0';
	*out = strtod(digits, &end);
	return end != digits && isfinite(*out) &&
	       (!*end || isspace((unsigned char)*end) || *end == '%');
}

/* True if a typed word is one of `A|B|C`; ignores case and blanks at the ends. */
static bool one_of(const char *typed, const char *words)
{
	size_t n = strlen(typed);
	while (n && isspace((unsigned char)typed[n - 1]))
		n--;
	for (const char *w = words; *w; w += *w == '|') {
		const size_t k = strcspn(w, "|");
		if (k == n && !strncasecmp(typed, w, n))
			return true;
		w += k;
	}
	return false;
}

/* An answer is right or wrong: its side of the right one would lead there by bisection. */
static void quiz_describe_answer(struct quiz_verdict *v, const char *name,
                                 const struct quiz_answer *a)
{
	snprintf(v->said, sizeof v->said, "%s: %s%s", name, a->text,
	         v->holds ? "" : " is not it");
}

/* `NAME in LOW .. HIGH` */
static bool answer_between(const struct quiz *q, struct exprs *x, const char *name, char *bounds,
                           struct quiz_verdict *v, struct err *err)
{
	const struct quiz_answer *a = quiz_find(q, name);
	char *dots = strstr(bounds, "..");
	double low, high, typed;
	if (!dots || !quiz_name_ok(name))
		return err_set(err, "use expect answer NAME in LOW .. HIGH");
	*dots = '\0';
	if (!quiz_evaluate_number(x, bounds, &low, err) ||
	    !quiz_evaluate_number(x, dots + 2, &high, err))
		return false;
	if (!a || !*a->text) {
		snprintf(v->said, sizeof v->said, "%s: %s", name,
		         a ? "passed over" : "not answered");
	} else if (!typed_number(a->text, &typed)) {
		v->unread = true;
		snprintf(v->said, sizeof v->said, "%s: %s; expected a number", name, a->text);
	} else {
		v->holds = typed >= low && typed <= high;
		quiz_describe_answer(v, name, a);
	}
	return true;
}

/* `NAME is EXPR [within N%]` */
static bool judge_answer(const struct quiz *q, struct exprs *x, char *text, struct quiz_verdict *v,
                         struct err *err)
{
	struct expr_value right;
	double within = 0, typed, off;
	char *is = cut_at(text, "is"), *tolerance = is ? cut_at(is, "within") : NULL,
	     *bounds = is ? NULL : cut_at(text, "in");
	if (bounds)
		return answer_between(q, x, text, bounds, v, err);
	if (!is || !quiz_name_ok(text))
		return err_set(err,
		               "use expect answer NAME is EXPRESSION [within PERCENT%%], or in "
		               "LOW .. HIGH");
	if (tolerance) {
		char *end;
		within = strtod(tolerance, &end);
		if (end == tolerance || within < 0 || (*end && strcmp(end, "%") != 0))
			return err_set(err,
			               "within '%.20s': a percentage is needed, as in "
			               "within 5%%",
			               tolerance);
	}
	if (!expr_once(x, is, &right, err))
		return false;
	const struct quiz_answer *a = quiz_find(q, text);
	if (!a || !*a->text) {
		snprintf(v->said, sizeof v->said, "%s: %s", text,
		         a ? "passed over" : "not answered");
		return true;
	}
	if (right.type == EXPR_STRING) {
		v->holds = one_of(a->text, right.text);
		quiz_describe_answer(v, text, a);
		return true;
	}
	if (right.type != EXPR_INT && right.type != EXPR_FLOAT && right.type != EXPR_BOOL)
		return err_set(err, "%.200s is neither a number nor a text", is);
	const double want = right.type == EXPR_FLOAT ? right.d : (double)right.i;
	if (!typed_number(a->text, &typed)) {
		v->unread = true;
		snprintf(v->said, sizeof v->said, "%s: %s; expected a number", text, a->text);
		return true;
	}
	/* Allow for the rounding of numbers on the screen. */
	off = fabs(want) * within / 100 + (right.type == EXPR_FLOAT ? 0.0051 : 0);
	v->holds = fabs(typed - want) <= off;
	quiz_describe_answer(v, text, a);
	return true;
}

static bool quiz_check_condition(struct exprs *x, const char *text, struct quiz_verdict *v,
                                 struct err *err)
{
	struct expr_value value;
	if (!expr_once(x, text, &value, err))
		return false;
	v->holds = expr_true(&value);
	snprintf(v->said, sizeof v->said, "%.300s%s", text, v->holds ? "" : ": it is not so");
	return true;
}

bool quiz_expect(struct quiz *q, struct exprs *x, const char *text, struct quiz_verdict *v,
                 struct err *err)
{
	char *copy = alloc_text(text), *at = copy, *bounds;
	if (!copy)
		return err_set(err, "out of memory");
	*v = (struct quiz_verdict){.points = take_points(&at)};
	const char *hint = cut_at(at, "else");
	bool ok;
	if (!strncmp(at, "answer ", 7))
		ok = judge_answer(q, x, at + 7 + strspn(at + 7, " "), v, err);
	else if ((bounds = cut_at(at, "in")))
		ok = in_bounds(x, at, bounds, v, err);
	else
		ok = quiz_check_condition(x, at, v, err);
	if (ok) {
		const size_t n = strlen(v->said);
		if (!v->holds && hint && *hint)
			snprintf(v->said + n, sizeof v->said - n, ". %s", hint);
		q->expected++;
		q->of += v->points;
		q->got += v->holds ? v->points : 0;
	}
	free(copy);
	return ok;
}
