/* Presets: machines that --config can name. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/own_data.h"
#include "core/base/sort.h"
#include "scripting/config/config_lua.h"

bool config_preset_folder(char *path, size_t n)
{
	char folder[PATH_MAX];
	bool installed;
	return own_data_folder(folder, sizeof folder, &installed) &&
	       snprintf(path, n, "%s/demos/configs", folder) < (int)n;
}

void config_each_preset(void (*fn)(void *ctx, const char *name), void *ctx)
{
	char folder[PATH_MAX];
	DIR *dir = config_preset_folder(folder, sizeof folder) ? alloc_folder(folder) : NULL;
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));) {
		char *dot = strrchr(e->d_name, '.');
		if (dot && dot > e->d_name && !strcmp(dot, ".lua")) {
			*dot = '\0';
			fn(ctx, e->d_name);
		}
	}
	closedir(dir);
}

enum { PRESETS_MAX = 64, PRESET_NAME_MAX = NAME_MAX + 1 };

struct names {
	char name[PRESETS_MAX][PRESET_NAME_MAX];
	unsigned count;
};

static void config_presets_collect_name(void *ctx, const char *name)
{
	struct names *all = ctx;
	if (all->count < PRESETS_MAX)
		snprintf(all->name[all->count++], PRESET_NAME_MAX, "%s", name);
}

static int config_presets_compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

char *config_preset_names(char *buf, size_t n)
{
	struct names all = {.count = 0};
	config_each_preset(config_presets_collect_name, &all);
	sort_stable(all.name, all.count, PRESET_NAME_MAX, config_presets_compare_names);
	*buf = '\0';
	for (unsigned i = 0; i < all.count; i++) {
		const size_t used = strlen(buf);
		snprintf(buf + used, n - used, "%s%s", used ? ", " : "", all.name[i]);
	}
	return buf;
}

struct best {
	struct nearest nearest;
	char name[NAME_MAX + 1]; /* copy of nearest.best */
};

static void config_presets_offer_nearest(void *ctx, const char *name)
{
	struct best *b = ctx;
	nearest_offer(&b->nearest, name);
	if (b->nearest.best == name) {
		snprintf(b->name, sizeof b->name, "%s", name);
		b->nearest.best = b->name;
	}
}

bool config_preset_path(const char *name, char *path, size_t n, struct err *err)
{
	char folder[PATH_MAX];
	/* The name must fit into one-line messages. */
	for (const char *c = name; *c; c++)
		if (iscntrl((unsigned char)*c))
			return err_set(err, "a configuration's name has a line break or another "
			                    "control character in it");
	if (config_preset_folder(folder, sizeof folder)) {
		int m = snprintf(path, n, "%s/%s.lua", folder, name);
		if (m > 0 && (size_t)m < n && access(path, R_OK) == 0)
			return true;
	}
	struct best b;
	char names[256];
	nearest_init(&b.nearest, name);
	config_each_preset(config_presets_offer_nearest, &b);
	config_preset_names(names, sizeof names);
	return err_set(err, "no configuration is called '%s'; %s", name,
	               nearest_said(&b.nearest, "there are %s, and files whose name ends in .lua",
	                            *names ? names : "no presets here"));
}
