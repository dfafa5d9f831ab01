/* Untrusted checkpoints. The first byte of an input chooses a saved machine, the rest are changes
 * to the file, whose sums are then corrected. Property: the file is refused in one line, or the
 * machine can run on, go back, be viewed and saved; no crash, no leak, no undefined behaviour, no
 * failed assertion of a debug build. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/machine/checkpoint_check.h"
#include "core/machine/params.h"
#include "hwviews/grid/view.h"
#include "tests/fuzz/damage.h"
#include "ui/checkpoint/checkpoint.h"
#include "tests/fuzz/hold.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { POINTS = 3, RANGES_MAX = 1024, EDITS_MAX = 24, CYCLES = 3000 };

#define SMALL                                                                                      \
	"l1i.size=1K l1d.size=1K l2.size=4K bpred.bimodal_size=64 bpred.l2_size=64 "               \
	"bpred.meta_size=64 btb.sets=8 "
#define PROFILERS                                                                                  \
	"oracle.enable=true oracle.memory=4M oracle.contexts=true oracle.blocks=true "             \
	"oracle.values=all oracle.replays=true "                                                   \
	"oracle.speculative=true sampler.enable=true sampler.exact=true sampler.memory=1M "        \
	"profileme.enable=true vsample.enable=true "

static const struct kind {
	const char *program, *firmware, *settings;
	uint64_t cycle[POINTS];
} kinds[] = {
	{"guest", NULL, SMALL, {300, 2500, 9000}},
	{"guest",
         NULL,
         SMALL PROFILERS
         "cop.enable=true vsample.interval_min=200 vsample.interval_max=300 vsample.every=1",
         {700, 3500, 9000}},
	{"guest", "build/tests/reverse/firmware.elf", SMALL, {300, 3000, 8000}},
	{"guest",
         "build/demos/firmware/cop_sample.elf",
         SMALL "cop.enable=true cop.bus=2",
         {2000, 5000, 9000}},
	{"guest",
         NULL,
         SMALL "pipe.rob_size=300 lsq.size=150 pipe.fetch_queue=40 pipe.decode_width=8 "
               "pipe.issue_width=8 lsq.speculate=true "
               "lsq.predictor=store-sets lsq.replay_size=true l1d.replacement=random "
               "l2.replacement=fifo l1i.replacement=tree-plru l1d.prefetch=stride "
               "l1i.prefetch=next-line l1d.mshrs=4",
         {400, 2500, 9000}},
	{"guest",
         NULL,
         SMALL "pipe.in_order=true xprof.enable=false ras.size=0 btb.sets=0 pipe.rob_size=8",
         {400, 3000, 9000}},
	{"profiled", NULL, SMALL "xprof.bpred=ignored-update l1d.latency=9", {500, 1500, 3000}},
	{"profiled",
         NULL,
         SMALL "vsample.enable=true vsample.method=bounce vsample.interval_min=150 "
               "vsample.interval_max=250 vsample.every=1",
         {500, 1500, 3000}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct seed {
	struct session *s;    /* keeps its state of the last save */
	struct session *work; /* takes over the restored machine */
	struct damaged saved[POINTS];
	struct range range[RANGES_MAX]; /* `first` is in the arena of s */
	unsigned ranges;
} seeds[KINDS];
static char folder[64], target[80];

static void fuzz_checkpoint_drop_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

/* ---- seeds ---- */
struct gather {
	struct ranges rs; /* first */
	struct seed *to;
};

static void fuzz_checkpoint_collect_range(struct ranges *rs, const struct range *r)
{
	struct seed *to = ((struct gather *)rs)->to;
	if (r->rows && r->first && to->ranges < RANGES_MAX)
		to->range[to->ranges++] = *r;
}

static void set_all(struct config *cfg, const char *settings)
{
	struct err err;
	char copy[1024], *rest = copy;
	config_default(cfg);
	snprintf(copy, sizeof copy, "%s", settings);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!config_set_assignment(cfg, word, &err)) {
			fprintf(stderr, "%s\n", err.msg);
			abort();
		}
}

static void make_seed(struct seed *to, const struct kind *k)
{
	struct err err;
	char path[128];
	snprintf(path, sizeof path, "build/tests/reverse/%s", k->program);
	struct session_options o = {.launch = {.path = path,
	                                       .firmware = k->firmware,
	                                       .stdin_fd = -1,
	                                       .output = fuzz_checkpoint_drop_output},
	                            .history = {.history = true}};
	set_all(&o.cfg, k->settings);
	to->s = session_open(&o, &err);
	to->work = to->s ? session_open(&o, &err) : NULL;
	if (!to->work) {
		fprintf(stderr, "%s: %s\n", path, err.msg);
		abort();
	}
	for (unsigned i = 0; i < POINTS; i++) {
		machine_run(to->s->machine, k->cycle[i], UINT64_MAX);
		if (!checkpoint_save(to->s, target, &err)) {
			fprintf(stderr, "%s\n", err.msg);
			abort();
		}
		damage_read(&to->saved[i], target);
	}
	struct gather g = {.rs.tell = fuzz_checkpoint_collect_range, .to = to};
	machine_ranges(to->s->machine, &g.rs);
}

