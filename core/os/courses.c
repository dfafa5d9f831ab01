/* ECALL as in RARS, Ripes and Venus: programs print numbers and read them, without a library. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os/descriptors.h"
#include "core/os/host_questions.h"
#include "core/os/last_place.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"

enum { LINE_MAX_BYTES = 1000, PIECE_BYTES = 4096, NSEC_OF_MS = 1000000, MS_OF_SECOND = 1000 };
enum { COURSE_FA0 = REG_F0 + 10 };

static const struct {
	const char *name, *exit;
} course_abis[OS_ABIS] = {
	{"linux", "li a7,93; ecall"},
	{"rars", "li a7,10; ecall"},
	{"ripes", "li a7,10; ecall"},
	{"venus", "li a0,10; ecall"},
	{"htif", "li t0,1; sd t0,tohost,t1"},
};

const char *os_abi_name(enum os_abi abi)
{
	return course_abis[abi].name;
}

int os_abi_find(const char *name)
{
	for (int i = 0; i < OS_ABIS; i++)
		if (!strcmp(course_abis[i].name, name))
			return i;
	return -1;
}

const char *os_abi_exit(enum os_abi abi)
{
	return course_abis[abi].exit;
}

void os_set_abi(struct os *os, enum os_abi abi, uint64_t text_end)
{
	os->st->abi = (uint8_t)abi;
	os->st->text_end = text_end;
}

void os_set_last_place(struct os *os, const char *place)
{
	snprintf(os->last_place, sizeof os->last_place, "%s", place);
}

/* ---- output ---- */
static int64_t course_put(struct call *c, const char *bytes, size_t n)
{
	c->jumped = true; /* registers stay as they are */
	c->again |= !out_write(c->os, 1, bytes, n);
	return 0;
}

static int64_t course_print_int(struct call *c)
{
	char text[32];
	return course_put(c, text,
	                  (size_t)snprintf(text, sizeof text, "%" PRId32, (int32_t)c->a[0]));
}

static int64_t course_print_unsigned(struct call *c)
{
	char text[32];
	return course_put(c, text,
	                  (size_t)snprintf(text, sizeof text, "%" PRIu32, (uint32_t)c->a[0]));
}

static int64_t course_print_hex(struct call *c)
{
	char text[32];
	return course_put(c, text,
	                  (size_t)snprintf(text, sizeof text, "0x%08" PRIx32, (uint32_t)c->a[0]));
}

static int64_t course_print_binary(struct call *c)
{
	char text[2 + 32] = "0b";
	for (unsigned i = 0; i < 32; i++)
		text[2 + i] = (char)('0' + (c->a[0] >> (31 - i) & 1));
	return course_put(c, text, sizeof text);
}

static int64_t course_print_char(struct call *c)
{
	const char byte = (char)c->a[0];
	return course_put(c, &byte, 1);
}

/* The shortest digits that read back as the same number, as Java writes them. */
static int64_t course_put_number(struct call *c, double v, bool single)
{
	char text[64];
	int digits = 1;
	if (isnan(v) || isinf(v))
		return course_put(c,
		                  isnan(v) ? "NaN"
		                  : v < 0  ? "-Infinity"
		                           : "Infinity",
		                  isnan(v) ? 3
		                  : v < 0  ? 9
		                           : 8);
	do
		snprintf(text, sizeof text, "%.*e", digits - 1, v);
	while ((single ? (double)strtof(text, NULL) : strtod(text, NULL)) != v && ++digits < 18);
	const int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	int n;
	if (v == 0 || (exponent >= -3 && exponent < 7)) {
		const int after = digits - 1 - exponent;
		n = snprintf(text, sizeof text, "%.*f", after > 1 ? after : 1, v);
	} else {
		char *e = strchr(text, 'e');
		*e = '\0';
		n = (int)(e - text);
		n += snprintf(text + n, sizeof text - (size_t)n, "%sE%d",
		              strchr(text, '.') ? "" : ".0", exponent);
	}
	return course_put(c, text, (size_t)n);
}

