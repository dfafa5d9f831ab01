#include "ui/cli/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/open_input.h"
#include "core/host/process.h"
#include "core/host/sandbox.h"
#include "loader/asm/asm.h"
#include "ui/child/child_words.h"
#include "ui/cli/assemble.h"
#include "ui/console/ending.h"
#include "ui/render/safe_print.h"

/* Commands as in README. */
static const struct {
	const char *ending, *cc, *package;
} languages[] = {
	{".c", "riscv64-linux-gnu-gcc -O2 -g -static", "gcc-riscv64-linux-gnu"},
	{".s", NULL, NULL}, /* assembled by loader/asm */
	{".asm", NULL, NULL},
	{".S", "riscv64-linux-gnu-gcc -O2 -g -static", "gcc-riscv64-linux-gnu"}, /* or as .s */
	{".cc", "riscv64-linux-gnu-g++ -O2 -g -static", "g++-riscv64-linux-gnu"},
	{".cpp", "riscv64-linux-gnu-g++ -O2 -g -static", "g++-riscv64-linux-gnu"},
	{".cxx", "riscv64-linux-gnu-g++ -O2 -g -static", "g++-riscv64-linux-gnu"},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

/* Index of a source file's language, LANGUAGES if it is no source file. */
static unsigned language_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	unsigned i = 0;
	while (i < LANGUAGES &&
	       (!dot || dot == path || dot == slash + 1 || strcmp(dot, languages[i].ending) != 0))
		i++;
	return i;
}

unsigned compile_xlen(const struct options *o)
{
	static const char name[] = "isa=";
	bool given = CONFIG(&o->config, isa) != ISA_ALL;
	for (unsigned i = 0; i < o->set_count; i++)
		given |= !strncmp(o->sets[i], name, sizeof name - 1);
	return !given ? 0 : CONFIG(&o->config, isa) == ISA_RV32GC ? 32 : 64;
}

/* True if the built-in assembler takes the source: any .s, and a .S for the reason that it writes,
 * else "". */
static bool compile_is_text(const struct options *o, const char *path, char *why, size_t room)
{
	const unsigned language = language_of(path);
	const bool abi = o->abi != ASM_ABI_GUESS && os_abi_is_course((enum os_abi)o->abi);
	*why = '\0';
	if (language == LANGUAGES || !languages[language].cc)
		return language < LANGUAGES;
	return !o->cc && !strcmp(languages[language].ending, ".S") &&
	       assemble_takes_instead(path,
	                              abi                     ? "--abi"
	                              : compile_xlen(o) == 32 ? "isa=rv32gc"
	                                                      : NULL,
	                              why, room);
}

unsigned compile_texts(const struct options *o)
{
	char why[80];
	unsigned n = 0;
	while (n < (unsigned)o->argc && n < ASM_SOURCES_MAX &&
	       compile_is_text(o, o->argv[n], why, sizeof why))
		n++;
	return n;
}

static bool compile_create_folder(const char *path, struct err *err)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST ||
	       err_set(err, "%.200s: %s", path, strerror(errno));
}

/* Writes the path of the cache folder, created if missing. */
static bool cache_folder(char *out, size_t n, struct err *err)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		snprintf(out, n, "%s", cache);
	else if (home && *home == '/')
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

/* ---- what a compiler may reach ---- */
/* Of processor time and memory of each process, and of a file: more than any program needs. */
enum { CPU_SECONDS = 120, MEMORY_MIB = 4096, FILE_BYTES = 256 << 20 };

static void say_unconfined(void)
{
	static const char text[] =
		"cyclops: note: this host has neither user namespaces nor Landlock: compiled "
		"sources may read any file that you may (#include, .incbin)\n";
	(void)!write(STDERR_FILENO, text, sizeof text - 1);
}

/* Allows a path relative to the current folder. */
static bool allow_here(struct sandbox *s, const char *path, struct err *err)
{
	char *whole = alloc_real_path(path);
	const bool ok = !whole || sandbox_allow(s, whole, SANDBOX_READ, err);
	free(whole);
	return ok;
}

/* Allows the folder of a compiler outside the system's folders: the parent of its bin/ if that
 * looks like a separate installation, else the compiler's own folder. */
