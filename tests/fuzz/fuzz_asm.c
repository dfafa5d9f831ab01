/* Untrusted assembly texts. Properties: no crash, no leak, no undefined behaviour; an answer takes
 * bounded time; errors are lines with a place in the text; the loader takes an assembled text,
 * which assembles to the same bytes twice. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "loader/asm/asm.h"
#include "loader/program.h"
#include "tests/fuzz/hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Any file is the source `reader`. */
static uint8_t *fuzz_asm_read(void *reader, const char *name, bool text, size_t *n, struct err *err)
{
	const struct asm_source *s = reader;
	uint8_t *bytes = malloc(s->n + 1);
	(void)text;
	if (!bytes || !*name) {
		free(bytes);
		return err_set(err, "no file"), NULL;
	}
	memcpy(bytes, s->text, s->n);
	*n = s->n;
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct asm_result r, again;
	const char *text = (const char *)data;
	struct asm_source sources[] = {
		{"fuzz.s", text, n / 2}, {"b.s", text + n / 2, n - n / 2}, {"whole.s", text, n}};
	/* One text, or two with common symbols. */
	const bool two = n && (data[n - 1] & 2);
	const struct asm_source *from = two ? sources : &sources[2];
	const struct asm_options options = {.words = n && (data[n - 1] & 1),
	                                    .abi = ASM_ABI_GUESS,
	                                    .read = fuzz_asm_read,
	                                    .reader = &sources[1]};
	const bool ok = asm_assemble(from, 1 + two, &options, &r);
	hold(ok == !r.message_count && ok == (r.elf != NULL));
	for (unsigned i = 0; i < r.message_count; i++) {
		hold(*r.message[i].text && !strchr(r.message[i].text, '\n'));
		hold(!i || r.message[i].source > r.message[i - 1].source ||
		     strcmp(r.message[i].file, r.message[i - 1].file) ||
		     r.message[i].line >= r.message[i - 1].line);
	}
	if (ok) {
		struct err err;
		struct program *p = program_from_bytes(r.elf, r.size, "fuzz", &err);
		hold(p != NULL);
		program_has_lines(p);
		program_free(p);
		hold(asm_assemble(from, 1 + two, &options, &again));
		hold(again.size == r.size && !memcmp(again.elf, r.elf, r.size));
		asm_result_deinit(&again);
	}
	asm_result_deinit(&r);
	return 0;
}
