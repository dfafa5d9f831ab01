/* Simulators whose programs are accepted; a text is recognised by the services that it requests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/asm/asm_priv.h"

uint64_t abi_text_base(enum os_abi abi)
{
	return abi == OS_RARS ? 0x400000 : 0x10000;
}

uint64_t abi_data_base(enum os_abi abi)
{
	return !os_abi_is_course(abi) ? 0 : abi == OS_RARS ? 0x10010000 : 0x10000000;
}

enum { NAMED_MAX = 64, NUMBER_NONE = -1 };

/* Registers at a place of the text, as far as they are known. */
struct abi_state {
	long a7, a0;        /* numbers last put there; NUMBER_NONE: none, or not known */
	long course, venus; /* the first service that is theirs alone */
	bool has_a7;        /* a7 is ever set */
	bool bare;          /* there is a label tohost */
	bool rars_only;
	bool prints_float; /* requests service 2 */
	struct {
		struct span name;
		long value;
	} named[NAMED_MAX]; /* .eqv, .equ */
	unsigned named_count;
};

static struct span abi_token(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t' || **at == ',' || **at == '\r'))
		++*at;
	struct span s = {*at, 0};
	while (*at < end && **at && !strchr(" \t,\r", **at))
		++*at, s.n++;
	return s;
}

static long abi_number(const struct abi_state *t, struct span s)
{
	char text[24], *stop;
	for (unsigned i = 0; i < t->named_count; i++)
		if (s.n == t->named[i].name.n && !memcmp(s.at, t->named[i].name.at, s.n))
			return t->named[i].value;
	if (!s.n || s.n >= sizeof text)
		return NUMBER_NONE;
	memcpy(text, s.at, s.n);
	text[s.n] = '\0';
	const long v = strtol(text, &stop, 0);
	return *stop ? NUMBER_NONE : v;
}

static void abi_look_at_call(struct abi_state *t)
{
	const long n = t->has_a7 ? t->a7 : t->a0;
	if (n == NUMBER_NONE)
		return;
	if (!t->has_a7) {
		if (t->venus == NUMBER_NONE && (n == 1 || n == 4 || (n >= 9 && n <= 11) || n == 34))
			t->venus = n;
		return;
	}
	const bool course = (n >= 1 && n <= 12) || n == 30 || n == 32 || (n >= 40 && n <= 44) ||
	                    (n >= 50 && n <= 55) || n == 59;
	t->prints_float |= n == 2;
	t->rars_only |= (n >= 5 && n <= 9) || n == 12 || n == 30 || n >= 40;
	if (course && t->course == NUMBER_NONE)
		t->course = n;
}

/* The end of the statement that begins at `at`. */
static const char *abi_statement_end(const char *at, const char *end)
{
	while (at < end && *at != '\n' && *at != ';')
		at++;
	return at;
}

bool abi_text_is_64bit(const char *text, size_t n)
{
	const char *end = text + n;
	for (const char *at = text, *stop; at < end; at = stop + 1) {
		stop = abi_statement_end(at, end);
		struct span word = abi_token(&at, stop);
		while (word.n && word.at[word.n - 1] == ':')
			word = abi_token(&at, stop);
		if (table_is_64bit(word) || span_is(word, ".dword") || span_is(word, ".quad"))
			return true;
	}
	return false;
}

/* 0x80000000 to 0xffffffff, with eight digits. */
static bool abi_is_narrow(struct span s)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	return s.n == 10 && s.at[0] == '0' && (s.at[1] | 32) == 'x' && s.at[2] >= '8' &&
	       strspn(s.at + 2, digits) >= 8;
}

void abi_find_narrow(const char *text, size_t n, char *why, size_t room)
{
	const char *end = text + n;
	for (const char *at = text, *stop; at < end; at = stop + 1) {
		stop = abi_statement_end(at, end);
		struct span word = abi_token(&at, stop);
		while (word.n && word.at[word.n - 1] == ':')
			word = abi_token(&at, stop);
		if (!word.n || *word.at == '.' || *word.at == '#' || *word.at == '/')
			continue;
		for (struct span s; (s = abi_token(&at, stop)).n && *s.at != '#' && *s.at != '/';)
			if (abi_is_narrow(s)) {
				snprintf(why, room, "%.*s", (int)s.n, s.at);
				return;
			}
	}
}