static void fuzz_checkpoint_remove_folder(void)
{
	unlink(target);
	rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	snprintf(folder, sizeof folder, "%s/cyclops-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	hold(mkdtemp(folder));
	snprintf(target, sizeof target, "%s/point", folder);
	atexit(fuzz_checkpoint_remove_folder);
	for (unsigned i = 0; i < KINDS; i++)
		make_seed(&seeds[i], &kinds[i]);
	return 0;
}

/* ---- changes ---- */
struct edit {
	uint8_t what, how;
	uint16_t which;
	uint32_t where;
	uint64_t value;
};

static uint64_t fuzz_checkpoint_edit_value(const struct edit *e, uint64_t now, uint64_t limit)
{
	switch (e->how % 8) {
	case 0: return limit;
	case 1: return limit + 1;
	case 2: return ~UINT64_C(0);
	case 3: return now + 1;
	case 4: return now - 1;
	case 5: return now ^ UINT64_C(1) << e->value % 64;
	case 6: return limit ? e->value % (limit + (limit != UINT64_MAX)) : 0;
	default: return e->value;
	}
}

static void fuzz_checkpoint_change_field(uint8_t *at, size_t width, const struct edit *e,
                                         uint64_t limit)
{
	uint64_t value = 0;
	memcpy(&value, at, width);
	value = fuzz_checkpoint_edit_value(e, value, limit);
	memcpy(at, &value, width);
}

/* A field of the lists. */
static void change_field(const struct seed *from, struct damaged *f, const struct edit *e)
{
	size_t n;
	const struct range *r = &from->range[e->which % from->ranges];
	const uint8_t *arena = machine_arena(from->s->machine, &n);
	const size_t at =
		(size_t)((const uint8_t *)r->first - arena) + e->where % r->rows * r->row_bytes;
	const bool text = r->kind == RANGE_TEXT;
	const size_t width = text ? 1 : r->width, columns = text ? r->width : r->columns;
	const size_t place = at + e->where / r->rows % columns * width;
	hold(place + width <= n);
	if (n != f->section[SECTION_ARENA].n)
		return; /* it was cut */
	fuzz_checkpoint_change_field(f->section[SECTION_ARENA].bytes + place, width, e,
	                             text ? '/' : r->limit);
}

/* Anything in any section. */
static void change_anything(struct damaged *f, const struct edit *e)
{
	const enum section which = (enum section)(e->which % SECTIONS);
	const size_t n = f->section[which].n, width = (size_t)1 << (e->how >> 3 & 3);
	if (n >= width)
		fuzz_checkpoint_change_field(f->section[which].bytes + e->where % (n - width + 1),
		                             width, e, n);
}

static void fuzz_checkpoint_truncate_section(struct damaged *f, const struct edit *e)
{
	const enum section which = (enum section)(e->which % SECTIONS);
	const size_t n = f->section[which].n;
	if (n && which != SECTION_DIGESTS)
		f->section[which].n =
			e->how & 1 ? n - 1 - e->value % n : n - e->value % (n < 64 ? n : 64);
}

static void fuzz_checkpoint_apply_edit(const struct seed *from, struct damaged *f,
                                       const struct edit *e)
{
	switch (e->what % 8) {
	case 0:
		change_anything(f, e);
		break;
	case 1:
		change_anything(f, &(struct edit){.how = e->how,
		                                  .which = SECTION_ARENA,
		                                  .where = e->where,
		                                  .value = e->value});
		break;
	case 2:
		if (e->how % 8 == 0)
			fuzz_checkpoint_truncate_section(f, e);
		else
			change_anything(f, e);
		break;
	default:
		change_field(from, f, e);
	}
}

/* ---- the restored machine ---- */
static void fuzz_checkpoint_fill_views(struct session *s)
{
	struct err err = {""};
	for (unsigned i = 0; i < view_count; i++) {
		const struct view_args args = {.rows = 40, .columns = 120};
		struct grid g;
		if (view_fill(views[i], s, &args, &g, &err))
			grid_deinit(&g);
	}
}

static void fuzz_checkpoint_run_loaded(struct session *s, struct machine *m, bool thoroughly)
{
	struct err err = {""};
	const uint64_t from = machine_cycle(m);
	session_adopt(s, m);
	struct snapshot *here = machine_snapshot(m);
	hold(here);
	if (thoroughly)
		fuzz_checkpoint_fill_views(s);
	machine_run(m, from + CYCLES, UINT64_MAX);
	if (thoroughly)
		fuzz_checkpoint_fill_views(s);
	machine_restore(m, here);
	machine_run(m, from + CYCLES / 2, UINT64_MAX);
	snapshot_free(here);
	if (thoroughly)
		hold(checkpoint_save(s, target, &err));
}

static void fuzz_checkpoint_load_damaged(struct session *s, const struct damaged *f,
                                         bool thoroughly)
{
	struct err err = {""};
	char path[64];
	const int fd = memfd_create("checkpoint", MFD_CLOEXEC);
	FILE *out = fdopen(fd, "wb");
	hold(out);
	damage_write(f, out);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct machine *m = checkpoint_load(s, path, &err);
	fclose(out);
	hold(m || (*err.msg && !strchr(err.msg, '\n')));
	if (getenv("CYCLOPS_FUZZ_SAY"))
		fprintf(stderr, "%s\n", m ? "restored" : err.msg);
	if (m)
		fuzz_checkpoint_run_loaded(s, m, thoroughly);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2)
		return 0;
	struct seed *from = &seeds[data[0] % KINDS];
	struct damaged f;
	struct edit e;
	damage_copy(&f, &from->saved[data[0] / KINDS % POINTS]);
	const uint8_t *at = data + 2, *end = data + n;
	for (unsigned i = 0; i < EDITS_MAX && (size_t)(end - at) >= sizeof e; i++, at += sizeof e) {
		memcpy(&e, at, sizeof e);
		fuzz_checkpoint_apply_edit(from, &f, &e);
	}
	damage_hash_memory(&f);
	damage_repair(&f, from->s->machine);
	fuzz_checkpoint_load_damaged(from->work, &f, data[1] % 4 == 0);
	damage_free(&f);
	return 0;
}
