/* What became of one job: a JSON file in the folder of results, named after the job's key.
 *
 *   {"key": "...", "build": "...", "status": "ok" | "limit" | "failed", "reason": "",
 *    "again": false, "exit_status": 0, "host_seconds": 1.5, "host_cpu_seconds": 1.4,
 *    "host_peak_kib": 9000, "stats": {"sim.cycles": 1, ...}}
 *
 * It appears whole or not at all. `limit` is a run that max_insts or max_cycles ended, as it
 * should. A job that failed by what may pass (a time limit, a signal from outside) is marked to be
 * run again; what the program or its machine did would be the same again. */
#ifndef CYCLOPS_UI_SWEEP_RECORD_H
#define CYCLOPS_UI_SWEEP_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "core/base/err.h"
#include "core/defs/stats.h"
#include "ui/cli/jobs.h"

enum record_status { RECORD_NONE, RECORD_OK, RECORD_LIMIT, RECORD_FAILED };

struct record {
	enum record_status status;
	json_t *json;       /* all of it; owned, NULL of RECORD_NONE */
	const char *reason; /* borrowed from json */
	const char *build;
	bool again;
};

extern const char *const record_status_name[];

/* Where one process leaves what a record is made of. */
struct record_files {
	const char *record; /* OUT/jobs/KEY.json */
	const char *stats;  /* what --stats of the run named */
};

/* Makes the record of a process that has ended, and removes the file of statistics. `good` is the
 * exit status that means success; j->log, whose last words say why the run ended, is closed.
 * False with *err if it can't be written. */
bool record_make(const struct record_files *f, const char *key, const char *build,
                 const struct job *j, int good, struct err *err);
/* RECORD_NONE if there is none, or what is there is no record. */
struct record record_read(const char *path);
void record_deinit(struct record *r);

/* Whether its job is to be run: there is no record, everything is (`force`), it is another build's,
 * or the job failed and may do better now (`retry`: whatever it failed by). */
bool record_outdated(const struct record *r, const char *build, bool force, bool retry,
                     bool any_build);

/* Value of a statistic, NULL if it has none (the machine hasn't that device, the job failed).
 * Borrowed. */
const json_t *record_stat(const struct record *r, const struct stat_row *row);

/* A text as JSON; bytes that are not UTF-8, which arguments and logs may hold, become question
 * marks. */
json_t *record_text(const char *s);

/* Writes a JSON file so that it appears whole or not at all. */
bool record_write_json(const char *path, const json_t *json, struct err *err);

#endif