static int64_t course_print_float(struct call *c)
{
	float v;
	char text[32];
	if (c->st->abi == OS_RIPES) { /* its bits are in a0 */
		memcpy(&v, &c->a[0], sizeof v);
		return course_put(c, text, (size_t)snprintf(text, sizeof text, "%g", (double)v));
	}
	memcpy(&v, &c->h->r[COURSE_FA0], sizeof v);
	return course_put_number(c, (double)v, true);
}

static int64_t course_print_double(struct call *c)
{
	double v;
	memcpy(&v, &c->h->r[COURSE_FA0], sizeof v);
	return course_put_number(c, v, false);
}

static int64_t course_print_string(struct call *c)
{
	char piece[PIECE_BYTES];
	const uint64_t before[] = {c->st->out_bytes[0], c->st->out_bytes[1]};
	uint64_t at = c->a[0];
	c->jumped = true;
	for (;;) {
		const size_t room = sizeof piece - at % sizeof piece;
		const size_t n = (size_t)guest_span(c->mem, at, room, PROT_R);
		if (!n || !mem_read(c->mem, at, piece, n)) {
			os_warnf(c->os,
			         "print_string: the string at 0x%" PRIx64
			         " has no end in the program's memory",
			         c->a[0]);
			return 0;
		}
		const size_t used = strnlen(piece, n);
		course_put(c, piece, used);
		if (c->again) {
			memcpy(c->st->out_bytes, before, sizeof before);
			return 0;
		}
		if (used < n)
			return 0;
		at += n;
	}
}

/* ---- input ---- */
/* Reads a line of standard input, at most `most` bytes with its end, which is kept. Returns its
 * length; -EINTR: the call is repeated. */
static int64_t course_read_line(struct call *c, char *line, size_t most)
{
	struct os_file *f = fd_file(c->st, 0);
	size_t n = 0;
	while (f && f->kind == OS_FILE_STDIN && n < most) {
		const void *byte;
		const int64_t got = host_stdin(c->os, f->offset + (int64_t)n, 1, &byte);
		if (got == -EINTR || call_repeats(c)) {
			c->again = true;
			return -EINTR;
		}
		if (got <= 0)
			break;
		line[n++] = *(const char *)byte;
		if (host_stdin_is_typed(c->os))
			out_echo(c->os, byte, 1);
		if (line[n - 1] == '\n')
			break;
	}
	if (f)
		f->offset += (int64_t)n;
	return (int64_t)n;
}

/* Reads a line with a number; *ended: there is no line any more. False: the call is repeated. */
static bool course_read_text(struct call *c, const char *what, char *line, bool *ended)
{
	const int64_t n = course_read_line(c, line, LINE_MAX_BYTES);
	if (n < 0)
		return false;
	line[n] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	*ended = !n;
	if (!n)
		os_warnf(c->os, "%s: the input has ended: 0", what);
	return true;
}

/* A line that is no number. RARS ends the program then; elsewhere it counts as what it begins
 * with. */
static int64_t course_refuse_number(struct call *c, const char *what, const char *line)
{
	const bool ends = c->st->abi == OS_RARS;
	os_warnf(c->os, "%s: '%.40s' is no number%s", what, line,
	         ends ? "; the program ends, as in RARS" : "");
	c->a[0] = EXIT_FAILURE;
	return ends ? sys_exit_group(c) : 0;
}

static int64_t course_read_int(struct call *c)
{
	char line[LINE_MAX_BYTES + 1], *end;
	bool ended;
	if (!course_read_text(c, "read_int", line, &ended))
		return 0;
	const long v = strtol(line, &end, 10);
	if (!ended && (end == line || end[strspn(end, " \t")] || v != (int32_t)v)) {
		const int64_t result = course_refuse_number(c, "read_int", line);
		if (c->st->abi == OS_RARS)
			return result;
	}
	return (int32_t)v;
}

