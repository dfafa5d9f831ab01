/* A program that tests of the command language run. */
#ifndef CYCLOPS_TESTS_UNIT_UI_CONSOLE_PROGRAM_H
#define CYCLOPS_TESTS_UNIT_UI_CONSOLE_PROGRAM_H

#include "tests/unit/ui/console_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/machine/machine.h"
#include "hwviews/grid/grid.h"
#include "scripting/script.h"
#include "ui/checkpoint/checkpoint.h"
#include "ui/console/command.h"
#include "ui/help/help.h"
#include "ui/render/render_json.h"
#include "ui/render/safe_print.h"

static inline uint64_t console_program_cycle(const struct fixture *f)
{
	return machine_cycle(f->s->machine);
}

#endif