static void abi_look_at_statement(struct abi_state *t, const char *at, const char *end)
{
	struct span word = abi_token(&at, end);
	while (word.n && word.at[word.n - 1] == ':') {
		t->bare |= span_is(word, "tohost:");
		word = abi_token(&at, end);
	}
	if (span_is(word, "ecall") || span_is(word, "scall")) {
		abi_look_at_call(t);
		return;
	}
	const struct span to = abi_token(&at, end);
	if (span_is(word, ".eqv") || span_is(word, ".equ") || span_is(word, ".set")) {
		const long v = abi_number(t, abi_token(&at, end));
		if (v != NUMBER_NONE && t->named_count < NAMED_MAX) {
			t->named[t->named_count].name = to;
			t->named[t->named_count++].value = v;
		}
		return;
	}
	const int reg = register_of(to);
	if (reg != REG_A0 && reg != REG_A7)
		return;
	struct span value = abi_token(&at, end);
	if (span_is(word, "addi") || span_is(word, "ori"))
		value = register_of(value) == REG_ZERO ? abi_token(&at, end) : (struct span){"", 0};
	else if (!span_is(word, "li"))
		value.n = 0;
	*(reg == REG_A7 ? &t->a7 : &t->a0) = abi_number(t, value);
	t->has_a7 |= reg == REG_A7;
}

static bool abi_text_has(const char *text, size_t n, const char *word)
{
	return memmem(text, n, word, strlen(word)) != NULL;
}

bool abi_text_is_qtrvsim(const char *text, size_t n)
{
	return abi_text_has(text, n, ABI_QTRVSIM);
}

/* True if the line is a directive of the C preprocessor, but for #pragma. Comments may begin with
 * such a word, so that a blank after # makes one. */
static bool abi_line_is_directive(const char *at, const char *end)
{
	static const char *const names[] = {"include", "define", "undef", "ifdef", "ifndef", "if"};
	struct span word = abi_token(&at, end);
	if (word.n < 2 || *word.at != '#')
		return false;
	word.at++, word.n--;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_is(word, names[i]))
			return true;
	return false;
}

bool asm_takes_instead(const char *text, size_t n, const char *given, char *why, size_t room)
{
	const char *end = text + n;
	bool begins = false;
	for (const char *at = text, *stop; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		if (abi_line_is_directive(at, stop))
			return false;
		struct span word;
		while ((word = abi_token(&at, stop)).n && word.at[word.n - 1] == ':')
			begins |= span_is(word, "main:") || span_is(word, "_start:");
	}
	const enum os_abi abi = abi_guess(text, n, why, room);
	if (given)
		snprintf(why, room, "%s", given);
	else if (abi_text_is_qtrvsim(text, n))
		snprintf(why, room, "%s", ABI_QTRVSIM);
	else if (!os_abi_is_course(abi))
		snprintf(why, room, "%s", begins ? "" : "neither main nor _start");
	return given || *why;
}

bool asm_text_seems_rv32(const char *text, size_t n, char *why, size_t room)
{
	*why = '\0';
	if (!abi_text_is_64bit(text, n))
		abi_find_narrow(text, n, why, room);
	return *why;
}

enum os_abi abi_guess(const char *text, size_t length, char *why, size_t n)
{
	struct abi_state t = {
		.a7 = NUMBER_NONE, .a0 = NUMBER_NONE, .course = NUMBER_NONE, .venus = NUMBER_NONE};
	for (const char *at = text, *end = text + length; at < end;) {
		const char *stop = abi_statement_end(at, end);
		abi_look_at_statement(&t, at, stop);
		at = stop + 1;
	}
	*why = '\0';
	if (t.bare) {
		snprintf(why, n, "a label tohost");
		return OS_HTIF;
	}
	const long service = t.has_a7 ? t.course : t.venus;
	if (service == NUMBER_NONE)
		return OS_LINUX;
	snprintf(why, n, "%s=%ld%s", t.has_a7 ? "a7" : "a0", service,
	         service == 4   ? " with a string"
	         : service == 1 ? " with a number"
	                        : " at an ecall");
	/* A float to print is in fa0, in Ripes in a0. */
	const bool ripes = abi_text_has(text, length, "LED_MATRIX_0") ||
	                   (t.prints_float && !abi_text_has(text, length, "fa0") &&
	                    !abi_text_has(text, length, "f10"));
	return !t.has_a7 ? OS_VENUS : ripes && !t.rars_only ? OS_RIPES : OS_RARS;
}
