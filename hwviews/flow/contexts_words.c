/* Parses the words that select calling contexts: their source, weight and region of the run. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/flow/contexts.h"

static bool contexts_words_is_number_at(const struct view_args *args, int i)
{
	return i < args->argc && isdigit((unsigned char)*args->argv[i]);
}

/* Number of words of the region that begins at word i; 0: none. A single number is a node, not a
 * region. */
static int region_words(const struct view_args *args, int i)
{
	if (!strcmp(args->argv[i], "selection"))
		return 1;
	return !strcmp(args->argv[i], "since") || (contexts_words_is_number_at(args, i) &&
	                                           contexts_words_is_number_at(args, i + 1))
	               ? 2
	               : 0;
}

/* Takes the region out of words; leaves the others in `rest`. */
static bool take_region(const struct session *s, const struct view_args *args,
                        struct region *region, const char **rest, int *count, struct err *err)
{
	const char *words[REGION_WORDS_MAX] = {0};
	int argc = 0;
	*count = 0;
	for (int i = 0; i < args->argc;) {
		const bool named = !strcmp(args->argv[i], "of") ||
		                   !strcmp(args->argv[i], "by") ||
		                   !strcmp(args->argv[i], "thread");
		const int taken = region_words(args, i), n = taken ? taken : named ? 2 : 1;
		for (int k = 0; k < n && i < args->argc; k++, i++) {
			if (*count + argc == REGION_WORDS_MAX)
				return err_set(err, "too many words");
			if (taken)
				words[argc++] = args->argv[i];
			else
				rest[(*count)++] = args->argv[i];
		}
	}
	return region_take(s, argc, words, region, err);
}

bool contexts_words(const struct session *s, const struct view_args *args, int most,
                    const char *right, struct contexts_args *out, struct err *err)
{
	const char *words[REGION_WORDS_MAX];
	struct region region;
	int argc;
	if (!take_region(s, args, &region, words, &argc, err))
		return false;
	*out = (struct contexts_args){.region = region};
	for (int i = 0; i < argc; i++) {
		const char *word = words[i];
		if (!strcmp(word, "oracle")) {
			out->from = CONTEXTS_ORACLE;
		} else if (!strcmp(word, "program")) {
			out->from = CONTEXTS_PROGRAM;
		} else if (!strcmp(word, "of")) {
			if (++i == argc)
				return err_set(err, "no file given; expected one that a program "
				                    "with --cct has written");
			out->from = CONTEXTS_FILE;
			out->file = words[i];
		} else if (!strcmp(word, "by")) {
			if (++i == argc)
				return err_set(err, "no metric given; expected calls, or a metric "
				                    "of the contexts, such as sim.insts");
			out->by = words[i];
		} else if (!strcmp(word, "threads")) {
			out->thread = CONTEXTS_APART;
		} else if (!strcmp(word, "thread")) {
			if (++i == argc || (out->thread = atoi(words[i])) <= 0)
				return err_set(err, "no thread given; expected its number, as "
				                    "`info threads` shows it");
		} else if (out->rest_count == most) {
			return err_set(err,
			               "'%s' is one word too many; expected oracle, program or of "
			               "FILE, by METRIC, threads, thread N%s",
			               word, right);
		} else {
			out->rest[out->rest_count++] = word;
		}
	}
	return true;
}