static bool allow_compiler(struct sandbox *s, const char *word, struct err *err)
{
	char path[PATH_MAX], lib[PATH_MAX + 8];
	char *whole = child_program(word, path, sizeof path) ? alloc_real_path(path) : NULL;
	if (!whole)
		return true; /* starting it will report the error */
	*strrchr(whole, '/') = '\0';
	char *slash = strrchr(whole, '/');
	if (slash && slash > whole && !strcmp(slash, "/bin")) {
		const char *home = getenv("HOME");
		*slash = '\0';
		snprintf(lib, sizeof lib, "%s/lib", whole);
		if (access(lib, X_OK) != 0 || !strcmp(whole, "/usr") ||
		    !strcmp(whole, "/usr/local") || (home && !strcmp(home, whole)))
			*slash = '/';
	}
	const bool ok = sandbox_allow(s, *whole ? whole : "/bin", SANDBOX_EXECUTE, err);
	free(whole);
	return ok;
}

/* True if the compiler is a gcc of the system's, which runs nothing but its own programs: writes
 * its target, "riscv64-linux-gnu". A script, or a gcc that is given other programs, needs more. */
static bool compile_is_system_gcc(const struct child_words *w, char *target, size_t n)
{
	static const char *const asks[] = {"-B", "-fuse-ld", "-specs", "--specs", "-wrapper",
	                                   "-fplugin"};
	char path[PATH_MAX], magic[4] = "";
	for (unsigned i = 1; i < w->count; i++)
		for (size_t k = 0; k < sizeof asks / sizeof *asks; k++)
			if (!strncmp(w->word[i], asks[k], strlen(asks[k])))
				return false;
	if (!child_program(w->word[0], path, sizeof path) || strncmp(path, "/usr/bin/", 9) != 0)
		return false;
	const char *base = path + 9, *end = strstr(base, "-gcc");
	if (!end)
		end = strstr(base, "-g++");
	FILE *f = end && end > base && !strchr(base, '/') ? open_input(path) : NULL;
	const bool program = f && fread(magic, 1, sizeof magic, f) == sizeof magic &&
	                     !memcmp(magic, "\177ELF", sizeof magic);
	if (f)
		fclose(f);
	return program &&
	       snprintf(target, n, "%.*s", (int)(end - base), base) < (int)n;
}

/* Allows a file or a folder named by an option of the user: -I/opt/include, -T ../link.ld,
 * --sysroot=/opt/riscv. */
static bool allow_named(struct sandbox *s, const char *word, struct err *err)
{
	static const char *const begins[] = {"/", "../"};
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
		const char *at = strstr(word, begins[i]);
		if (at && (at == word || (*word == '-' && at == word + 2) || at[-1] == '=' ||
		           at[-1] == ','))
			return *at == '/' ? sandbox_allow(s, at, SANDBOX_READ, err)
			                  : allow_here(s, at, err);
	}
	return true;
}

/* Allows the folders that the program itself will see, the source, and a folder to write to. */
static bool compile_confine_compiler(struct sandbox *s, const struct options *o,
                                     const struct child_words *w, const char *folder,
                                     struct err *err)
{
	sandbox_init(s);
	s->cpu_seconds = CPU_SECONDS;
	s->file_bytes = FILE_BYTES;
	s->memory_bytes = (uint64_t)MEMORY_MIB << 20;
	char target[64];
	bool ok = compile_is_system_gcc(w, target, sizeof target)
	                  ? sandbox_allow_gcc(s, target, err)
	                  : sandbox_allow_system_programs(s, err) &&
	                            allow_compiler(s, w->word[0], err);
	for (unsigned i = 1; i < w->count && ok; i++)
		ok = allow_named(s, w->word[i], err);
	for (unsigned i = 0; i < o->folder_count && ok; i++)
		ok = allow_here(s, o->folders[i].host, err);
	return ok && allow_here(s, ".", err) && allow_here(s, o->argv[0], err) &&
	       sandbox_allow(s, folder, SANDBOX_WRITE, err) && sandbox_begin_in(s, ".", err);
}

/* True if the source includes a file by a path that leads out of its own folder. */
static bool asks_outside(const char *source)
{
	char line[1024];
	FILE *f = open_input(source);
	bool found = false;
	while (f && !found && fgets(line, sizeof line, f)) {
		const char *word = strstr(line, "incbin");
		if (!word)
			word = strstr(line, "include");
		const char *name = word ? strpbrk(word, "\"<") : NULL;
		found = name && (name[1] == '/' || strstr(name, "../"));
	}
	if (f)
		fclose(f);
	return found;
}

