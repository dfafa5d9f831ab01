#include "ui/cli/sample_points.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/machine/warm_state.h"
#include "core/mem/mem.h"
#include "ui/checkpoint/checkpoint_file.h"

#define KIND "cyclops live points "
#define MAGIC KIND "2\n"
enum { PLAN_BYTES_MAX = 1 << 20, NAME_ROOM = PATH_MAX + 64 };

/* Digests the inputs, other than the configuration, that must be the same when units are measured
 * again. Arguments and environment are on the stack. */
static void sample_points_hash_program(struct sample_points *p, const struct session *s)
{
	struct machine *m = s->machine;
	p->layout = checkpoint_layout() ^ machine_warm_layout(m);
	p->program = program_digest(s->program);
	p->memory = mem_hash(machine_mem(m));
}

static void name_plan(const struct sample_points *p, char name[NAME_ROOM])
{
	snprintf(name, NAME_ROOM, "%s/plan", p->folder);
}

static void name_part(const struct sample_points *p, unsigned pass, unsigned part,
                      char name[NAME_ROOM])
{
	snprintf(name, NAME_ROOM, "%s/pass%u-part%03u.points", p->folder, pass, part);
}

/* ---- the plan's text ---- */
/* Reads the plan: malloc'd, zero-terminated. NULL with *err, or with *none if there is no plan. */
static char *read_plan(const struct sample_points *p, bool *none, struct err *err)
{
	char name[NAME_ROOM];
	name_plan(p, name);
	FILE *f = open_data_input(name);
	*none = !f && errno == ENOENT;
	if (!f) {
		err_set(err, "%s: %s", name, open_input_error());
		return NULL;
	}
	char *text = alloc_zeroed(1, PLAN_BYTES_MAX + 1);
	const size_t n = text ? fread(text, 1, PLAN_BYTES_MAX, f) : 0;
	fclose(f);
	if (text && n > sizeof MAGIC && n < PLAN_BYTES_MAX && !memchr(text, '\0', n) &&
	    !strncmp(text, MAGIC, sizeof MAGIC - 1))
		return text;
	err_set(err,
	        text && !strncmp(text, KIND, sizeof KIND - 1)
	                ? "%s: made by another version of cyclops; name a new folder"
	                : "%s: no plan of live points; expected a new folder, or one of "
	                  "--checkpoints",
	        name);
	free(text);
	return NULL;
}

/* Returns the rest of the line that begins with this word and a blank; NULL: none. */
static const char *sample_points_find_line(const char *text, const char *word)
{
	const size_t n = strlen(word);
	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!strncmp(at, word, n) && at[n] == ' ')
			return at + n + 1;
	}
	return NULL;
}

static bool sample_points_parse_number(const char *text, const char *word, int base, uint64_t *out)
{
	const char *at = sample_points_find_line(text, word);
	char *end;
	if (!at || strchr("+- \n", *at))
		return false;
	errno = 0;
	*out = strtoull(at, &end, base);
	return !errno && (*end == '\n' || *end == ' ');
}

/* Parses the plan. Checks the bounds of all numbers that locate units, so that a damaged file can
 * only give wrong results. */
