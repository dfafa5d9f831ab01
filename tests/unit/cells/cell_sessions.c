/* Sessions that tests of cells read: programs, with settings, run for some cycles. */
#include "core/pipe/pipe.h"
#include "tests/unit/cells/view_cells.h"

void swallow_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

struct session *open_launch(const struct launch *launch, const char *settings)
{
	struct err err;
	char copy[512], *save;
	struct session_options opt = {.launch = *launch,
	                              .history = {.history = true, .first_spacing = 500}};
	opt.launch.stdin_fd = -1;
	opt.launch.output = swallow_output;
	config_default(&opt.cfg);
	snprintf(copy, sizeof copy, "%s", settings ? settings : "");
	for (char *one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save))
		if (!config_set_assignment(&opt.cfg, one, &err))
			fail_msg("%s", err.msg);
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

struct session *open_program(const char *path, const char *settings)
{
	return open_launch(&(struct launch){.path = path}, settings);
}

void run_for(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	struct err err;
	assert_true(run_cycles(s->run, cycles, false, &info, &err));
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

const char *base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}