/* ---- the compiler ---- */
/* Its messages, clean, go to stderr; notes in *ctx that it has met the limit of a file's size. */
static void compile_take_messages(void *ctx, const char *text, size_t n)
{
	bool *too_big = ctx;
	const char *const said[] = {strsignal(SIGXFSZ), strerror(EFBIG)};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		*too_big |= memmem(text, n, said[i], strlen(said[i])) != NULL;
	say_text(stderr, text, n);
}

/* Runs it. */
static bool run_compiler(const struct child_words *w, const struct options *o, const char *folder,
                         const char *cc, const char *package, struct err *err)
{
	const char *source = o->argv[0];
	struct sandbox s;
	struct err why;
	bool too_big = false, met_pipe = false;
	if (!compile_confine_compiler(&s, o, w, folder, err)) {
		sandbox_deinit(&s);
		return false;
	}
	/* Standard input is the program's. */
	const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const int status = child_run(w,
	                             &(struct child_way){.sandbox = &s,
	                                                 .temporary = folder,
	                                                 .input = nothing,
	                                                 .bare_environment = true,
	                                                 .take_output = compile_take_messages,
	                                                 .ctx = &too_big,
	                                                 .met_pipe = &met_pipe,
	                                                 .unconfined = say_unconfined},
	                             &why);
	const int number = errno;
	if (nothing >= 0)
		close(nothing);
	sandbox_deinit(&s);
	if (status < 0 && process_lack())
		return err_set(err,
		               "%s: %s: compile it elsewhere with %s, and open what that writes; "
		               ".s and .asm are assembled here",
		               source, process_lack(), w->word[0]);
	if (status < 0 && number == ENOENT)
		return err_set(err,
		               "%s: there is no compiler %s (apt-get install %s, or --cc "
		               "\"COMPILER OPTIONS\")",
		               source, w->word[0], package);
	if (status < 0)
		return err_set(err, "%s", why.msg);
	if (met_pipe)
		return err_set(err, "%s includes a pipe, not a file", source);
	if (status && too_big)
		return err_set(
			err,
			"%s does not compile with %s: a file that a compiler writes may have "
			"%d MiB at most",
			source, cc, FILE_BYTES >> 20);
	return !status || err_set(err, "%s does not compile with %s%s", source, cc,
	                          asks_outside(source) ? ": a compiler may read its own files, the "
	                                                 "current directory and folders of --dir"
	                                               : "");
}

/* Adds the source's name. A name that begins with '@' would be a file of options for compilers'
 * subprocesses, which get its last component: uses a symbolic link of another name then, which
 * -ffile-prefix-map hides in the debug information. */
static bool name_source(struct child_words *w, const char *source, const char *folder,
                        struct err *err)
{
	char link[PATH_MAX], option[2 * PATH_MAX + 64];
	const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
	if (*base != '@')
		return child_file(w, source), true;
	char *whole = alloc_real_path(source);
	if (!whole)
		return err_set(err, "%s: %s", source, strerror(errno));
	snprintf(link, sizeof link, "%.*s/source%s", PATH_MAX - 64, folder, strrchr(base, '.'));
	const bool ok = symlink(whole, link) == 0 || err_set(err, "%s: %s", link, strerror(errno));
	snprintf(option, sizeof option, "-ffile-prefix-map=%s=%s", link, source);
	child_word(w, option);
	child_word(w, "-iquote");
	*strrchr(whole, '/') = '\0';
	child_word(w, *whole ? whole : "/");
	child_file(w, link);
	free(whole);
	return ok;
}

/* Bytes of a command before its first option: of "ccache gcc " in "ccache gcc -O2". */
static size_t compile_program_bytes(const char *command)
{
	const char *at = command + strspn(command, " \t");
	while (*at && *at != '-') {
		at += strcspn(at, " \t");
		at += strspn(at, " \t");
	}
	return (size_t)(at - command);
}

/* True for assembly that defines _start, where a C library would begin. */
static bool compile_begins_itself(const struct options *o)
{
	enum { LONGEST = 4096 };
	char line[LONGEST];
	const char *dot = strrchr(o->argv[0], '.');
	FILE *f = !o->cc && dot && !strcmp(dot, ".S") ? open_input(o->argv[0]) : NULL;
	bool found = false;
	while (f && !found && fgets(line, sizeof line, f))
		found = !strncmp(line + strspn(line, " \t"), "_start:", 7);
	if (f)
		fclose(f);
	return found;
}