/* False: there is no number, and the call ends with *result. */
static bool course_read_number(struct call *c, const char *what, double *v, int64_t *result)
{
	char line[LINE_MAX_BYTES + 1], *end;
	bool ended;
	*result = 0;
	c->jumped = true;
	if (!course_read_text(c, what, line, &ended))
		return false;
	*v = strtod(line, &end);
	if (ended || (end != line && !end[strspn(end, " \t")]))
		return true;
	*result = course_refuse_number(c, what, line);
	return c->st->abi != OS_RARS;
}

static void course_set_float(struct call *c, float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	c->h->r[COURSE_FA0] = bits | UINT64_C(0xffffffff00000000);
}

static int64_t course_read_float(struct call *c)
{
	double v;
	int64_t result;
	if (course_read_number(c, "read_float", &v, &result))
		course_set_float(c, (float)v);
	return result;
}

static int64_t course_read_double(struct call *c)
{
	double v;
	int64_t result;
	if (course_read_number(c, "read_double", &v, &result))
		memcpy(&c->h->r[COURSE_FA0], &v, sizeof v);
	return result;
}

/* As fgets(): at most a1 - 1 bytes of a line, and a zero. */
static int64_t course_read_string(struct call *c)
{
	char line[LINE_MAX_BYTES + 1];
	const uint64_t room = c->a[1] > sizeof line ? sizeof line : c->a[1];
	c->jumped = true;
	if ((int64_t)c->a[1] < 1)
		return 0;
	if (guest_span(c->mem, c->a[0], room, PROT_W) < room) {
		os_warnf(c->os, "read_string: there are no %" PRIu64 " bytes at 0x%" PRIx64,
		         c->a[1], c->a[0]);
		return 0;
	}
	const int64_t n = course_read_line(c, line, (size_t)room - 1);
	if (n < 0)
		return 0;
	line[n] = '\0';
	mem_write(c->mem, c->a[0], line, (size_t)n + 1);
	return 0;
}

static int64_t course_read_char(struct call *c)
{
	char byte;
	const int64_t n = course_read_line(c, &byte, 1);
	return n > 0 ? (int64_t)(unsigned char)byte : -1;
}

/* ---- memory, time, numbers, files ---- */
static int64_t course_sbrk(struct call *c)
{
	const uint64_t before = c->st->brk;
	c->a[0] = before + (uint64_t)(int64_t)(int32_t)c->a[0];
	return sys_brk(c) == (int64_t)c->a[0] ? (int64_t)before : -1;
}

static int64_t course_time(struct call *c)
{
	const struct lx_timespec t = time_of_day(c);
	const uint64_t ms = (uint64_t)(t.sec * MS_OF_SECOND + t.nsec / NSEC_OF_MS);
	c->h->r[REG_A0 + 1] = (uint64_t)(int64_t)(int32_t)(ms >> 32);
	return (int32_t)ms;
}

/* Time passes only in cycles: nothing waits. */
static int64_t course_sleep(struct call *c)
{
	c->jumped = true;
	return 0;
}

/* a0 names a generator: there is one. */
static int64_t course_rand_seed(struct call *c)
{
	c->jumped = true;
	os_seed_random(c->st, c->a[1]);
	return 0;
}

static uint64_t course_random(struct call *c)
{
	uint64_t v;
	os_random_bytes(c->st, (uint8_t *)&v, sizeof v);
	return v;
}

static int64_t course_rand_int(struct call *c)
{
	return (int32_t)course_random(c);
}

static int64_t course_rand_range(struct call *c)
{
	const uint32_t bound = (uint32_t)c->a[1];
	return bound ? (int64_t)((course_random(c) >> 32) * bound >> 32) : 0;
}

static int64_t course_rand_float(struct call *c)
{
	c->jumped = true;
	course_set_float(c, (float)(course_random(c) >> 40) * 0x1p-24f);
	return 0;
}

static int64_t course_rand_double(struct call *c)
{
	const double v = (double)(course_random(c) >> 11) * 0x1p-53;
	c->jumped = true;
	memcpy(&c->h->r[COURSE_FA0], &v, sizeof v);
	return 0;
}

