/* Where tours and their programs are. */
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

/* ---- what one is played on ---- */
/* The fields of a demo program in demos/programs/list.txt: NAME|ARGUMENTS|INPUT or -|... Cuts line.
 */
static bool tour_lookup_demo(const char *name, char *line, int room, char **args, char **input)
{
	FILE *f = alloc_file("demos/programs/list.txt", "r");
	const size_t n = strlen(name);
	bool found = false;
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
	FILE *f = alloc_file("demos/programs/list.txt", "r");
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

char **tour_command_line(const struct tour *t, int *argc, struct err *err)
{
	char line[1024], name[256], path[sizeof name + 16], *args = "", *input = "", *text;
	const char *program = *t->program ? t->program : t->name;
	const size_t n = strcspn(program, " ");
	snprintf(name, sizeof name, "%.*s", (int)n, program);
	const bool demo = tour_lookup_demo(name, line, sizeof line, &args, &input);
	snprintf(path, sizeof path, "build/demos/%s", name);
	if (access(path, R_OK) != 0) {
		if (demo || access(name, R_OK) != 0) {
			err_set(err,
			        *t->title ? "the program of tour '%s' is not there: %s; right: "
			                    "`make demos`, "
			                    "or the path of one in its line `# program: `"
			                  : "there is no demo%s: %s; `cyclops demo` lists them",
			        t->name, demo ? path : name);
			return NULL;
		}
		strcpy(path, name);
	}
	if (*t->input)
		input = t->input;
	const bool reads = input && *input && strcmp(input, "-") != 0;
	text = alloc_format("tour %s%s %s %s%s %s %s %s", *t->title ? "--no-init " : "",
	                    course_options(), t->options, reads ? "--stdin " : "--stdin /dev/null",
	                    reads ? input : "", path, program[n] ? program + n : "",
	                    program[n] ? "" : args);
	const size_t size = text ? strlen(text) : 0;
	char **words = text ? alloc_zeroed(1, (size / 2 + 2) * sizeof *words + size + 1) : NULL;
	if (words) {
		char *at = memcpy(words + size / 2 + 2, text, size + 1), *word;
		for (*argc = 0; (word = strtok_r(at, " ", &at));)
			words[(*argc)++] = word;
	} else {
		err_set(err, "out of memory");
	}
	free(text);
	return words;
}
