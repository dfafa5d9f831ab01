/* The moment at which a session that a link opened begins. */
#ifndef CYCLOPS_UI_LINK_MOMENT_H
#define CYCLOPS_UI_LINK_MOMENT_H

#include <stdint.h>

#include "ui/console/command.h"

struct moment {
	uint64_t cycle, insts; /* insts: committed by then on the machine that made the link */
	const char *layout;    /* "": the screen's own choice; borrowed */
	const char *tree;      /* its changed tree, NULL: none; borrowed */
};

/* Goes there; reports a run that differs from the one that the link was made of. CMD_ERROR, and the
 * error is printed: the run has no such cycle. */
enum command_result moment_go(struct console *c, const struct moment *m);

#endif
