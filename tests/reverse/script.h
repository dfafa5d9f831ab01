/* A script of hooks, in C: listeners and alarms that patch code, write memory and
 * registers and count in an attachment of their own. For tests/reverse/hooked.c. */
#ifndef TESTS_REVERSE_SCRIPT_H
#define TESTS_REVERSE_SCRIPT_H

#include "core/prof/common/attachment.h"
#include "tests/reverse/rig.h"

enum { SCRIPT_COUNTS = 8, SCRIPT_HOOKS = 8 };

struct script {
	struct rig *g;
	/* each call does its work: for a machine that goes forwards only, without run control */
	bool always;
	int attachment;
	uint64_t key;
	uint64_t count[SCRIPT_COUNTS]; /* the attachment's state, a word for each hook */
	struct hook_position heard[SCRIPT_HOOKS];
	uint64_t site, table;
	uint64_t worked, called;
};

/* Listens from now on; owned by the caller, freed after the session. */
struct script *script_new(struct rig *g, bool always);
uint64_t script_hash(const struct script *s);

#endif
