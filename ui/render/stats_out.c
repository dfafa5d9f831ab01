#include "ui/render/stats_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"

/* Writes a counter exactly, a derived value with enough digits to read back the same double; never
 * NaN. */
static void stats_out_write_value(FILE *f, const struct stats *s, const struct stat_row *row,
                                  const char *derived)
{
	double v = stat_value(s, row);
	if (row->derived)
		fprintf(f, derived, isfinite(v) ? v : 0.0);
	else
		fprintf(f, "%" PRId64,
		        *(const int64_t *)(const void *)((const char *)s + row->offset));
}

void stats_write_json(FILE *f, const struct stats *s, const struct config *cfg)
{
	const char *separator = "{";
	for (size_t i = 0; i < stat_row_count; i++) {
		if (!stat_exists(cfg, &stat_rows[i]))
			continue;
		fprintf(f, "%s\n  \"%s\": ", separator, stat_rows[i].name);
		separator = ",";
		stats_out_write_value(f, s, &stat_rows[i], "%.17g");
	}
	fputs("\n}\n", f);
}

void stats_write_text(FILE *f, const struct stats *s, const struct config *cfg)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		char value[40];
		if (!stat_exists(cfg, row))
			continue;
		FILE *v = alloc_file_in(value, sizeof value, "w");
		if (!v)
			return;
		stats_out_write_value(v, s, row, "%.4f");
		fclose(v);
		fprintf(f, "%-24s %16s  # %s (%s)\n", row->name, value, row->help, row->unit);
	}
}

static void stats_write_csv(FILE *f, const struct stats *s, const struct config *cfg)
{
	fputs("name,value,unit\n", f);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!stat_exists(cfg, row))
			continue;
		fprintf(f, "%s,", row->name);
		stats_out_write_value(f, s, row, "%.17g");
		fprintf(f, ",%s\n", row->unit);
	}
}

bool stats_write(const char *path, const struct stats *s, const struct config *cfg, struct err *err)
{
	if (!strcmp(path, "-")) {
		stats_write_text(stderr, s, cfg);
		return true;
	}
	struct output_file o;
	struct err why;
	bool ok = output_begin(&o, path, OUTPUT_FILE_ANY, &why);
	if (ok && output_ends_in(path, ".json"))
		stats_write_json(o.f, s, cfg);
	else if (ok && output_ends_in(path, ".csv"))
		stats_write_csv(o.f, s, cfg);
	else if (ok)
		stats_write_text(o.f, s, cfg);
	ok = ok && output_end(&o, path, &why);
	return ok || err_set(err, "--stats %s", why.msg);
}

char *stats_grouped(uint64_t v, char buf[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
	char *out = buf;
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buf;
}

static void stats_out_print_count(FILE *f, const char *what, uint64_t v)
{
	char buf[32];
	fprintf(f, "  %-28s %16s\n", what, stats_grouped(v, buf));
}

static void put_rate(FILE *f, const char *what, uint64_t part, uint64_t whole, const char *of)
{
	char a[32], b[32];
	if (whole)
		fprintf(f, "  %-28s %15.2f%%  %s of %s %s\n", what,
		        100.0 * (double)part / (double)whole, stats_grouped(part, a),
		        stats_grouped(whole, b), of);
}

static void put_speed(FILE *f, const struct stats *s, double seconds)
{
	char buf[32];
	double all = (double)(STAT(s, insts) + STAT(s, functional_insts));
	fprintf(f, "  %-28s %16s  instructions/s (%.2f s)\n", "simulated",
	        stats_grouped((uint64_t)(all / seconds), buf), seconds);
}

void stats_write_summary(FILE *f, const struct stats *s, const struct config *cfg,
                         double host_seconds)
{
	if (STAT(s, functional_insts))
		stats_out_print_count(f, "instructions without timing", STAT(s, functional_insts));
	if (STAT(s, cycles)) {
		stats_out_print_count(f, "cycles", STAT(s, cycles));
		stats_out_print_count(f, "instructions", STAT(s, insts));
		fprintf(f, "  %-28s %16.3f  of at most %d\n", "instructions per cycle",
		        (double)STAT(s, insts) / (double)STAT(s, cycles),
		        (int)CONFIG(cfg, commit_width));
		put_rate(f, "branches mispredicted",
		         STAT(s, commit_branches) - STAT(s, bpred_dir_hits),
		         STAT(s, commit_branches), "conditional branches");
		put_rate(f, "L1I misses", STAT(s, l1i_misses), STAT(s, l1i_accesses), "accesses");
		put_rate(f, "L1D misses", STAT(s, l1d_misses), STAT(s, l1d_accesses), "accesses");
		put_rate(f, "L2 misses", STAT(s, l2_misses), STAT(s, l2_accesses), "accesses");
	}
	if (host_seconds > 0)
		put_speed(f, s, host_seconds);
}
