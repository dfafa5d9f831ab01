/* The command line of every command that takes a program: parsing and help, from options.def. */
#ifndef CYCLOPS_UI_CLI_OPTIONS_H
#define CYCLOPS_UI_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "loader/instrument/instrument.h"
#include "loader/launch.h"
#include "loader/patch.h"
#include "scripting/config/config_lua.h"
#include "ui/cli/sample_spec.h"
#include "ui/cli/simpoint_spec.h"

struct twin_program;

enum option_for {
	FOR_RUN = 1,
	FOR_INSPECT = 2,
	FOR_LUA = 4,
	FOR_COMPARE = 8,
	FOR_GDB = 16,
	FOR_BAKEOFF = 32,
	FOR_ALL = FOR_RUN | FOR_INSPECT | FOR_LUA | FOR_GDB
};

enum option_id {
#define OPTION(id, ...) OPT_##id,
#include "ui/cli/options.def"
#undef OPTION
	OPT_COUNT
};

enum {
	OPTIONS_ENV_MAX = 64,
	OPTIONS_COMMANDS_MAX = 256,
	OPTIONS_REPORTS_MAX = 16,
	OPTIONS_PATCHES_MAX = 256,
	OPTIONS_PLUGINS_MAX = 16,
	OPTIONS_SOURCES_MAX = 32,
	OPTIONS_SETS_MAX = 256,
	OPTIONS_WORDS_MAX = 64,
	OPTIONS_KEEP_MAX = 1000,
	OPTIONS_STATS_MAX = 64,
	OPTIONS_LOOKS_MAX = 1000
};

/* -e COMMAND or -x FILE. */
struct option_command {
	bool file;
	const char *text; /* borrowed */
};

struct options {
	struct config config;     /* --config files over the defaults, then each -o in order */
	const char *config_name;  /* as given last, "default" if none is; borrowed */
	const char *ui_start;     /* "ahead", of -o ui.start; NULL = not given; borrowed */
	uint64_t ff;              /* instructions */
	uint64_t max_insts;       /* UINT64_MAX = no limit */
	uint64_t max_cycles;      /* UINT64_MAX = no limit */
	uint64_t lua_steps;       /* 0 = not given */
	const char *stats;        /* NULL = none; borrowed */
	char *env[OPTIONS_ENV_MAX + 1]; /* NAME=VALUE, NULL at the end; borrowed */
	unsigned env_count;
	struct option_command commands[OPTIONS_COMMANDS_MAX]; /* in the order given */
	unsigned command_count;
	const char *source[OPTIONS_SOURCES_MAX + 1]; /* folders, NULL at the end; borrowed */
	unsigned source_count;
	const char *patch[OPTIONS_PATCHES_MAX]; /* PLACE=HEX, in the order given; borrowed */
	struct patches patches;   /* those */
	struct instrument_options instrument; /* given[OPT_INSTRUMENT] */
	const char *cc;           /* NULL = not given; borrowed */
	int abi;                  /* enum os_abi of assembly; ASM_ABI_GUESS: not given */
	/* if compile_source() compiled it: its path, and the name the guest sees; owned */
	char *program_file, *program_name;
	const char *compiled_from; /* its source, NULL: not compiled; borrowed */
	const char *sysroot;      /* NULL = not given; borrowed */
	struct os_folder folders[OS_FOLDERS]; /* [folder_count], of --dir, in the order given */
	char *folder_text[OS_FOLDERS]; /* their words; owned */
	unsigned folder_count;
	const char *firmware;     /* NULL = none; borrowed */
	const char *microprogram; /* NULL = none; borrowed */
	struct plugin_set *plugins; /* NULL = none; owned */
	struct config_files files;  /* of configurations; owned */
	const char *plugin[OPTIONS_PLUGINS_MAX]; /* each --plugin, in the order given; borrowed */
	unsigned plugin_count;
	const char *values_modules; /* of --values; NULL = not given; borrowed */
	struct value_modules *values; /* NULL = none; owned */
	const char *reports[OPTIONS_REPORTS_MAX]; /* borrowed */
	unsigned report_count;
	const char *exports[OPTIONS_REPORTS_MAX]; /* FORMAT=FILE; borrowed */
	unsigned export_count;
	const char *stdin_path;   /* NULL = none; borrowed */
	const char *listen;       /* of --listen; NULL = not given; borrowed */
	const char *sets[OPTIONS_SETS_MAX]; /* each -o, in the order given; borrowed */
	unsigned set_count;
	uint64_t save_every;      /* 0 = never; instructions, or cycles: */
	bool save_cycles;
	const char *save_to;      /* pattern of checkpoint files, NULL = none; borrowed */
	unsigned save_keep;       /* the newest files that stay; 0 = all */
	const char *restore;      /* NULL = none; borrowed */
	/* of FOR_COMPARE: words before "--" that are no options; borrowed */
	char *words[OPTIONS_WORDS_MAX];
	unsigned word_count;
	/* of --screen: the twin machine; NULL = none; borrowed */
	const struct config *twin;
	const char *twin_name;    /* as given; borrowed */
	const struct twin_program *twin_program; /* NULL = none; borrowed */
	const char *stats_shown[OPTIONS_STATS_MAX]; /* patterns, in the order given; borrowed */
	unsigned stats_shown_count;
	unsigned top;             /* statistics to show, 0 = all */
	unsigned jobs;            /* processes at once, 0 = not given */
	struct sample_spec sample; /* given[OPT_SAMPLE] */
	struct simpoint_spec simpoint; /* given[OPT_SIMPOINT] */
	const char *checkpoints;  /* of samples: a folder; NULL = not given; borrowed */
	const char *json, *csv;   /* files, NULL = none; borrowed */
	/* of FOR_BAKEOFF: lists with commas, folders, NULL = not given; borrowed */
	const char *budgets, *profilers, *questions, *handlers, *plots, *raw;
	uint64_t looks;           /* 0 = not given */
	bool on_terminal;         /* a session that is no batch has sim.terminal */
	bool given[OPT_COUNT];    /* options that were given; holds the flags */
	int argc;                 /* program and its arguments; argc 0 if there are none */
	char **argv;              /* borrowed, NULL at the end */
};

/* Parses argv[1..] up to the first word that is not an option (or past "--"); for FOR_COMPARE up to
 * "--", with words between the options. `which` is the command's enum option_for bit. False with
 * *err, naming the nearest valid option, parameter or preset. */
bool options_parse(struct options *o, enum option_for which, int argc, char **argv,
                   struct err *err);

/* Loads the plug-ins, firmware and microprogram that o->files names; options of the command line,
 * and later settings in o->config, have precedence. */
bool options_take_files(struct options *o, struct err *err);
/* Frees the owned members. Call after freeing the machines. */
void options_deinit(struct options *o);

/* Makes a session that is no batch show the program a terminal, unless -o decides. */
void options_prefer_terminal(struct options *o);
/* Launch parameters of the options' program: arguments, environment and permissions; all borrowed
 * from o. Input and output are the host's; warnings are dropped. */
struct launch options_launch(struct options *o);

/* A row of options.def. */
struct option_row {
	char letter; /* 0: none */
	const char *name, *arg;
	unsigned commands;
	const char *help;
};
/* The row's help for this command. */
const char *options_help(const struct option_row *r, enum option_for which);
/* Returns the next row at or after *i that the command takes, and moves *i past it; begin with 0.
 * NULL: no more. */
const struct option_row *options_next(enum option_for which, int *i);

/* Prints a line for each option of the command. */
void options_print_help(FILE *f, enum option_for which);

#endif