/* Builds the compiler's command line and runs it. */
static bool compile_spawn_compiler(const struct options *o, const char *cc, const char *package,
                                   const char *folder, const char *out, struct err *err)
{
	struct child_words w;
	const size_t program = compile_program_bytes(cc);
	char *first = alloc_text_n(cc, program);
	child_words_init(&w);
	if (first)
		child_command(&w, first);
	bool ok = first ? w.count > 0 || err_set(err, "--cc: no compiler given; expected --cc "
	                                              "\"riscv64-linux-gnu-gcc -O1 -g\"")
	                : err_set(err, "out of memory");
	free(first);
	/* In place of the first header, NAME, gcc takes a NAME.gch that lies beside it. */
	child_word(&w, "-include");
	child_word(&w, "/dev/null");
	child_command(&w, cc + program);
	if (compile_begins_itself(o))
		child_word(&w, "-nostartfiles");
	child_word(&w, "-o");
	child_file(&w, out);
	ok = ok && name_source(&w, o->argv[0], folder, err);
	child_word(&w, "-lm");
	ok = ok && run_compiler(&w, o, folder, cc, package, err);
	child_words_deinit(&w);
	return ok;
}

/* ---- the compiled program ---- */
bool compiled_place(const char *source, const char *cc, char *place, size_t n, struct err *err)
{
	char folder[PATH_MAX], whole[PATH_MAX];
	/* A source that does not exist yet has a place, too. */
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

/* Compiles in a new folder, then renames the result to its place, so that a link made there by
 * another user is not followed. */
static bool compile_to(const struct options *o, const char *cc, const char *package, char *place,
                       size_t n, struct err *err)
{
	const char *source = o->argv[0];
	char folder[PATH_MAX], out[PATH_MAX];
	FILE *f = open_input(source);
	if (!f)
		return err_set(err, "%s: %s", source, open_input_error());
	fclose(f);
	/* The place depends on all files, not only on the first. */
	char *others = alloc_text(cc ? cc : "");
	for (unsigned i = 1; others && !cc && i < compile_texts(o); i++) {
		char *longer = alloc_format("%s %s", others, o->argv[i]);
		free(others);
		others = longer;
	}
	const bool placed = others ? compiled_place(source, others, place, n, err)
	                           : err_set(err, "out of memory");
	free(others);
	if (!placed)
		return false;
	snprintf(folder, sizeof folder, "%.*s/new-XXXXXX", (int)(strrchr(place, '/') - place),
	         place);
	if (!ending_make_folder(folder))
		return err_set(err, "%s: %s", folder, strerror(errno));
	snprintf(out, sizeof out, "%.*s/a.out", (int)sizeof out - 8, folder);
	bool ok = cc ? compile_spawn_compiler(o, cc, package, folder, out, err)
	             : assemble_files(o->argv, compile_texts(o), out, false,
	                              compile_xlen(o), o->abi, ", -o isa=", err);
	if (ok && rename(out, place) != 0)
		ok = err_set(err, "%s: %s", place, strerror(errno));
	ending_remove_folder();
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
	for (unsigned others = compile_texts(o); others > 1; others--) {
		o->argv++;
		o->argc--;
	}
	o->argv[0] = o->program_name;
	return true;
}

bool compile_source(struct options *o, struct err *err)
{
	char place[PATH_MAX];
	const unsigned language = o->argc ? language_of(o->argv[0]) : LANGUAGES;
	if (language == LANGUAGES) {
		if (o->cc && o->argc)
			return err_set(err,
			               "--cc: %s is no source file; expected cyclops --cc \"%s\" "
			               "PROGRAM.c",
			               o->argv[0], o->cc);
		return true;
	}
	*err = (struct err){0};
	char why[80];
	const bool text = compile_is_text(o, o->argv[0], why, sizeof why);
	const char *cc = text ? NULL : languages[language].cc;
	if (*why)
		say(stderr,
		    "cyclops: %s: %s: assembled by Cyclops; --cc \"%s\" compiles it\n",
		    o->argv[0], why, languages[language].cc);
	if (!compile_to(o, o->cc ? o->cc : cc,
	                o->cc && !languages[language].package ? languages[0].package
	                                                      : languages[language].package,
	                place, sizeof place, err))
		return false;
	if (!text && !o->cc && !strcmp(languages[language].ending, ".S"))
		assemble_note_rv32(o->argv[0]);
	return options_compiled(o, place, err);
}
