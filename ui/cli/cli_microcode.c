/* `cyclops microcode`: the co-processor's assembler and disassembler. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "core/defs/events.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/cop/micro_code.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/option_text.h"
#include "ui/render/safe_print.h"

enum { DEFINES_MAX = 32 };

static const struct cli_option options[] = {
	{{"output", required_argument, NULL, 'o'},
         "OUT.h",
         "write a C header for firmware instead of a listing; - is standard output"},
	{{"define", required_argument, NULL, 'D'},
         "NAME=NUMBER",
         "another value for one of its .equ"},
	{{"disassemble", no_argument, NULL, 'd'},
         NULL,
         "FILE has words, two hexadecimal numbers for each microinstruction, or is a header that "
         "-o wrote"},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct request {
	const char *input, *output;
	struct micro_define defines[DEFINES_MAX];
	unsigned define_count;
	bool disassemble, help;
};

/* ---- the command line ---- */
static bool take_define(struct request *r, char *text, struct err *err)
{
	char *equals = strchr(text, '='), *end;
	if (!equals || equals == text || !equals[1] || !isdigit((unsigned char)equals[1]))
		return err_set(err, "-D %s: expected -D NAME=NUMBER", text);
	errno = 0;
	const uint64_t value = strtoull(equals + 1, &end, 0);
	if (*end || errno)
		return err_set(err, "-D %s: '%s' is no number of at most 64 bits", text,
		               equals + 1);
	if (r->define_count == DEFINES_MAX)
		return err_set(err, "more than %d -D", DEFINES_MAX);
	*equals = '\0';
	r->defines[r->define_count++] = (struct micro_define){text, value};
	return true;
}

static bool cli_microcode_parse_option(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct request *r = ctx;
	(void)argc;
	(void)argv;
	switch (id) {
	case 'o': r->output = optarg; return *optarg || err_set(err, "-o needs a file's name");
	case 'D': return take_define(r, optarg, err);
	case 'd': return r->disassemble = true;
	default: return r->help = true;
	}
}

static bool cli_microcode_parse_args(struct request *r, int argc, char **argv, struct err *err)
{
	*r = (struct request){0};
	if (!cli_read_options(options, OPTIONS, argc, argv, cli_microcode_parse_option, r, err))
		return false;
	if (r->help)
		return true;
	if (optind + 1 != argc)
		return err_set(err, "%s; expected cyclops %s",
		               optind < argc ? "one file at a time" : "no file given",
		               cli_microcode.usage);
	r->input = argv[optind];
	if (r->disassemble && (r->output || r->define_count))
		return err_set(err, "-d goes with neither -o nor -D");
	if (r->output && !strcmp(r->output, r->input))
		return err_set(err, "%s would be overwritten; -o needs another name", r->input);
	return true;
}

void cli_microcode_print_options(FILE *f)
{
	cli_print_options(options, OPTIONS, f);
}

/* ---- files ---- */
/* Reads a file, malloc'd, zero-terminated; NULL with *err. */
static char *cli_microcode_read_file(const char *path, size_t *n, struct err *err)
{
	FILE *f = !strcmp(path, "-") ? stdin : open_input(path);
	char *text = NULL, block[4096];
	size_t got;
	if (!f)
		return err_set(err, "%s: %s", path, open_input_error()), NULL;
	FILE *to = alloc_stream(&text, n);
	if (to)
		while ((got = fread(block, 1, sizeof block, f)))
			fwrite(block, 1, got, to);
	const bool wrong = ferror(f);
	const int why = errno;
	if (f != stdin)
		fclose(f);
	if (!to || fclose(to)) {
		err_set(err, "out of memory");
	} else if (wrong) {
		err_set(err, "%s: %s", path, strerror(why));
	} else {
		return text;
	}
	free(text);
	return NULL;
}

/* ---- the listing ---- */
static void list_names(FILE *f, const char *title, const char *const *names, unsigned count,
                       unsigned bits)
{
	fputs(title, f);
	for (unsigned i = 0, n = 0; i < count; i++)
		if (bits >> i & 1)
			fprintf(f, "%s%s", n++ ? ", " : "", names[i]);
}

static void list_classes(FILE *f, const struct micro_image *image)
{
	for (unsigned i = 0; i < INST_KIND_COUNT; i++) {
		if (!(image->classes >> i & 1))
			continue;
		const unsigned words = 1 + (unsigned)__builtin_popcount(image->fields[i]);
		fprintf(f, "%-7s %s, %u word%s a record", inst_kind_name[i],
		        micro_label_at(image, image->start[i]), words, words > 1 ? "s" : "");
		list_names(f, image->fields[i] ? ": " : "", record_field_name, RECORD_FIELD_COUNT,
		           image->fields[i]);
		fputc('\n', f);
	}
}

