/* Finds tours and their programs. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

#define TOURS "demos/tours"

/* ---- all of them ---- */
static int is_tour(const struct dirent *d)
{
	const size_t n = strlen(d->d_name);
	return n > 4 && n < TOUR_NAME && !strcmp(d->d_name + n - 4, ".cyc");
}

static int tour_compare_entries(const struct dirent **a, const struct dirent **b)
{
	const bool first_a = !strcmp((*a)->d_name, "first.cyc"),
		   first_b = !strcmp((*b)->d_name, "first.cyc");
	return first_a != first_b ? first_b - first_a : strcmp((*a)->d_name, (*b)->d_name);
}

void tour_each(void (*fn)(void *ctx, const struct tour *t), void *ctx)
{
	struct dirent **names;
	const int n = alloc_folder_names(TOURS, &names, is_tour, tour_compare_entries);
	for (int i = 0; i < n; i++) {
		char path[sizeof TOURS + TOUR_NAME + 1];
		struct tour t;
		snprintf(path, sizeof path, TOURS "/%.*s", TOUR_NAME, names[i]->d_name);
		if (tour_read(&t, path, NULL))
			fn(ctx, &t);
		tour_deinit(&t);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

struct best {
	struct nearest nearest;
	char name[TOUR_NAME]; /* copy of nearest.best */
};

static void tour_offer_nearest(void *ctx, const struct tour *t)
{
	struct best *best = ctx;
	nearest_offer(&best->nearest, t->name);
	if (best->nearest.best == t->name) {
		strcpy(best->name, t->name);
		best->nearest.best = best->name;
	}
}

bool tour_find(struct tour *t, const char *name, struct err *err)
{
	struct best best;
	char path[sizeof TOURS + TOUR_NAME + 8];
	const size_t n = strlen(name);
	*t = (struct tour){0};
	if (strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".cyc")))
		return tour_read(t, name, err);
	snprintf(path, sizeof path, TOURS "/%.*s.cyc", TOUR_NAME, name);
	if (n < TOUR_NAME && access(path, R_OK) == 0)
		return tour_read(t, path, err);
	nearest_init(&best.nearest, name);
	tour_each(tour_offer_nearest, &best);
	return err_set(err, "no tour is called '%.60s'; %s%s%s", name,
	               best.nearest.best ? "did you mean '" : "`cyclops tour` lists them",
	               best.nearest.best ? best.name : "", best.nearest.best ? "'?" : "");
}

/* ---- a tour's program ---- */
#define DEMOS "demos/programs/list.txt"

/* Looks a demo program up in the list of the course at root: NAME|ARGUMENTS|INPUT or -|... *args
 * and *input point into line. */
static bool tour_lookup_demo(const char *root, const char *name, char *line, int room, char **args,
                             char **input)
{
	char path[PATH_MAX];
	const size_t n = strlen(name);
	bool found = false;
	snprintf(path, sizeof path, "%.*s" DEMOS, PATH_MAX - 64, root);
	FILE *f = alloc_file(path, "r");
	while (f && !found && fgets(line, room, f))
		found = n && !strncmp(line, name, n) && line[n] == '|';
	if (f)
		fclose(f);
	if (!found)
		return false;
	char *at = line + n + 1;
	*args = strsep(&at, "|");
	*input = at ? strsep(&at, "|") : NULL;
	return true;
}

void tour_each_demo(void (*fn)(void *ctx, const char *name, const char *help), void *ctx)
{
	FILE *f = alloc_file(DEMOS, "r");
	char line[1024];
	while (f && fgets(line, sizeof line, f)) {
		char *help = strrchr(line, '|');
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || !help)
			continue;
		line[strcspn(line, "|")] = '\0';
		fn(ctx, line, help + 1);
	}
	if (f)
		fclose(f);
}

/* Appends a word, which may contain blanks. */
static void put_word(FILE *f, const char *before, const char *text)
{
	fprintf(f, "%s%s%c", before, text, '\0');
}

/* Appends the blank-separated words of text. */
static void put_words(FILE *f, const char *text)
{
	while (*(text += strspn(text, " "))) {
		const size_t n = strcspn(text, " ");
		fprintf(f, "%.*s%c", (int)n, text, '\0');
		text += n;
	}
}

/* Appends options for a demo that runs in a folder other than the course's. */
static void put_course(FILE *f, const char *root)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "--dir=/demos=%.*sdemos", PATH_MAX - 64, root);
	put_word(f, "", path);
	snprintf(path, sizeof path, "--dir=/build=%.*sbuild", PATH_MAX - 64, root);
	put_word(f, "", path);
	put_word(f, "--source=", root);
}

/* Makes an array, in one allocation, of the NUL-terminated words of text[size]. */
static char **array_of(const char *text, size_t size, int *argc)
{
	int count = 0;
	for (size_t i = 0; i < size; i++)
		count += !text[i];
	char **words = alloc_zeroed(1, ((size_t)count + 1) * sizeof *words + size);
	char *at = words ? memcpy(words + count + 1, text, size) : NULL;
	*argc = count;
	for (int i = 0; at && i < count; i++, at += strlen(at) + 1)
		words[i] = at;
	return words;
}

char **tour_command_line(const struct tour *t, int *argc, struct err *err)
{
	char line[1024], name[256], path[PATH_MAX], root[PATH_MAX + 1], *args = "", *input = "",
									*text = NULL;
	const char *program = *t->program ? t->program : t->name;
	const size_t n = strcspn(program, " ");
	size_t size;
	snprintf(name, sizeof name, "%.*s", (int)n, program);
	/* Demo names are looked up in the course; a path is relative to the current folder. */
	bool demo = course_prefix(root, sizeof root);
	const bool in_list = demo && tour_lookup_demo(root, name, line, sizeof line, &args, &input);
	snprintf(path, sizeof path, "%.*sbuild/demos/%s", PATH_MAX - 512, root, name);
	if (!demo || access(path, R_OK) != 0) {
		if (in_list || !*t->program || access(name, R_OK) != 0) {
			err_set(err,
			        *t->title ? "the program of tour '%s' is not there: %s; use `make "
			                    "demos`, "
			                    "or the path of one in its line `# program: `"
			                  : "there is no demo%s: %s; `cyclops demo` lists them",
			        t->name, in_list ? path : name);
			return NULL;
		}
		strcpy(path, name);
		demo = false;
	}
	const bool own_input = *t->input != '\0';
	if (own_input)
		input = t->input;
	const bool reads = input && *input && strcmp(input, "-") != 0;
	FILE *f = alloc_stream(&text, &size);
	char **words = NULL;
	if (f) {
		put_word(f, "", "tour");
		if (*t->title)
			put_word(f, "", "--no-init");
		put_words(f, course_options());
		if (demo && *root)
			put_course(f, root);
		put_words(f, t->options);
		put_word(f, "", "--stdin");
		put_word(f, reads && !own_input ? root : "", reads ? input : "/dev/null");
		put_word(f, "", "--");
		put_word(f, "", path);
		put_words(f, program[n] ? program + n : args);
		words = fclose(f) == 0 ? array_of(text, size, argc) : NULL;
		free(text);
	}
	if (!words)
		err_set(err, "out of memory");
	return words;
}
