#include "core/defs/config_fields.h"

#include "ui/compare/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/host/own_program.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "loader/launch.h"
#include "scripting/config/config_lua.h"
#include "scripting/plugin/plugin.h"
#include "ui/cli/cli.h"
#include "ui/cli/jobs.h"
#include "ui/console/ending.h"

enum { WORDS_MAX = 2 * (OPTIONS_SETS_MAX + OPTIONS_ENV_MAX + OPTIONS_PATCHES_MAX) + 64, FILES = 3 };

static const char *const file_names[FILES] = {"stats", "out", "err"};

/* A machine's process: its command line and files. */
struct child {
	struct compared *m;
	char **words;      /* owned, so is each; NULL at the end */
	unsigned count;
	char *file[FILES]; /* owned; file_names */
};

struct running {
	char folder[64];                   /* temporary */
	char input[80];                    /* empty: none */
	struct child child[COMPARE_MAX];
	struct job job[COMPARE_MAX];       /* [count] */
	unsigned count, done;
	bool tell;                         /* show progress (on a terminal) */
};

/* ---- configurations ---- */
/* True if "NAME=VALUE..." sets a parameter that is a text or a list. */
static bool sets_text(const char *word)
{
	if (!strncmp(word, "instrument=", 11))
		return true;
	size_t n = strcspn(word, "=");
	char name[64];
	if (!word[n] || n >= sizeof name)
		return false;
	memcpy(name, word, n);
	name[n] = '\0';
	const struct param *p = param_find(name, NULL);
	return p && p->type == PARAM_TEXT;
}

/* True if the word begins like "FAMILY.NAME=", whether such a parameter exists or not. */
static bool compare_run_is_assignment(const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t family = strspn(word, letters);
	if (!family || word[family] != '.')
		return false;
	size_t name = strspn(word + family + 1, letters);
	return name && word[family + 1 + name] == '=';
}

/* Cuts the next word of "NAME,PARAMETER=VALUE,..." off *rest; NULL at the end. A text may contain
 * commas: it ends at a comma that something like the next "PARAMETER=" follows. */
static char *compare_run_next_word(char **rest)
{
	char *word = strsep(rest, ",");
	bool text = word && sets_text(word);
	while (text && *rest && !compare_run_is_assignment(*rest)) {
		(*rest)[-1] = ',';
		strsep(rest, ",");
	}
	return word;
}

/* True if one of a machine's words is a configuration, not a parameter's value. */
static bool is_config(const char *word)
{
	return !strchr(word, '=');
}

/* Applies a word that follows the configuration. */
static bool take_change(const char *word, struct config *out, struct twin_program *program,
                        struct err *err)
{
	bool bad;
	if (is_config(word))
		return err_set(err, "%s: expected a configuration before its changes", word);
	return twin_program_word(program, word, &bad, err)
	               ? !bad
	               : config_set_assignment(out, word, err);
}

bool compare_config(const struct options *o, const char *spec, struct config *out,
                    struct twin_program *program, struct config_files *files, struct err *err)
{
	char *copy = alloc_text(spec), *rest = copy,
	     *word = copy ? compare_run_next_word(&rest) : NULL;
	if (!copy)
		return err_set(err, "out of memory");
	config_default(out);
	*program = (struct twin_program){0};
	bool ok = config_load_files(out, word, files, err);
	while (ok && (word = compare_run_next_word(&rest)) && is_config(word))
		ok = config_load_files(out, word, files, err);
	if (ok && o->plugins)
		plugins_ask(plugin_set_plugins(o->plugins), out);
	for (unsigned i = 0; ok && i < o->set_count; i++)
		ok = config_set_assignment(out, o->sets[i], err);
	for (; ok && word; word = compare_run_next_word(&rest))
		ok = take_change(word, out, program, err);
	free(copy);
	if (ok && o->firmware)
		out->firmware = 1;
	if (ok && o->microprogram)
		out->cop = 1;
	if (ok && o->values_modules)
		ok = config_set(out, "values.modules", o->values_modules, err);
	if (ok && strcmp(out->values_modules, "none") != 0)
		out->vsample = 1;
	return ok && config_check(out, err);
}