static void list_code(FILE *f, const struct micro_image *image)
{
	char text[MICRO_TEXT_MAX];
	for (unsigned at = 0; at < image->count; at++) {
		for (unsigned i = 0; i < image->label_count; i++)
			if (image->labels[i].at == at)
				fprintf(f, "%s:\n", image->labels[i].name);
		fprintf(f, "%4u  %016" PRIx64 " %016" PRIx64 "  %s\n", at, image->words[at].w[0],
		        image->words[at].w[1], micro_text(image, at, text, sizeof text));
	}
}

static void put_listing(FILE *f, const struct micro_image *image)
{
	if (*image->name)
		say(f, "%s%s%s\n", image->name, *image->help ? ": " : "", image->help);
	list_classes(f, image);
	if (!image->classes)
		fputs("samples nothing: it has neither .fields nor .on\n", f);
	fprintf(f, "%u microinstruction%s\n\n", image->count, image->count > 1 ? "s" : "");
	list_code(f, image);
}

/* ---- the header ---- */
/* Makes a prefix of C names from the program's name, else from the file's. */
static void prefix_of(const struct micro_image *image, const char *path, char out[MICRO_NAME_MAX])
{
	const char *slash = strrchr(path, '/'), *from = *image->name ? image->name
	                                                : slash      ? slash + 1
	                                                             : path;
	size_t n = 0;
	if (isdigit((unsigned char)*from))
		out[n++] = '_';
	for (; *from && *from != '.' && n < MICRO_NAME_MAX - 1; from++)
		out[n++] =
			isalnum((unsigned char)*from) ? (char)tolower((unsigned char)*from) : '_';
	out[n] = '\0';
}

static void put_array64(FILE *f, const char *prefix, const char *name, const uint64_t *v,
                        unsigned n)
{
	fprintf(f, "static const uint64_t %s_%s[%u] = {", prefix, name, n);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s0x%" PRIx64, i ? ", " : "", v[i]);
	fputs("};\n", f);
}

static void put_array16(FILE *f, const char *prefix, const char *name, const uint16_t *v,
                        unsigned n)
{
	fprintf(f, "static const uint16_t %s_%s[%u] = {", prefix, name, n);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s0x%x", i ? ", " : "", v[i]);
	fputs("};\n", f);
}

static void put_header(FILE *f, const struct micro_image *image, const char *path)
{
	char prefix[MICRO_NAME_MAX] = "", upper[MICRO_NAME_MAX], text[MICRO_TEXT_MAX];
	const char *slash = strrchr(path, '/');
	prefix_of(image, path, prefix);
	for (size_t i = 0; i <= strlen(prefix); i++)
		upper[i] = (char)toupper((unsigned char)prefix[i]);
	fprintf(f,
	        "/* %s%s%s: made of %s by `cyclops microcode -o`. For the registers see "
	        "core/prof/cop/cop.h. */\n",
	        *image->name ? image->name : prefix, *image->help ? ", " : "", image->help,
	        slash ? slash + 1 : path);
	fprintf(f, "#ifndef MICROCODE_%s_H\n#define MICROCODE_%s_H\n\n#include <stdint.h>\n\n",
	        upper, upper);
	for (unsigned i = 0; i < image->constant_count; i++)
		fprintf(f, "#define %s_%s UINT64_C(%" PRIu64 ")\n", upper, image->constants[i].name,
		        image->constants[i].value);
	fprintf(f,
	        "#define %s_COUNT %u /* microinstructions */\n#define %s_CLASSES UINT64_C(0x%x) /* "
	        "to be sampled */\n\n",
	        upper, image->count, upper, image->classes);
	fprintf(f, "static const uint64_t %s_code[%u][2] = {\n", prefix, image->count);
	for (unsigned i = 0; i < image->count; i++)
		fprintf(f, "\t{0x%016" PRIx64 ", 0x%016" PRIx64 "}, /* %s */\n",
		        image->words[i].w[0], image->words[i].w[1],
		        micro_text(image, i, text, sizeof text));
	fputs("};\n", f);
	put_array16(f, prefix, "start", image->start, MICRO_CLASSES);
	put_array16(f, prefix, "fields", image->fields, MICRO_CLASSES);
	put_array64(f, prefix, "v", image->v, MICRO_VALUES);
	put_array64(f, prefix, "k", image->k, MICRO_VALUES);
	put_array16(f, prefix, "x", image->x, MICRO_INDEXES);
	put_array16(f, prefix, "b", image->b, MICRO_BASES);
	put_array16(f, prefix, "t", image->t, MICRO_TARGETS);
	fputs("\n#endif\n", f);
}

