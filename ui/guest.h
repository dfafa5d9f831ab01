/* A program and the machine that runs it, put together as the command line asked. */
#ifndef CYCLOPS_UI_GUEST_H
#define CYCLOPS_UI_GUEST_H

#include <stdbool.h>

#include "core/err.h"
#include "ui/options.h"

struct machine;
struct program;

struct guest {
	struct program *program; /* owned */
	struct machine *machine; /* owned; started, nothing executed yet */
};

/* Loads o->argv[0] with its arguments and environment. False with *err: nothing is left behind. */
bool guest_init(struct guest *g, const struct options *o, struct err *err);
void guest_deinit(struct guest *g);

#endif