static bool sample_points_parse_plan(struct sample_points *p, const char *text,
                                     struct sample_points *was)
{
	uint64_t passes, parts, status;
	if (!sample_points_parse_number(text, "layout", 16, &was->layout) ||
	    !sample_points_parse_number(text, "program", 16, &was->program) ||
	    !sample_points_parse_number(text, "memory", 16, &was->memory) ||
	    !sample_points_parse_number(text, "insts", 10, &p->insts) ||
	    !sample_points_parse_number(text, "syscalls", 10, &p->syscalls) ||
	    !sample_points_parse_number(text, "max-insts", 10, &p->max_insts) ||
	    !sample_points_parse_number(text, "status", 10, &status) ||
	    !sample_points_parse_number(text, "U", 10, &p->spec.unit) ||
	    !sample_points_parse_number(text, "W", 10, &p->spec.warm) ||
	    !sample_points_parse_number(text, "check", 10, &p->spec.check) ||
	    !sample_points_parse_number(text, "seed", 10, &p->spec.seed) ||
	    !sample_points_parse_number(text, "parts", 10, &parts) ||
	    !sample_points_parse_number(text, "passes", 10, &passes))
		return false;
	if (!passes || passes > SAMPLE_PASSES || !parts || parts > SAMPLE_PARTS_MAX ||
	    status > 255 || !p->spec.unit || p->spec.unit > 1000000000 || p->spec.warm > 1000000000)
		return false;
	p->passes = (unsigned)passes;
	p->spec.parts = (unsigned)parts;
	p->status = (int)status;
	for (unsigned i = 0; i < p->passes; i++) {
		char word[16];
		uint64_t every, seed, check, pair_every;
		snprintf(word, sizeof word, "pass%u", i);
		const char *at = sample_points_find_line(text, word);
		if (!at || sscanf(at, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &every,
		                  &seed, &check, &pair_every) != 4)
			return false;
		p->plan[i] = (struct sample_plan){.unit = p->spec.unit,
		                                  .warm = p->spec.warm,
		                                  .every = every,
		                                  .finest = every,
		                                  .seed = seed,
		                                  .check = check,
		                                  .pair_every = pair_every};
		if (every < sample_room(&p->plan[i]) ||
		    every > p->insts + sample_room(&p->plan[i]) || check > every || !pair_every)
			return false;
	}
	return true;
}

/* ---- whether it fits ---- */
static bool same_machine(const char *folder, const char *text, const struct config *cfg,
                         struct err *err)
{
	for (size_t i = 0; i < param_count; i++) {
		const struct param *q = &params[i];
		char word[96], now[PARAM_TEXT_MAX + 8], was[100] = "nothing of it";
		if (machine_warm_ignores(q))
			continue;
		snprintf(word, sizeof word, "-o %s", q->name);
		config_format(cfg, q, now, sizeof now);
		const char *at = sample_points_find_line(text, word);
		const size_t n = strlen(now);
		if (at && !strncmp(at, now, n) && at[n] == '\n')
			continue;
		if (at)
			snprintf(was, sizeof was, "%.*s", (int)strcspn(at, "\n"), at);
		return err_set(
			err,
			"--checkpoints %s was made with %s=%s, not %.100s: its warm state is "
			"another machine's; add -o %s=%s, or name a new folder to warm all again",
			folder, q->name, was, now, q->name, was);
	}
	return true;
}

