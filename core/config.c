#include "core/config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/err.h"
#include "core/nearest.h"
#include "core/prof/device.h"

const struct param params[] = {
#define PARAM(field, name, type, def, min, max, unit, help) \
	{name, PARAM_##type, def, min, max, unit, help, offsetof(struct config, field)},
#include "core/params.def"
#undef PARAM
};

const size_t param_count = sizeof params / sizeof *params;

const struct param *param_find(const char *name, struct err *err)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (size_t i = 0; i < param_count; i++) {
		if (!strcmp(params[i].name, name))
			return &params[i];
		nearest_offer(&nearest, params[i].name);
	}
	if (nearest.best)
		err_set(err, "no parameter '%s': did you mean '%s'?", name, nearest.best);
	else
		err_set(err, "no parameter '%s': names look like '%s'", name, params[0].name);
	return NULL;
}

bool param_exists(const struct config *cfg, const struct param *p)
{
	const struct device *d = device_of_name(p->name);
	return !d || d->exists(cfg) || strcmp(strchr(p->name, '.'), ".enable") == 0;
}

void config_default(struct config *cfg)
{
#define PARAM(field, name, type, def, ...) cfg->field = def;
#include "core/params.def"
#undef PARAM
}

int64_t config_get(const struct config *cfg, const struct param *p)
{
	int64_t value;
	memcpy(&value, (const char *)cfg + p->offset, sizeof value);
	return value;
}

bool config_set_int(struct config *cfg, const struct param *p, int64_t value, struct err *err)
{
	if (value < p->min || value > p->max) {
		if (p->type == PARAM_INT)
			return err_set(err, "%s: %" PRId64 " is out of range: %" PRId64 " to %" PRId64 " %s", p->name,
			               value, p->min, p->max, p->unit);
		return err_set(err, "%s: takes %s, not %" PRId64, p->name,
		               p->type == PARAM_BOOL ? "true or false" : p->unit, value);
	}
	memcpy((char *)cfg + p->offset, &value, sizeof value);
	return true;
}

/* The factor that a suffix stands for, 0 if it stands for nothing. */
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
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') && isxdigit((unsigned char)digits[2]);
	char *end = NULL;
	errno = 0;
	int64_t number = isdigit((unsigned char)*digits) ? strtoll(text, &end, hex ? 16 : 10) : 0;
	int64_t factor = end ? suffix_factor(end, p->unit) : 0;
	if (!factor)
		return err_set(err, "%s: '%s' is not a number such as 64, 64K, 2M or 0x40", p->name, text);
	if (errno == ERANGE || __builtin_mul_overflow(number, factor, value))
		return err_set(err, "%s: %s is out of range: %" PRId64 " to %" PRId64 " %s", p->name, text, p->min,
		               p->max, p->unit);
	return true;
}

static bool parse_bool(const struct param *p, const char *text, int64_t *value, struct err *err)
{
	static const char *const words[2][4] = {{"false", "off", "no", "0"}, {"true", "on", "yes", "1"}};
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

/* Copies the next choice of "a|b|c" and moves *list behind it; false at the end. */
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
		return err_set(err, "%s: no choice '%s': did you mean '%s'? (%s)", p->name, text, best, p->unit);
	return err_set(err, "%s: no choice '%s': takes %s", p->name, text, p->unit);
}

bool config_set(struct config *cfg, const char *name, const char *value, struct err *err)
{
	const struct param *p = param_find(name, err);
	int64_t number = 0;
	if (!p)
		return false;
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
		return err_set(err, "'%s' sets nothing: write NAME=VALUE, such as pipe.rob_size=128", assignment);
	size_t len = (size_t)(equals - assignment);
	if (len >= sizeof name)
		return err_set(err, "no parameter '%.*s'", (int)(len < 200 ? len : 200), assignment);
	memcpy(name, assignment, len);
	name[len] = '\0';
	return config_set(cfg, name, equals + 1, err);
}

char *config_format(const struct config *cfg, const struct param *p, char *buf, size_t n)
{
	int64_t value = config_get(cfg, p);
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
	}
	return buf;
}

uint64_t config_time_div(const struct config *cfg)
{
	uint64_t div = (uint64_t)cfg->clock_hz / 10000000;
	return div ? div : 1;
}
