/* Checks entries of a plan's file: known names, texts, labels; and reports wrong ones. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "hwviews/grid/utf8.h"
#include "ui/sweep/plan.h"
#include "ui/sweep/plan_priv.h"

void plan_complain(const struct plan *p, const struct lua_value *v, struct err *err,
                   const char *fmt, ...)
{
	char msg[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(msg, sizeof msg, fmt, args);
	va_end(args);
	if (v && v->line)
		err_format(err, "%s:%u: %s", p->path, v->line, msg);
	else
		err_format(err, "%s: %s", p->path, msg);
}

bool plan_known_name(const struct plan *p, const struct lua_value *v, const char *const *names,
                     const char *what, struct err *err)
{
	struct nearest n;
	nearest_init(&n, v->name);
	for (size_t i = 0; names[i]; i++) {
		if (!strcmp(names[i], v->name))
			return true;
		nearest_offer(&n, names[i]);
	}
	char list[300] = "";
	for (size_t i = 0; names[i]; i++)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
		         names[i]);
	return plan_wrong(p, v, err, "%s has no entry '%s'; %s", what, v->name,
	                  nearest_said(&n, "expected %s", list));
}

bool plan_want_text(const struct plan *p, const struct lua_value *v, const char **out,
                    struct err *err)
{
	if (v->kind != LUA_VALUE_TEXT || !*v->text)
		return plan_wrong(p, v, err, "%s: a text is needed",
		                  v->name ? v->name : "an entry");
	*out = v->text;
	return true;
}

/* True for one line of UTF-8, as needed in tables, JSON and plots. */
static bool is_label(const char *s)
{
	size_t left = strlen(s);
	bool right = left > 0;
	while (left && right) {
		uint32_t code;
		size_t n = utf8_decode(s, left, &code);
		right = code >= 0x20 && code != 0x7f && (code != 0xfffd || n > 1);
		s += n;
		left -= n;
	}
	return right;
}

bool plan_check_label(const struct plan *p, const struct lua_value *v, struct err *err)
{
	return is_label(v->name) ||
	       plan_wrong(p, v, err, "a name is one line of UTF-8, and not empty");
}

bool plan_want_label(struct plan *p, const struct lua_value *v, const char **out, struct err *err)
{
	if (v->kind != LUA_VALUE_TEXT || !is_label(v->text))
		return plan_wrong(p, v, err, "%s is one line of UTF-8, and not empty", v->name);
	*out = plan_text(p, "%s", v->text);
	return true;
}
