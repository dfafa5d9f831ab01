#include "ui/cli/sample_spec.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "ui/console/counts.h"

enum key {
	KEY_U,
	KEY_W,
	KEY_CHECK,
	KEY_N,
	KEY_TARGET,
	KEY_CONFIDENCE,
	KEY_SEED,
	KEY_PARTS,
	KEY_COUNT
};

static const char *const keys[KEY_COUNT] = {"U",      "W",          "check", "n",
                                            "target", "confidence", "seed",  "parts"};

static int sample_spec_lookup_key(const char *word, size_t len)
{
	for (int k = 0; k < KEY_COUNT; k++)
		if (strlen(keys[k]) == len && !strncmp(keys[k], word, len))
			return k;
	return -1;
}

bool sample_spec_is(const char *word)
{
	const size_t len = strcspn(word, "=,/.");
	return word[len] == '=' && sample_spec_lookup_key(word, len) >= 0;
}

/* Parses "2%" or "0.02", more than 0 and less than 1. */
static bool sample_spec_parse_fraction(const char *key, const char *text, double *out,
                                       struct err *err)
{
	char *end;
	double v = *text >= '0' && *text <= '9' ? strtod(text, &end) : NAN;
	if (!isnan(v) && !strcmp(end, "%"))
		v /= 100;
	else if (!isnan(v) && *end)
		v = NAN;
	if (!(v > 0 && v < 1))
		return err_set(err,
		               "--sample %s=%s: expected more than 0 and less than 100%%, as in "
		               "%s=%s",
		               key, text, key, *key == 't' ? "2%" : "99.7%");
	*out = v;
	return true;
}

static bool sample_spec_parse_count(const char *key, const char *text, uint64_t least,
                                    uint64_t most, uint64_t *out, struct err *err)
{
	struct err why;
	if (!count_parse(text, out, &why))
		return err_set(err, "--sample %s=%s: %s", key, text, why.msg);
	return (*out >= least && *out <= most) ||
	       err_set(err, "--sample %s=%s: %llu to %llu", key, text, (unsigned long long)least,
	               (unsigned long long)most);
}

static bool sample_spec_set_key(struct sample_spec *s, enum key k, const char *text,
                                struct err *err)
{
	uint64_t parts;
	switch (k) {
	case KEY_U:
		return sample_spec_parse_count("U", text, 1, 1000000000, &s->unit, err);
	case KEY_W:
		return sample_spec_parse_count("W", text, 0, 1000000000, &s->warm, err);
	case KEY_CHECK:
		return sample_spec_parse_count("check", text, 0, 1000000000, &s->check, err);
	case KEY_N:
		s->n = 0;
		return !strcmp(text, "auto") ||
		       sample_spec_parse_count("n", text, 2, 10000000, &s->n, err);
	case KEY_TARGET:
		return sample_spec_parse_fraction("target", text, &s->target, err);
	case KEY_CONFIDENCE:
		return sample_spec_parse_fraction("confidence", text, &s->confidence, err);
	case KEY_SEED:
		return sample_spec_parse_count("seed", text, 0, UINT64_MAX, &s->seed, err);
	case KEY_PARTS:
		if (!sample_spec_parse_count("parts", text, 1, SAMPLE_PARTS_MAX, &parts, err))
			return false;
		s->parts = (unsigned)parts;
		return true;
	case KEY_COUNT:
		break;
	}
	return false;
}

static bool sample_spec_report_unknown_key(const char *word, size_t len, struct err *err)
{
	char name[32];
	struct nearest near;
	snprintf(name, sizeof name, "%.*s", (int)(len < 31 ? len : 31), word);
	nearest_init(&near, name);
	for (int k = 0; k < KEY_COUNT; k++)
		nearest_offer(&near, keys[k]);
	return err_set(err,
	               "--sample: there is no '%s'%s%s%s; expected U=1000,W=1000,check=30000,"
	               "n=auto,target=2%%,confidence=99.7%%,seed=1,parts=1",
	               name, near.best ? ": did you mean '" : "", near.best ? near.best : "",
	               near.best ? "'?" : "");
}

bool sample_spec_parse(struct sample_spec *s, const char *text, struct err *err)
{
	*s = (struct sample_spec){.unit = 1000,
	                          .warm = 1000,
	                          .check = 30000,
	                          .target = 0.02,
	                          .confidence = 0.997,
	                          .seed = 1};
	char room[64];
	while (text && *text) {
		const size_t all = strcspn(text, ","), len = strcspn(text, "=,");
		const int k = sample_spec_lookup_key(text, len);
		if (k < 0)
			return sample_spec_report_unknown_key(text, len, err);
		if (len >= all || all - len > sizeof room)
			return err_set(err, "--sample %.*s: expected %s=VALUE",
			               (int)(all < 40 ? all : 40), text, keys[k]);
		snprintf(room, sizeof room, "%.*s", (int)(all - len - 1), text + len + 1);
		if (!sample_spec_set_key(s, (enum key)k, room, err))
			return false;
		text += all;
		text += *text == ',';
	}
	return true;
}
