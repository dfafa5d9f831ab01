#include "ui/cmd/info_program.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/isa/exec.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "hwviews/grid/grid.h"
#include "hwviews/program/origin.h"
#include "loader/assembled_note.h"
#include "ui/console/answer_data.h"
#include "ui/console/here.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"

static const char *const status_name[] = {
	[MACHINE_RUNNING] = "running", [MACHINE_EXITED] = "exited", [MACHINE_FAULTED] = "faulted",
	[MACHINE_KILLED] = "killed",   [MACHINE_STUCK] = "stuck",   [MACHINE_BROKEN] = "broken",
	[MACHINE_STARVED] = "starved",
};

/* The reason of the machine's fault; buf [n] is for a text. */
static const char *info_program_fault(const struct session *s, char *buf, size_t n)
{
	const struct fault *f = machine_fault(s->machine);
	return program_ran_past_end(s->program, f->pc, buf, n) ? buf : trap_name(f->trap);
}

static void put_state(const struct console *c, json_t *data)
{
	const struct session *s = c->session;
	const enum machine_status status = machine_status(s->machine);
	struct run_history h;
	char text[OS_WAIT_TEXT], past[384];
	unsigned older;
	run_history(s->run, &h);
	data_text(data, "status", status_name[status]);
	data_place(data, c, "pc", machine_seen_pc(s->machine));
	data_count(data, "insts", here_insts(c, &older));
	data_count(data, "newest", h.newest_cycle);
	if (status == MACHINE_EXITED)
		data_count(data, "exit_status", (uint64_t)machine_exit_status(s->machine));
	else
		data_null(data, "exit_status");
	if (status == MACHINE_KILLED)
		data_count(data, "signal", (uint64_t)machine_exit_status(s->machine) - 128);
	else
		data_null(data, "signal");
	data_text(data, "reason",
	          status == MACHINE_FAULTED ? info_program_fault(s, past, sizeof past)
	          : status == MACHINE_STUCK
	                  ? os_wait_text(machine_os_const(s->machine),
	                                 machine_mem_const(s->machine), text, sizeof text)
	          : status == MACHINE_BROKEN ? machine_failure(s->machine)
	                                     : machine_lacks(s->machine));
}

/* Adds an image, which may be missing. */
static void put_image(json_t *data, const struct program *p)
{
	char digest[24];
	snprintf(digest, sizeof digest, "%016" PRIx64, program_digest(p));
	data_text(data, "path", program_path(p));
	data_addr(data, "entry", program_entry(p));
	data_text(data, "digest", digest);
}

static void put_program(struct console *c)
{
	const struct session *s = c->session;
	const struct program *fw = program_firmware(s->program);
	json_t *data = answer_data(c), *args = json_array(),
	       *firmware = fw ? json_object() : json_null();
	char kinds[96];
	size_t symbols;
	program_symbols(s->program, &symbols);
	put_image(data, s->program);
	for (int i = 1; i < s->launch.argc; i++)
		data_word(args, s->launch.argv[i]);
	json_object_set_new(data, "args", args);
	data_count(data, "symbols", symbols);
	data_text(data, "config", s->config_name);
	data_text(data, "instrumented", origin_kinds(s, kinds, sizeof kinds));
	if (fw)
		put_image(firmware, fw);
	json_object_set_new(data, "firmware", firmware);
	put_state(c, data);
}

