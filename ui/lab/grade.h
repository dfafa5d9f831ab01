/* Grades hand-ins of a lab: a process each, confined, with --lua-safe and limits, some at once.
 *
 * Nothing that is handed in is trusted. It is copied first, if it is a text of reasonable size, so
 * that its name and place reach nobody. Its process reaches a copy of the lab's files and that
 * one hand-in, where the host has a means for that (ui/child/sandbox.h), and its guest begins in an
 * empty folder. What a process prints, takes and holds is bounded; one that ends badly has the
 * points that it got until then, and a reason.
 *
 * Inputs are drawn from a seed, the same for all hand-ins: the same seed gives the same grades. */
#ifndef CYCLOPS_UI_LAB_GRADE_H
#define CYCLOPS_UI_LAB_GRADE_H

#include <stddef.h>
#include <stdint.h>

#include "ui/lab/lab.h"

enum { GRADE_TEXT_MAX = 256 << 10, GRADE_PAGE_NAME = 128 };

struct grade_limits {
	unsigned at_once;          /* processes */
	double seconds;            /* of one */
	unsigned megabytes;        /* that one may hold */
	unsigned output_kilobytes; /* of a file that one writes, as the program that an editor makes
	                            */
};

/* One thing that was looked at. */
struct grade_point {
	unsigned got, of;
	char *what, *said; /* owned; said "" if all is well */
};

struct grade {
	const char *file; /* as it was named; borrowed */
	char *text;       /* of the hand-in; owned; NULL: it is none */
	size_t length;
	char *name;                 /* of who handed it in; owned, may be NULL */
	struct grade_point *points; /* owned; [count] */
	unsigned count, got;
	char *why; /* it was not graded to its end: why; owned, NULL: it was */
};

/* Hand-ins of one lab, graded together. */
struct grading {
	const struct lab *lab;
	const char *root;            /* of the course, course_root() */
	struct grade_limits limits;
	uint64_t seed;               /* below 2^63 */
	bool secret;                 /* the seed is not for students */

	struct grade *grades;        /* owned; [count] */
	size_t count;
	bool checked;                /* the check of one at least was begun */
	unsigned confined;           /* if so: enum sandbox_means that held for each of them */
};

/* A seed that nobody could foretell. */
uint64_t grade_seed(void);
/* Grades files[count] and fills the rest of g, which grading_deinit() frees in any case. False with
 * *err if nothing could begin, or it was interrupted. */
bool lab_grade(struct grading *g, char *const *files, size_t count, struct err *err);
void grading_deinit(struct grading *g);

/* All of them as CSV, malloc'd; NULL if memory is out. */
char *grades_csv(const struct grading *g);
/* What the student of hand-in i reads, in Markdown; malloc'd; NULL if memory is out. */
char *grade_page(const struct grading *all, size_t i);
/* The page's file name, another one for each hand-in also where file systems don't tell "A" from
 * "a". Returns name. */
char *grade_page_name(const struct grading *g, size_t i, char *name, size_t n);
/* "seed 12, confined by Landlock and seccomp". Returns buf. */
char *grading_text(const struct grading *g, char *buf, size_t n);

#endif
