#include "ui/tour/course.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_program.h"
#include "ui/cli/own_folder.h"

#define TOURS "demos/tours"
#define INSTALLED "share/cyclops"

static bool in_package;

static bool has_tours(const char *folder)
{
	char path[PATH_MAX];
	return snprintf(path, sizeof path, "%s/" TOURS, folder) < (int)sizeof path &&
	       access(path, R_OK | X_OK) == 0;
}

bool course_root(char *out, size_t n, bool *installed, struct err *err)
{
	char path[PATH_MAX], package[PATH_MAX];
	*installed = false;
	if (!in_package && access(TOURS, R_OK | X_OK) == 0)
		return getcwd(out, n) || err_set(err, "the present folder: %s", strerror(errno));
	own_program(path, sizeof path);
	for (char *slash; (slash = strrchr(path, '/'));) {
		*slash = '\0';
		const char *folder = *path ? path : "/";
		*installed = snprintf(package, sizeof package, "%s/" INSTALLED, path) <
		                     (int)sizeof package &&
		             has_tours(package);
		if (*installed || has_tours(folder))
			return snprintf(out, n, "%s", *installed ? package : folder) < (int)n ||
			       err_set(err, "%s: the path is too long", folder);
	}
	return err_set(err,
	               "there is no folder " TOURS " here or above the program; right: cyclops "
	               "tour FILE.cyc, or a checkout of Cyclops");
}

/* A link in the present folder that leads to what is installed now. */
static bool link_to(const char *root, const char *name, struct err *err)
{
	char to[PATH_MAX], is[PATH_MAX];
	if (snprintf(to, sizeof to, "%s/%s", root, name) >= (int)sizeof to)
		return err_set(err, "%s: the path is too long", root);
	const ssize_t n = readlink(name, is, sizeof is - 1);
	is[n > 0 ? n : 0] = '\0';
	if (n > 0 && strcmp(is, to) == 0)
		return true;
	if (n > 0)
		unlink(name);
	return symlink(to, name) == 0 || errno == EEXIST ||
	       err_set(err, "%s in your folder for the course: %s", name, strerror(errno));
}

bool course_enter(struct err *err)
{
	static char own[PATH_MAX];
	char root[PATH_MAX];
	bool installed;
	if (!course_root(root, sizeof root, &installed, err))
		return false;
	const char *folder = installed ? own : root;
	if (installed && (!own_file("course", own, sizeof own, err) ||
	                  (mkdir(own, 0700) != 0 && errno != EEXIST &&
	                   !err_set(err, "%s: %s", own, strerror(errno)))))
		return false;
	if (chdir(folder) != 0)
		return err_set(err, "%s: %s", folder, strerror(errno));
	in_package = installed;
	return !installed || (link_to(root, "demos", err) && link_to(root, "build", err));
}

const char *course_options(void)
{
	return in_package ? "--dir /demos=demos --dir /build=build --source demos/.." : "";
}
