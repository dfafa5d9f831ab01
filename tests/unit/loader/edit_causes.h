/* Small programs that are moved, for tests of loader/edit. */
#ifndef CYCLOPS_TESTS_UNIT_LOADER_EDIT_CAUSES_H
#define CYCLOPS_TESTS_UNIT_LOADER_EDIT_CAUSES_H

#include <stdio.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/oracle/oracle.h"
#include "loader/edit/edit.h"
#include "loader/edit/indirect_jumps.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

#define LINK " -static -Wl,--emit-relocs "
#define BARE "-nostdlib" LINK

/* Sets gp for relaxed code, then calls f; f's result is the exit status. */
#define START                                                                                      \
	".text\n.globl _start, f\n_start:\n.option push\n.option norelax\nlla gp, "                \
	"__global_pointer$\n.option pop\n"                                                         \
	"li a0, 5\ncall f\nli a7, 93\necall\n.size _start, . - _start\n.type f, @function\n"

/* p, run to its end; the machine is the caller's. */
static inline struct machine *edit_causes_run_program(const struct program *p)
{
	static char *argv[] = {(char *)"guest", NULL};
	struct err err;
	struct config cfg;
	config_default(&cfg);
	cfg.oracle = true;
	struct launch l = {.path = "guest", .argc = 1, .argv = argv, .stdin_fd = -1};
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	machine_run_functional(m, 20000000, false);
	return m;
}

#endif
