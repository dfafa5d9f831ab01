#include "loader/instrument/instrument_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"

const char *const instrument_name[INSTRUMENT_KIND_COUNT] = {
#define K(id, name, help) name,
	INSTRUMENT_KINDS(K)
#undef K
};

const char *const instrument_help[INSTRUMENT_KIND_COUNT] = {
#define K(id, name, help) help,
	INSTRUMENT_KINDS(K)
#undef K
};

const char *const instrument_metrics[INSTRUMENT_METRICS] = {"sim.cycles", "l1d.misses"};

static bool find_kind(const char *text, enum instrument_kind *out, struct err *err)
{
	struct nearest near;
	nearest_init(&near, text);
	for (unsigned i = 0; i < INSTRUMENT_KIND_COUNT; i++) {
		if (!strcmp(text, instrument_name[i])) {
			*out = (enum instrument_kind)i;
			return true;
		}
		nearest_offer(&near, instrument_name[i]);
	}
	static const char all[] =
#define K(id, name, help) ", " name
		INSTRUMENT_KINDS(K);
#undef K
	return err_set(err, "no kind of instrumentation is called '%s'; %s", text,
	               nearest_said(&near, "there are%s", all + 1));
}

/* Reads a word of a list: "bb" or "bb=1"; *rest receives the text after its comma. */
static bool read_what(const char *text, struct instrument_what *out, const char **rest,
                      struct err *err)
{
	char word[32];
	const size_t n = strcspn(text, ",");
	snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), text);
	char *type = strchr(word, '=');
	if (type)
		*type++ = '\0';
	*rest = text + n + (text[n] == ',');
	out->type = -1;
	if (type && (*type < '0' || *type > '7' || type[1]))
		return err_set(err, "%s=%s: profile types are 0 to 7", word, type);
	if (type)
		out->type = *type - '0';
	return find_kind(word, &out->kind, err);
}

static struct instrument_what *find_what(struct instrument_options *o, enum instrument_kind kind)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->what[i].kind == kind)
			return &o->what[i];
	return NULL;
}

static bool counts_paths(enum instrument_kind kind)
{
	return kind == INSTRUMENT_PATH || kind == INSTRUMENT_PATH_HW || kind == INSTRUMENT_CCT_PATH;
}

static bool counts_metrics(enum instrument_kind kind)
{
	return kind == INSTRUMENT_PATH_HW || kind == INSTRUMENT_CCT_HW;
}

static bool counts_contexts(enum instrument_kind kind)
{
	return kind == INSTRUMENT_CCT || kind == INSTRUMENT_CCT_HW || kind == INSTRUMENT_CCT_PATH;
}

bool instrument_is_nested(enum instrument_kind kind)
{
	return counts_contexts(kind);
}

/* A resource that both kinds need exclusively; NULL: none. */
static const char *instrument_options_shared_resource(enum instrument_kind a,
                                                      enum instrument_kind b)
{
	return counts_contexts(a) && counts_contexts(b)  ? "build a tree of contexts"
	       : counts_paths(a) && counts_paths(b)      ? "count paths"
	       : counts_metrics(a) && counts_metrics(b) ? "read pic0 and pic1"
	                                                 : NULL;
}

/* Whether a kind can be combined with those chosen so far. */
static bool goes_with(struct instrument_options *o, enum instrument_kind kind, struct err *err)
{
	if (find_what(o, kind))
		return err_set(err, "%s is given twice", instrument_name[kind]);
	for (unsigned i = 0; i < o->count; i++)
		if (instrument_options_shared_resource(kind, o->what[i].kind))
			return err_set(err, "%s and %s both %s; use one of them",
			               instrument_name[o->what[i].kind], instrument_name[kind],
			               instrument_options_shared_resource(kind, o->what[i].kind));
	if (o->count && (kind == INSTRUMENT_NOTHING || o->what[0].kind == INSTRUMENT_NOTHING))
		return err_set(err, "kind `nothing` stands alone: no other goes with it");
	return o->count < INSTRUMENT_AT_ONCE ||
	       err_set(err, "at most %d kinds at once", INSTRUMENT_AT_ONCE);
}

