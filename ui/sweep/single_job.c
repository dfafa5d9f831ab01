#include "ui/sweep/single_job.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/host/own_program.h"
#include "ui/cli/jobs.h"
#include "ui/render/safe_print.h"
#include "ui/sweep/digest.h"
#include "ui/sweep/record.h"

/* Names of the job's files, derived from the record's: OUT/jobs/KEY.json. Temporary names include
 * the host, because hosts may share OUT. */
struct names {
	char record[PATH_MAX], key[NAME_MAX + 1], out[PATH_MAX];
	char stats[PATH_MAX + 400], stdout_path[PATH_MAX + 400], log[PATH_MAX + 400];
};

static bool name_files(struct names *n, const char *record, struct err *err)
{
	char host[65] = "";
	const char *slash = strrchr(record, '/');
	size_t len = strlen(record), folder = slash ? (size_t)(slash - record) : 0;
	if (len >= sizeof n->record || folder < 6 || strncmp(slash - 5, "/jobs", 5) != 0 ||
	    len - folder < 7 || len - folder > 200 || strcmp(record + len - 5, ".json") != 0)
		return err_set(
			err, "--one %s: expected --one RESULTS/jobs/KEY.json, as --emit writes it",
			record);
	snprintf(n->record, sizeof n->record, "%s", record);
	snprintf(n->key, sizeof n->key, "%.*s", (int)(len - folder - 6), slash + 1);
	snprintf(n->out, sizeof n->out, "%.*s", (int)(folder - 5), record);
	gethostname(host, sizeof host - 1);
	snprintf(n->stats, sizeof n->stats, "%s/jobs/%s.%s-%ld.partial.json", n->out, n->key, host,
	         (long)getpid());
	snprintf(n->stdout_path, sizeof n->stdout_path, "%s/logs/%s.out", n->out, n->key);
	snprintf(n->log, sizeof n->log, "%s/logs/%s.log", n->out, n->key);
	return sweep_make_folders(n->out, err);
}

static int one_run_child(const struct one_job *one, const struct names *n, const char *build,
                         double timeout, struct err *err)
{
	enum { WORDS_MAX = 4096 };
	char option[PATH_MAX + 480], self[PATH_MAX], *argv[WORDS_MAX];
	size_t count = 0;
	own_program_to_run(self, sizeof self);
	argv[count++] = self;
	argv[count++] = one->run[0];
	memcpy(option, "--stats=", 8);
	if (!output_inherited(n->stats, option + 8, sizeof option - 8))
		return err_set(err, "%s: the name is too long", n->stats), -1;
	argv[count++] = option;
	for (size_t i = 1; one->run[i]; i++) {
		if (count == WORDS_MAX - 1)
			return err_set(err, "--one: more than %d words", WORDS_MAX), -1;
		argv[count++] = one->run[i];
	}
	argv[count] = NULL;
	struct job j = {
		.argv = argv,
		.in = one->stdin_path,
		.out = n->stdout_path,
		.err = n->log,
		.keeps_err = true,
		.log = -1,
		.timeout = timeout,
	};
	int sig = jobs_run(&j, 1, 1, NULL);
	if (sig) {
		output_remove(n->stats);
		if (j.log >= 0)
			close(j.log);
		return 128 + sig;
	}
	const struct record_files f = {.record = n->record, .stats = n->stats};
	if (!record_make(&f, n->key, build, &j, one->good, err))
		return -1;
	struct record r = record_read(n->record);
	int status = r.status == RECORD_OK || r.status == RECORD_LIMIT ? 0 : 1;
	if (status)
		say_error("%s: %s", n->key, r.reason);
	record_deinit(&r);
	return status;
}

int one_run(const struct one_job *one, const struct sweep_options *o, struct err *err)
{
	struct names n;
	char build[DIGEST_TEXT_BYTES];
	if (!name_files(&n, one->record, err))
		return -1;
	digest_build(build);
	struct record r = record_read(n.record);
	bool wanted = record_outdated(&r, build, o->force, o->retry, o->any_build);
	int status = r.status == RECORD_FAILED;
	record_deinit(&r);
	return wanted ? one_run_child(one, &n, build, o->timeout, err) : status;
}
