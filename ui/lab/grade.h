/* Grades hand-ins of a lab: a process each, with --lua-safe and limits, some at once.
 *
 * Nothing that is handed in is trusted. It is copied first, if it is a text of reasonable size, so
 * that its name and place reach nobody; what a process prints, takes and holds is bounded; one that
 * ends badly has the points that it got until then, and a reason. */
#ifndef CYCLOPS_UI_LAB_GRADE_H
#define CYCLOPS_UI_LAB_GRADE_H

#include <stddef.h>

#include "ui/lab/lab.h"

enum { GRADE_TEXT_MAX = 256 << 10 };

struct grade_limits {
	unsigned at_once;  /* processes */
	double seconds;    /* of one */
	unsigned megabytes; /* that one may hold */
	/* of a file that one writes, as the program that an editor makes */
	unsigned output_kilobytes;
};

/* One thing that was looked at. */
struct grade_point {
	unsigned got, of;
	char *what, *said; /* owned; said "" if all is well */
};

struct grade {
	const char *file;           /* as it was named; borrowed */
	char *text;                 /* of the hand-in; owned; NULL: it is none */
	size_t length;
	char *name;                 /* of who handed it in; owned, may be NULL */
	struct grade_point *points; /* owned; [count] */
	unsigned count, got;
	char *why;                  /* it was not graded to its end: why; owned, NULL: it was */
};

/* Grades files[count]; grades[count] are filled, and to be freed with grades_free(). False with
 * *err if nothing could begin, or it was interrupted. */
bool lab_grade(const struct lab *lab, const char *root, char *const *files, size_t count,
               const struct grade_limits *limits, struct grade *grades, struct err *err);
void grades_free(struct grade *grades, size_t count);

/* All of them as CSV, malloc'd; NULL if memory is out. */
char *grades_csv(const struct grade *grades, size_t count, const struct lab *lab);
/* What one student reads, in Markdown; malloc'd; NULL if memory is out. */
char *grade_page(const struct grade *g, const struct lab *lab);

#endif
