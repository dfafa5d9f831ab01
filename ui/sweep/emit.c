#include "ui/sweep/emit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/nearest_word.h"
#include "core/base/output_file.h"
#include "hwviews/grid/utf8.h"
#include "ui/child/child_words.h"

/* Most tasks of a Slurm array; Slurm's default limit is 1001. More jobs share tasks. */
enum { SLURM_TASKS_MAX = 1000 };

static bool emit_word_is_shell_safe(const char *s)
{
	static const char safe[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	return *s && s[strspn(s, safe)] == '\0';
}

static bool has_controls(const char *s)
{
	uint32_t code;
	for (size_t n = strlen(s), length; n > 0; s += length, n -= length) {
		length = utf8_decode(s, n, &code);
		if (!utf8_is_shown(code))
			return true;
	}
	return false;
}

void emit_word(FILE *f, const char *word)
{
	bool controls = has_controls(word);
	if (emit_word_is_shell_safe(word)) {
		fputs(word, f);
		return;
	}
	fputs(controls ? "$'" : "'", f);
	for (const char *s = word; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (controls && (c < 0x20 || c >= 0x7f))
			fprintf(f, "\\x%02x", c);
		else if (controls && (c == '\'' || c == '\\'))
			fprintf(f, "\\%c", c);
		else if (c == '\'')
			fputs("'\\''", f);
		else
			fputc(c, f);
	}
	fputc('\'', f);
}

static void emit_write_words(FILE *f, char *const *words)
{
	for (; *words; words++) {
		fputc(' ', f);
		emit_word(f, *words);
	}
}

/* Calls fn for each job that has to be run. */
static size_t each_wanted(const struct sweep *s, const struct sweep_options *o, FILE *f,
                          void (*fn)(FILE *f, const struct sweep *s, const struct plan_job *j,
                                     const struct sweep_options *o))
{
	const size_t *first = sweep_first_alike(s->plan);
	size_t n = 0;
	for (size_t i = 0; i < s->plan->job_count; i++)
		if (first[i] == i && sweep_wants(s, i, o)) {
			fn(f, s, &s->plan->jobs[i], o);
			n++;
		}
	return n;
}

static void emit_write_command(FILE *f, const struct sweep *s, const struct plan_job *j,
                               const struct sweep_options *o)
{
	const struct plan_program *g = &s->plan->programs[j->program];
	(void)o;
	fputs("cyclops", f);
	emit_write_words(f, j->run.text);
	fputs(" <", f);
	emit_word(f, g->stdin_path ? g->stdin_path : "/dev/null");
	fputc('\n', f);
}

size_t emit_commands(FILE *f, const struct sweep *s, const struct sweep_options *o)
{
	return each_wanted(s, o, f, emit_write_command);
}

/* ---- folders ---- */

static void put_job(FILE *f, const struct sweep *s, const struct plan_job *j,
                    const struct sweep_options *o)
{
	struct plan *p = s->plan;
	const struct plan_program *g = &p->programs[j->program];
	double timeout = o->timeout > 0 ? o->timeout : g->timeout;
	emit_word(f, p->exe);
	fputs(" sweep --one ", f);
	emit_word(f, plan_job_file(p, j, "jobs", ".json"));
	if (o->force)
		fputs(" --force", f);
	if (o->retry)
		fputs(" --retry", f);
	if (o->any_build)
		fputs(" --any-build", f);
	if (g->stdin_path) {
		fputs(" --stdin ", f);
		emit_word(f, g->stdin_path);
	}
	if (timeout > 0)
		fprintf(f, " --timeout %.17g", timeout);
	if (g->status)
		fprintf(f, " --status-good %d", g->status);
	fputs(" --", f);
	emit_write_words(f, j->run.text);
	fputc('\n', f);
}

static void emit_write_record_path(FILE *f, const struct sweep *s, const struct plan_job *j,
                                   const struct sweep_options *o)
{
	(void)o;
	fprintf(f, "%s\n", plan_job_file(s->plan, j, "jobs", ".json"));
}

static void put_log(FILE *f, const struct sweep *s, const struct plan_job *j,
                    const struct sweep_options *o)
{
	(void)o;
	fprintf(f, "%s\n", plan_job_file(s->plan, j, "logs", ".log"));
}

/* Writes the beginning of every script: $here is its folder; it runs in the directory to which file
 * names are relative. */
static void put_preamble(FILE *f, const char *here, const char *work)
{
	fputs("set -u\nhere=", f);
	emit_word(f, here);
	fputs("\ncd -- ", f);
	emit_word(f, work);
	fputs(" || exit 125\n", f);
}

/* Writes the plan's file as a word that is no option. */
static void put_plan(FILE *f, const struct plan *p)
{
	fputs(child_file_misleads(p->path) ? "./" : "", f);
	emit_word(f, p->path);
}

static void put_parallel(FILE *f, const struct plan *p, const char *here, const char *work,
                         size_t count)
{
	fprintf(f,
	        "#!/bin/bash\n"
	        "# The %zu jobs of a sweep by GNU parallel. Finished jobs are not run again.\n"
	        "#\n"
	        "#   run.sh                                 here, as many at once as there are "
	        "cores\n"
	        "#   run.sh --sshloginfile FILE             on the hosts in FILE, which see this "
	        "directory, cyclops and\n"
	        "#                                          the programs under the same names\n"
	        "#   run.sh --fetch --sshloginfile FILE     the same where each host has a disk of "
	        "its own: results are\n"
	        "#                                          copied back (by rsync)\n"
	        "#\n"
	        "# All other options are GNU parallel's: -j 4, --progress, --dry-run. Afterwards, "
	        "to gather the results:\n"
	        "#\n"
	        "#   cyclops sweep --collect ",
	        count);
	put_plan(f, p);
	fputs("\n\n", f);
	put_preamble(f, here, work);
	fputs("fetch=()\n"
	      "if [ \"${1:-}\" = --fetch ]; then\n"
	      "\tshift\n"
	      "\tfetch=(--return '{2}' --return '{3}')\n"
	      "fi\n"
	      "export PARALLEL_SHELL=/bin/bash\n"
	      "exec parallel --link --workdir \"$PWD\" --joblog \"$here/joblog\" \"${fetch[@]}\" "
	      "\"$@\" \\\n"
	      "\teval '{1}' :::: \"$here/jobs\" \"$here/records\" \"$here/logs\"\n",
	      f);
}

static void put_slurm(FILE *f, const struct plan *p, const char *here, const char *work,
                      size_t count)
{
	size_t tasks = count < SLURM_TASKS_MAX ? count : SLURM_TASKS_MAX;
	fprintf(f, "#!/bin/bash\n"
	           "#SBATCH --job-name=cyclops-sweep\n"
	           "#SBATCH --array=1-%zu\n"
	           "#SBATCH --cpus-per-task=1\n"
	           "#SBATCH --output=\"", tasks);
	for (const char *c = here; *c; c++) {
		if (*c == '%')
			fputc('%', f);
		fputc(*c, f);
	}
	fprintf(f,
	        "/slurm-%%A_%%a.out\"\n"
	        "#\n"
	        "# The %zu jobs of a sweep as a Slurm array: sbatch sweep.sbatch. Nodes see this "
	        "directory, cyclops and the\n"
	        "# programs under the same names. Finished jobs are not run again. "
	        "Afterwards, to gather the results:\n"
	        "#\n"
	        "#   cyclops sweep --collect ",
	        count);
	put_plan(f, p);
	fputs("\n\n", f);
	put_preamble(f, here, work);
	fprintf(f, "status=0\n"
	           "for ((line = SLURM_ARRAY_TASK_ID; line <= %zu; line += %zu)); do\n"
	           "\tjob=$(sed -n \"${line}p\" \"$here/jobs\")\n"
	           "\teval \"$job\" || status=1\n"
	           "done\n"
	           "exit $status\n", count, tasks);
}

static bool write_lists(const char *here, const struct sweep *s, const struct sweep_options *o,
                        size_t *count, struct err *err)
{
	static const struct {
		const char *name;
		void (*put)(FILE *f, const struct sweep *s, const struct plan_job *j,
		            const struct sweep_options *o);
	} lists[] = {{"jobs", put_job}, {"records", emit_write_record_path}, {"logs", put_log}};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const char *path = plan_text(s->plan, "%s/%s", here, lists[i].name);
		struct output_file file;
		if (!output_begin(&file, path, OUTPUT_FILE_REGULAR, err))
			return false;
		*count = each_wanted(s, o, file.f, lists[i].put);
		if (!output_end(&file, path, err))
			return false;
	}
	return true;
}

