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

bool playground_open(struct playground *p, const char *path, bool several, const char *kept,
                     struct err *err)
{
	if (p->count == PLAYGROUND_TEXTS)
		return err_set(err, "%s: expected at most %d files", path, PLAYGROUND_TEXTS);
	struct playground_text *t = &p->text[p->count];
	*t = (struct playground_text){.top = 1};
	if (strlen(path) >= sizeof t->path)
		return err_set(err, "%.60s...: the path is too long", path);
	strcpy(t->path, path);
	if (kept && strlen(kept) < sizeof t->kept)
		strcpy(t->kept, kept);
	t->offered = *t->kept && access(t->kept, R_OK) == 0;
	const char *dot = strrchr(path, '.'), *empty;
	p->c = dot && !strcmp(dot, ".c");
	empty = several ? "" : p->c ? example_c : example;
	FILE *f = open_input(path);
	if (!f && errno != ENOENT)
		return err_set(err, "%s: %s", path, open_input_error());
	char *text = alloc_bytes(EDITOR_MAX + 1);
	size_t n = 0;
	if (text && f)
		n = fread(text, 1, EDITOR_MAX + 1, f);
	if (f)
		fclose(f);
	const bool ok = text && editor_set(&t->editor, f ? text : empty, f ? n : strlen(empty));
	free(text);
	t->opened = t->editor.changes;
	t->saved = f ? t->editor.changes : 0;
	p->count += ok;
	p->focused = true;
	return ok ||
	       err_set(err, "%s: more than %d MB, the limit for editing", path, EDITOR_MAX >> 20);
}

void playground_deinit(struct playground *p)
{
	for (struct playground_text *t = p->text; t < p->text + p->count; t++) {
		if (t->as_kept && !p->gone)
			unlink(t->kept);
		editor_deinit(&t->editor);
	}
	asm_result_deinit(&p->result);
	free(p->stops);
}

unsigned playground_changes(const struct playground *p)
{
	unsigned changes = 0;
	for (unsigned i = 0; i < p->count; i++)
		changes += p->text[i].editor.changes;
	return changes;
}

bool playground_text_changed(const struct playground_text *t)
{
	return t->saved != t->editor.changes;
}

bool playground_changed(const struct playground *p)
{
	for (unsigned i = 0; i < p->count; i++)
		if (playground_text_changed(&p->text[i]))
			return true;
	return false;
}

struct playground_text *playground_offered(struct playground *p)
{
	for (struct playground_text *t = p->text; t < p->text + p->count; t++)
		if (t->offered)
			return t;
	return NULL;
}

int playground_find(const struct playground *p, const char *file)
{
	const size_t n = strlen(file);
	for (unsigned i = 0; i < p->count; i++) {
		const char *path = p->text[i].path;
		path += !strncmp(path, "./", 2) ? 2 : 0;
		const size_t m = strlen(path);
		if (n >= m && !strcmp(file + n - m, path) && (n == m || file[n - m - 1] == '/'))
			return (int)i;
	}
	return -1;
}

static bool playground_assemble_texts(struct playground *p, struct asm_result *r)
{
	struct asm_source sources[PLAYGROUND_TEXTS];
	for (unsigned i = 0; i < p->count; i++) {
		const struct playground_text *t = &p->text[i];
		sources[i] = (struct asm_source){t->path, t->editor.text ? t->editor.text : "",
		                                 t->editor.n};
	}
	return asm_assemble(sources, p->count, &p->options, r);
}

void playground_check(struct playground *p)
{
	if (p->checked == playground_changes(p))
		return;
	if (p->c)
		p->result = (struct asm_result){0};
	else
		playground_assemble_texts(p, &p->result);
	asm_result_deinit(&p->result);
	p->checked = playground_changes(p);
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
	p->checked = p->ran = playground_changes(p);
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
	p->ran = playground_changes(p);
	bool ok = !p->c && playground_assemble_texts(p, r);
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

static bool playground_save_text(struct playground_text *t, struct err *err)
{
	if (!playground_text_changed(t))
		return true;
	if (!output_write(t->path, t->editor.text ? t->editor.text : "", t->editor.n,
	                  OUTPUT_FILE_ANY, err))
		return false;
	t->saved = t->editor.changes;
	if (*t->kept && !t->offered)
		unlink(t->kept);
	return true;
}

bool playground_save(struct playground *p, struct err *err)
{
	for (unsigned i = 0; i < p->count; i++)
		if (!playground_save_text(&p->text[i], err))
			return false;
	return true;
}

void playground_keep(struct playground *p)
{
	struct err unused; /* the text itself is not in danger yet */
	for (struct playground_text *t = p->text; t < p->text + p->count; t++) {
		if (!*t->kept || t->offered || t->as_kept == t->editor.changes ||
		    !playground_text_changed(t) || t->opened == t->editor.changes)
			continue;
		output_write(t->kept, t->editor.text ? t->editor.text : "", t->editor.n,
		             OUTPUT_FILE_REGULAR, &unused);
		t->as_kept = t->editor.changes;
	}
}

void playground_gone(struct playground *p)
{
	playground_keep(p);
	p->gone = true;
	p->warned = playground_changes(p); /* don't ask */
}

bool playground_take_kept(struct playground_text *t, bool take, struct err *err)
{
	char *text = take ? alloc_bytes(EDITOR_MAX + 1) : NULL;
	FILE *f = take ? open_input(t->kept) : NULL;
	const size_t n = text && f ? fread(text, 1, EDITOR_MAX + 1, f) : 0;
	bool ok = !take || (f && text && !ferror(f) && editor_set(&t->editor, text, n)) ||
	          err_set(err, "%s: it can't be read", t->kept);
	if (f)
		fclose(f);
	free(text);
	/* A taken one stays until the text is saved. */
	if (ok && !take)
		ok = unlink(t->kept) == 0 || err_set(err, "%s: %s", t->kept, strerror(errno));
	t->offered = false;
	return ok;
}
