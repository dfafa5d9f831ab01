#include "ui/cli/compile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "ui/cli/assemble.h"

enum { CC_WORDS = 64 };

/* As README compiles programs. */
static const struct {
	const char *ending, *cc, *package;
} languages[] = {
	{".c", "riscv64-linux-gnu-gcc -O2 -g -static", "gcc-riscv64-linux-gnu"},
	{".s", NULL, NULL}, /* assembled here */
	{".S", "riscv64-linux-gnu-gcc -O2 -g -static", "gcc-riscv64-linux-gnu"},
	{".cc", "riscv64-linux-gnu-g++ -O2 -g -static", "g++-riscv64-linux-gnu"},
	{".cpp", "riscv64-linux-gnu-g++ -O2 -g -static", "g++-riscv64-linux-gnu"},
	{".cxx", "riscv64-linux-gnu-g++ -O2 -g -static", "g++-riscv64-linux-gnu"},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

/* The row of a source file, LANGUAGES if it is none. */
static unsigned language_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	unsigned i = 0;
	while (i < LANGUAGES &&
	       (!dot || dot == path || dot == slash + 1 || strcmp(dot, languages[i].ending) != 0))
		i++;
	return i;
}

bool compile_is_text(const struct options *o)
{
	const unsigned language = o->argc && !o->cc ? language_of(o->argv[0]) : LANGUAGES;
	return language < LANGUAGES && !languages[language].cc;
}

static bool compile_create_folder(const char *path, struct err *err)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST ||
	       err_set(err, "%.200s: %s", path, strerror(errno));
}

/* The folder for programs, made if it isn't there. */
static bool cache_folder(char *out, size_t n, struct err *err)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		snprintf(out, n, "%s", cache);
	else if (home && *home)
		snprintf(out, n, "%s/.cache", home);
	else
		return err_set(
			err,
			"there is no folder for compiled programs: set XDG_CACHE_HOME or HOME");
	if (!compile_create_folder(out, err) || strlen(out) + 80 > n)
		return false;
	strcat(out, "/cyclops");
	return compile_create_folder(out, err);
}

/* Runs the compiler; its messages go to stderr. */
static bool run_compiler(char **words, const char *source, const char *cc, const char *package,
                         struct err *err)
{
	posix_spawn_file_actions_t files;
	pid_t pid;
	int status;
	if (posix_spawn_file_actions_init(&files) != 0)
		return err_set(err, "out of memory");
	posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	const int why = posix_spawnp(&pid, words[0], &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	if (why == ENOENT)
		return err_set(err,
		               "%s: there is no compiler %s (apt-get install %s, or --cc "
		               "\"COMPILER OPTIONS\")",
		               source, words[0], package);
	if (why)
		return err_set(err, "%s: %s", words[0], strerror(why));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, "%s: %s", words[0], strerror(errno));
	return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
	       err_set(err, "%s does not compile with %s", source, cc);
}

/* The command's words with what they are about. */
static bool compile_spawn_compiler(const char *source, const char *cc, const char *package,
                                   const char *out, struct err *err)
{
	char *copy = alloc_text(cc), *rest = copy, *words[CC_WORDS + 5], *word;
	size_t n = 0;
	if (!copy)
		return err_set(err, "out of memory");
	while ((word = strsep(&rest, " \t")) && n < CC_WORDS)
		if (*word)
			words[n++] = word;
	bool ok =
		n > 0 ||
		err_set(err, "--cc: which compiler? right: --cc \"riscv64-linux-gnu-gcc -O1 -g\"");
	ok = ok && (!word || err_set(err, "--cc: at most %d words", CC_WORDS));
	if (ok) {
		words[n++] = (char *)(uintptr_t) "-o";
		words[n++] = (char *)(uintptr_t)out;
		words[n++] = (char *)(uintptr_t)source;
		words[n++] = (char *)(uintptr_t) "-lm";
		words[n] = NULL;
		ok = run_compiler(words, source, cc, package, err);
	}
	free(copy);
	return ok;
}

bool compiled_place(const char *source, const char *cc, char *place, size_t n, struct err *err)
{
	char folder[PATH_MAX], whole[PATH_MAX];
	/* A text that is yet to be written has a place, too. */
	if (!realpath(source, whole) &&
	    (errno != ENOENT || snprintf(whole, sizeof whole, "/%s", source) >= (int)sizeof whole))
		return err_set(err, "%s: %s", source, strerror(errno));
	*err = (struct err){0};
	if (!cache_folder(folder, sizeof folder - 64, err))
		return err->msg[0] ? false : err_set(err, "%s: its path is too long", source);
	const uint64_t digest = hash_bytes(hash_text(whole), cc, strlen(cc));
	const char *base = strrchr(whole, '/') + 1, *dot = strrchr(base, '.');
	return snprintf(place, n, "%s/%.*s-%016" PRIx64, folder, (int)(dot - base), base, digest) <
	               (int)n ||
	       err_set(err, "%s: its path is too long", source);
}

/* Into a folder of its own, and from there to its place, whatever lies there: nobody else's link is
 * followed. */
static bool compile_to(const char *source, const char *cc, const char *package, char *place,
                       size_t n, struct err *err)
{
	char folder[PATH_MAX], out[PATH_MAX];
	struct stat st;
	if (stat(source, &st) != 0)
		return err_set(err, "%s: %s", source, strerror(errno));
	if (!compiled_place(source, cc ? cc : "", place, n, err))
		return false;
	snprintf(folder, sizeof folder, "%.*s/new-XXXXXX", (int)(strrchr(place, '/') - place),
	         place);
	if (!mkdtemp(folder))
		return err_set(err, "%s: %s", folder, strerror(errno));
	snprintf(out, sizeof out, "%.*s/a.out", (int)sizeof out - 8, folder);
	bool ok = cc ? compile_spawn_compiler(source, cc, package, out, err)
	             : assemble_file(source, out, false, err);
	if (ok && rename(out, place) != 0)
		ok = err_set(err, "%s: %s", place, strerror(errno));
	unlink(out);
	rmdir(folder);
	return ok;
}

bool options_compiled(struct options *o, const char *place, struct err *err)
{
	const char *source = o->argv[0];
	o->compiled_from = source;
	o->program_file = alloc_text(place);
	o->program_name = alloc_text_n(source, (size_t)(strrchr(source, '.') - source));
	if (!o->program_file || !o->program_name)
		return err_set(err, "out of memory");
	o->argv[0] = o->program_name;
	return true;
}

bool compile_source(struct options *o, struct err *err)
{
	char place[PATH_MAX];
	const unsigned language = o->argc ? language_of(o->argv[0]) : LANGUAGES;
	if (language == LANGUAGES) {
		if (o->cc && o->argc)
			return err_set(
				err,
				"--cc: %s is no source file; right: cyclops --cc \"%s\" PROGRAM.c",
				o->argv[0], o->cc);
		return true;
	}
	*err = (struct err){0};
	if (!compile_to(o->argv[0], o->cc ? o->cc : languages[language].cc,
	                o->cc && !languages[language].package ? languages[0].package
	                                                      : languages[language].package,
	                place, sizeof place, err))
		return false;
	return options_compiled(o, place, err);
}
