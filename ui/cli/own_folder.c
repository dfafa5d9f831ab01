#include "ui/cli/own_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Makes a folder and its parents. */
static bool make_all(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		const bool there = mkdir(path, 0700) == 0 || errno == EEXIST;
		*slash = '/';
		if (!there)
			return false;
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool own_file(const char *name, char *out, size_t n, struct err *err)
{
	char folder[PATH_MAX];
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	const bool own = data && *data == '/';
	if (!own && !(home && *home == '/'))
		return err_set(err, "there is no folder for your files: set HOME or XDG_DATA_HOME");
	if (snprintf(folder, sizeof folder, "%s%s/cyclops", own ? data : home,
	             own ? "" : "/.local/share") >= (int)sizeof folder ||
	    snprintf(out, n, "%s/%s", folder, name) >= (int)n)
		return err_set(err, "the path of your folder is too long");
	return make_all(folder) || err_set(err, "%s: %s", folder, strerror(errno));
}
