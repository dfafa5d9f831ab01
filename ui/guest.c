#include "ui/guest.h"

#include "core/machine.h"
#include "core/os/os.h"
#include "loader/program.h"

#include <stdio.h>

static void warn(void *ctx, const char *line)
{
	(void)ctx;
	fprintf(stderr, "cyclops: %s\n", line);
}

bool guest_init(struct guest *g, const struct options *o, struct err *err)
{
	uint64_t brk;
	*g = (struct guest){.program = program_open(o->argv[0], err)};
	if (!g->program)
		return false;
	g->machine = machine_new(&o->config, err);
	if (!g->machine ||
	    !program_load(g->program, machine_mem(g->machine), machine_hart(g->machine), &brk, o->argc, o->argv,
	                  o->env, (uint64_t)o->config.stack_bytes, (uint64_t)o->config.seed, err)) {
		guest_deinit(g);
		return false;
	}
	os_allow_writing(machine_os(g->machine), o->given[OPT_RW]);
	os_set_warn(machine_os(g->machine), warn, NULL);
	machine_start(g->machine, brk);
	return true;
}

void guest_deinit(struct guest *g)
{
	machine_free(g->machine);
	program_free(g->program);
	*g = (struct guest){0};
}
