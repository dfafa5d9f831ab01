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
	/* FLAG; COUNT: 0 and `unlimited` are stored as 0; DEPTH: may be 0, stored plus one */
	enum { FLAG, COUNT, DEPTH } kind;
	bool inverse; /* stores the opposite */
} settings[] = {
#define LIMIT(field) offsetof(struct c_limits, field)
	{"elements", "elements of an array, and characters of a string", LIMIT(elements), COUNT,
         false},
	{"repeats", "number of equal elements that are shown as one", LIMIT(repeats), COUNT, false},
	{"pretty", "each member in a line of its own", LIMIT(pretty), FLAG, false},
	{"array", "each element of an array in a line of its own", LIMIT(lines), FLAG, false},
	{"array-indexes", "elements of an array with their numbers", LIMIT(indexes), FLAG, false},
	{"address", "addresses of pointers' targets and of functions", LIMIT(no_addresses), FLAG,
         true},
	{"symbol", "the variable that a pointer points to", LIMIT(no_symbols), FLAG, true},
	{"object", "the whole object behind a pointer to its base", LIMIT(objects), FLAG, false},
	{"union", "members of unions in other values", LIMIT(hide_unions), FLAG, true},
	{"static-members", "members that all objects share", LIMIT(no_statics), FLAG, true},
	{"null-stop", "texts in arrays end at the first zero", LIMIT(null_stop), FLAG, false},
	{"max-depth", "nesting depth of values, deeper ones are {...}", LIMIT(depth), DEPTH, false},
	{"nibbles", "binary digits in groups of four", LIMIT(nibbles), FLAG, false},
	{"sevenbit-strings", "characters that are not ASCII as \\nnn", LIMIT(seven_bits), FLAG,
         false},
	{"raw-values", "containers of C++'s library by their members", LIMIT(raw), FLAG, false},
#undef LIMIT
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const struct setting *print_settings_find_setting(const char *name)
{
	const struct setting *found = NULL;
	unsigned count = 0;
	for (unsigned i = 0; *name && i < SETTINGS; i++)
		if (!strncmp(settings[i].name, name, strlen(name))) {
			if (!settings[i].name[strlen(name)])
				return &settings[i];
			found = count++ ? NULL : &settings[i];
		}
	return found;
}

bool print_setting_named(const char *name)
{
	return print_settings_find_setting(name);
}

static bool print_settings_parse_limit(struct console *c, const struct setting *s, const char *word,
                                       uint64_t *to)
{
	char *end;
	if (!strcmp(word, "unlimited") || (!strcmp(word, "-1") && s->kind == DEPTH)) {
		*to = 0;
		return true;
	}
	*to = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || *to > UINT32_MAX) {
		console_fail(c, "print %s: a number, or unlimited", s->name);
		return false;
	}
	*to += s->kind == DEPTH;
	return true;
}

bool print_setting(struct console *c, const char *name, const char **value, struct c_limits *limits)
{
	const struct setting *s = print_settings_find_setting(name);
	char word[32], list[320] = "";
	if (!s) {
		for (unsigned i = 0; i < SETTINGS; i++)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
			         i ? ", " : "", settings[i].name);
		console_fail(c, *name ? "print has no setting '%.40s'; it has %s"
		                      : "set print what?%.0s %s",
		             name, list);
		return false;
	}
	const char *rest = parse_word(*value, word, sizeof word);
	char *field = (char *)limits + s->offset;
	if (s->kind != FLAG) {
		uint64_t v;
		if (!print_settings_parse_limit(c, s, word, &v))
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
	if (!print_setting(c, name, &rest, &limits))
		return CMD_ERROR;
	if (*rest)
		return console_fail(c, "set print %s: '%.40s' is not understood", name, rest);
	*exprs_limits(c->exprs) = limits;
	return CMD_OK;
}

enum command_result print_settings_show(struct console *c, const char *args)
{
	const char *limits = (const char *)exprs_limits(c->exprs);
	if (*args && !print_settings_find_setting(args))
		return print_settings_set(c, args); /* prints the list of settings */
	for (unsigned i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		uint64_t v;
		bool on;
		if (*args && print_settings_find_setting(args) != s)
			continue;
		memcpy(&v, limits + s->offset, s->kind != FLAG ? sizeof v : 0);
		memcpy(&on, limits + s->offset, s->kind != FLAG ? 0 : sizeof on);
		if (s->kind == FLAG)
			console_print(c, "print %s is %s: %s\n", s->name,
			              on != s->inverse ? "on" : "off", s->help);
		else if (v)
			console_print(c, "print %s is %" PRIu64 ": %s\n", s->name,
			              v - (s->kind == DEPTH), s->help);
		else
			console_print(c, "print %s is unlimited: %s\n", s->name, s->help);
	}
	return CMD_OK;
}
