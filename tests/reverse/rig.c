#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "tests/reverse/rig.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char top[PATH_MAX], folder[64];
struct run_stop_info rig_info;

const struct subject guest = {.program = "build/tests/reverse/guest",
                              .settings = "",
                              .history = {.history = true},
                              .stdin_fd = -1};

void rig_write_data(const char *text)
{
	FILE *f = fopen("data.txt", "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

void rig_go_data(void)
{
	assert_int_equal(chdir(folder), 0);
	rig_write_data("The quick brown fox jumps over the lazy dog.\n");
}

void rig_go_top(void)
{
	assert_int_equal(chdir(top), 0);
}

int rig_enter(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/cyclops-reverse-XXXXXX");
	if (!getcwd(top, sizeof top) || !mkdtemp(folder))
		return -1;
	rig_go_data();
	return symlink(top, "top");
}

int rig_leave(void **state)
{
	(void)state;
	rig_go_data();
	unlink("data.txt");
	unlink("top");
	rig_go_top();
	return rmdir(folder);
}

bool rig_small(void)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return !scale || strcmp(scale, "long") != 0;
}

static void rig_append_output(void *ctx, int fd, const void *bytes, size_t n)
{
	struct rig *g = ctx;
	(void)fd;
	assert_true(n < OUTPUT_MAX - g->out_n);
	memcpy(g->out + g->out_n, bytes, n);
	g->out_n += n;
	g->out[g->out_n] = 0;
}

static void rig_parse_settings(struct config *cfg, const char *settings)
{
	struct err err;
	char copy[512], *rest = copy;
	config_default(cfg);
	snprintf(copy, sizeof copy, "%s", settings);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!config_set_assignment(cfg, word, &err))
			fail_msg("%s", err.msg);
}

struct rig *rig_open(const struct subject *how)
{
	struct err err;
	char path[PATH_MAX + 64], firmware[PATH_MAX + 64], words[256], *rest = words;
	/* The guest's arguments do not depend on the tree's place, because the stack's end depends
	 * on them. */
	char *argv[8] = {(char *)how->program};
	int argc = 1;
	struct rig *g = calloc(1, sizeof *g);
	assert_non_null(g);
	snprintf(path, sizeof path, "%s%s", access("top", F_OK) == 0 ? "top/" : "", how->program);
	snprintf(words, sizeof words, "%s", how->arguments ? how->arguments : "");
	for (char *word = strtok_r(words, " ", &rest); word && argc < 8;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	snprintf(firmware, sizeof firmware, "%s/%s", top, how->firmware ? how->firmware : "");
	struct session_options opt = {
		.launch =
			{
				.path = path,
				.firmware = how->firmware ? firmware : NULL,
				.plugins = how->plugins,
				.argc = argc,
				.argv = argv,
				.stdin_fd = how->stdin_fd,
				.output = rig_append_output,
				.output_ctx = g,
			},
		.history = how->history,
	};
	rig_parse_settings(&opt.cfg, how->settings);
	if (how->plugins)
		plugins_ask(how->plugins, &opt.cfg);
	g->s = session_open(&opt, &err);
	if (!g->s)
		fail_msg("%s", err.msg);
	g->r = g->s->run;
	return g;
}

void rig_close(struct rig *g)
{
	session_free(g->s);
	free(g);
}

uint64_t rig_symbol(const struct rig *g, const char *name)
{
	const struct symbol *sym = program_symbol_by_name(g->s->program, name);
	if (!sym)
		fail_msg("no symbol %s", name);
	return sym->addr;
}

uint64_t rig_cycle(const struct rig *g)
{
	return machine_cycle(g->s->machine);
}

uint64_t rig_hash(const struct rig *g)
{
	return machine_hash(g->s->machine);
}

uint64_t rig_peek(const struct rig *g, const char *symbol)
{
	uint64_t v = 0;
	assert_true(machine_peek(g->s->machine, rig_symbol(g, symbol), &v, sizeof v));
	return v;
}

int rig_break(struct rig *g, const char *symbol, enum stop_stage stage)
{
	struct stop_point sp = {.kind = STOP_POINT_PC,
	                        .stage = stage,
	                        .addr = rig_symbol(g, symbol),
	                        .enabled = true};
	int id = run_add_stop(g->r, &sp);
	assert_true(id > 0);
	return id;
}

static enum stop_reason rig_stop_reason(bool ok, const struct err *err)
{
	if (!ok)
		fail_msg("%s", err->msg);
	return rig_info.reason;
}

enum stop_reason rig_continue(struct rig *g)
{
	struct err err;
	return rig_stop_reason(run_continue(g->r, &rig_info, &err), &err);
}

enum stop_reason rig_back_continue(struct rig *g)
{
	struct err err;
	return rig_stop_reason(run_back_continue(g->r, &rig_info, &err), &err);
}

enum stop_reason rig_cycles(struct rig *g, uint64_t n)
{
	struct err err;
	return rig_stop_reason(run_cycles(g->r, n, false, &rig_info, &err), &err);
}

enum stop_reason rig_back_cycles(struct rig *g, uint64_t n)
{
	struct err err;
	return rig_stop_reason(run_back_cycles(g->r, n, &rig_info, &err), &err);
}

enum stop_reason rig_insts(struct rig *g, uint64_t n)
{
	struct err err;
	return rig_stop_reason(run_insts(g->r, n, false, &rig_info, &err), &err);
}

enum stop_reason rig_back_insts(struct rig *g, uint64_t n)
{
	struct err err;
	return rig_stop_reason(run_back_insts(g->r, n, &rig_info, &err), &err);
}

enum stop_reason rig_goto(struct rig *g, uint64_t cycle)
{
	struct err err;
	return rig_stop_reason(run_goto_cycle(g->r, cycle, &rig_info, &err), &err);
}

uint64_t rig_run_to(struct rig *g, const char *symbol)
{
	struct stop_point sp = {.kind = STOP_POINT_PC,
	                        .addr = rig_symbol(g, symbol),
	                        .enabled = true,
	                        .temporary = true};
	int id = run_add_stop(g->r, &sp);
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, id);
	assert_int_equal(rig_info.pc, sp.addr);
	assert_true(rig_info.temporary_deleted);
	assert_null(run_stop(g->r, id));
	return rig_cycle(g);
}

