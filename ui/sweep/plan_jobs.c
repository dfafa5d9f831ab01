/* The jobs of a plan, and the digests that name their results. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/machine/params.h"
#include "core/machine/warm_state.h"
#include "scripting/config/config_lua.h"
#include "ui/cli/version.h"
#include "ui/sweep/digest.h"
#include "ui/sweep/plan_priv.h"

/* Digests a text including its terminator, so that different lists have different digests. */
static uint64_t digest_text(uint64_t h, const char *s)
{
	return hash_bytes(h, s, strlen(s) + 1);
}

static uint64_t digest_words(uint64_t h, const struct words *w)
{
	h = hash_bytes(h, &w->count, sizeof w->count);
	for (size_t i = 0; i < w->count; i++)
		h = digest_text(h, w->text[i]);
	return h;
}

static uint64_t digest_number(uint64_t h, uint64_t v)
{
	return hash_bytes(h, &v, sizeof v);
}

/* Digests all inputs of a program's run except the machine. Arguments that are names of files count
 * with the files' contents. */
static uint64_t digest_program(const struct plan_program *g)
{
	uint64_t h = digest_text(HASH_START, CYCLOPS_VERSION);
	h = digest_words(h, &g->options);
	h = digest_words(h, &g->argv);
	h = digest_number(h, (uint64_t)g->status);
	for (size_t i = 0; i < g->files.count; i++)
		h = digest_number(h, digest_file(g->files.text[i]));
	for (size_t i = 0; i < g->argv.count; i++)
		h = digest_number(h, digest_file(g->argv.text[i]));
	return digest_number(h, g->stdin_path ? digest_file(g->stdin_path) : 0);
}

/* Digests a machine, or with `warm` only the parameters that warming depends on, by its differences
 * from the default: a parameter that a later version adds does not change the digest. */
static uint64_t digest_config(uint64_t h, const struct config *cfg, bool warm)
{
	struct config defaults;
	config_default(&defaults);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &params[i];
		if (config_same(cfg, &defaults, p) || (warm && machine_warm_ignores(p)))
			continue;
		h = digest_text(h, p->name);
		h = p->type == PARAM_TEXT ? digest_text(h, config_text(cfg, p))
		                          : digest_number(h, (uint64_t)config_get(cfg, p));
	}
	return h;
}

/* The machine of a job, and in *files a digest of the files that its configurations name (0: none);
 * names and values were checked when the plan was read. */
static bool job_config(const struct plan *p, const struct plan_job *j, struct config *cfg,
                       uint64_t *files, struct err *err)
{
	const struct plan_config *c = &p->configs[j->config];
	struct config_files named = {.count = 0};
	bool ok = true;
	config_default(cfg);
	for (size_t i = 0; ok && i < c->sources.count; i++)
		ok = config_load_files(cfg, c->sources.text[i], &named, err);
	*files = 0;
	for (unsigned i = 0; i < named.count; i++)
		*files = digest_number(*files + 1, digest_file(strchr(named.word[i], '=') + 1));
	config_files_deinit(&named);
	if (!ok)
		return false;
	for (size_t i = 0; i < c->settings.count; i++)
		if (!config_set_assignment(cfg, c->settings.text[i], err))
			return false;
	for (size_t a = 0; a < p->axis_count; a++)
		if (!config_set(cfg, p->axes[a].name, p->axes[a].values.text[j->value[a]], err))
			return false;
	return true;
}

static void make_words(struct plan *p, struct plan_job *j, uint64_t program,
                       const struct config *cfg)
{
	const struct plan_config *c = &p->configs[j->config];
	const struct plan_program *g = &p->programs[j->program];
	words_add(p, &j->run, "run");
	for (size_t i = 0; i < c->sources.count; i++)
		words_add(p, &j->run, plan_text(p, "--config=%s", c->sources.text[i]));
	for (size_t i = 0; i < c->settings.count; i++)
		words_add(p, &j->run, plan_text(p, "--set=%s", c->settings.text[i]));
	for (size_t a = 0; a < p->axis_count; a++)
		words_add(p, &j->run,
		          plan_text(p, "--set=%s=%s", p->axes[a].name,
		                    p->axes[a].values.text[j->value[a]]));
	for (size_t i = 0; i < g->options.count; i++)
		words_add(p, &j->run, g->options.text[i]);
	if (g->checkpoints)
		words_add(p, &j->run,
		          plan_text(p, "--checkpoints=%s-%016" PRIx64, g->checkpoints,
		                    digest_config(program, cfg, true)));
	words_add(p, &j->run, "--");
	for (size_t i = 0; i < g->argv.count; i++)
		words_add(p, &j->run, g->argv.text[i]);
}

/* Advances to the next combination, the last axis fastest; false after the last one. */
static bool next_values(const struct plan *p, size_t *value)
{
	for (size_t a = p->axis_count; a-- > 0;) {
		if (++value[a] < p->axes[a].values.count)
			return true;
		value[a] = 0;
	}
	return false;
}

/* Makes the jobs of one machine. */
static bool make_machine_jobs(struct plan *p, size_t config, const size_t *value,
                              const uint64_t *programs, struct err *err)
{
	struct config cfg;
	uint64_t files = 0;
	for (size_t g = 0; g < p->program_count; g++) {
		struct plan_job *j = &p->jobs[p->job_count++];
		j->config = config;
		j->program = g;
		memcpy(j->value, value, sizeof j->value);
		if (!g && !job_config(p, j, &cfg, &files, err))
			return false;
		const uint64_t inputs = files ? digest_number(programs[g], files) : programs[g];
		snprintf(j->key, sizeof j->key, "%016" PRIx64, digest_config(inputs, &cfg, false));
		make_words(p, j, inputs, &cfg);
	}
	return true;
}

bool plan_make_jobs(struct plan *p, struct err *err)
{
	size_t count = p->config_count * p->program_count;
	for (size_t a = 0; a < p->axis_count && count <= PLAN_JOBS_MAX; a++)
		count *= p->axes[a].values.count;
	if (count > PLAN_JOBS_MAX)
		return plan_wrong(p, NULL, err, "this makes more than %d jobs", PLAN_JOBS_MAX);
	uint64_t *programs = plan_alloc(p, p->program_count * sizeof *programs);
	for (size_t g = 0; g < p->program_count; g++)
		programs[g] = digest_program(&p->programs[g]);
	digest_build(p->build);
	p->jobs = plan_alloc(p, count * sizeof *p->jobs);
	for (size_t c = 0; c < p->config_count; c++) {
		size_t value[PLAN_AXES_MAX] = {0};
		do
			if (!make_machine_jobs(p, c, value, programs, err))
				return false;
		while (next_values(p, value));
	}
	return true;
}
