#include "ui/screen/playground.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "core/base/open_input.h"

static const char example[] = "# A playground: F5 assembles and runs, Esc leaves the text.\n"
			      "\t.text\n"
			      "\t.globl _start\n"
			      "_start:\tli s0, 20        # twenty times\n"
			      "\tli a0, 0\n"
			      "loop:\tadd a0, a0, s0\n"
			      "\taddi s0, s0, -1\n"
			      "\tbnez s0, loop\n"
			      "\tli a0, 0\n"
			      "\tli a7, 93         # exit(0)\n"
			      "\tecall\n";

static const char example_c[] = "/* A playground: F5 compiles and runs, Esc leaves the text. */\n"
				"#include <stdio.h>\n"
				"\n"
				"int main(void)\n"
				"{\n"
				"\tint sum = 0;\n"
				"\tfor (int i = 1; i <= 20; i++)\n"
				"\t\tsum += i;\n"
				"\tprintf(\"%d\\n\", sum);\n"
				"\treturn 0;\n"
				"}\n";

bool playground_open(struct playground *p, const char *path, const char *kept, struct err *err)
{
	*p = (struct playground){.focused = true, .top = 1};
	if (strlen(path) >= sizeof p->path)
		return err_set(err, "%.60s...: the path is too long", path);
	strcpy(p->path, path);
	if (kept && strlen(kept) < sizeof p->kept)
		strcpy(p->kept, kept);
	p->offered = *p->kept && access(p->kept, R_OK) == 0;
	const char *dot = strrchr(path, '.'), *empty;
	p->c = dot && !strcmp(dot, ".c");
	empty = p->c ? example_c : example;
	FILE *f = open_input(path);
	if (!f && errno != ENOENT)
		return err_set(err, "%s: %s", path, open_input_error());
	char *text = alloc_bytes(EDITOR_MAX + 1);
	size_t n = 0;
	if (text && f)
		n = fread(text, 1, EDITOR_MAX + 1, f);
	if (f)
		fclose(f);
	const bool ok = text && editor_set(&p->editor, f ? text : empty, f ? n : strlen(empty));
	free(text);
	p->opened = p->editor.changes;
	p->saved = f ? p->editor.changes : 0;
	return ok ||
	       err_set(err, "%s: more than %d MB, the limit for editing", path, EDITOR_MAX >> 20);
}

void playground_deinit(struct playground *p)
{
	if (p->as_kept && !p->gone)
		unlink(p->kept);
	editor_deinit(&p->editor);
	asm_result_deinit(&p->result);
	free(p->stops);
}

static bool playground_assemble_text(struct playground *p, struct asm_result *r)
{
	const struct asm_source source = {p->path, p->editor.text ? p->editor.text : "",
	                                  p->editor.n};
	const struct asm_options options = {.abi = ASM_ABI_GUESS};
	return asm_assemble(&source, 1, &options, r);
}

void playground_check(struct playground *p)
{
	if (p->checked == p->editor.changes)
		return;
	if (p->c)
		p->result = (struct asm_result){0};
	else
		playground_assemble_text(p, &p->result);
	asm_result_deinit(&p->result);
	p->checked = p->editor.changes;
}

/* Parses "prog.c:12:5: error: expected ';'"; false for lines of another form. */
static bool read_error(const char *line, struct asm_message *out)
{
	static const char *const forms[] = {":%u:%u: error: %n", ":%u:%u: fatal error: %n"};
	for (const char *at = line; (at = strchr(at, ':')); at++)
		for (unsigned i = 0; i < 2; i++) {
			int n = 0;
			*out = (struct asm_message){0};
			if (sscanf(at, forms[i], &out->line, &out->column, &n) == 2 && n) {
				snprintf(out->text, sizeof out->text, "%.*s",
				         (int)strcspn(at + n, "\n"), at + n);
				return true;
			}
		}
	return false;
}

void playground_compiled(struct playground *p, bool ok, FILE *said, const char *why)
{
	struct asm_result *r = &p->result;
	char line[1024];
	*r = (struct asm_result){0};
	p->checked = p->ran = p->editor.changes;
	if (ok)
		return;
	while (said && r->message_count < ASM_MESSAGES_MAX && fgets(line, sizeof line, said))
		r->message_count += read_error(line, &r->message[r->message_count]);
	if (!r->message_count)
		snprintf(r->message[r->message_count++].text, sizeof r->message[0].text, "%s", why);
}

bool playground_assemble(struct playground *p, const char *program, struct err *err)
{
	static const char nothing[] = "_start: li a0,0; li a7,93; ecall";
	struct asm_result *r = alloc_zeroed(1, sizeof *r);
	struct output_file o;
	if (!r)
		return err_set(err, "out of memory");
	p->ran = p->editor.changes;
	bool ok = !p->c && playground_assemble_text(p, r);
	if (!ok) {
		const struct asm_source source = {"nothing", nothing, sizeof nothing - 1};
		const struct asm_options options = {.abi = OS_LINUX};
		asm_result_deinit(r);
		ok = asm_assemble(&source, 1, &options, r) || err_set(err, "out of memory");
	}
	if (ok && (ok = output_begin(&o, program, OUTPUT_FILE_ANY, err))) {
		output_make_executable(&o);
		fwrite(r->elf, 1, r->size, o.f);
		ok = output_end(&o, program, err);
	}
	asm_result_deinit(r);
	free(r);
	return ok;
}

bool playground_save(struct playground *p, struct err *err)
{
	if (p->saved == p->editor.changes)
		return true;
	if (!output_write(p->path, p->editor.text ? p->editor.text : "", p->editor.n,
	                  OUTPUT_FILE_ANY, err))
		return false;
	p->saved = p->editor.changes;
	if (*p->kept && !p->offered)
		unlink(p->kept);
	return true;
}

void playground_keep(struct playground *p)
{
	struct err unused; /* the text itself is not in danger yet */
	if (!*p->kept || p->offered || p->as_kept == p->editor.changes ||
	    p->saved == p->editor.changes || p->opened == p->editor.changes)
		return;
	output_write(p->kept, p->editor.text ? p->editor.text : "", p->editor.n,
	             OUTPUT_FILE_REGULAR, &unused);
	p->as_kept = p->editor.changes;
}

bool playground_take_kept(struct playground *p, bool take, struct err *err)
{
	char *text = take ? alloc_bytes(EDITOR_MAX + 1) : NULL;
	FILE *f = take ? open_input(p->kept) : NULL;
	const size_t n = text && f ? fread(text, 1, EDITOR_MAX + 1, f) : 0;
	bool ok = !take || (f && text && !ferror(f) && editor_set(&p->editor, text, n)) ||
	          err_set(err, "%s: it can't be read", p->kept);
	if (f)
		fclose(f);
	free(text);
	/* A taken one stays until the text is saved. */
	if (ok && !take)
		ok = unlink(p->kept) == 0 || err_set(err, "%s: %s", p->kept, strerror(errno));
	p->offered = false;
	return ok;
}
