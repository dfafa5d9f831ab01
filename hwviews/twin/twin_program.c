#include "hwviews/twin/twin_program.h"

#include <stdio.h>
#include <string.h>

#include "hwviews/twin/twin.h"
#include "loader/edit/moved_code.h"
#include "loader/edit/same_program.h"

static const char instrument[] = "instrument=", program[] = "program=";

bool twin_program_word(struct twin_program *out, const char *word, bool *bad, struct err *err)
{
	*bad = false;
	if (!strncmp(word, instrument, sizeof instrument - 1)) {
		*bad = !instrument_add(&out->instrument, word + sizeof instrument - 1, err);
	} else if (!strncmp(word, program, sizeof program - 1)) {
		const char *file = word + sizeof program - 1;
		*bad = !*file || strlen(file) >= sizeof out->file;
		if (*bad)
			err_set(err,
			        "'%.60s' is not understood; expected program=FILE, of at most %zu "
			        "bytes",
			        word, sizeof out->file - 1);
		else
			strcpy(out->file, file);
	} else {
		return false;
	}
	if (!*bad && out->instrument.count && *out->file)
		*bad = !err_set(err, "instrument= makes the twin's program, and program= names "
		                     "one; expected only one of them");
	return true;
}

/* Opens the program, owned by the caller; *out NULL: s's own. */
static bool open_program(const struct twin_program *p, const struct session *s,
                         struct program **out, struct err *err)
{
	struct moved_code own;
	*out = NULL;
	if (!p->instrument.count && !*p->file)
		return true;
	if (program_moved_code(s->program, &own))
		return err_set(err,
		               "%.200s is itself laid out again; use a session on the program "
		               "that it was made from",
		               program_path(s->program));
	if (p->instrument.count) {
		*out = instrument_check(&p->instrument, err)
		               ? instrument_program(s->program, &p->instrument, NULL, NULL, NULL,
		                                    err) : NULL;
	} else {
		*out = program_open_at(p->file, s->launch.path, s->launch.load_base, err);
		if (*out && !program_laid_out_from(*out, s->program, err)) {
			struct err why = *err;
			program_free(*out);
			*out = NULL;
			err_set(err, "%.200s: %s", p->file, why.msg);
		}
	}
	if (*out)
		*out = launch_complete(&s->launch, *out, err);
	return *out != NULL;
}

bool twin_open_on(struct session *s, const struct config *cfg, const struct twin_program *p,
                  const char *what, struct err *err)
{
	struct program *other = NULL;
	return (!p || open_program(p, s, &other, err)) &&
	       twin_open(s, cfg, other, p ? p->plugins : NULL, what, err);
}
