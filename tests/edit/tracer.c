/* tracer OUT PROGRAM [ARGS...]: executes PROGRAM instruction by instruction, without timing, and
 * writes the address of each into OUT, 4 bytes. The guest's output is dropped. For traced.py. */
#include <stdio.h>
#include <stdlib.h>

#include "core/machine/machine.h"
#include "loader/launch.h"

static void tracer_drop_output(void *ctx, int fd, const void *text, size_t n)
{
	(void)ctx;
	(void)fd;
	(void)text;
	(void)n;
}

int main(int argc, char **argv)
{
	enum { MOST = 50000000 };
	struct err err;
	struct config cfg;
	if (argc < 3)
		return 2;
	const struct launch l = {.path = argv[2],
	                         .argc = argc - 2,
	                         .argv = argv + 2,
	                         .stdin_fd = 0,
	                         .output = tracer_drop_output};
	FILE *f = fopen(argv[1], "wb");
	config_default(&cfg);
	cfg.oracle = false;
	struct program *p = launch_program(&l, &err);
	struct machine *m = p ? launch_machine(&l, p, &cfg, &err) : NULL;
	if (!m || !f) {
		fprintf(stderr, "%s\n", m ? "no file" : err.msg);
		return 2;
	}
	for (uint32_t n = 0; n < MOST && machine_status(m) == MACHINE_RUNNING; n++) {
		const uint32_t pc = (uint32_t)machine_pc(m);
		if (machine_run_functional(m, 1, false))
			fwrite(&pc, sizeof pc, 1, f);
	}
	const bool ended = machine_status(m) == MACHINE_EXITED;
	machine_free(m);
	program_free(p);
	return fclose(f) || !ended;
}
