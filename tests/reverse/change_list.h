/* A list of changes, for a machine that goes forwards only. */
#ifndef CYCLOPS_TESTS_REVERSE_CHANGE_LIST_H
#define CYCLOPS_TESTS_REVERSE_CHANGE_LIST_H

#include <string.h>

#include "tests/reverse/rig.h"
#include "core/prof/sampler/sampler.h"

enum { REG_T6 = 31, REG_FT0 = REG_F0 };

struct step {
	uint64_t cycle;
	struct change change;
	uint64_t word; /* its bytes */
};

struct list {
	struct step step[16];
	size_t n;
};

void list_change(struct rig *g, struct list *l, const struct change *c);
void set_reg(struct rig *g, struct list *l, unsigned reg, uint64_t value);
void set_word(struct rig *g, struct list *l, const char *symbol, uint64_t value);
/* The hash of `cycle` in a machine that is changed as listed and never goes back. */
uint64_t straight(const struct subject *how, const struct list *l, uint64_t cycle);
void expect_straight(const struct rig *g, const struct list *l);
/* Each kind of change, and two in one cycle. The change of pc skips the second patch, so that the
 * old code runs twice. */
void change_along(struct rig *g, struct list *l);

#endif
