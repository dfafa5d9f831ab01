/* The result of one job: a JSON file in the folder of results, named after the job's key.
 *
 *   {"key": "...", "build": "...", "status": "ok" | "limit" | "failed", "reason": "",
 *    "again": false, "exit_status": 0, "host_seconds": 1.5, "host_cpu_seconds": 1.4,
 *    "host_peak_kib": 9000, "stats": {"sim.cycles": 1, ...}}
 *
 * It appears completely or not at all. `limit` is a run that max_insts or max_cycles ended, as
 * intended. A job whose failure may be transient (a time limit, a signal from outside) is marked to
 * be run again; a failure of the program or its machine would repeat. */
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
	json_t *json;       /* the whole record; owned, NULL if RECORD_NONE */
	const char *reason; /* borrowed from json */
	const char *build;
	bool again;
};

extern const char *const record_status_name[];

/* A job's files, from which its record is made. */
struct record_files {
	const char *record; /* OUT/jobs/KEY.json */
	const char *stats;  /* the run's --stats file */
};

/* Makes the record of a process that has ended, and removes the file of statistics. `good` is the
 * exit status that means success. Closes j->log, whose last lines give the reason of a failure.
 * False with *err if the record can't be written. */
bool record_make(const struct record_files *f, const char *key, const char *build,
                 const struct job *j, int good, struct err *err);
/* Reads a record; RECORD_NONE if the file is missing or no record. */
struct record record_read(const char *path);
void record_deinit(struct record *r);

/* True if the job has to be run: there is no record, `force`, the record is of another build, or
 * the job failed transiently (with `retry`: failed at all). */
bool record_outdated(const struct record *r, const char *build, bool force, bool retry,
                     bool any_build);

/* Value of a statistic, NULL if the record has none (the machine lacks that device, the job
 * failed). Borrowed. */
const json_t *record_stat(const struct record *r, const struct stat_row *row);

/* Makes a JSON string; bytes that are not UTF-8, which arguments and logs may contain, become
 * question marks. */
json_t *record_text(const char *s);

/* Writes a JSON file, which appears completely or not at all. */
bool record_write_json(const char *path, const json_t *json, struct err *err);

#endif