static const struct script {
	const char *kind, *name;
	void (*put)(FILE *f, const struct plan *p, const char *here, const char *work,
	            size_t count);
	/* a character that the program can't take in the name of the folder, 0: none */
	char here_lacks, work_lacks;
} scripts[] = {
	/* in names of folders, parallel replaces {1} by an argument and runs {= =} as Perl */
	{"parallel", "run.sh", put_parallel, 0, '{'},
	{"slurm", "sweep.sbatch", put_slurm, '\\', 0},
};

static bool folder_lacks(const char *folder, char character, const char *kind, struct err *err)
{
	return !character || !strchr(folder, character) ||
	       err_set(err, "%s: %s doesn't take '%c' in a folder's name as it is", folder, kind,
	               character);
}

static const struct script *find_script(const char *kind, struct err *err)
{
	struct nearest n;
	nearest_init(&n, kind);
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		if (!strcmp(scripts[i].kind, kind))
			return &scripts[i];
		nearest_offer(&n, scripts[i].kind);
	}
	return err_set(err, "--emit takes parallel or slurm, not '%s'%s", kind,
	               nearest_tail(&n)),
	       NULL;
}

bool emit_folder(const char *kind, const char *folder, const struct sweep *s,
                 const struct sweep_options *o, size_t *count, struct err *err)
{
	char here[PATH_MAX], work[PATH_MAX];
	const struct script *script = find_script(kind, err);
	if (!script)
		return false;
	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return err_set(err, "%s: %s", folder, strerror(errno));
	if (!realpath(folder, here) || !getcwd(work, sizeof work))
		return err_set(err, "%s: %s", folder, strerror(errno));
	if (strpbrk(here, "\n\"") || strchr(s->plan->out, '\n'))
		return err_set(err,
		               "%s: quotes and line ends in a folder's name don't survive a script",
		               folder);
	if (!folder_lacks(here, script->here_lacks, kind, err) ||
	    !folder_lacks(work, script->work_lacks, kind, err))
		return false;
	if (!write_lists(here, s, o, count, err))
		return false;
	const char *path = plan_text(s->plan, "%s/%s", here, script->name);
	struct output_file file;
	if (!output_begin(&file, path, OUTPUT_FILE_REGULAR, err))
		return false;
	script->put(file.f, s->plan, here, work, *count);
	output_make_executable(&file);
	return output_end(&file, path, err);
}
