/* Finds labs and reads the headers of their steps. */
#include "ui/lab/lab.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/open_input.h"
#include "ui/tour/tour.h"

#define LABS "demos/labs"

void lab_file(const struct lab *lab, const char *name, char *out, size_t n)
{
	if (snprintf(out, n, "%s/%s", lab->folder, name) >= (int)n)
		out[0] = '\0';
}

/* Reads "# WORD: VALUE" from the first lines. */
static void lab_read_header(struct lab *lab, const char *path)
{
	FILE *f = open_input(path);
	char line[512];
	unsigned needs = 0;
	while (f && fgets(line, sizeof line, f) && *line == '#') {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "# hand-in: ", 11))
			snprintf(lab->hand_in, sizeof lab->hand_in, "%.63s", line + 11);
		else if (!strncmp(line, "# points: ", 10))
			lab->points = (unsigned)strtoul(line + 10, NULL, 10);
		else if (!strncmp(line, "# needs: ", 9) && needs < LAB_NEEDS)
			snprintf(lab->needs[needs++], LAB_NAME, "%.63s", line + 9);
		else if (!strncmp(line, "# steps: ", 9))
			lab->lua_steps = strtoull(line + 9, NULL, 10);
	}
	if (f)
		fclose(f);
}

bool lab_read(const char *folder, struct lab *lab, struct err *err)
{
	char path[PATH_MAX];
	struct tour t;
	*lab = (struct lab){.lua_steps = UINT64_C(2000000000)};
	if (!realpath(folder, lab->folder))
		return err_set(err, "there is no folder %s", folder);
	const char *name = strrchr(lab->folder, '/') + 1;
	if (strlen(name) >= sizeof lab->name)
		return err_set(err, "%.40s...: a lab's name has at most %zu bytes", name,
		               sizeof lab->name - 1);
	strcpy(lab->name, name);
	lab_file(lab, "lab.cyc", path, sizeof path);
	if (access(path, R_OK) != 0)
		return err_set(err,
		               "%s is no lab: it has no lab.cyc; `cyclops lab new FOLDER` "
		               "makes one",
		               folder);
	if (!tour_read(&t, path, err))
		return false;
	memcpy(lab->title, t.title, sizeof lab->title);
	lab->steps_done_of = t.count;
	tour_deinit(&t);
	lab_read_header(lab, path);
	if (!*lab->hand_in || strchr(lab->hand_in, '/') || *lab->hand_in == '.')
		return err_set(err, "%s has no line `# hand-in: FILE`, a file beside it", path);
	if (!lab->points)
		return err_set(err, "%s has no line `# points: N`", path);
	return true;
}

static int is_lab(const struct dirent *d)
{
	return d->d_name[0] >= '0' && d->d_name[0] <= '9';
}

unsigned labs_all(const char *root, struct lab labs[LABS_MAX])
{
	char path[PATH_MAX];
	struct dirent **names;
	unsigned count = 0;
	snprintf(path, sizeof path, "%.*s/" LABS, PATH_MAX - 32, root);
	const int n = alloc_folder_names(path, &names, is_lab, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%.*s/" LABS "/%.*s", PATH_MAX - 128, root, LAB_NAME,
		         names[i]->d_name);
		const unsigned number = (unsigned)strtoul(names[i]->d_name, NULL, 10);
		if (count < LABS_MAX && number && lab_read(path, &labs[count], NULL))
			labs[count++].number = number;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return count;
}

bool lab_find(const char *root, const char *word, struct lab *lab, struct err *err)
{
	char *end;
	struct nearest nearest;
	if (strchr(word, '/') || !strcmp(word, ".") || !strcmp(word, ".."))
		return lab_read(word, lab, err);
	struct lab *labs = alloc_zeroed(LABS_MAX, sizeof *labs);
	const unsigned count = labs ? labs_all(root, labs) : 0;
	const unsigned long number = strtoul(word, &end, 10);
	bool found = false;
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < count && !found; i++) {
		const char *name = labs[i].name + strspn(labs[i].name, "0123456789-");
		found = (!*end && number == labs[i].number) || !strcmp(word, name) ||
		        !strcmp(word, labs[i].name);
		if (found)
			*lab = labs[i];
		nearest_offer(&nearest, name);
	}
	if (!found)
		err_set(err, "no lab is called '%.60s'; %s", word,
		        nearest_said(&nearest,
		                     "`cyclops lab` lists them; a folder of your own is named with "
		                     "a slash: ./%.60s",
		                     word));
	free(labs);
	return found;
}
