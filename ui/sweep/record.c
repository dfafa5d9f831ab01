#include "ui/sweep/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "ui/cli/cli.h"

const char *const record_status_name[] = {"missing", "ok", "limit", "failed"};

json_t *record_text(const char *s)
{
	json_t *text = json_string(s);
	char *copy = text ? NULL : alloc_text(s);
	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	if (copy)
		text = json_string(copy);
	free(copy);
	return text;
}

/* Reads the last line of cyclops in a log, without its prefix: the reason for the end of the run.
 * Takes a descriptor, because the log's name may be another run's by now. */
static void record_read_last_words(int log, char *buf, size_t n)
{
	static const char ours[] = "cyclops: ";
	char *line = NULL;
	size_t room = 0;
	FILE *f = log >= 0 && lseek(log, 0, SEEK_SET) == 0 ? alloc_file_of(log, "r") : NULL;
	*buf = '\0';
	while (f && alloc_line(&line, &room, f) >= 0)
		if (!strncmp(line, ours, sizeof ours - 1)) {
			snprintf(buf, n, "%s", line + sizeof ours - 1);
			buf[strcspn(buf, "\n")] = '\0';
		}
	free(line);
	if (f)
		fclose(f);
	else if (log >= 0)
		close(log);
}

static enum record_status record_classify_exit(const struct job *j, int good, char *reason,
                                               size_t n)
{
	static const char limit[] = "stopped at the limit";
	record_read_last_words(j->log, reason, n);
	if (j->state == JOB_EXITED && j->code == STATUS_LIMIT &&
	    !strncmp(reason, limit, sizeof limit - 1)) {
		*reason = '\0';
		return RECORD_LIMIT;
	}
	if (j->state == JOB_EXITED && j->code == good) {
		*reason = '\0';
		return RECORD_OK;
	}
	if (j->state != JOB_EXITED || !*reason)
		job_end_text(j, reason, n);
	return RECORD_FAILED;
}

bool record_write_json(const char *path, const json_t *json, struct err *err)
{
	struct output_file o;
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	if (json_dumpf(json, o.f, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0 || ferror(o.f)) {
		fputc('\n', o.f);
		return output_end(&o, path, err);
	}
	output_drop(&o);
	return err_set(err, "%s: it can't be written as JSON", path);
}

bool record_make(const struct record_files *f, const char *key, const char *build,
                 const struct job *j, int good, struct err *err)
{
	char reason[400];
	enum record_status status = record_classify_exit(j, good, reason, sizeof reason);
	json_t *stats = json_load_file(f->stats, 0, NULL);
	if (!stats && status != RECORD_FAILED) {
		status = RECORD_FAILED;
		snprintf(reason, sizeof reason, "it ended well but left no statistics");
	}
	json_t *json = json_pack("{s:s, s:s, s:s, s:o, s:b, s:i, s:f, s:f, s:I, s:o}", "key", key,
	                         "build", build, "status", record_status_name[status], "reason",
	                         record_text(reason), "again",
	                         status == RECORD_FAILED && j->state != JOB_EXITED, "exit_status",
	                         j->state == JOB_EXITED ? j->code : -1, "host_seconds", j->seconds,
	                         "host_cpu_seconds", j->cpu_seconds, "host_peak_kib",
	                         (json_int_t)j->peak_kib, "stats", stats ? stats : json_object());
	if (!json)
		return err_set(err, "%s: the run's messages can't be kept as JSON", f->record);
	bool ok = record_write_json(f->record, json, err);
	json_decref(json);
	output_remove(f->stats);
	return ok;
}

struct record record_read(const char *path)
{
	struct record r = {.reason = "", .build = "", .json = json_load_file(path, 0, NULL)};
	const char *status;
	int again;
	json_t *stats;
	if (r.json &&
	    json_unpack(r.json, "{s:s, s:s, s:s, s:b, s:o}", "status", &status, "reason", &r.reason,
	                "build", &r.build, "again", &again, "stats", &stats) == 0 &&
	    json_is_object(stats)) {
		r.again = again;
		for (int s = RECORD_OK; s <= RECORD_FAILED; s++)
			if (!strcmp(status, record_status_name[s]))
				r.status = (enum record_status)s;
	}
	if (r.status == RECORD_NONE)
		record_deinit(&r);
	return r;
}

void record_deinit(struct record *r)
{
	json_decref(r->json);
	*r = (struct record){.reason = "", .build = ""};
}

bool record_outdated(const struct record *r, const char *build, bool force, bool retry,
                     bool any_build)
{
	if (r->status == RECORD_NONE || force || (!any_build && strcmp(r->build, build) != 0))
		return true;
	return r->status == RECORD_FAILED && (r->again || retry);
}

const json_t *record_stat(const struct record *r, const struct stat_row *row)
{
	if (r->status != RECORD_OK && r->status != RECORD_LIMIT)
		return NULL;
	const json_t *stats = json_object_get(r->json, "stats"),
		     *estimated = json_object_get(stats, "estimated");
	const json_t *v = json_object_get(stats, row->name);
	if (estimated) { /* of `run --sample` */
		v = json_object_get(json_object_get(estimated, row->name), "value");
		v = v ? v : json_object_get(json_object_get(stats, "exact"), row->name);
	}
	return json_is_number(v) ? v : NULL;
}
