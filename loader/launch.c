#include "core/defs/config_fields.h"

#include "core/os/last_place.h"
#include "loader/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/memory_room.h"
#include "core/machine/machine.h"
#include "core/machine/plugin_places.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/pipe/plugin.h"
#include "core/prof/oracle/oracle.h"
#include "core/run/value_daemon.h"
#include "core/prof/values/vsample.h"
#include "loader/assembled_note.h"
#include "loader/microprogram.h"

static bool attach_firmware(const struct launch *l, struct program *p, struct err *err)
{
	struct program *firmware = program_open_firmware(l->firmware, err);
	if (firmware && program_attach(p, firmware))
		return true;
	if (firmware)
		err_set(err, "%s: out of memory", l->firmware);
	program_free(firmware);
	return false;
}

static bool attach_microprogram(const struct launch *l, struct program *p, struct err *err)
{
	struct microprogram *microprogram = microprogram_open(l->microprogram, NULL, 0, NULL, err);
	if (microprogram)
		program_attach_microprogram(p, microprogram);
	return microprogram != NULL;
}

int launch_open_input(const char *path, struct err *err)
{
	struct stat st;
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		const int why = errno;
		if (stat(path, &st) == 0 && S_ISSOCK(st.st_mode))
			err_set(err, "%.300s is a socket; standard input is a file or a pipe",
			        path);
		else
			err_set(err, "%.300s: %s", path, strerror(why));
		errno = why;
		return -1;
	}
	int why = EISDIR;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		err_set(err, "%.300s is a folder; standard input is a file or a pipe", path);
	} else if (fcntl(fd, F_SETFL, O_RDONLY) != 0) {
		why = errno;
		err_set(err, "%.300s: %s", path, strerror(why));
	} else {
		return fd;
	}
	close(fd);
	errno = why;
	return -1;
}

/* The folder that is p's sysroot; NULL if it has none. */
static const char *launch_sysroot(const struct launch *l, const struct program *p)
{
	return l->sysroot ? l->sysroot : program_interpreter(p) ? LAUNCH_SYSROOT : NULL;
}

/* Reports why there is no interpreter, and how to get one. */
static bool no_interpreter(const struct launch *l, const struct program *p, int why,
                           struct err *err)
{
	struct stat st;
	const char *sysroot = launch_sysroot(l, p),
		   *tree = l->root ? l->root : "the current directory";
	const bool glibc = strstr(program_interpreter(p), "/ld-linux-riscv64");
	const char *package = l->sysroot || !glibc ? "" : "apt-get install libc6-riscv64-cross, ";
	if (why != ENOENT)
		return err_set(err, "%s: its interpreter %s: %s", l->path, program_interpreter(p),
		               strerror(why));
	if (stat(sysroot, &st) != 0)
		return err_set(err,
		               "%s: dynamically linked, and its interpreter %s is not below %s, "
		               "and the sysroot %s is not there (%s--sysroot FOLDER "
		               "with FOLDER%s, or link it with -static)",
		               l->path, program_interpreter(p), tree, sysroot, package,
		               program_interpreter(p));
	return err_set(err,
	               "%s: dynamically linked, and its interpreter %s is neither below %s nor "
	               "below the sysroot %s (%s--sysroot FOLDER "
	               "with FOLDER%s, or link it with -static)",
	               l->path, program_interpreter(p), tree, sysroot, package,
	               program_interpreter(p));
}

static struct os_trees trees_of(const struct launch *l, const struct program *p)
{
	return (struct os_trees){l->root, launch_sysroot(l, p), l->folders, l->folder_count};
}

/* Notes once that the program is taken as a bare-metal one. */
static void launch_note_bare(const struct launch *l)
{
	static bool noted;
	if (!noted && l->warn && !l->abi)
		l->warn(l->warn_ctx, "a symbol `tohost`: taken as bare metal (HTIF), in M-mode; to "
		                     "change: --abi linux");
	noted = true;
}

/* Sets p's ABI, whose services it requests. False with *err if p does not meet the ABI's needs. */
static bool launch_find_abi(const struct launch *l, struct program *p, struct err *err)
{
	const struct symbol *tohost = program_symbol_by_name(p, TOHOST);
	const struct assembled a = program_assembled(p);
	program_set_abi(p, a.abi || a.text_end ? (enum os_abi)a.abi
	                   : l->abi            ? (enum os_abi)(l->abi - 1)
	                   : tohost            ? OS_HTIF
	                                       : OS_LINUX);
	if (program_abi(p) != OS_HTIF)
		return true;
	if (!tohost || tohost->addr % 8)
		return err_set(err,
		               "%s: a bare-metal program needs the symbol `tohost`, of 8 bytes at "
		               "a multiple of 8, to print and to end; %s",
		               l->path, tohost ? "it lies elsewhere" : "there is none");
	if (l->firmware)
		return err_set(err,
		               "%s: a bare-metal program has M-mode itself; --firmware runs beside "
		               "programs of --abi linux",
		               l->path);
	return true;
}

