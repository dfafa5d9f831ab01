/* What teaches: demos, tours, scenarios, pages. In a checkout it lies in the tree; a package has it
 * in share/cyclops, where nobody writes. Who has the package works in a folder of his own, course,
 * in which links lead to what is installed, and in which stays what a session writes. */
#ifndef CYCLOPS_UI_TOUR_COURSE_H
#define CYCLOPS_UI_TOUR_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* The folder that has demos/tours: the present one, one above the running program, or that of the
 * package it came with. *installed: it is the package's. False with *err: there is none. */
bool course_root(char *out, size_t n, bool *installed, struct err *err);
/* Goes there, or to a person's own folder in its place. False with *err. */
bool course_enter(struct err *err);
/* What the command line of a program of the course needs besides, "" in a checkout: after
 * course_enter(). A constant. */
const char *course_options(void);

#endif
