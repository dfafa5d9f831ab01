#include "ui/cli/instrument_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/output_file.h"
#include "ui/render/safe_print.h"

static bool instrument_program_write_elf(const char *path, const void *bytes, size_t n,
                                         struct err *err)
{
	struct output_file o;
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	fwrite(bytes, 1, n, o.f);
	output_make_executable(&o);
	return output_end(&o, path, err);
}

static void instrument_program_print_skipped(const struct instrument_summary *s, const char *output)
{
	uint32_t all = 0;
	for (unsigned i = 0; i < LEFT_WHY_COUNT; i++) {
		all += s->left_by[i];
		if (s->left_by[i])
			fprintf(stderr, "%6u function%s %s: %s\n", s->left_by[i],
			        s->left_by[i] == 1 ? "" : "s",
			        left_alone[i] ? "left alone" : "counted otherwise",
			        skip_reason_text[i]);
	}
	if (all)
		say(stderr, "       (`cyclops run --report untouched %s` names them)\n", output);
}

static void instrument_program_print_summary(const struct instrument_summary *s,
                                             const struct instrument_options *o, const char *output)
{
	say(stderr, "%s: %u functions, %u instructions", output, s->functions, s->insts);
	if (s->counters)
		fprintf(stderr, ", %" PRIu64 " counters", s->counters);
	for (unsigned i = 0; s->counters && i < o->count; i++) {
		fprintf(stderr, "%s%s", i ? ", " : " (", instrument_name[o->what[i].kind]);
		if (o->what[i].type >= 0)
			fprintf(stderr, " of type %d", o->what[i].type);
	}
	if (s->counters)
		fprintf(stderr, "), registers saved at %u", s->spilled);
	if (s->hashed)
		fprintf(stderr, ", hash tables in %u functions", s->hashed);
	fprintf(stderr, "; code of %" PRIu64 " bytes is %" PRIu64 " now\n", s->code_before,
	        s->code_after);
	instrument_program_print_skipped(s, output);
}

bool instrument_file(const char *path, const struct instrument_options *o, const char *output,
                     bool quiet, struct err *err)
{
	struct program *p = program_open(path, err);
	if (!p)
		return false;
	struct instrument_summary sum;
	void *file = NULL;
	size_t n;
	struct program *q = instrument_program(p, o, &sum, &file, &n, err);
	bool ok = q && instrument_program_write_elf(output, file, n, err);
	if (ok && !quiet)
		instrument_program_print_summary(&sum, o, output);
	if (q)
		program_free(q);
	free(file);
	program_free(p);
	return ok;
}
