/* Untrusted files of profiles: calling context trees with paths, as an instrumented program leaves
 * them, plans of sweeps and their records. The first byte selects the kind; a tree's header is
 * valid, so that the rest is read. Properties: no crash, no leak, no undefined behaviour, no
 * endless loop; a refusal is one line; in an accepted tree, parents stand before their children and
 * back edges lead upwards. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/context_tree.h"
#include "loader/instrument/cct_file.h"
#include "loader/instrument/cct_paths.h"
#include "loader/instrument/instrument.h"
#include "loader/program.h"
#include "ui/sweep/plan.h"
#include "ui/sweep/record.h"
#include "tests/fuzz/hold.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct program *program;
static struct cct_paths paths;
static int file;
static char name[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct err err;
	(void)argc, (void)argv;
	const struct instrument_options o = {
		.what = {{INSTRUMENT_CCT_PATH, -1}}, .count = 1, .cct_file = "tree"};
	struct program *plain = program_open("build/tests/cmd/contexts", &err);
	hold(plain);
	program = instrument_program(plain, &o, NULL, NULL, NULL, &err);
	program_free(plain);
	hold(program && cct_paths_of(program, &paths));
	file = memfd_create("profile", MFD_CLOEXEC);
	hold(file >= 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", file);
	return 0;
}

static void fuzz_profile_write_file(const void *head, size_t head_n, const void *rest, size_t n)
{
	hold(ftruncate(file, 0) == 0);
	hold(pwrite(file, head, head_n, 0) == (ssize_t)head_n);
	hold(pwrite(file, rest, n, (off_t)head_n) == (ssize_t)n);
}

static void fuzz_profile_check_error_line(const struct err *err)
{
	hold(err->msg[0] && !strchr(err->msg, '\n'));
}

static void look_at_path(void *ctx, const struct path_function *f, uint64_t path,
                         const uint64_t *words)
{
	uint64_t *sum = ctx;
	hold(f);
	*sum += path + words[0];
}

static void look_at_tree(const struct cct_source *from, struct context_tree *t)
{
	struct err err = {""};
	uint64_t sum = 0, lost = 0;
	for (uint32_t i = 1; i < t->count; i++)
		hold(t->nodes[i].parent < i &&
		     t->nodes[i].depth == t->nodes[t->nodes[i].parent].depth + 1);
	for (uint32_t i = 0; i < t->back_count; i++)
		hold(t->backs[i].from < t->count && t->backs[i].to <= t->backs[i].from);
	for (uint32_t i = 0; i < t->count; i++)
		if (!cct_paths_each(&paths, from, &t->nodes[i], look_at_path, &sum, &lost, &err))
			fuzz_profile_check_error_line(&err);
	if (!cct_paths_spare(&paths, from, look_at_path, &sum, &err))
		fuzz_profile_check_error_line(&err);
	if (!cct_one_path(&paths, from, t, &err))
		fuzz_profile_check_error_line(&err);
}

/* fits: the heap has the length in the header. */
static void fuzz_profile_read_cct_file(const uint8_t *data, size_t n, bool fits)
{
	struct err err = {""};
	struct cct_file f;
	uint64_t section_n;
	const void *section = program_section(program, CCT_SECTION, &section_n);
	struct {
		uint64_t magic, digest;
		uint8_t places[CCT_PLACES];
	} head = {CCT_FILE_MAGIC, cct_digest(section, section_n), {0}};
	const size_t places = n < CCT_PLACES ? n : CCT_PLACES;
	memcpy(head.places, data, places);
	const uint64_t next = paths.cct.head.heap + (n - places);
	if (fits)
		memcpy(head.places + CCT_HEAP_NEXT, &next, sizeof next);
	fuzz_profile_write_file(&head, sizeof head, data + places, n - places);
	if (!cct_file_open(program, name, &f, &err)) {
		fuzz_profile_check_error_line(&err);
		return;
	}
	struct context_tree t;
	const struct cct_source from = cct_file_source(&f);
	if (cct_tree(program, &from, &t, &err))
		look_at_tree(&from, &t);
	else
		fuzz_profile_check_error_line(&err);
	context_tree_free(&t);
	cct_file_close(&f);
}

static void fuzz_profile_read_record(const uint8_t *data, size_t n)
{
	fuzz_profile_write_file("", 0, data, n);
	struct record r = record_read(name);
	hold((r.status == RECORD_NONE) == !r.json);
	if (r.json)
		hold(r.reason && r.build && strlen(r.build) + strlen(r.reason) <= n);
	for (size_t i = 0; i < stat_row_count; i++)
		record_stat(&r, &stat_rows[i]);
	record_outdated(&r, "this", false, true, false);
	record_deinit(&r);
}

static void fuzz_profile_read_plan(const uint8_t *data, size_t n)
{
	struct err err = {""};
	char text[256];
	fuzz_profile_write_file("", 0, data, n);
	struct plan *p = plan_read(name, NULL, &err);
	if (!p) {
		fuzz_profile_check_error_line(&err);
		return;
	}
	for (size_t i = 0; i < p->job_count; i++)
		hold(plan_job_name(p, &p->jobs[i], text, sizeof text) == text);
	plan_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n == 0)
		return 0;
	if (data[0] & 4)
		fuzz_profile_read_plan(data + 1, n - 1);
	else if (data[0] & 1)
		fuzz_profile_read_record(data + 1, n - 1);
	else
		fuzz_profile_read_cct_file(data + 1, n - 1, !(data[0] & 2));
	return 0;
}
