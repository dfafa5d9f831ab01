/* The values of options: counts, folders, settings. */
#include "core/defs/config_fields.h"

#include "ui/cli/option_values.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/output_folder.h"
#include "core/pipe/plugin.h"
#include "loader/folder_text.h"
#include "scripting/config/config_lua.h"
#include "ui/cli/options.h"

bool options_parse_count(const char *text, uint64_t *out, struct err *err)
{
	static const char suffixes[] = "kMGT";
	uint64_t whole = 0, fraction_unit = 1, unit = 1;
	unsigned __int128 fraction = 0;
	const char *s = text;
	bool grouped = false;

	if (*s < '0' || *s > '9')
		goto bad;
	for (; (*s >= '0' && *s <= '9') || option_is_group(text, s); s++)
		if (*s == ',')
			grouped = true;
		else if (__builtin_mul_overflow(whole, 10, &whole) ||
		         __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
			goto too_large;
	if (*s && grouped)
		goto bad;
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9' && fraction_unit < 1000000000; s++) {
			fraction = fraction * 10 + (unsigned)(*s - '0');
			fraction_unit *= 10;
		}
	if (*s) {
		const char *at = strchr(suffixes, *s == 'K'                ? 'k'
		                                  : *s == 'm' || *s == 'g' ? *s - 32
		                                                           : *s);
		if (!at || s[1])
			goto bad;
		for (const char *p = suffixes; p <= at; p++)
			unit *= 1000;
	}
	if ((fraction * unit) % fraction_unit)
		goto bad;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, (uint64_t)(fraction * unit / fraction_unit), &whole))
		goto too_large;
	*out = whole;
	return true;
bad:
	return err_set(err, "'%s' is not a count; right: 1500, 1,500, 10k, 1.5M, 2G", text);
too_large:
	return err_set(err, "'%s' is too large; at most 2^64 - 1", text);
}

bool option_count(const char *name, const char *value, uint64_t *out, struct err *err)
{
	struct err why;
	if (options_parse_count(value, out, &why))
		return true;
	return err_set(err, "--%s: %s", name, why.msg);
}

bool option_save_every(struct options *o, const char *value, struct err *err)
{
	const char *comma = strchr(value, ',');
	char count[32];
	snprintf(count, sizeof count, "%.*s", (int)(comma ? comma - value : 31), value);
	if (comma && strcmp(comma, ",cycles") != 0 && strcmp(comma, ",insts") != 0)
		return err_set(
			err, "--save-every %s: right: 10M for instructions, 10M,cycles for cycles",
			value);
	o->save_cycles = comma && comma[1] == 'c';
	if (!option_count("save-every", count, &o->save_every, err))
		return false;
	return o->save_every || err_set(err, "--save-every 0: at least 1; to save where the run is "
	                                     "stopped, give --save-to alone");
}

bool option_small_count(const char *name, const char *value, unsigned least, unsigned most,
                        unsigned *out, struct err *err)
{
	uint64_t n;
	if (!option_count(name, value, &n, err))
		return false;
	if (n < least || n > most)
		return err_set(err, "--%s %s: %u to %u", name, value, least, most);
	*out = (unsigned)n;
	return true;
}

void option_keep_folder(const char *value)
{
	const char *path = strchr(value, '=');
	if (path)
		output_keep_folder(path + 1);
}

bool option_take_sysroot(struct options *o, const char *folder, struct err *err)
{
	struct stat st;
	o->sysroot = folder;
	return (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) ||
	       err_set(err,
	               "--sysroot %s: no such folder; right: one that has "
	               "lib/ld-linux-riscv64-lp64d.so.1",
	               folder);
}

bool option_set(struct options *o, enum option_for which, char *value, struct err *err)
{
	static const char ui_start[] = "ui.start=";
	if (!strncmp(value, ui_start, sizeof ui_start - 1)) {
		o->ui_start = value + sizeof ui_start - 1;
		if (which != FOR_INSPECT)
			return err_set(
				err,
				"-o %s: this command has no screen; right: cyclops -o %s PROGRAM",
				value, value);
		return !strcmp(o->ui_start, "main") || !strcmp(o->ui_start, "reset") ||
		       err_set(err, "-o %s: right: ui.start=main or ui.start=reset", value);
	}
	if (o->set_count == OPTIONS_SETS_MAX)
		return err_set(err, "-o: at most %d of them", OPTIONS_SETS_MAX);
	o->sets[o->set_count++] = value;
	return config_set_assignment(&o->config, value, err);
}

bool option_add_folder(struct options *o, const char *value, struct err *err)
{
	struct err why;
	char *room = strdup(value);
	if (!room)
		return err_set(err, "--dir: out of memory");
	if (folder_text_add(o->folders, &o->folder_count, value, room, &why)) {
		o->folder_text[o->folder_count - 1] = room;
		if (folder_is_there(&o->folders[o->folder_count - 1], &why))
			return true;
	} else {
		free(room);
	}
	return err_set(err, "--dir %.200s: %s", value, why.msg);
}
