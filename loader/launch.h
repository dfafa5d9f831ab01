/* The one way from files to a machine that is about to run: `cyclops run`, sessions, restarts and
 * tests all go here.
 *
 * First launch_program(): the file is read, and an editor may rewrite it. Then, as often as the
 * program is to start anew, launch_machine(): a new machine with the program in its memory and its
 * connections to the host made, at its first instruction. Nothing has been executed yet. */
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

/* Makes a program into the one that is to run: returns p itself or another that takes its place (p
 * is then freed by the editor). NULL with *err: p is freed too. */
typedef struct program *program_editor_fn(struct program *p, void *ctx, struct err *err);

struct launch {
	const char *path;
	/* where the program lies that is called `path`; NULL: there; borrowed */
	const char *file;
	/* argv[0] is what the guest sees as its name; 0: the path is its only argument */
	int argc;
	char **argv;           /* [argc], borrowed */
	char **env;            /* NULL at the end; NULL itself: empty; borrowed */
	program_editor_fn *edit; /* NULL: the program is loaded as it is in the file */
	void *edit_ctx;
	/* in the place of predictors, policies, prefetchers and a compressor's stage, whose
	 * parameters become external; borrowed; NULL: none */
	const struct plugins *plugins;
	const char *firmware;  /* ELF file of what runs in M-mode beside the program, NULL: none */
	/* text of what the co-processor begins with, NULL: none; it has one then */
	const char *microprogram;
	/* what samples of values are made of them: the machine samples what it asks for; borrowed;
	 * NULL: none. Who starts the machine attaches it, once (core/prof/values/value_daemon.h) */
	struct value_daemon *values;
	/* With values: hears which program it is, as soon as that is read; borrowed as long as it
	 * lives. */
	void (*values_program)(void *ctx, const struct program *p);
	void *values_ctx;
	/* folders in which source files may be, NULL at the end; NULL itself: none; borrowed */
	const char *const *sources;
	/* where a position-independent program, and an interpreter, are placed; 0: where the
	 * parameters' defaults say */
	uint64_t load_base, interp_base;
	/* folder with the libraries of dynamically linked programs; NULL: LAUNCH_SYSROOT, for a
	 * program that is one; borrowed */
	const char *sysroot;
	/* folder that is the guest's "/"; NULL: the directory in which we were started; borrowed */
	const char *root;
	bool allow_writing;    /* below that */
	const struct os_folder *folders; /* [folder_count] that it has there, too; borrowed */
	unsigned folder_count;
	int stdin_fd;          /* host descriptor of the guest's input, -1: empty */
	os_input_fn *input;    /* who is asked for it instead, NULL: nobody */
	void *input_ctx;
	bool input_typed;      /* that is a person */
	os_output_fn *output;  /* where guest output goes, NULL: to the host's */
	void *output_ctx;
	os_warn_fn *warn;      /* who hears what the system-call layer has to say, NULL: nobody */
	void *warn_ctx;
};

/* A file, pipe or device that is to be the guest's input: a descriptor, or -1 with *err. Waits for
 * nobody: who is to write into a pipe may come when the guest reads. errno says why, too. */
int launch_open_input(const char *path, struct err *err);
/* The program to run, owned by the caller. NULL with *err. */
struct program *launch_program(const struct launch *l, struct err *err);
/* The same of a program that the caller has read and edited: p, or NULL with *err and p freed. */
struct program *launch_complete(const struct launch *l, struct program *p, struct err *err);
/* Where Debian's cross compilers have the libraries (package libc6-riscv64-cross). */
#define LAUNCH_SYSROOT "/usr/riscv64-linux-gnu"
/* Whether the program may change anything of the host's. */
bool launch_writes(const struct launch *l);
/* Connects a machine's guest, in which p runs, with the host as asked. */
void launch_attach(const struct launch *l, const struct program *p, struct machine *m);
/* Before its first cycle: how the predictor is indexed, unless bpred.index_shift says it. */
void launch_index(const struct program *p, struct machine *m);
/* What a machine of l's has, whatever cfg says: M-mode for p's firmware, a co-processor for its
 * microprogram, a value sampler. */
void launch_config(const struct launch *l, const struct program *p, struct config *cfg);
/* Before its first cycle: the value sampler is to capture what the modules ask for. */
void launch_capture(const struct launch *l, struct machine *m);
/* The oracle of a machine in which p runs, if it has one, is told where procedures begin: each new
 * machine's, for that lies in nothing that is saved. False with *err. */
bool launch_procedures(const struct program *p, struct machine *m, struct err *err);
/* A machine about to execute p's first instruction, or its firmware's if it has any: M-mode is
 * there then, whatever cfg says, and so is a co-processor with its microprogram. Owned by the
 * caller. NULL with *err. */
struct machine *launch_machine(const struct launch *l, const struct program *p,
                               const struct config *cfg, struct err *err);

#endif