/* ---- the command line of one ---- */
static __attribute__((format(printf, 2, 3))) void compare_run_add_arg(struct child *k,
                                                                      const char *fmt, ...)
{
	va_list ap;
	char *word = NULL;
	va_start(ap, fmt);
	if ((word = alloc_format_args(fmt, ap)) && k->count < WORDS_MAX)
		k->words[k->count++] = word;
	else
		free(word);
	va_end(ap);
}

static void add_machine(struct child *k, const struct options *o)
{
	char *copy = alloc_text(k->m->name), *rest = copy, *word = compare_run_next_word(&rest);
	compare_run_add_arg(k, "--config=%s", word ? word : "");
	while ((word = compare_run_next_word(&rest)) && is_config(word))
		compare_run_add_arg(k, "--config=%s", word);
	for (unsigned i = 0; i < o->set_count; i++)
		compare_run_add_arg(k, "--set=%s", o->sets[i]);
	for (; word; word = compare_run_next_word(&rest))
		compare_run_add_arg(k, strncmp(word, "instrument=", 11) ? "--set=%s" : "--%s",
		                    word);
	free(copy);
}

/* True if the machine uses the plug-in of a --plugin: its own changes may select another part. */
static bool compare_run_has_plugin(const struct child *k, const char *word)
{
	struct err err;
	struct plugin_set *alone = plugin_set_new();
	bool has = !alone || !plugin_set_add_word(alone, word, &err);
	if (!has) {
		const struct plugins asked = plugins_asked(plugin_set_plugins(alone), &k->m->cfg);
		for (unsigned i = 0; i < PLUGIN_COUNT; i++)
			has |= asked.at[i] != NULL;
	}
	plugin_set_free(alone);
	return has;
}

/* False if memory is out. */
static bool compare_run_build_argv(struct child *k, const struct options *o)
{
	char self[PATH_MAX];
	k->words = alloc_zeroed((size_t)WORDS_MAX + (size_t)o->argc + 1, sizeof *k->words);
	if (!k->words)
		return false;
	own_program_to_run(self, sizeof self);
	compare_run_add_arg(k, "%s", self);
	compare_run_add_arg(k, "run");
	add_machine(k, o);
	compare_run_add_arg(k, "--stats=%s", k->file[0]);
	for (unsigned i = 0; i < o->env_count; i++)
		compare_run_add_arg(k, "--env=%s", o->env[i]);
	for (unsigned i = 0; i < o->patches.count; i++)
		compare_run_add_arg(k, "--patch=%s", o->patch[i]);
	for (unsigned i = 0; i < o->folder_count; i++)
		compare_run_add_arg(k, "--dir=/%s=%s", o->folders[i].at, o->folders[i].host);
	if (o->cc)
		compare_run_add_arg(k, "--cc=%s", o->cc);
	if (o->sysroot)
		compare_run_add_arg(k, "--sysroot=%s", o->sysroot);
	if (o->firmware)
		compare_run_add_arg(k, "--firmware=%s", o->firmware);
	if (o->microprogram)
		compare_run_add_arg(k, "--cop=%s", o->microprogram);
	for (unsigned i = 0; i < o->plugin_count; i++)
		if (compare_run_has_plugin(k, o->plugin[i]))
			compare_run_add_arg(k, "--plugin=%s", o->plugin[i]);
	if (o->values_modules)
		compare_run_add_arg(k, "--values=%s", o->values_modules);
	if (o->restore)
		compare_run_add_arg(k, "--restore=%s", o->restore);
	if (o->ff)
		compare_run_add_arg(k, "--ff=%" PRIu64, o->ff);
	if (o->given[OPT_WARMUP])
		compare_run_add_arg(k, "--warmup");
	if (o->max_insts != UINT64_MAX)
		compare_run_add_arg(k, "--max-insts=%" PRIu64, o->max_insts);
	if (o->max_cycles != UINT64_MAX)
		compare_run_add_arg(k, "--max-cycles=%" PRIu64, o->max_cycles);
	compare_run_add_arg(k, "--");
	for (int i = 0; i < o->argc; i++)
		k->words[k->count++] =
			alloc_text(i == 0 && o->compiled_from ? o->compiled_from : o->argv[i]);
	for (unsigned i = 0; i < k->count; i++)
		if (!k->words[i])
			return false;
	return true;
}

