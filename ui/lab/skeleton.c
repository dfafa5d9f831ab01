/* `cyclops lab new`: the files of a lecturer's own lab, to be filled in. Unedited, they are a
 * working lab. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/output_file.h"
#include "ui/lab/lab.h"

static const struct {
	const char *name, *text;
} files[] = {
	{"lab.cyc",
         "# A lab of my own: its title\n"
         "# program: demos/labs/01-pipeline/demo.s\n"
         "# options: -c classic5\n"
         "# hand-in: task.s\n"
         "# points: 10\n"
         "\n"
         "# Students read the words between commands; Space plays the commands below\n"
         "# them. A question waits for an answer before the next step:\n"
         "\n"
         "tbreak near\n"
         "continue\n"
         "ask loop How many cycles will five iterations take from here?\n"
         "\n"
         "# The verdict follows, without the expected value.\n"
         "\n"
         "mark here\n"
         "continue 5\n"
         "expect answer loop is cycle within 10% else Count one iteration in the pipe view.\n"
         "view pipe\n"
         "\n"
         "# That was the lab. Your hand-in is task.s: `cyclops lab check FOLDER`.\n"},
	{"page.md",
         "# A lab of my own\n"
         "\n"
         "**Aim.** A student's new ability after the lab.\n"
         "\n"
         "## Reading\n\nOne page.\n\n"
         "## On the screen\n\n`cyclops lab FOLDER` plays the steps.\n\n"
         "## Questions\n\n1. `sum`: ...\n\n"
         "## Task\n\nChange `task.s` so that ...\n\n"
         "## What is graded\n\n"
         "| what | points |\n| --- | --- |\n| answer `sum` | 2 |\n| the sum is right | 3 |\n"
         "| cycles | 5 |\n"},
	{"task.s", "# name:\n"
                   "# answer sum ?\n"
                   "\n"
                   "\t.globl _start, n, sum\n"
                   "_start:\tla s0, n\n"
                   "\tld t0, 0(s0)\n"
                   "\tli a0, 0\n"
                   "1:\tadd a0, a0, t0\n"
                   "\taddi t0, t0, -1\n"
                   "\tbnez t0, 1b\n"
                   "\tsd a0, 8(s0)\n"
                   "\tli a0, 0\n"
                   "\tli a7, 93\n"
                   "\tecall\n"
                   "\n"
                   "\t.data\n"
                   "\t.p2align 3\n"
                   "n:\t.dword 10\n"
                   "sum:\t.dword 0\n"},
	{"check.lua",
         "-- Grades one hand-in: cyclops lab grade FOLDER FILES... (cyclops help lua lab)\n"
         "local lab = require \"cyclops.lab\"\n"
         "local h = lab.hand_in(...)\n"
         "\n"
         "h:answer(2, \"sum\", 55, \"Add up what t0 is.\")\n"
         "-- Drawn anew in each grading, so that results can't be written down.\n"
         "local inputs = { h:number(20, 60), h:number(20, 60) }\n"
         "local m\n"
         "h:expect(3, \"the sum is right\", function()\n"
         "\tm = h:worst(inputs, function(n)\n"
         "\t\tlocal m = h:machine{ config = \"classic5\" }\n"
         "\t\th:finish(lab.fill(m, \"n\", { n }))\n"
         "\t\treturn m, m.mem:i64 \"sum\" == n * (n + 1) // 2\n"
         "\tend)\n"
         "\treturn m and true, \"with another n than that in the file it is wrong\"\n"
         "end)\n"
         "h:expect(5, \"cycles\", function()\n"
         "\treturn m and m.cycle < 40, m and \"it takes \" .. m.cycle .. \" cycles\" or\n"
         "\t\t\"the sum is not right yet\"\n"
         "end, \"Does it need a loop?\")\n"
         "h:done()\n"},
};

/* Writes the first `count` files, or removes them. False with *err. */
static bool skeleton_each_file(const char *folder, size_t count, bool write, struct err *err)
{
	char path[PATH_MAX];
	bool ok = true;
	for (size_t i = 0; i < count && ok; i++) {
		const char *text = files[i].text;
		if (snprintf(path, sizeof path, "%s/%s", folder, files[i].name) >= (int)sizeof path)
			ok = err_set(err, "%s: the path is too long", folder);
		else if (!write)
			output_remove(path);
		else
			ok = output_write(path, text, strlen(text), OUTPUT_FILE_REGULAR, err);
	}
	return ok;
}

bool lab_skeleton(const char *folder, struct err *err)
{
	enum { COUNT = sizeof files / sizeof *files };
	if (mkdir(folder, 0777) != 0)
		return err_set(err, "%s: %s; expected cyclops lab new FOLDER, which is made",
		               folder, strerror(errno));
	if (skeleton_each_file(folder, COUNT, true, err))
		return true;
	/* Half a lab would block the next attempt. */
	skeleton_each_file(folder, COUNT, false, NULL);
	rmdir(folder);
	return false;
}
