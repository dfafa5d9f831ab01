#include "loader/launch.h"

#include "core/machine.h"
#include "core/pipe/plugin.h"

struct program *launch_program(const struct launch *l, struct err *err)
{
	struct program *p = program_open(l->path, err);
	if (p && l->edit)
		p = l->edit(p, l->edit_ctx, err);
	if (!p || !l->firmware)
		return p;
	struct program *firmware = program_open_firmware(l->firmware, err);
	if (firmware && program_attach(p, firmware))
		return p;
	if (firmware)
		err_set(err, "%s: out of memory", l->firmware);
	program_free(firmware);
	program_free(p);
	return NULL;
}

void launch_attach(const struct launch *l, struct machine *m)
{
	struct os *os = machine_os(m);
	os_allow_writing(os, l->allow_writing);
	os_set_stdin(os, l->stdin_fd);
	os_set_output(os, l->output, l->output_ctx);
	os_set_warn(os, l->warn, l->warn_ctx);
}

struct machine *launch_machine(const struct launch *l, const struct program *p, const struct config *cfg,
                               struct err *err)
{
	char *named[] = {(char *)(uintptr_t)program_path(p), NULL};
	int argc = l->argc ? l->argc : 1;
	uint64_t brk;
	const struct program *firmware = program_firmware(p);
	struct config with = *cfg;
	with.firmware |= firmware != NULL;
	if (l->plugins)
		plugins_ask(l->plugins, &with);
	struct machine *m = machine_new_with(&with, l->plugins, err);
	if (!m)
		return NULL;
	if (!program_load(p, machine_mem(m), machine_hart(m), &brk, argc, l->argc ? l->argv : named, l->env,
	                  (uint64_t)cfg->stack_bytes, (uint64_t)cfg->seed, err) ||
	    (firmware && !(program_load_firmware(firmware, machine_mem(m), err) &&
	                   machine_boot_firmware(m, program_entry(firmware), err)))) {
		machine_free(m);
		return NULL;
	}
	launch_attach(l, m);
	machine_start(m, brk);
	return m;
}
