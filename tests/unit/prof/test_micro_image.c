/* The microassembler: untrusted texts, images, definitions and listings. */
#include "core/prof/cop/micro_asm.h"

#include "tests/unit/prof/micro_fixture.h"

#include "core/base/hash.h"
#include "core/defs/events.h"
#include "core/prof/cop/micro_code.h"

static bool micro_image_scale_is_small(void)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return !scale || strcmp(scale, "long");
}

/* ---- untrusted texts ---- */
/* Any text is either rejected with one line that begins with the file's name, or a program whose
 * listing is the same program. */
static void try_text(const char *text, size_t n, unsigned *good)
{
	struct micro_image image;
	struct err err = {""};
	if (!micro_assemble(text, n, "t", NULL, 0, &image, &err)) {
		assert_true(!strncmp(err.msg, "t:", 2));
		for (const char *c = err.msg; *c; c++)
			assert_true((unsigned char)*c >= ' ' && (unsigned char)*c != 0x7f);
		return;
	}
	++*good;
	for (unsigned i = 0; i < image.count; i++) {
		const struct micro_inst in = micro_unpack(image.words[i]),
					canonical = micro_canonical(&in);
		char line[MICRO_TEXT_MAX];
		assert_null(micro_invalid(&in));
		assert_memory_equal(&in, &canonical, sizeof in);
		assert_true(strlen(micro_text(&image, i, line, sizeof line)) < sizeof line - 1);
		assert_true(image.line[i] > 0 && (!i || image.line[i] > image.line[i - 1]));
	}
	micro_image_free(&image);
}

TEST(test_any_text)
{
	static const char *const pieces[] = {"add ",
	                                     "v1",
	                                     ", ",
	                                     "x2",
	                                     "b3",
	                                     "[",
	                                     "]",
	                                     ".",
	                                     "8",
	                                     "16",
	                                     " | ",
	                                     "if ",
	                                     "z",
	                                     "goto ",
	                                     "done",
	                                     "interrupt",
	                                     "\n",
	                                     "l:",
	                                     "l",
	                                     "(",
	                                     ")",
	                                     "-",
	                                     "~",
	                                     "0x",
	                                     "65535",
	                                     ".equ A = ",
	                                     ".const k1 = ",
	                                     ".name n = v1",
	                                     "A",
	                                     "n",
	                                     "cam",
	                                     "match ",
	                                     "free ",
	                                     "read ",
	                                     "write ",
	                                     "inc",
	                                     "pc",
	                                     "result",
	                                     "#",
	                                     "\"",
	                                     "\t",
	                                     "likely",
	                                     "=",
	                                     ",",
	                                     ".fields load: pc",
	                                     ".on load: l",
	                                     ".column c = ",
	                                     "data ",
	                                     "ratio ",
	                                     "as ",
	                                     "<<",
	                                     "/",
	                                     "*",
	                                     "&",
	                                     "99999999999999999999",
	                                     "\x80",
	                                     "'",
	                                     ";",
	                                     "\r"};
	uint64_t random = 7;
	size_t n;
	char *value = micro_fixture_read_file("tests/cop/slots.mic", &n), text[65536];
	unsigned good = 0;
	const unsigned tries = micro_image_scale_is_small() ? 2000 : 12000;
	(void)state;
	assert_true(n < sizeof text - 64);
	for (unsigned t = 0; t < tries; t++) {
		size_t size = 0;
		if (t % 2) {
			for (unsigned i = (unsigned)(hash_splitmix64_next(&random) % 60); i; i--) {
				const char *piece = pieces[hash_splitmix64_next(&random) %
				                           (sizeof pieces / sizeof *pieces)];
				memcpy(text + size, piece, strlen(piece));
				size += strlen(piece);
			}
		} else {
			memcpy(text, value, size = n);
			for (unsigned i = (unsigned)(hash_splitmix64_next(&random) % 3); i; i--) {
				const size_t at = hash_splitmix64_next(&random) % size,
					     from = hash_splitmix64_next(&random) % size,
					     many = hash_splitmix64_next(&random) % 12;
				if (hash_splitmix64_next(&random) % 2)
					text[at] = (char)(hash_splitmix64_next(&random) % 3
					                          ? ' ' + hash_splitmix64_next(
										  &random) %
					                                            95
					                          : hash_splitmix64_next(&random));
				else
					memmove(text + at, text + from,
					        at + many < size && from + many < size ? many : 0);
			}
		}
		/* A buffer of exact size, so that sanitizers find reads beyond its end. */
		char *exact = malloc(size ? size : 1);
		assert_non_null(exact);
		memcpy(exact, text, size);
		try_text(exact, size, &good);
		free(exact);
	}
	assert_true(good > tries / 50);
	free(value);
}