/* ---- words ---- */
/* Parses the next hexadecimal number of at most 16 digits, with or without 0x; false if there is
 * none. */
static bool cli_microcode_parse_hex_word(const char **at, uint64_t *out)
{
	char *end;
	while (isspace((unsigned char)**at) || (**at && strchr("{},", **at)))
		++*at;
	if (!strncmp(*at, "/*", 2)) {
		const char *close = strstr(*at, "*/");
		*at = close ? close + 2 : *at + strlen(*at);
		return cli_microcode_parse_hex_word(at, out);
	}
	if (!isxdigit((unsigned char)**at))
		return false;
	errno = 0;
	*out = strtoull(*at, &end, 16);
	if (errno || isalnum((unsigned char)*end) || *end == '_')
		return false;
	*at = end;
	return true;
}

static bool cli_microcode_disassemble_text(const struct request *r, const char *text, size_t n,
                                           struct err *err)
{
	const char *array = strstr(text, "_code["), *brace = array ? strchr(array, '{') : NULL,
		   *at = brace ? brace : text;
	struct micro_word w;
	char out[MICRO_TEXT_MAX];
	if (strlen(text) != n)
		return err_set(err, "%s: not a text: byte %zu is 0", r->input, strlen(text));
	while (cli_microcode_parse_hex_word(&at, &w.w[0])) {
		if (!cli_microcode_parse_hex_word(&at, &w.w[1]))
			return err_set(err,
			               "%s: %016" PRIx64
			               " has no second word after it; expected two hexadecimal "
			               "numbers for each microinstruction",
			               r->input, w.w[0]);
		puts(micro_disassemble(w, out, sizeof out));
	}
	if (*at && !(brace && *at == ';')) {
		unsigned line = 1;
		for (const char *c = text; c < at; c++)
			line += *c == '\n';
		return err_set(err, "%s:%u: '%.*s' is no hexadecimal number of at most 64 bits",
		               r->input, line, (int)strcspn(at, " \t\r\n"), at);
	}
	return true;
}

static bool cli_microcode_assemble_text(const struct request *r, const char *text, size_t n,
                                        struct err *err)
{
	struct micro_image image;
	struct micro_mistakes all;
	if (!micro_assemble_all(text, n, r->input, r->defines, r->define_count, &image, &all,
	                        err)) {
		for (unsigned i = 0; i + 1 < all.count; i++)
			say_error("%s", all.each[i].msg);
		if (all.count)
			*err = all.each[all.count - 1];
		micro_mistakes_free(&all);
		return false;
	}
	struct output_file o;
	const bool is_stdout = !r->output || !strcmp(r->output, "-");
	bool ok = is_stdout || output_begin(&o, r->output, OUTPUT_FILE_ANY, err);
	if (ok) {
		FILE *f = is_stdout ? stdout : o.f;
		if (r->output)
			put_header(f, &image, r->input);
		else
			put_listing(f, &image);
		if (!is_stdout)
			ok = output_end(&o, r->output, err);
		else if (fflush(f) != 0 || ferror(f))
			ok = err_set(err, "standard output: %s", strerror(errno));
	}
	micro_image_free(&image);
	return ok;
}

static int cli_microcode_main(int argc, char **argv)
{
	struct request r;
	struct err err;
	size_t n;
	char *text;
	bool ok = cli_microcode_parse_args(&r, argc, argv, &err);
	if (ok && r.help) {
		option_text_head(stdout, cli_microcode.usage, cli_microcode.help);
		cli_microcode_print_options(stdout);
		return 0;
	}
	if (ok && (ok = (text = cli_microcode_read_file(r.input, &n, &err)) != NULL)) {
		ok = r.disassemble ? cli_microcode_disassemble_text(&r, text, n, &err)
		                   : cli_microcode_assemble_text(&r, text, n, &err);
		free(text);
	}
	if (!ok)
		say_error("%s", err.msg);
	return ok ? 0 : STATUS_ERROR;
}

const struct cli_command cli_microcode = {
	.name = "microcode",
	.usage = "microcode FILE [-o OUT.h] [-D NAME=NUMBER] | microcode -d FILE",
	.help = "Assembles a program of the profiling co-processor and lists it, word by word; -o "
		"writes a C header from which firmware\n"
		"loads it, -d disassembles words. `cyclops help microcode` explains the language, "
		"demos/microcode/ has programs.",
	.options = options,
	.option_count = OPTIONS,
	.run = cli_microcode_main,
};
