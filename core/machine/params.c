#include "core/defs/config_fields.h"

#include "core/machine/params.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/err.h"
#include "core/base/nearest_word.h"
#include "core/defs/devices.h"
#include "core/defs/kinds.h"

/* Of a KIND row: "a|b|c", and "; a = help; b = help". */
#define KIND_CHOICE(id, name, choice, ...) "|" choice
#define KIND_CHOICES(group) &(group##_ROWS(KIND_CHOICE, KIND_CHOICE))[1]
#define KIND_HELP_ROW(id, name, choice, help, ...) "; " choice " = " help
#define KIND_HELP(group) group##_ROWS(KIND_HELP_ROW, KIND_HELP_ROW)
#define COMPONENT_HELP_ROW(id, name, letters, help, ...) letters help "; "
#define COMPONENT_HELP COMPONENT_ROWS(COMPONENT_HELP_ROW, COMPONENT_HELP_ROW)

/* Checks of texts are defined where the texts are parsed. */
#define PARAM(...)
#define TEXT(field, name, def, takes, check, help) bool check(const char *text, struct err *err);
#include "core/defs/params.def"
#undef PARAM
#undef TEXT

const struct param params[] = {
#define PARAM(field, name, type, def, min, max, unit, help) \
	{name, PARAM_##type, def, min, max, unit, help, offsetof(struct config, field), NULL, NULL},
#define TEXT(field, name, def, takes, check, help) \
	{name, PARAM_TEXT, 0, 0, 0, takes, help, offsetof(struct config, field), def, check},
#include "core/defs/params.def"
#undef PARAM
#undef TEXT
};

const size_t param_count = sizeof params / sizeof *params;

const struct param *param_find(const char *name, struct err *err)
{
	for (size_t i = 0; i < param_count; i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (size_t i = 0; i < param_count; i++)
		nearest_offer_dotted(&nearest, params[i].name);
	err_set(err, "no parameter '%s': %s", name,
	        nearest_said(&nearest, "`help params` lists them"));
	return NULL;
}

int64_t config_get(const struct config *cfg, const struct param *p)
{
	int64_t value;
	assert(p->type != PARAM_TEXT);
	memcpy(&value, (const char *)cfg + p->offset, sizeof value);
	return value;
}

const char *config_text(const struct config *cfg, const struct param *p)
{
	assert(p->type == PARAM_TEXT);
	return (const char *)cfg + p->offset;
}

bool config_same(const struct config *a, const struct config *b, const struct param *p)
{
	size_t n = p->type == PARAM_TEXT ? PARAM_TEXT_MAX : sizeof(int64_t);
	return !memcmp((const char *)a + p->offset, (const char *)b + p->offset, n);
}

bool config_set_int(struct config *cfg, const struct param *p, int64_t value, struct err *err)
{
	if (p->type == PARAM_TEXT)
		return err_set(err, "%s: takes a text (%s), not the number %" PRId64, p->name,
		               p->unit, value);
	if (value < p->min || value > p->max) {
		if (p->type == PARAM_INT)
			return err_set(err,
			               "%s: %" PRId64 " is out of range: %" PRId64 " to %" PRId64
			               " %s",
			               p->name, value, p->min, p->max, p->unit);
		return err_set(err, "%s: takes %s, not %" PRId64, p->name,
		               p->type == PARAM_BOOL ? "true or false" : p->unit, value);
	}
	memcpy((char *)cfg + p->offset, &value, sizeof value);
	return true;
}

/* The factor that a suffix stands for, 0 if it is unknown. */
static int64_t suffix_factor(const char *suffix, const char *unit)
{
	int64_t base = !strcmp(unit, "Hz") ? 1000 : 1024;
	if (!*suffix)
		return 1;
	if (suffix[1])
		return 0;
	switch (toupper((unsigned char)*suffix)) {
	case 'K':
		return base;
	case 'M':
		return base * base;
	case 'G':
		return base * base * base;
	default:
		return 0;
	}
}

static bool parse_int(const struct param *p, const char *text, int64_t *value, struct err *err)
{
	const char *digits = text + (*text == '-' || *text == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') &&
	           isxdigit((unsigned char)digits[2]);
	char *end = NULL;
	errno = 0;
	int64_t number = isdigit((unsigned char)*digits) ? strtoll(text, &end, hex ? 16 : 10) : 0;
	int64_t factor = end ? suffix_factor(end, p->unit) : 0;
	if (!factor)
		return err_set(err, "%s: '%s' is not a number such as 64, 64K, 2M or 0x40", p->name,
		               text);
	if (errno == ERANGE || __builtin_mul_overflow(number, factor, value))
		return err_set(err, "%s: %s is out of range: %" PRId64 " to %" PRId64 " %s",
		               p->name, text, p->min, p->max, p->unit);
	return true;
}

static bool parse_bool(const struct param *p, const char *text, int64_t *value, struct err *err)
{
	static const char *const words[2][4] = {{"false", "off", "no", "0"},
	                                        {"true", "on", "yes", "1"}};
	for (int64_t v = 0; v < 2; v++) {
		for (size_t i = 0; i < 4; i++) {
			if (!strcasecmp(text, words[v][i])) {
				*value = v;
				return true;
			}
		}
	}
	return err_set(err, "%s: '%s' is neither true nor false", p->name, text);
}

/* Copies the next choice of "a|b|c" and moves *list past it; false at the end. */
static bool next_choice(const char **list, char *choice, size_t n)
{
	if (!**list)
		return false;
	size_t len = strcspn(*list, "|");
	snprintf(choice, n, "%.*s", (int)len, *list);
	*list += len + ((*list)[len] == '|');
	return true;
}

static bool parse_enum(const struct param *p, const char *text, int64_t *value, struct err *err)
{
	char choice[32], best[32] = "";
	const char *list = p->unit;
	struct nearest nearest;
	nearest_init(&nearest, text);
	for (int64_t v = 0; next_choice(&list, choice, sizeof choice); v++) {
		if (!strcasecmp(choice, text)) {
			*value = v;
			return true;
		}
		nearest_offer(&nearest, choice);
		if (nearest.best == choice) {
			memcpy(best, choice, sizeof best);
			nearest.best = best;
		}
	}
	if (*best)
		return err_set(err, "%s: no choice '%s': did you mean '%s'? (%s)", p->name, text,
		               best, p->unit);
	return err_set(err, "%s: no choice '%s': takes %s", p->name, text, p->unit);
}

/* Position of the first character that is not printable ASCII, from 1; 0: all are. */
static size_t odd_character(const char *text)
{
	for (const char *s = text; *s; s++)
		if (*s < ' ' || *s > '~')
			return (size_t)(s - text) + 1;
	return 0;
}

static bool set_text(struct config *cfg, const struct param *p, const char *text, struct err *err)
{
	size_t n = strlen(text), odd = odd_character(text);
	struct err why;
	if (n >= PARAM_TEXT_MAX)
		return err_set(err, "%s: %zu characters are too many; expected at most %d", p->name,
		               n, PARAM_TEXT_MAX - 1);
	if (odd)
		return err_set(err,
		               "%s: character %zu is not printable ASCII; expected letters, "
		               "digits, signs and blanks",
		               p->name, odd);
	if (p->check && !p->check(text, &why))
		return err_set(err, "%s: %s", p->name, why.msg);
	memset((char *)cfg + p->offset, 0, PARAM_TEXT_MAX);
	memcpy((char *)cfg + p->offset, text, n);
	return true;
}

bool config_set(struct config *cfg, const char *name, const char *value, struct err *err)
{
	const struct param *p = param_find(name, err);
	int64_t number = 0;
	if (!p)
		return false;
	if (p->type == PARAM_TEXT)
		return set_text(cfg, p, value, err);
	bool understood = p->type == PARAM_INT    ? parse_int(p, value, &number, err)
	                  : p->type == PARAM_BOOL ? parse_bool(p, value, &number, err)
	                                          : parse_enum(p, value, &number, err);
	return understood && config_set_int(cfg, p, number, err);
}

bool config_set_assignment(struct config *cfg, const char *assignment, struct err *err)
{
	const char *equals = strchr(assignment, '=');
	char name[64];
	if (!equals)
		return err_set(err,
		               "'%s' sets nothing; expected NAME=VALUE, such as pipe.rob_size=128",
		               assignment);
	size_t len = (size_t)(equals - assignment);
	len = len < sizeof name ? len : sizeof name - 1; /* still longer than any name */
	memcpy(name, assignment, len);
	name[len] = '\0';
	return config_set(cfg, name, equals + 1, err);
}

char *config_format(const struct config *cfg, const struct param *p, char *buf, size_t n)
{
	int64_t value = p->type == PARAM_TEXT ? 0 : config_get(cfg, p);
	char choice[32] = "";
	const char *list = p->unit;
	switch (p->type) {
	case PARAM_INT:
		snprintf(buf, n, "%" PRId64, value);
		break;
	case PARAM_BOOL:
		snprintf(buf, n, "%s", value ? "true" : "false");
		break;
	case PARAM_ENUM:
		for (int64_t v = 0; v <= value; v++)
			next_choice(&list, choice, sizeof choice);
		snprintf(buf, n, "%s", choice);
		break;
	case PARAM_TEXT:
		snprintf(buf, n, "%s", config_text(cfg, p));
		break;
	}
	return buf;
}

bool param_exists(const struct config *cfg, const struct param *p)
{
	const enum device_id d = device_of_name(p->name);
	return d == DEVICE_COUNT || device_exists(cfg, d) ||
	       strcmp(strchr(p->name, '.'), ".enable") == 0;
}
