#include "core/base/own_program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/base/alloc.h"

void own_program(char *out, size_t n)
{
	const ssize_t got = readlink("/proc/self/exe", out, n - 1);
	out[got > 0 ? got : 0] = '\0';
	const char *name = (const char *)getauxval(AT_EXECFN);
	char *whole = got <= 0 && name ? alloc_real_path(name) : NULL;
	if (whole)
		snprintf(out, n, "%s", whole);
	free(whole);
}

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
