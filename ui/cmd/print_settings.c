#include "ui/cmd/print_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/expr/expr.h"
#include "ui/console/args.h"

static const struct setting {
	const char *name, *help;
	size_t offset;
	bool counts;  /* a number, or unlimited */
	bool inverse; /* off is what is kept */
} settings[] = {
	{"elements", "elements of an array, and characters of a string",
         offsetof(struct c_limits, elements), true, false},
	{"repeats", "so many equal elements are shown as one", offsetof(struct c_limits, repeats),
         true, false},
	{"pretty", "each member in a line of its own", offsetof(struct c_limits, pretty), false,
         false},
	{"raw-values", "containers of C++'s library as what they consist of",
         offsetof(struct c_limits, raw), false, false},
	{"union", "what unions in other values hold", offsetof(struct c_limits, hide_unions), false,
         true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const struct setting *find(const char *name)
{
	const struct setting *found = NULL;
	for (unsigned i = 0; *name && i < SETTINGS; i++)
		if (!strncmp(settings[i].name, name, strlen(name)))
			found = found ? NULL : &settings[i];
	return found;
}

bool print_setting_named(const char *name)
{
	return find(name);
}

static bool set_count(struct console *c, const struct setting *s, const char *word, uint64_t *to)
{
	char *end;
	if (!strcmp(word, "unlimited")) {
		*to = 0;
		return true;
	}
	*to = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end) {
		console_fail(c, "print %s: a number, or unlimited", s->name);
		return false;
	}
	return true;
}

bool print_setting(struct console *c, const char *name, const char **value, struct c_limits *limits)
{
	const struct setting *s = find(name);
	char word[32], list[128] = "";
	if (!s) {
		for (unsigned i = 0; i < SETTINGS; i++)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
			         i ? ", " : "", settings[i].name);
		console_fail(c, "print has no setting '%.40s'; it has %s", name, list);
		return false;
	}
	const char *rest = parse_word(*value, word, sizeof word);
	char *field = (char *)limits + s->offset;
	if (s->counts) {
		uint64_t v;
		if (!set_count(c, s, word, &v))
			return false;
		memcpy(field, &v, sizeof v);
		*value = rest;
		return true;
	}
	const bool off = !strcmp(word, "off"), said = off || !strcmp(word, "on");
	const bool kept = off == s->inverse;
	memcpy(field, &kept, sizeof kept);
	*value = said ? rest : *value;
	return true;
}

enum command_result print_settings_set(struct console *c, const char *args)
{
	char name[32];
	const char *rest = parse_word(args, name, sizeof name);
	struct c_limits limits = *exprs_limits(c->exprs);
	if (!*name)
		return console_fail(c, "set print what? elements, repeats, pretty, raw-values or "
		                       "union");
	if (!print_setting(c, name, &rest, &limits))
		return CMD_ERROR;
	if (*rest)
		return console_fail(c, "set print %s: what is '%.40s'?", name, rest);
	*exprs_limits(c->exprs) = limits;
	return CMD_OK;
}

enum command_result print_settings_show(struct console *c, const char *args)
{
	const char *limits = (const char *)exprs_limits(c->exprs);
	if (*args && !find(args))
		return print_settings_set(c, args); /* which says what there is */
	for (unsigned i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		uint64_t v;
		bool on;
		if (*args && find(args) != s)
			continue;
		memcpy(&v, limits + s->offset, s->counts ? sizeof v : 0);
		memcpy(&on, limits + s->offset, s->counts ? 0 : sizeof on);
		if (!s->counts)
			console_print(c, "print %s is %s: %s\n", s->name,
			              on != s->inverse ? "on" : "off", s->help);
		else if (v)
			console_print(c, "print %s is %" PRIu64 ": %s\n", s->name, v, s->help);
		else
			console_print(c, "print %s is unlimited: %s\n", s->name, s->help);
	}
	return CMD_OK;
}
