#include "core/base/own_data.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/host/own_program.h"

/* Sets out to FOLDER/BELOW if FOLDER/BELOW/demos is there. */
static bool own_data_below(char *out, size_t n, const char *folder, const char *below)
{
	char demos[PATH_MAX];
	return snprintf(demos, sizeof demos, "%s%s/demos", folder, below) < (int)sizeof demos &&
	       access(demos, R_OK | X_OK) == 0 &&
	       snprintf(out, n, "%s%s", *folder || *below ? folder : "/", below) < (int)n;
}

bool own_data_folder(char *out, size_t n, bool *installed)
{
	char path[PATH_MAX];
	own_program(path, sizeof path);
	*installed = false;
	char *slash = strrchr(path, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (bool first = true; (slash = strrchr(path, '/')); first = false) {
		const char *name = slash + 1;
		*slash = '\0';
		if (!strcmp(name, "build") && own_data_below(out, n, path, ""))
			return true;
		*installed = first && !strcmp(name, "bin") &&
		             own_data_below(out, n, path, "/share/cyclops");
		if (*installed)
			return true;
	}
	return false;
}