/* A bare-metal program begins in M-mode. */
static void launch_bare(const struct launch *l, const struct program *p, struct machine *m)
{
	const struct symbol *tohost = program_symbol_by_name(p, TOHOST),
			    *fromhost = program_symbol_by_name(p, "fromhost");
	if (program_abi(p) != OS_HTIF)
		return;
	os_set_bare(machine_os(m), machine_hart(m), machine_mem(m), tohost->addr,
	            fromhost ? fromhost->addr : 0);
	if (!program_assembled(p).text_end)
		launch_note_bare(l);
}

static int open_in_trees(const void *ctx, const char *path)
{
	return os_open_library(ctx, path);
}

static bool find_debug(const struct launch *l, const struct program *program, struct program *p,
                       struct err *err)
{
	const struct os_trees t = trees_of(l, program);
	return program_find_debug(p, l->sources, open_in_trees, &t) ||
	       err_set(err, "%s: out of memory", l->path);
}

static bool attach_interpreter(const struct launch *l, struct program *p, struct err *err)
{
	const char *name = program_interpreter(p);
	if (!name)
		return true;
	const struct os_trees trees = trees_of(l, p);
	const int fd = os_open_library(&trees, name);
	if (fd < 0)
		return no_interpreter(l, p, errno, err);
	struct err why;
	struct program *interpreter = program_open_interpreter(
		fd, name, l->interp_base ? l->interp_base : PROGRAM_INTERP_BASE, &why);
	if (!interpreter)
		return err_set(err, "%.300s: its interpreter can't be used: %s", l->path, why.msg);
	program_attach_interpreter(p, interpreter);
	return find_debug(l, p, interpreter, err);
}

struct program *launch_program(const struct launch *l, struct err *err)
{
	struct program *p = program_open_at(l->file ? l->file : l->path, l->path,
	                                    l->load_base ? l->load_base : PROGRAM_PIE_BASE, err);
	if (p && l->edit)
		p = l->edit(p, l->edit_ctx, err);
	return p ? launch_complete(l, p, err) : NULL;
}

struct program *launch_complete(const struct launch *l, struct program *p, struct err *err)
{
	program_set_sources(p, l->sources);
	if (l->values_program)
		l->values_program(l->values_ctx, p);
	if ((launch_find_abi(l, p, err) && find_debug(l, p, p, err) &&
	     attach_interpreter(l, p, err) && (!l->firmware || attach_firmware(l, p, err)) &&
	     (!l->microprogram || attach_microprogram(l, p, err))))
		return p;
	program_free(p);
	return NULL;
}

bool launch_writes(const struct launch *l)
{
	bool writes = l->allow_writing;
	for (unsigned i = 0; i < l->folder_count; i++)
		writes |= l->folders[i].writing;
	return writes;
}

void launch_attach(const struct launch *l, const struct program *p, struct machine *m)
{
	struct os *os = machine_os(m);
	if (l->root)
		os_set_root(os, l->root);
	os_set_folders(os, l->folders, l->folder_count);
	os_set_sysroot(os, launch_sysroot(l, p));
	if (program_interpreter(p))
		os_set_program(os, l->root, l->file ? l->file : l->path);
	program_watch(p, os, machine_mem_const(m));
	os_allow_writing(os, l->allow_writing);
	os_set_stdin(os, l->stdin_fd);
	os_set_input(os, l->input, l->input_ctx, l->input_typed);
	os_set_output(os, l->output, l->output_ctx);
	os_set_warn(os, l->warn, l->warn_ctx);
}

/* Maps the region in which pushpf saves flags, outside the guest's address space, so that guest
 * mappings stay in place. */
static bool map_shadow(struct machine *m, const struct config *cfg, struct err *err)
{
	if (!cfg->xprof)
		return true;
	machine_hart(m)->pfbase = SHADOW_BASE;
	return mem_map(machine_mem(m), SHADOW_BASE, SHADOW_BYTES, PROT_M, "profile flags") ||
	       err_set(err, "out of memory for profile flags");
}

