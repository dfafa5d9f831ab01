/* Configuration files: Lua that returns a table of parameters.
 *
 *   return {
 *     pipe = { rob_size = 32, in_order = true },
 *     ["bpred.kind"] = "gshare",
 *     l1d = { size = "16K" },
 *   }
 *
 * `description` is a line for users, `base` a preset to begin with (else the file changes the
 * current values), `files` names parts of the machine that lie beside the file: plug-ins by the
 * parameters of their places, firmware and a microprogram:
 *
 *   files = { ["bpred.kind"] = "tage.lua", firmware = "profiler.elf", cop = "edges.mic" }
 *
 * Every other name is a parameter's. The file runs in a safe host of its own
 * (scripting/host/host.h) with a step limit: it can compute values but reach nothing. */
#ifndef CYCLOPS_SCRIPTING_CONFIG_CONFIG_LUA_H
#define CYCLOPS_SCRIPTING_CONFIG_CONFIG_LUA_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/defs/config.h"

/* The files that configurations have named, as "bpred.kind=PATH", "firmware=PATH", "cop=PATH". */
enum { CONFIG_FILES_MAX = 16 };
struct config_files {
	char *word[CONFIG_FILES_MAX]; /* [count], owned */
	unsigned count;
};
void config_files_deinit(struct config_files *f);
/* The path of "NAME=PATH" if that is the word's name; else NULL. */
const char *config_file_of(const char *word, const char *name);
/* Whether the place of a file is external: later settings have precedence. */
bool config_asks_file(const struct config *cfg, const char *place);

/* Loads a preset ("classic5") or a file (its name ends in .lua or has a slash). Sets only the
 * parameters named in the file. False with *err (file:line if known, nearest valid name): *cfg is
 * unchanged. */
bool config_load(struct config *cfg, const char *name, struct err *err);
/* Like config_load(), and adds the files named in the configuration to *files. */
bool config_load_files(struct config *cfg, const char *name, struct config_files *files,
                       struct err *err);
bool config_load_file(struct config *cfg, const char *path, struct err *err);

/* Path of the preset's file: in demos/configs of what comes with the program. */
bool config_preset_path(const char *name, char *path, size_t n, struct err *err);

/* The folder that presets are read from; false if there is none. */
bool config_preset_folder(char *path, size_t n);
/* Calls fn for each preset, in no particular order. */
void config_each_preset(void (*fn)(void *ctx, const char *name), void *ctx);

/* The presets' names, sorted: "ammons1997, burrows2000, ..."; "" if there are none. Returns buf. */
char *config_preset_names(char *buf, size_t n);

#endif
