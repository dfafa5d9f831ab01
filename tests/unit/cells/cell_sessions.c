/* Sessions that tests of cells read: programs, with settings, run for some cycles. */
#include "tests/unit/cells/view_cells.h"
#include "tests/unit/hwviews/session_fixture.h"

struct session *open_launch(const struct launch *launch, const char *settings)
{
	return session_on(launch, settings, 500);
}

struct session *open_program(const char *path, const char *settings)
{
	return open_launch(&(struct launch){.path = path}, settings);
}

void run_for(struct session *s, uint64_t cycles)
{
	session_fixture_run_cycles(s, cycles);
}

const struct pipe *pipe_of(const struct session *s)
{
	return machine_pipe(s->machine);
}

void run_into(struct session *s, const char *function)
{
	const struct symbol *f = program_symbol_by_name(s->program, function);
	assert_non_null(f);
	while (machine_status(s->machine) == MACHINE_RUNNING &&
	       machine_pc(s->machine) - f->addr >= f->size)
		run_for(s, 20);
}

const char *file_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}
