/* The course: demos, tours, scenarios, pages. In a checkout it is the tree around the program; a
 * package has it in share/cyclops, which is read-only. With a package, sessions work in the user's
 * folder `course`, which has links to the installed files, and keeps files written by sessions.
 *
 * A current folder with demos/tours does not become the course: only --course selects another
 * course than the program's own. */
#ifndef CYCLOPS_UI_TOUR_COURSE_H
#define CYCLOPS_UI_TOUR_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Option --course FOLDER: its number (it has no letter) and its help. */
enum { COURSE_OPTION = 0x1000 };
#define COURSE_HELP                                                                                \
	"take tours, labs, demos and pages from this folder, which has demos/tours, not "          \
	"the installed ones; a session's files stay there"

/* Selects another course (--course), and reports that on stderr. False with *err: the folder has no
 * demos/tours. */
bool course_choose(const char *folder, struct err *err);
/* Absolute path of the folder of --course; NULL: not given. */
const char *course_chosen(void);

/* Finds the folder that has demos/tours: the chosen one, or the program's own (own_data_folder()).
 * *installed: it is the package's. False with *err: there is none. */
bool course_root(char *out, size_t n, bool *installed, struct err *err);
/* Changes to the course's folder, or to the user's own folder in its place. False with *err. */
bool course_enter(struct err *err);
/* Sets out to the prefix of paths in the course, for use from the current folder: "" if that is the
 * course, else the course's path with a final slash. False: there is no course. */
bool course_prefix(char *out, size_t n);
/* Additional options for running a program of the course, "" in a checkout. Call after
 * course_enter(). Returns a constant. */
const char *course_options(void);

#endif
