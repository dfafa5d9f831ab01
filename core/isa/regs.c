#include "core/isa/regs.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[REG_COUNT] = {
	"zero", "ra",  "sp",  "gp",   "tp",   "t0",  "t1",  "t2",   "s0",   "s1",  "a0",
	"a1",   "a2",  "a3",  "a4",   "a5",   "a6",  "a7",  "s2",   "s3",   "s4",  "s5",
	"s6",   "s7",  "s8",  "s9",   "s10",  "s11", "t3",  "t4",   "t5",   "t6",  "ft0",
	"ft1",  "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0", "fa1",
	"fa2",  "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5", "fs6",
	"fs7",  "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11", "-",
};

const char *reg_name(unsigned reg)
{
	return reg < REG_COUNT ? names[reg] : "?";
}

int reg_from_name(const char *name)
{
	for (int reg = 0; reg < REG_SINK; reg++)
		if (strcmp(name, names[reg]) == 0)
			return reg;
	if (strcmp(name, "fp") == 0)
		return REG_FP;
	if ((name[0] != 'x' && name[0] != 'f') || name[1] < '0' || name[1] > '9')
		return -1;
	if (name[1] == '0' && name[2] != '\0')
		return -1;
	char *end;
	unsigned long n = strtoul(name + 1, &end, 10);
	if (*end != '\0' || n > 31)
		return -1;
	return (int)n + (name[0] == 'f' ? REG_F0 : 0);
}