/* ---- results ---- */
static uint64_t digest_file(const char *path)
{
	uint64_t h = HASH_START;
	char bytes[65536];
	size_t n;
	FILE *f = alloc_file(path, "rb");
	while (f && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
		h = hash_bytes(h, bytes, n);
	if (f)
		fclose(f);
	return h;
}

/* Reads the first line that cyclops itself printed, without its prefix; empty if none. */
static void own_words(const char *path, char *buf, size_t n)
{
	static const char me[] = "cyclops: ";
	char line[600];
	FILE *f = alloc_file(path, "r");
	*buf = '\0';
	while (f && !*buf && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, me, sizeof me - 1))
			snprintf(buf, n, "%.*s", (int)n - 1, line + sizeof me - 1);
	}
	if (f)
		fclose(f);
}

/* Reads counters by name, as --stats writes them; derived statistics are computed from them. */
static bool compare_run_read_stats(const char *path, const struct config *cfg, struct stats *out)
{
	char line[400], name[64];
	uint64_t value;
	size_t found = 0, wanted = 0;
	FILE *f = alloc_file(path, "r");
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < stat_row_count; i++)
		wanted += !stat_rows[i].derived && stat_exists(cfg, &stat_rows[i]);
	while (f && fgets(line, sizeof line, f)) {
		const struct stat_row *row;
		if (sscanf(line, "%63s %" SCNu64, name, &value) != 2 ||
		    !(row = stat_find(name, NULL)) || row->derived)
			continue;
		memcpy((char *)out + row->offset, &value, sizeof value);
		found++;
	}
	if (f)
		fclose(f);
	return found == wanted;
}

static void compare_run_mark_failed(struct compared *m, const char *why)
{
	m->state = COMPARED_FAILED;
	snprintf(m->why, sizeof m->why, "%s", why);
}

static void compare_run_record_exit(struct child *k, const struct job *j, const struct options *o)
{
	struct compared *m = k->m;
	char said[sizeof m->why], how[200];
	bool limited = o->max_insts != UINT64_MAX || o->max_cycles != UINT64_MAX;
	m->seconds = j->seconds;
	own_words(k->file[2], said, sizeof said);
	if (j->state != JOB_EXITED) {
		compare_run_mark_failed(m, job_end_text(j, how, sizeof how));
	} else if (j->code == STATUS_ERROR && *said) {
		compare_run_mark_failed(m, said);
	} else if (!compare_run_read_stats(k->file[0], &m->cfg, &m->stats)) {
		char none[240];
		snprintf(none, sizeof none, "it left no statistics: %s",
		         job_end_text(j, how, sizeof how));
		compare_run_mark_failed(m, *said ? said : none);
	} else {
		m->state = j->code == STATUS_LIMIT && limited && *said ? COMPARED_LIMIT
		                                                       : COMPARED_ENDED;
		m->exit_status = j->code;
		m->output = digest_file(k->file[1]);
		m->errors = *said ? 0 : digest_file(k->file[2]);
		if (m->state == COMPARED_ENDED)
			snprintf(m->why, sizeof m->why, "%s", said);
	}
}

