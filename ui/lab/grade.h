/* Grades hand-ins of a lab: each in its own confined process with --lua-safe and limits, several at
 * once.
 *
 * Hand-ins are not trusted. Each is copied first, if it is a text of reasonable size, so that its
 * process never sees its name and path. Where the host can confine a process (core/host/sandbox.h),
 * it reaches only copies of the lab's files and of that one hand-in; its guest begins in an empty
 * folder. A process's output, time and memory are bounded; if it fails, the hand-in keeps the
 * points it has so far, and gets a reason; none if this computer lacks the memory of its limit.
 *
 * Inputs are drawn from a seed that all hand-ins share: the same seed gives the same grades. */
#ifndef CYCLOPS_UI_LAB_GRADE_H
#define CYCLOPS_UI_LAB_GRADE_H

#include <stddef.h>
#include <stdint.h>

#include "ui/lab/lab.h"

enum { GRADE_TEXT_MAX = 256 << 10, GRADE_PAGE_NAME = 128 };

struct grade_limits {
	unsigned at_once;   /* most processes at a time */
	unsigned seconds;   /* of processor time of one process */
	unsigned megabytes; /* of memory of one process */
	/* of a file that a process writes, such as an assembled program */
	unsigned output_kilobytes;
};

/* Result of one check. */
struct grade_point {
	unsigned got, of;
	bool unread; /* an answer that is no number, but should be */
	char *what, *said; /* owned; said: "" if the check passed */
};

struct grade {
	const char *file; /* as given by the caller; borrowed */
	char *text;       /* of the hand-in; owned; NULL: the file can't be graded */
	size_t length;
	char *name;                 /* of the student; owned, may be NULL */
	struct grade_point *points; /* owned; [count] */
	unsigned count, got;
	char *why; /* reason that grading did not finish; owned, NULL: it did */
	bool ungraded; /* the reason is this computer's: there is no number of points */
	/* first error of the hand-in, such as the assembler's, with its line; owned, NULL: none */
	char *note;
};

/* Hand-ins of one lab, graded together. */
struct grading {
	const struct lab *lab;
	const char *root; /* of the course, course_root() */
	struct grade_limits limits;
	uint64_t seed; /* below 2^63 */
	bool secret;   /* students' pages don't show the seed */

	struct grade *grades; /* owned; [count] */
	size_t count;
	bool checked;                /* at least one check has begun */
	unsigned confined;           /* if so: enum sandbox_means that held in all checks */
};

/* Returns an unpredictable seed. */
uint64_t grade_seed(void);
/* Grades files[count] and fills the rest of g, which grading_deinit() frees in any case. False with
 * *err if no grading could begin, or it was interrupted. */
bool lab_grade(struct grading *g, char *const *files, size_t count, struct err *err);
void grading_deinit(struct grading *g);

/* Formats all grades as CSV, malloc'd; NULL if memory is out. */
char *grades_csv(const struct grading *g);
/* Formats the page for the student of hand-in i, in Markdown; malloc'd; NULL if memory is out. */
char *grade_page(const struct grading *all, size_t i);
/* Page's file name, unique for each hand-in also on file systems that ignore case. Returns name. */
char *grade_page_name(const struct grading *g, size_t i, char *name, size_t n);
/* "seed 12, confined by Landlock and seccomp". Returns buf. */
char *grading_text(const struct grading *g, char *buf, size_t n);

#endif