/* ---- settings ---- */
static bool set_units(struct switch_options *s, const char *value, struct err *err)
{
	for (unsigned i = UNITS_UNSAID + 1; i < UNITS_COUNT; i++) {
		if (!strcmp(value, units_name[i])) {
			s->units = (enum switch_units)i;
			return true;
		}
	}
	return err_set(err, "units %s: expected methods, loops, blocks, or none", value);
}

static bool set_checks(struct switch_options *s, const char *value, struct err *err)
{
	char *end = "";
	const unsigned long long period =
		*value >= '0' && *value <= '9' ? strtoull(value, &end, 10) : 0;
	const unsigned long long length =
		*end == ':' && end[1] >= '0' && end[1] <= '9' ? strtoull(end + 1, &end, 10) : 1;
	if (*end || !period || !length || length > period || period > UINT32_MAX)
		return err_set(err,
		               "checks %s: expected PERIOD:LENGTH, such as 1000:10: of PERIOD "
		               "checks, LENGTH are profiled",
		               value);
	s->period = period;
	s->length = length;
	return true;
}

static bool set_min_loop(struct switch_options *s, const char *value, struct err *err)
{
	char *end;
	const unsigned long n = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
	if (!n || *end || n > UINT32_MAX)
		return err_set(err, "min-loop %s: a number of instructions is needed, from 1 on",
		               value);
	s->min_loop = (uint32_t)n;
	return true;
}

bool instrument_set(struct instrument_options *o, const char *name, const char *value,
                    struct err *err)
{
	if (!strcmp(name, "units"))
		return set_units(&o->switches, value ? value : "", err);
	if (!strcmp(name, "checks"))
		return set_checks(&o->switches, value ? value : "", err);
	if (!strcmp(name, "min-loop"))
		return set_min_loop(&o->switches, value ? value : "", err);
	if (!strcmp(name, "on") && !value)
		return o->switches.on = true;
	if (!strcmp(name, "steady") && !value)
		return o->steady = true;
	if (!strcmp(name, "atomic") && !value)
		return o->atomic = true;
	return err_set(err,
	               "instrumentation has no option '%s'; there are units=, checks=, min-loop=, "
	               "on, steady and atomic",
	               name);
}

bool instrument_labels(struct instrument_options *o, const char *text, struct err *err)
{
	if (strcmp(text, "simple") != 0 && strcmp(text, "chords") != 0)
		return err_set(err, "labels of paths lie on '%s'; expected chords, simple", text);
	o->simple = *text == 's';
	return true;
}

bool instrument_heap(struct instrument_options *o, const char *text, struct err *err)
{
	enum { MOST = 1024 }; /* code reaches 2 GB, and the program needs some */
	char *end;
	const long mb = strtol(text, &end, 10);
	if (!*text || *end || mb < 1 || mb > MOST)
		return err_set(err, "room for call records of '%s' MB; expected 1 to %d", text,
		               MOST);
	o->heap_bytes = (uint64_t)mb << 20;
	return true;
}