/* a0: name; a1: 0 to read, 1 to write, 9 to append. */
static int64_t course_open(struct call *c)
{
	const uint64_t how = c->a[1];
	c->a[2] = how == 0   ? 0
	          : how == 9 ? LX_O_WRONLY | LX_O_CREAT | LX_O_APPEND
	                     : LX_O_WRONLY | LX_O_CREAT | LX_O_TRUNC;
	c->a[1] = c->a[0];
	c->a[0] = (uint64_t)LX_AT_FDCWD;
	c->a[3] = 0644;
	const int64_t fd = sys_openat(c);
	return fd < 0 ? -1 : fd;
}

/* a0 stays the buffer; -1: it is too small. */
static int64_t course_getcwd(struct call *c)
{
	c->jumped = sys_getcwd(c) > 0;
	return -1;
}

/* ---- ends ---- */
static int64_t course_exit2(struct call *c)
{
	return sys_exit_group(c);
}

static int64_t course_exit(struct call *c)
{
	enum { CALL_AT = 4 }; /* after the instruction that sets the number */
	if (c->st->text_end && c->pc - c->st->text_end <= CALL_AT)
		os_warnf(c->os, "the program ran past its last instruction%s%s; it needs exit: %s",
		         *c->os->last_place ? ", " : "", c->os->last_place,
		         os_abi_exit(c->st->abi));
	c->a[0] = 0;
	return sys_exit_group(c);
}

/* Services of RARS that need its windows or sound. */
static const struct {
	uint64_t number;
	const char *name, *instead;
} course_windows[] = {
	{31, "MidiOut", "there is no sound here"},
	{33, "MidiOutSync", "there is no sound here"},
	{50, "ConfirmDialog", "read_char (12) reads an answer from standard input"},
	{51, "InputDialogInt", "read_int (5) reads from standard input"},
	{52, "InputDialogFloat", "read_float (6) reads from standard input"},
	{53, "InputDialogDouble", "read_double (7) reads from standard input"},
	{54, "InputDialogString", "read_string (8) reads from standard input"},
	{55, "MessageDialog", "print_string (4) prints"},
	{56, "MessageDialogInt", "print_int (1) prints"},
	{58, "MessageDialogDouble", "print_double (3) prints"},
	{59, "MessageDialogString", "print_string (4) prints"},
	{60, "MessageDialogFloat", "print_float (2) prints"},
};

int64_t course_lack_service(struct call *c, uint64_t number)
{
	const enum os_abi abi = c->st->abi;
	for (size_t i = 0; abi == OS_RARS && i < sizeof course_windows / sizeof *course_windows;
	     i++)
		if (course_windows[i].number == number) {
			c->jumped = true;
			os_warnf(c->os, "service %" PRIu64 " of RARS, %s, does nothing here: %s",
			         number, course_windows[i].name, course_windows[i].instead);
			return 0;
		}
	os_warnf(c->os, "%s has no service %" PRIu64 ": %s", os_abi_name(abi), number,
	         abi == OS_RARS ? "the program ends, as in RARS" : "nothing happens");
	c->jumped = true;
	if (abi != OS_RARS)
		return 0;
	c->a[0] = EXIT_FAILURE;
	return sys_exit_group(c);
}

static const struct {
	unsigned abis;
	struct sys_row row;
} course_rows[] = {
#define COURSE(abis, number, name, fn, flags) {abis, {number, #name, fn, flags}},
#include "core/os/courses.def"
};

const struct sys_row *course_service(struct call *c, uint64_t *number)
{
	const enum os_abi abi = c->st->abi;
	if (abi == OS_VENUS) {
		*number = c->a[0];
		memmove(c->a, c->a + 1, sizeof c->a - sizeof *c->a);
	}
	for (size_t i = 0; i < sizeof course_rows / sizeof *course_rows; i++)
		if (course_rows[i].abis >> abi & 1 && course_rows[i].row.number == *number)
			return &course_rows[i].row;
	return NULL;
}
