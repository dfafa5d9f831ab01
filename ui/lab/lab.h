/* Labs: folders demos/labs/NN-NAME, or a lecturer's own, which are worked through and graded.
 *
 *   lab.cyc     the steps on the screen, a tour (ui/tour/tour.h) whose header says besides
 *                 # hand-in: FILE    what a student begins with and hands in, of this folder
 *                 # points: N        that check.lua can give
 *                 # needs: PATH      a file of the course that check.lua reads, several lines
 *                 # steps: N         of Lua that it may take (a cycle is four); 2,000,000,000
 *   page.md     aim, reading, questions, task, and what is graded
 *   check.lua   grades one hand-in (require "cyclops.lab")
 *
 * What a person has done lies in their own folder: labs/NN-NAME has the hand-in and `progress`. */
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
	unsigned number;     /* 0: a lecturer's own, by its folder */
	char name[LAB_NAME]; /* "03-branches" */
	char title[LAB_TITLE];
	char folder[PATH_MAX]; /* absolute */
	char hand_in[LAB_NAME];
	unsigned points, steps_done_of; /* beats of lab.cyc */
	uint64_t lua_steps;
	char needs[LAB_NEEDS][LAB_NAME]; /* files of the course, by their paths there; "": none */
};

/* What a person has done of one. */
struct lab_progress {
	unsigned beat;       /* of its steps, that were played */
	unsigned got, of;    /* points of its questions */
	unsigned grade, max; /* of the hand-in as `lab check` saw it last; max 0: never */
	struct quiz quiz;    /* answers */
};

/* All labs below a root (course_root()), by number; how many. */
unsigned labs_all(const char *root, struct lab labs[LABS_MAX]);
/* By number or name, else a folder that has one. False with *err. */
bool lab_find(const char *root, const char *word, struct lab *lab, struct err *err);
/* Reads a lab's folder. False with *err. */
bool lab_read(const char *folder, struct lab *lab, struct err *err);
/* A file of the lab's folder. */
void lab_file(const struct lab *lab, const char *name, char *out, size_t n);

/* The path of a person's own file of this lab; its folder is made. False with *err. */
bool lab_own_file(const struct lab *lab, const char *name, char *out, size_t n, struct err *err);
/* The hand-in, which is put there to begin with if there is none. False with *err. */
bool lab_own_hand_in(const struct lab *lab, char *out, size_t n, struct err *err);
/* Zeros if nothing was done. */
void lab_progress_read(const struct lab *lab, struct lab_progress *p);
enum lab_progress_part {
	PROGRESS_STEPS, /* steps, points and answers */
	PROGRESS_GRADE  /* the hand-in's */
};
/* Writes one part of *p; the other stays as another session may have written it since *p was read.
 * Of two that write the same part, the last one's is there, whole. */
bool lab_progress_write(const struct lab *lab, const struct lab_progress *p,
                        enum lab_progress_part part, struct err *err);
/* "step 4 of 9, 3 of 5 questions, hand-in 17 of 30"; "" if nothing was done. Returns buf. */
char *lab_progress_text(const struct lab *lab, const struct lab_progress *p, char *buf, size_t n);

/* A lab of a lecturer's own: a folder with its files to fill in. False with *err. */
bool lab_skeleton(const char *folder, struct err *err);

#endif
