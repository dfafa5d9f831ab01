#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "ui/render/stats_out.h"
#include "tests/cases.h"

enum { TEXT_BYTES = 65536 };

/* Stores the output of `write` for distinct counters in `text`. */
static void stats_out_write_to_text(void (*write)(FILE *, const struct stats *,
                                                  const struct config *),
                                    struct stats *s, bool devices, char *text)
{
	struct config cfg;
	config_default(&cfg);
	cfg.firmware = cfg.oracle = cfg.sampler = cfg.cop = cfg.vsample = cfg.profileme = devices;
	cfg.l1i_prefetch = cfg.l1d_prefetch = cfg.l2_prefetch = devices;
	uint64_t *words = (uint64_t *)s;
	for (size_t i = 0; i < sizeof *s / sizeof *words; i++)
		words[i] = 1000 + i;
	s->cycles = UINT64_C(9007199254740993); /* not a double */
	FILE *f = fmemopen(text, TEXT_BYTES, "w");
	write(f, s, &cfg);
	fclose(f);
}

TEST(json_has_every_name_and_exact_counters)
{
	struct stats s;
	static char text[TEXT_BYTES];
	stats_out_write_to_text(stats_write_json, &s, true, text);
	assert_int_equal(text[0], '{');
	assert_string_equal(text + strlen(text) - 3, "\n}\n");
	assert_non_null(strstr(text, "\"sim.cycles\": 9007199254740993,"));
	for (size_t i = 0; i < stat_row_count; i++) {
		char key[80];
		snprintf(key, sizeof key, "  \"%s\": ", stat_rows[i].name);
		const char *at = strstr(text, key);
		assert_non_null(at);
		assert_true(strtod(at + strlen(key), NULL) == stat_value(&s, &stat_rows[i]));
		assert_null(strstr(at + 1, key));
	}
}

TEST(text_describes_every_row)
{
	struct stats s;
	static char text[TEXT_BYTES];
	stats_out_write_to_text(stats_write_text, &s, true, text);
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strstr(text, stat_rows[i].name) || !strstr(text, stat_rows[i].help))
			fail_msg("%s is missing", stat_rows[i].name);
}

TEST(rows_of_absent_devices_are_left_out)
{
	struct stats s;
	static char text[TEXT_BYTES];
	stats_out_write_to_text(stats_write_json, &s, false, text);
	assert_null(strstr(text, "firmware."));
	assert_null(strstr(text, "cpi.firmware"));
	assert_null(strstr(text, "prefetch"));
	assert_non_null(strstr(text, "cpi.serial"));
	struct err err;
	assert_false(stat_absent(stat_find("cpi.firmware", NULL), &err));
	assert_string_equal(err.msg,
	                    "this machine has no firmware: start with --firmware FILE.elf");
	assert_false(stat_absent(stat_find("l1d.prefetch_late", NULL), &err));
	assert_string_equal(
		err.msg,
		"this machine's l1d has no prefetcher: start with, for example, "
		"-o l1d.prefetch=next-line");
	assert_string_equal(text + strlen(text) - 3, "\n}\n");
}

TEST(nothing_counted_is_not_nan)
{
	struct stats s = {0};
	static char text[TEXT_BYTES];
	FILE *f = fmemopen(text, TEXT_BYTES, "w");
	struct config cfg;
	config_default(&cfg);
	stats_write_json(f, &s, &cfg);
	fclose(f);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
}

TEST(a_file_that_cannot_be_written_is_named)
{
	struct stats s = {0};
	struct err err = {""};
	struct config cfg;
	config_default(&cfg);
	assert_false(stats_write("/no/such/folder/x.json", &s, &cfg, &err));
	assert_non_null(strstr(err.msg, "/no/such/folder/x.json"));
}