/* ---- images ---- */
TEST(test_image)
{
	struct micro_image image = micro_fixture_assemble_text(
		".program p-1 \"counts # loads\" # and more\n"
		".fields load, store: addr, pc\n.fields branch:\n.on load: l\n.on store, branch: "
		"s\n"
		".equ N = 4 * (2 + 1) - 0b10 << 1 / 2\n.equ M = ~0 & 0xff\n"
		".const k3 = N\n.const k4 = CLASS_JUMP + 100 * MISPREDICTED\n.base b2 = M + "
		"1\n.target t7 = s\n.value v4 = -1\n.index x5 = N / 3\n.name hits = b2\n"
		".column pc = cam as pc\n.column n = data hits width 16 lane 1 as hex\n.column r = "
		"ratio n pc\n"
		"\n  l: m: mov v1, addr | inc.16 b2[x5].1 # done\n\n s: done\n");
	(void)state;
	assert_string_equal(image.name, "p-1");
	assert_string_equal(image.help, "counts # loads");
	assert_int_equal(image.count, 2);
	assert_int_equal(image.line[0], 19);
	assert_int_equal(image.line[1], 21);
	assert_int_equal(image.classes, 1u << INST_LOAD | 1u << INST_STORE | 1u << INST_BRANCH);
	assert_int_equal(image.fields[INST_STORE], 1u << RECORD_PC | 1u << RECORD_ADDR);
	assert_int_equal(image.fields[INST_BRANCH], 0);
	assert_int_equal(image.start[INST_LOAD], 0);
	assert_int_equal(image.start[INST_BRANCH], 1);
	assert_int_equal(image.start[INST_JUMP], MICRO_NO_ROUTINE);
	assert_int_equal(image.k[3], 10); /* 12 - (2 << 1) / 2 */
	assert_int_equal(image.k[4], INST_JUMP + 100 * (1 << RECORD_EVENT_MISPREDICTED));
	assert_int_equal(image.b[2], 256);
	assert_int_equal(image.t[7], 1);
	assert_true(image.v[4] == UINT64_MAX);
	assert_int_equal(image.x[5], 3);
	assert_int_equal(image.label_count, 3);
	assert_string_equal(image.labels[0].name, "l");
	assert_string_equal(image.labels[1].name, "m");
	assert_string_equal(micro_label_at(&image, 0), "l");
	assert_string_equal(micro_label_at(&image, 1), "s");
	assert_null(micro_label_at(&image, 2));
	assert_int_equal(image.constant_count, 2);
	assert_string_equal(image.constants[1].name, "M");
	assert_int_equal(image.constants[1].value, 255);
	assert_int_equal(image.alias_count, 1);
	assert_int_equal(image.column_count, 3);
	assert_int_equal(image.columns[0].show, MICRO_SHOW_PC);
	const struct micro_column data = image.columns[1], ratio = image.columns[2];
	assert_true(data.kind == MICRO_COLUMN_DATA && data.base == 2 && data.width == 16 &&
	            data.lane == 1 && data.show == MICRO_SHOW_HEX);
	assert_true(ratio.kind == MICRO_COLUMN_RATIO && ratio.a == 1 && ratio.b == 0 &&
	            ratio.show == MICRO_SHOW_PERCENT);
	char text[MICRO_TEXT_MAX];
	assert_string_equal(micro_text(&image, 0, text, sizeof text),
	                    "inc.16 hits[x5].1 | mov v1, addr");
	micro_image_free(&image);
	micro_image_free(&image);
}

/* Definitions given by the caller replace those in the text, and change values derived from them;
 * unknown names are refused. */
TEST(test_defines)
{
	static const char text[] =
		".equ SLOTS = 256\n.equ TWICE = SLOTS * 2\n.const k0 = TWICE\ndone";
	const struct micro_define slots = {"SLOTS", 8}, other = {"SLOT", 8}, ours = {"TAKEN", 8};
	struct micro_image image;
	struct err err;
	(void)state;
	assert_true(micro_assemble(text, strlen(text), "t", &slots, 1, &image, &err));
	assert_int_equal(image.k[0], 16);
	assert_int_equal(image.constants[0].value, 8);
	micro_image_free(&image);
	assert_false(micro_assemble(text, strlen(text), "t", &other, 1, &image, &err));
	assert_string_equal(err.msg, "t: no .equ 'SLOT', whose value was given");
	assert_false(micro_assemble(text, strlen(text), "t", &ours, 1, &image, &err));
	assert_string_equal(err.msg,
	                    "'TAKEN' can't be given: it is too long or has a value already");
}

/* Assembling the value profile's listing gives the value profile, with its names and labels. */
TEST(test_listing)
{
	size_t n;
	char *source = micro_fixture_read_file("demos/microcode/value.mic", &n), again[65536] = "",
	     line[MICRO_TEXT_MAX + 64];
	struct micro_image image = micro_fixture_assemble_text(source);
	(void)state;
	for (unsigned i = 0; i < image.alias_count; i++) {
		snprintf(line, sizeof line, ".name %s = %s\n", image.aliases[i].name,
		         image.aliases[i].reg);
		strcat(again, line);
	}
	for (unsigned i = 0; i < image.count; i++) {
		char text[MICRO_TEXT_MAX];
		const char *label = micro_label_at(&image, i);
		snprintf(line, sizeof line, "%s%s %s\n", label ? label : "", label ? ":" : "",
		         micro_text(&image, i, text, sizeof text));
		strcat(again, line);
	}
	struct micro_image second = micro_fixture_assemble_text(again);
	assert_int_equal(second.count, image.count);
	assert_memory_equal(second.words, image.words, image.count * sizeof *image.words);
	micro_image_free(&second);
	micro_image_free(&image);
	free(source);
}