enum command_result info_program(struct console *c, const char *args)
{
	const struct session *s = c->session;
	char where[OS_WAIT_TEXT], digits[32];
	size_t symbols;
	(void)args;
	program_symbols(s->program, &symbols);
	console_print(c, "%s", program_path(s->program));
	for (int i = 1; i < s->launch.argc; i++)
		console_print(c, " %s", s->launch.argv[i]);
	console_print(
		c, "\nentry 0x%" PRIx64 ", %zu symbols, digest %016" PRIx64 ", configuration %s\n",
		program_entry(s->program), symbols, program_digest(s->program), s->config_name);
	if (*origin_kinds(s, where, sizeof where))
		console_print(c, "instrumented: %s\n", where);
	const struct program *fw = program_firmware(s->program);
	if (fw)
		console_print(c, "firmware %s, entry 0x%" PRIx64 ", digest %016" PRIx64 "\n",
		              program_path(fw), program_entry(fw), program_digest(fw));
	switch (machine_status(s->machine)) {
	case MACHINE_RUNNING:
		console_print(c, "running, in %s, cycle %s\n",
		              location_at(c, machine_seen_pc(s->machine), where, sizeof where),
		              group_digits(machine_cycle(s->machine), digits));
		break;
	case MACHINE_EXITED:
		console_print(c, "exited with status %d\n", machine_exit_status(s->machine));
		break;
	case MACHINE_FAULTED:
		console_print(c, "faulted: %s\n", info_program_fault(s, where, sizeof where));
		break;
	case MACHINE_KILLED:
		console_print(c, "ended itself by signal %d\n",
		              machine_exit_status(s->machine) - 128);
		break;
	case MACHINE_STUCK:
		console_print(c, "stuck: %s\n",
		              os_wait_text(machine_os_const(s->machine),
		                           machine_mem_const(s->machine), where, sizeof where));
		break;
	case MACHINE_BROKEN:
		console_print(c, "ended: %s\n", machine_failure(s->machine));
		break;
	case MACHINE_STARVED:
		console_print(c, "waits: %s\n", machine_lacks(s->machine));
		break;
	}
	put_program(c);
	return CMD_OK;
}

enum command_result info_status(struct console *c, const char *args)
{
	(void)args;
	motion_status(c);
	put_state(c, answer_data(c));
	return CMD_OK;
}

enum command_result info_sharedlibrary(struct console *c, const char *args)
{
	const struct program *p = c->session->program, *library;
	json_t *rows = answer_data_rows(c, "libraries");
	(void)args;
	if (!program_library(p, 0))
		console_print(c, "No shared libraries are mapped\n");
	for (unsigned i = 0; (library = program_library(p, i)); i++) {
		uint64_t start, end;
		size_t symbols;
		json_t *row = data_row(rows);
		const char *lines = program_has_lines(library) ? "yes" : "no";
		program_extent(library, &start, &end);
		program_symbols(library, &symbols);
		data_addr(row, "start", start);
		data_addr(row, "end", end);
		data_count(row, "symbols", symbols);
		data_text(row, "lines", lines);
		data_text(row, "path", program_path(library));
		console_print(c, "0x%010" PRIx64 "  0x%010" PRIx64 "  %6zu symbols  %-8s  %s\n",
		              start, end, symbols, *lines == 'y' ? "lines" : "no lines",
		              program_path(library));
	}
	return CMD_OK;
}

enum command_result info_memory(struct console *c, const char *args)
{
	const struct mem *mem = machine_mem_const(c->session->machine);
	json_t *rows = answer_data_rows(c, "regions");
	(void)args;
	for (struct mem_region r = {0}; mem_next_region(mem, r.end, &r);) {
		console_print(
			c, "0x%-12" PRIx64 " 0x%-12" PRIx64 " %c%c%c%c %8" PRIu64 " KiB  %s\n",
			r.start, r.end, r.prot & PROT_R ? 'r' : '-',
			r.prot & PROT_W ? 'w' : '-', r.prot & PROT_X ? 'x' : '-',
			r.prot & PROT_M ? 'm' : ' ', (r.end - r.start) / 1024, r.name);
		json_t *row = data_row(rows);
		data_addr(row, "from", r.start);
		data_addr(row, "to", r.end);
		data_bool(row, "read", r.prot & PROT_R);
		data_bool(row, "write", r.prot & PROT_W);
		data_bool(row, "execute", r.prot & PROT_X);
		data_bool(row, "machine", r.prot & PROT_M);
		data_text(row, "name", r.name);
	}
	return CMD_OK;
}