/* True if the specification matches; values that were not given are the folder's. */
static bool same_units(const struct sample_points *p, const struct sample_spec *asked,
                       struct err *err)
{
	struct err none;
	struct sample_spec usual;
	(void)sample_spec_parse(&usual, NULL, &none);
	const struct {
		const char *name;
		uint64_t kept, asked, usual;
	} of[] = {{"U", p->spec.unit, asked->unit, usual.unit},
	          {"W", p->spec.warm, asked->warm, usual.warm},
	          {"check", p->spec.check, asked->check, usual.check},
	          {"seed", p->spec.seed, asked->seed, usual.seed},
	          {"parts", p->spec.parts, asked->parts, usual.parts}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (of[i].asked != of[i].kept && of[i].asked != of[i].usual)
			return err_set(err,
			               "--checkpoints %s has units of %s=%" PRIu64 ", not %" PRIu64
			               ": leave that out, or name a new folder",
			               p->folder, of[i].name, of[i].kept, of[i].asked);
	return true;
}

static bool sample_points_check_plan(struct sample_points *p, const char *text,
                                     const struct session *s, const struct sample_spec *asked,
                                     uint64_t max_insts, struct err *err)
{
	struct sample_points was;
	if (!sample_points_parse_plan(p, text, &was))
		return err_set(err, "--checkpoints %s: its plan is damaged; name a new folder",
		               p->folder);
	if (was.program != p->program)
		return err_set(err,
		               "--checkpoints %s is of another program than %s: name a new folder",
		               p->folder, program_path(s->program));
	if (!same_machine(p->folder, text, &s->cfg, err))
		return false;
	if (was.layout != p->layout)
		return err_set(err,
		               "--checkpoints %s was made by another version of cyclops: name a "
		               "new folder",
		               p->folder);
	if (was.memory != p->memory)
		return err_set(err,
		               "--checkpoints %s is of this program started with other arguments "
		               "or environment: give the same, or name a new folder",
		               p->folder);
	if (p->max_insts != max_insts)
		return err_set(err,
		               "--checkpoints %s was made with another --max-insts: give the same, "
		               "or name a new folder",
		               p->folder);
	return same_units(p, asked, err);
}

bool sample_points_open(struct sample_points *p, const char *folder, const struct session *s,
                        const struct sample_spec *asked, uint64_t max_insts, struct err *err)
{
	bool none;
	*p = (struct sample_points){.folder = folder};
	if (strlen(folder) + 32 > PATH_MAX)
		return err_set(err, "--checkpoints: the folder's name is too long");
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return err_set(err, "--checkpoints %s: %s", folder, strerror(errno));
	sample_points_hash_program(p, s);
	char *text = read_plan(p, &none, err);
	p->there = text;
	p->max_insts = max_insts;
	if (!text)
		return none;
	const bool ok = sample_points_check_plan(p, text, s, asked, max_insts, err);
	free(text);
	return ok;
}

bool sample_points_finish(const struct sample_points *p, const struct session *s, struct err *err)
{
	char name[NAME_ROOM], value[PARAM_TEXT_MAX + 8];
	struct output_file o;
	name_plan(p, name);
	if (!output_begin(&o, name, OUTPUT_FILE_REGULAR, err))
		return false;
	fprintf(o.f,
	        MAGIC "layout %016" PRIx64 "\nprogram %016" PRIx64 "\nmemory %016" PRIx64
	              "\ninsts %" PRIu64 "\nsyscalls %" PRIu64 "\nmax-insts %" PRIu64
	              "\nstatus %d\nU %" PRIu64 "\nW %" PRIu64
	              "\ncheck %" PRIu64 "\nseed %" PRIu64
	              "\nparts %u\npasses %u\n",
	        p->layout, p->program, p->memory, p->insts, p->syscalls, p->max_insts, p->status,
	        p->spec.unit, p->spec.warm, p->spec.check, p->spec.seed, p->spec.parts, p->passes);
	for (unsigned i = 0; i < p->passes; i++)
		fprintf(o.f, "pass%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", i,
		        p->plan[i].every, p->plan[i].seed, p->plan[i].check,
		        p->plan[i].pair_every);
	for (size_t i = 0; i < param_count; i++)
		fprintf(o.f, "-o %s %s\n", params[i].name,
		        config_format(&s->cfg, &params[i], value, sizeof value));
	return output_end(&o, name, err);
}

/* ---- files of points ---- */
bool sample_points_begin(const struct sample_points *p, unsigned pass, unsigned part,
                         struct output_file *o, struct err *err)
{
	char name[NAME_ROOM];
	name_part(p, pass, part, name);
	return output_begin(o, name, OUTPUT_FILE_REGULAR, err);
}

bool sample_points_end(const struct sample_points *p, unsigned pass, unsigned part,
                       struct output_file *o, struct err *err)
{
	char name[NAME_ROOM];
	name_part(p, pass, part, name);
	return output_end(o, name, err);
}

FILE *sample_points_read(const struct sample_points *p, unsigned pass, unsigned part,
                         struct err *err)
{
	char name[NAME_ROOM];
	name_part(p, pass, part, name);
	FILE *f = open_data_input(name);
	if (!f)
		err_set(err, "--checkpoints: %s: %s; name a new folder to warm all again", name,
		        open_input_error());
	return f;
}

bool sample_points_say(const struct sample_points *p, unsigned pass, unsigned part, struct err *err)
{
	char name[NAME_ROOM];
	const struct err why = *err;
	name_part(p, pass, part, name);
	return err_set(err, "--checkpoints: %s: %s", name, why.msg);
}
