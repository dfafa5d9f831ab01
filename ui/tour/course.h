/* What teaches: demos, tours, scenarios, pages. In a checkout it lies in the tree around the
 * program; a package has it in share/cyclops, where nobody writes. Who has the package works in a
 * folder of his own, course, in which links lead to what is installed, and in which stays what a
 * session writes.
 *
 * The present folder never is the course because demos/tours lies in it: another course than the
 * program's own is named, by --course. */
#ifndef CYCLOPS_UI_TOUR_COURSE_H
#define CYCLOPS_UI_TOUR_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* The option --course FOLDER of all commands that have it: its number where letters are others',
 * its help. */
enum { COURSE_OPTION = 0x1000 };
#define COURSE_HELP                                                                                \
	"take tours, labs, demos and pages from this folder, which has demos/tours, instead of "   \
	"those that come with the program; what a session writes stays there"

/* Takes another course from now on (--course), and says so on standard error. False with *err:
 * the folder has no demos/tours. */
bool course_choose(const char *folder, struct err *err);
/* The absolute path of that folder; NULL: none was chosen. */
const char *course_chosen(void);

/* The folder that has demos/tours: the chosen one, or that of what comes with the program
 * (own_data_folder()). *installed: it is the package's. False with *err: there is none. */
bool course_root(char *out, size_t n, bool *installed, struct err *err);
/* Goes there, or to a person's own folder in its place. False with *err. */
bool course_enter(struct err *err);
/* Sets out to what leads from the present folder to the course: "" if it is that, else its path
 * with a slash behind it. False: there is none. */
bool course_prefix(char *out, size_t n);
/* What the command line of a program of the course needs besides, "" in a checkout: after
 * course_enter(). A constant. */
const char *course_options(void);

#endif