/* ---- input ---- */
static bool compare_run_save_stdin(struct running *r, int from, struct err *err)
{
	char bytes[65536];
	ssize_t n = 0;
	snprintf(r->input, sizeof r->input, "%s/in", r->folder);
	int fd = open(r->input, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, "%s: %s", r->input, strerror(errno));
	while ((n = read(from, bytes, sizeof bytes)) > 0)
		if (write(fd, bytes, (size_t)n) != n)
			break;
	bool ok = close(fd) == 0 && n <= 0;
	return ok ||
	       err_set(err, "standard input can't be kept in %s: %s", r->input, strerror(errno));
}

/* Copies input that can be read only once, a pipe, to a file; each child opens a file itself. */
static bool keep_input(struct running *r, const struct options *o, struct err *err)
{
	struct stat st;
	if (!o->stdin_path)
		return isatty(STDIN_FILENO) || compare_run_save_stdin(r, STDIN_FILENO, err);
	const int fd = launch_open_input(o->stdin_path, err);
	if (fd < 0)
		return false;
	const bool kept =
		fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode) || compare_run_save_stdin(r, fd, err);
	close(fd);
	return kept;
}

/* ---- all of them ---- */
static bool compare_run_prepare_children(struct running *r, struct comparison *c,
                                         const struct options *o)
{
	for (unsigned i = 0; i < c->count; i++) {
		struct child *k = &r->child[r->count];
		if (c->machine[i].state == COMPARED_FAILED)
			continue;
		k->m = &c->machine[i];
		for (int f = 0; f < FILES; f++)
			if (!(k->file[f] = alloc_format("%s/%u.%s", r->folder, i, file_names[f])))
				return false;
		r->count++;
		if (!compare_run_build_argv(k, o))
			return false;
		r->job[r->count - 1] = (struct job){
			.argv = k->words,
			.in = *r->input ? r->input : o->stdin_path,
			.out = k->file[1],
			.err = k->file[2],
		};
	}
	return true;
}

static void compare_run_clean_up(struct running *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		struct child *k = &r->child[i];
		for (int f = 0; f < FILES; f++)
			free(k->file[f]);
		for (unsigned w = 0; k->words && w < k->count; w++)
			free(k->words[w]);
		free(k->words);
	}
	ending_remove_folder();
	free(r);
}

static void compare_run_on_job_end(void *ctx, struct job *j)
{
	struct running *r = ctx;
	(void)j;
	r->done++;
	if (r->tell)
		fprintf(stderr, r->done < r->count ? "\r%u of %u machines..." : "\r\033[K", r->done,
		        r->count);
}

static bool compare_run_create_temp_folder(struct running *r, struct err *err)
{
	const char *where = getenv("TMPDIR");
	if (!where || *where != '/' || strlen(where) > sizeof r->folder - 20)
		where = "/tmp";
	snprintf(r->folder, sizeof r->folder, "%s/cyclops.XXXXXX", where);
	return ending_make_folder(r->folder) ||
	       err_set(err, "%s: no temporary folder: %s", where, strerror(errno));
}

int compare_run(struct comparison *c, const struct options *o, unsigned at_once, struct err *err)
{
	int signal = -1;
	struct running *r = alloc_zeroed(1, sizeof *r);
	if (!r || !compare_run_create_temp_folder(r, err)) {
		if (!r)
			err_set(err, "out of memory");
		free(r);
		return -1;
	}
	r->tell = isatty(STDERR_FILENO);
	if (keep_input(r, o, err)) {
		if (compare_run_prepare_children(r, c, o)) {
			if (r->tell)
				fprintf(stderr, "0 of %u machines...", r->count);
			signal = jobs_run(
				r->job, r->count, at_once,
				&(struct jobs_watcher){.ended = compare_run_on_job_end, .ctx = r});
			if (r->tell && r->done < r->count)
				fputs("\r\033[K", stderr);
			for (unsigned i = 0; i < r->count; i++)
				compare_run_record_exit(&r->child[i], &r->job[i], o);
		} else {
			err_set(err, "out of memory");
		}
	}
	compare_run_clean_up(r);
	return signal;
}
