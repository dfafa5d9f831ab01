#include "ui/tour/course.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/own_data.h"
#include "ui/cli/own_folder.h"
#include "ui/render/safe_print.h"

#define TOURS "demos/tours"

/* the user's own folder for a package's course, once entered; "": not entered */
static char package_place[PATH_MAX];
static char chosen[PATH_MAX]; /* by --course; "": none */

static bool course_is_in(const char *folder)
{
	char path[PATH_MAX];
	return snprintf(path, sizeof path, "%s/" TOURS, folder) < (int)sizeof path &&
	       access(path, R_OK | X_OK) == 0;
}

bool course_choose(const char *folder, struct err *err)
{
	char *whole = alloc_real_path(folder);
	if (!whole)
		return err_set(err, "--course %s: %s", folder, strerror(errno));
	const bool ok = (course_is_in(whole) ||
	                 err_set(err, "--course %s: it has no folder " TOURS, folder)) &&
	                (strlen(whole) < sizeof chosen ||
	                 err_set(err, "--course %s: the path is too long", folder));
	if (ok) {
		strcpy(chosen, whole);
		say(stderr, "cyclops: the course is the one in %s\n", chosen);
	}
	free(whole);
	return ok;
}

const char *course_chosen(void)
{
	return *chosen ? chosen : NULL;
}

bool course_root(char *out, size_t n, bool *installed, struct err *err)
{
	*installed = false;
	if (*chosen)
		return snprintf(out, n, "%s", chosen) < (int)n ||
		       err_set(err, "%s: the path is too long", chosen);
	if (own_data_folder(out, n, installed) && course_is_in(out))
		return true;
	return err_set(err,
	               "there is no course: neither share/cyclops beside the program nor a source "
	               "tree around it; expected cyclops tour FILE.cyc, or --course FOLDER");
}

/* Makes a link in the current folder to the installed NAME, replacing an outdated one. */
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
	if (!installed)
		return true;
	if (!getcwd(package_place, sizeof package_place))
		return err_set(err, "%s: %s", folder, strerror(errno));
	return link_to(root, "demos", err) && link_to(root, "build", err);
}

/* True if the current folder is package_place: sessions may return to another. */
static bool course_is_package_place(void)
{
	char here[PATH_MAX];
	return *package_place && getcwd(here, sizeof here) && !strcmp(here, package_place);
}

bool course_prefix(char *out, size_t n)
{
	char here[PATH_MAX], root[PATH_MAX];
	bool installed;
	const bool there = course_root(root, sizeof root, &installed, NULL);
	*out = '\0';
	if (!there || course_is_package_place() ||
	    (getcwd(here, sizeof here) && !strcmp(here, root)))
		return there;
	return snprintf(out, n, "%s/", root) < (int)n;
}

const char *course_options(void)
{
	return course_is_package_place() ? "--dir /demos=demos --dir /build=build --source demos/.."
	                                 : "";
}