struct reference *reference_new(const struct subject *how, uint64_t max_cycles, probe_fn *probe,
                                void *ctx)
{
	struct subject quiet = *how;
	quiet.history.history = false;
	struct rig *g = rig_open(&quiet);
	struct reference *ref = calloc(1, sizeof *ref);
	assert_non_null(ref);
	size_t room = 0;
	for (uint64_t c = 0;; c++) {
		if (c >= room) {
			room = room ? 2 * room : 65536;
			ref->insts = realloc(ref->insts, room * sizeof *ref->insts);
			ref->next_seq = realloc(ref->next_seq, room * sizeof *ref->next_seq);
			ref->hit = realloc(ref->hit, room);
			assert_true(ref->insts && ref->next_seq && ref->hit);
		}
		ref->end = c;
		ref->insts[c] = machine_committed(g->s->machine);
		ref->next_seq[c] = machine_pipe(g->s->machine)->st->next_seq;
		ref->hit[c] = probe && probe(ctx, g);
		if (c == max_cycles || !machine_step(g->s->machine))
			break;
	}
	rig_close(g);
	return ref;
}

void reference_free(struct reference *ref)
{
	free(ref->insts);
	free(ref->next_seq);
	free(ref->hit);
	free(ref);
}

uint64_t random_below(uint64_t *state, uint64_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return n ? *state % n : 0;
}

/* ---- parts beside the machine ---- */
struct place {
	uint64_t cycle, hash;
};

static int rig_compare_places_by_cycle(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return (x->cycle > y->cycle) - (x->cycle < y->cycle);
}

static void rig_move_at_random(struct rig *g, uint64_t end, uint64_t *random)
{
	switch (random_below(random, 6)) {
	case 0:
		rig_goto(g, random_below(random, end + 1));
		break;
	case 1:
		rig_back_cycles(g, random_below(random, 400));
		break;
	case 2:
		rig_back_insts(g, 1 + random_below(random, 400));
		break;
	case 3:
		rig_insts(g, 1 + random_below(random, 400));
		break;
	case 4:
		rig_back_continue(g);
		break;
	default:
		rig_cycles(g, random_below(random, 400));
	}
}

void rig_assert_past(const struct subject *how, unsigned places, beside_fn *beside)
{
	struct subject forwards = *how;
	struct place *seen = calloc(places, sizeof *seen);
	uint64_t random = 88172645463325252u;
	struct rig *g = rig_open(how);
	assert_non_null(seen);
	rig_break(g, "tick", STAGE_COMMIT);
	while (rig_continue(g) != STOPPED_EXIT)
		;
	const uint64_t end = rig_cycle(g);
	for (unsigned i = 0; i < places; i++) {
		for (int k = 0; k < 6; k++)
			rig_move_at_random(g, end, &random);
		seen[i] = (struct place){rig_cycle(g), beside(g)};
	}
	rig_close(g);
	qsort(seen, places, sizeof *seen, rig_compare_places_by_cycle);
	forwards.history.history = false;
	g = rig_open(&forwards);
	for (unsigned i = 0; i < places; i++) {
		machine_run(g->s->machine, seen[i].cycle, UINT64_MAX);
		assert_int_equal(rig_cycle(g), seen[i].cycle);
		assert_int_equal(beside(g), seen[i].hash);
	}
	rig_close(g);
	free(seen);
}

struct run_history rig_history(const struct rig *g)
{
	struct run_history h;
	run_history(g->r, &h);
	return h;
}
