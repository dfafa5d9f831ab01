/* The values of options: counts, folders, settings. */
#include "ui/cli/option_values.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/output_folder.h"
#include "ui/console/counts.h"

bool option_count(const char *name, const char *value, uint64_t *out, struct err *err)
{
	struct err why;
	if (count_parse(value, out, &why))
		return true;
	return err_set(err, "--%s: %s", name, why.msg);
}

bool option_save_every(const char *value, uint64_t *every, bool *cycles, struct err *err)
{
	const char *comma = strchr(value, ',');
	char count[32];
	snprintf(count, sizeof count, "%.*s", (int)(comma ? comma - value : 31), value);
	if (comma && strcmp(comma, ",cycles") != 0 && strcmp(comma, ",insts") != 0)
		return err_set(
			err,
			"--save-every %s: expected 10M for instructions, 10M,cycles for cycles",
			value);
	*cycles = comma && comma[1] == 'c';
	if (!option_count("save-every", count, every, err))
		return false;
	return *every || err_set(err, "--save-every 0: at least 1; to save where the run stops, "
	                              "give --save-to alone");
}

bool option_small_count(const char *name, const char *value, unsigned least, unsigned most,
                        unsigned *out, struct err *err)
{
	uint64_t n;
	if (!option_count(name, value, &n, err))
		return false;
	if (n < least || n > most)
		return err_set(err, "--%s %s: %u to %u", name, value, least, most);
	*out = (unsigned)n;
	return true;
}

void option_keep_folder(const char *value)
{
	const char *path = strchr(value, '=');
	if (path)
		output_keep_folder(path + 1);
}

bool option_sysroot_exists(const char *folder, struct err *err)
{
	struct stat st;
	return (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) ||
	       err_set(err,
	               "--sysroot %s: no such folder; expected one that has "
	               "lib/ld-linux-riscv64-lp64d.so.1",
	               folder);
}

