/* The only way from files to a machine that is about to run: `cyclops run`, sessions, restarts and
 * tests all use it.
 *
 * launch_program() reads the file, and an editor may rewrite it. Then launch_machine(), once per
 * start of the program, makes a new machine with the program in its memory, connected to the host,
 * at its first instruction. Nothing has been executed yet. */
#ifndef CYCLOPS_LOADER_LAUNCH_H
#define CYCLOPS_LOADER_LAUNCH_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "core/os/os.h"
#include "loader/program.h"

struct machine;
struct plugins;
struct value_daemon;

/* Rewrites a program before it runs: returns p itself or a replacement (the editor then frees p).
 * NULL with *err: p is freed too. */
typedef struct program *program_editor_fn(struct program *p, void *ctx, struct err *err);

struct launch {
	const char *path;
	/* host file of the program `path`; NULL: path itself; borrowed */
	const char *file;
	/* argv[0] is what the guest sees as its name; 0: the path is its only argument */
	int argc;
	char **argv;           /* [argc], borrowed */
	char **env;            /* NULL at the end; NULL itself: empty; borrowed */
	program_editor_fn *edit; /* NULL: the program is loaded unchanged */
	void *edit_ctx;
	/* for the places whose parameters are external (plugins_ask()), the others stay unused;
	 * borrowed; NULL: none */
	const struct plugins *plugins;
	/* enum os_abi + 1 of a program without the assembler's note; 0: found out from its
	 * symbols */
	int abi;
	const char *firmware;  /* ELF file that runs in M-mode beside the program, NULL: none */
	/* text of the co-processor's initial microprogram, NULL: none; it has a co-processor
	 * then */
	const char *microprogram;
	/* consumer of value samples: the machine samples what it needs; borrowed; NULL: none.
	 * The caller that starts the machine attaches it, once (core/run/value_daemon.h) */
	struct value_daemon *values;
	/* With values: called with the program as soon as it is read; the program is borrowed for
	 * its lifetime. */
	void (*values_program)(void *ctx, const struct program *p);
	void *values_ctx;
	/* folders in which source files may be, NULL at the end; NULL itself: none; borrowed */
	const char *const *sources;
	/* address of a position-independent program, and of an interpreter; 0: the parameters'
	 * defaults */
	uint64_t load_base, interp_base;
	/* folder with the libraries of dynamically linked programs; NULL: LAUNCH_SYSROOT if the
	 * program is dynamic; borrowed */
	const char *sysroot;
	/* folder that is the guest's "/"; NULL: the current directory at startup; borrowed */
	const char *root;
	bool allow_writing;    /* below that */
	const struct os_folder *folders; /* [folder_count] mounted there; borrowed */
	unsigned folder_count;
	int stdin_fd;          /* host descriptor of the guest's input, -1: empty */
	os_input_fn *input;    /* source of input instead; NULL: none */
	void *input_ctx;
	bool input_typed;      /* input is typed by a user */
	os_output_fn *output;  /* where guest output goes, NULL: to the host's */
	void *output_ctx;
	os_warn_fn *warn;      /* receives warnings of the system-call layer, NULL: dropped */
	void *warn_ctx;
};

/* Opens a file, pipe or device as the guest's input: a descriptor, or -1 with *err and errno. Does
 * not wait for a pipe's writer, which may open it later. */
int launch_open_input(const char *path, struct err *err);
/* The program to run, owned by the caller. NULL with *err. */
struct program *launch_program(const struct launch *l, struct err *err);
/* Completes a program that the caller has read and edited: p, or NULL with *err and p freed. */
struct program *launch_complete(const struct launch *l, struct program *p, struct err *err);
/* Where Debian's cross compilers have the libraries (package libc6-riscv64-cross). */
#define LAUNCH_SYSROOT "/usr/riscv64-linux-gnu"
/* Whether the program may change anything on the host. */
bool launch_writes(const struct launch *l);
/* Connects the guest of a machine in which p runs with the host, by l. */
void launch_attach(const struct launch *l, const struct program *p, struct machine *m);
/* Sets how the predictor is indexed, unless bpred.index_shift is set. Before the first cycle. */
void launch_index(const struct program *p, struct machine *m);
/* Adds what l requires to cfg: M-mode for p's firmware, a co-processor for its microprogram, a
 * value sampler. */
void launch_config(const struct launch *l, const struct program *p, struct config *cfg);
/* Makes the value sampler capture what the modules ask for. Before the first cycle. */
void launch_capture(const struct launch *l, struct machine *m);
/* Gives the oracle of a machine in which p runs, if any, the beginnings of procedures. Needed for
 * each new machine: they are not in saved state. False with *err. */
bool launch_procedures(const struct program *p, struct machine *m, struct err *err);
/* A machine about to execute the first instruction of p, or of its firmware if it has any. Firmware
 * implies M-mode, and a microprogram a co-processor, even against cfg. Owned by the caller. NULL
 * with *err. */
struct machine *launch_machine(const struct launch *l, const struct program *p,
                               const struct config *cfg, struct err *err);

#endif
