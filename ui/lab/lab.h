/* Labs: folders demos/labs/NN-NAME, or a lecturer's own, which are worked through and graded.
 *
 *   lab.cyc     the steps on the screen, a tour (ui/tour/tour.h) whose header says besides
 *                 # hand-in: FILE    of this folder: the student's starting point and hand-in
 *                 # points: N        that check.lua can give
 *                 # needs: PATH      a file of the course that check.lua reads, several lines
 *                 # steps: N         of Lua that it may take (a cycle is four); 2,000,000,000
 *   page.md     aim, reading, questions, task, and grading
 *   check.lua   grades one hand-in (require "cyclops.lab")
 *
 * A user's work is in their own folder: labs/NN-NAME has the hand-in and `progress`. */
#ifndef CYCLOPS_UI_LAB_LAB_H
#define CYCLOPS_UI_LAB_LAB_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "ui/console/quiz.h"

enum { LAB_NAME = 64, LAB_TITLE = 160, LABS_MAX = 64, LAB_NEEDS = 4 };

struct lab {
	unsigned number;     /* 0: a lecturer's own lab, found by its folder */
	char name[LAB_NAME]; /* "03-branches" */
	char title[LAB_TITLE];
	char folder[PATH_MAX]; /* absolute */
	char hand_in[LAB_NAME];
	unsigned points, steps_done_of; /* beats of lab.cyc */
	uint64_t lua_steps;
	char needs[LAB_NEEDS][LAB_NAME]; /* files of the course, by path below its root; "": none */
};

/* A user's progress in a lab. */
struct lab_progress {
	unsigned beat;       /* beats played of its steps */
	unsigned got, of;    /* points of its questions */
	unsigned grade, max; /* of the hand-in at the last `lab check`; max 0: none */
	struct quiz quiz;    /* answers */
	struct quiz checked; /* answers of the hand-in at `lab check`, with their tries */
};

/* Finds all labs below a root (course_root()), by number; returns their count. */
unsigned labs_all(const char *root, struct lab labs[LABS_MAX]);
/* Finds a lab by number, name or folder. False with *err. */
bool lab_find(const char *root, const char *word, struct lab *lab, struct err *err);
/* Reads a lab's folder. False with *err. */
bool lab_read(const char *folder, struct lab *lab, struct err *err);
/* Sets out to the path of a file in the lab's folder. */
void lab_file(const struct lab *lab, const char *name, char *out, size_t n);

/* Sets out to the path of a user's own file of this lab; creates its folder. False with *err. */
bool lab_own_file(const struct lab *lab, const char *name, char *out, size_t n, struct err *err);
/* Sets out to the path of the user's hand-in; if the file does not exist, copies the lab's file
 * there. False with *err. */
bool lab_own_hand_in(const struct lab *lab, char *out, size_t n, struct err *err);
/* Reads the user's progress; zeros if there is none. */
void lab_progress_read(const struct lab *lab, struct lab_progress *p);
enum lab_progress_part {
	PROGRESS_STEPS, /* steps, points and answers */
	PROGRESS_GRADE  /* the hand-in's, and its answers */
};
/* Writes one part of *p; the file keeps the other part, which another session may have written
 * since *p was read. If two sessions write the same part, the file has the last version. */
bool lab_progress_write(const struct lab *lab, const struct lab_progress *p,
                        enum lab_progress_part part, struct err *err);
/* Formats "step 4 of 9, 3 of 5 questions, hand-in 17 of 30"; "" without progress. Returns buf. */
char *lab_progress_text(const struct lab *lab, const struct lab_progress *p, char *buf, size_t n);

/* Creates a lecturer's own lab: a folder with files to fill in. False with *err. */
bool lab_skeleton(const char *folder, struct err *err);

#endif