/* Tail calls lead to procedures. */
bool launch_procedures(const struct program *p, struct machine *m, struct err *err)
{
	size_t n;
	uint64_t *all = oracle_of(machine_pipe(m)->prof) ? program_procedures(p, &n) : NULL;
	const bool ok = !oracle_of(machine_pipe(m)->prof) ||
	                (all && oracle_procedures(machine_pipe(m)->prof, all, n));
	free(all);
	return ok || err_set(err, "out of memory for the oracle");
}

void launch_index(const struct program *p, struct machine *m)
{
	machine_set_words(m, program_is_words(p));
}

void launch_config(const struct launch *l, const struct program *p, struct config *cfg)
{
	cfg->firmware |= program_firmware(p) != NULL;
	cfg->cop |= program_microprogram(p) != NULL;
	cfg->vsample |= l->values != NULL;
	if (program_is_32bit(p))
		cfg->isa = ISA_RV32GC;
	if (cfg->isa == ISA_RV32GC)
		cfg->xprof = false;
}

void launch_capture(const struct launch *l, struct machine *m)
{
	if (l->values)
		vsample_set_capture(machine_pipe(m)->prof,
		                    &value_daemon_source(l->values)->capture);
}

/* Counts loaded segments like memory that the guest requests later. */
static bool launch_check_memory_limit(const struct machine *m, const struct program *p,
                                      const struct config *cfg, struct err *err)
{
	const uint64_t need = mem_extent(machine_mem_const(m), 0, MEM_TOP).counted;
	return need <= (uint64_t)cfg->memory ||
	       err_set(err, "%s needs %" PRIu64 " bytes, and sim.memory is %" PRId64,
	               program_path(p), need, cfg->memory);
}

/* Notes once to the user if the guest may take more memory than the host has. The guest sees the
 * same on every host. */
static void note_host_room(const struct launch *l, const struct config *cfg)
{
	static bool noted;
	char line[256];
	const uint64_t room = host_room_bytes(), may = (uint64_t)cfg->memory;
	if (noted || !l->warn || room >= may)
		return;
	noted = true;
	snprintf(line, sizeof line,
	         "note: the program may take %" PRIu64 " MiB, and the host has %" PRIu64
	         " MiB left: where they end the machine stands still; -o sim.memory=BYTES "
	         "gives the program less",
	         may >> 20, room >> 20);
	l->warn(l->warn_ctx, line);
}

/* Whether the machine has the program's registers. */
static bool launch_fits(const struct program *p, const struct config *cfg, struct err *err)
{
	if (program_is_32bit(p) ? cfg->isa != ISA_RV64GC : cfg->isa != ISA_RV32GC)
		return true;
	return err_set(err, "%s is a %s-bit program, and isa=%s runs %s-bit ones", program_path(p),
	               program_is_32bit(p) ? "32" : "64", program_is_32bit(p) ? "rv64gc" : "rv32gc",
	               program_is_32bit(p) ? "64" : "32");
}

struct machine *launch_machine(const struct launch *l, const struct program *p,
                               const struct config *cfg, struct err *err)
{
	char *named[] = {(char *)(uintptr_t)program_path(p), NULL};
	int argc = l->argc ? l->argc : 1;
	uint64_t brk;
	const struct program *firmware = program_firmware(p);
	const struct microprogram *microprogram = program_microprogram(p);
	struct config with = *cfg;
	if (!launch_fits(p, cfg, err))
		return NULL;
	launch_config(l, p, &with);
	const struct plugins asked = plugins_asked(l->plugins, &with);
	program_limit_debug(p, (uint64_t)cfg->debug_memory);
	struct machine *m = machine_new_with(&with, &asked, err);
	if (!m)
		return NULL;
	if (!program_load(p, machine_mem(m), machine_hart(m), &brk, argc, l->argc ? l->argv : named,
	                  l->env, (uint64_t)cfg->stack_bytes, (uint64_t)cfg->seed, err) ||
	    !map_shadow(m, &with, err) || !launch_check_memory_limit(m, p, cfg, err) ||
	    (firmware && !(program_load_firmware(firmware, machine_mem(m), err) &&
	                   machine_boot_firmware(m, program_entry(firmware), err))) ||
	    (microprogram && !microprogram_load(microprogram, m, err))) {
		machine_free(m);
		return NULL;
	}
	if (!launch_procedures(p, m, err)) {
		machine_free(m);
		return NULL;
	}
	launch_index(p, m);
	const struct assembled assembled = program_assembled(p);
	char last[128];
	program_last_place(p, last, sizeof last);
	os_set_abi(machine_os(m), program_abi(p), assembled.text_end);
	os_set_last_place(machine_os(m), last);
	launch_bare(l, p, m);
	launch_attach(l, p, m);
	launch_capture(l, m);
	machine_start(m, brk);
	note_host_room(l, cfg);
	return m;
}