/* Whether each setting applies to one of the kinds. */
static bool instrument_options_check_applicable(const struct instrument_options *o, struct err *err)
{
	bool paths = false, metrics = false, contexts = false;
	for (unsigned i = 0; i < o->count; i++) {
		paths |= counts_paths(o->what[i].kind);
		metrics |= counts_metrics(o->what[i].kind);
		contexts |= counts_contexts(o->what[i].kind);
	}
	if ((o->merge_sites || o->cct_file || o->heap_bytes) && !contexts)
		return err_set(err,
		               "--merge-sites, --cct and --cct-heap are of kinds cct, cct+hw and "
		               "cct+path; %s builds no tree",
		               o->count ? instrument_name[o->what[0].kind] : "the program");
	if (o->metrics[0] && !metrics)
		return err_set(err, "metrics are of kinds path+hw and cct+hw; %s counts none",
		               o->count ? instrument_name[o->what[0].kind] : "the program");
	if (o->latches && !paths)
		return err_set(
			err, "--latches is of kinds path, path+hw and cct+path; %s counts no paths",
			o->count ? instrument_name[o->what[0].kind] : "the program");
	return !o->simple || paths ||
	       err_set(err, "labels are of kinds path, path+hw and cct+path; %s has none",
	               o->count ? instrument_name[o->what[0].kind] : "the program");
}

bool instrument_check(const struct instrument_options *o, struct err *err)
{
	const struct switch_options *s = &o->switches;
	const bool switches =
		s->period || s->on || s->min_loop || (s->units && s->units != UNITS_NONE);
	bool typed = false, paths = false;
	for (unsigned i = 0; i < o->count; i++) {
		typed |= o->what[i].type >= 0;
		paths |= o->what[i].type >= 0 &&
		         (counts_paths(o->what[i].kind) || counts_contexts(o->what[i].kind));
	}
	if (!instrument_options_check_applicable(o, err))
		return false;
	if (!o->count)
		return err_set(err, "nothing to count was named; expected bb, or bb=1 for profile "
		                    "instructions of type 1");
	if (switches && !typed)
		return err_set(err,
		               "nothing is a profile instruction, so there are no flags to "
		               "switch; expected %s=1",
		               instrument_name[o->what[0].kind]);
	if (s->units == UNITS_NONE && (s->period || s->on || s->min_loop))
		return err_set(err, "without units there are no flags to switch; expected units "
		                    "methods, loops or blocks");
	if (s->period && s->on)
		return err_set(
			err,
			"checks switch profiling on; --on is for flags that a runtime switches");
	if (s->min_loop && s->units != UNITS_LOOPS)
		return err_set(err, "min-loop goes with units loops");
	return !o->steady || paths ||
	       err_set(err, "steady applies to paths and contexts that are profile instructions; "
	                    "expected path=1");
}

/* Reads a word of a list that is a setting: "units=loops", "on". False for any other word. */
static bool is_setting(const char *text, char word[64], char **value)
{
	static const char *const names[] = {"units", "checks", "min-loop", "on", "steady",
	                                    "atomic"};
	snprintf(word, 64, "%.*s", (int)strcspn(text, ","), text);
	if ((*value = strchr(word, '=')))
		*(*value)++ = '\0';
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(word, names[i]))
			return true;
	return false;
}

bool instrument_add(struct instrument_options *o, const char *text, struct err *err)
{
	struct instrument_options new = *o;
	do {
		struct instrument_what what;
		char word[64], *value;
		if (is_setting(text, word, &value)) {
			if (!instrument_set(&new, word, value, err))
				return false;
			text += strcspn(text, ",");
			text += *text == ',';
			continue;
		}
		if (!read_what(text, &what, &text, err) || !goes_with(&new, what.kind, err))
			return false;
		new.what[new.count++] = what;
	} while (*text);
	*o = new;
	return true;
}

bool instrument_type(struct instrument_options *o, const char *text, struct err *err)
{
	struct instrument_options new = *o;
	do {
		struct instrument_what what, *is;
		if (!read_what(text, &what, &text, err))
			return false;
		if (what.type < 0)
			return err_set(err, "%s has no type; expected %s=K with K from 0 to 7",
			               instrument_name[what.kind], instrument_name[what.kind]);
		if (!(is = find_what(&new, what.kind)))
			return err_set(err, "%s=%d: nothing counts %s", instrument_name[what.kind],
			               what.type, instrument_name[what.kind]);
		is->type = what.type;
	} while (*text);
	*o = new;
	return true;
}
