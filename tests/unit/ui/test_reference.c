/* The generated reference has every row of every table. */
#include "tests/unit/ui/reference_fixture.h"

#include <ctype.h>

#include "core/machine/params.h"

/* Returns the text after `start`, which must begin exactly one line. */
static const char *line_after(const char *text, const char *start)
{
	const char *found = NULL;
	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, start, strlen(start))) {
			if (found)
				fail_msg("'%s' is there twice", start);
			found = line + strlen(start);
		}
	if (!found)
		fail_msg("no line begins with '%s'", start);
	return found;
}

/* A section from its heading (a whole line) to the next of the same level or above, malloc'd. */
static char *reference_extract_section(const char *text, const char *heading)
{
	char start[160];
	size_t level = strspn(heading, "#");
	snprintf(start, sizeof start, "%s\n", heading);
	const char *from = line_after(text, start), *line = from;
	while (*line && !(*line == '#' && strspn(line, "#") <= level))
		line += strcspn(line, "\n"), line += *line == '\n';
	return strndup(from, (size_t)(line - from));
}

/* Checks that a table has a row with this name, as code, in the first cell, and with cells a and b
 * unless NULL. */
static void assert_row(const char *text, const char *name, const char *a, const char *b)
{
	char start[256];
	FILE *f = fmemopen(start, sizeof start, "w");
	fputs("| ", f);
	md_code(f, name, true);
	fputs(" |", f);
	fclose(f);
	const char *rest = line_after(text, start);
	char *row = strndup(rest, strcspn(rest, "\n"));
	for (int i = 0; i < 2; i++) {
		const char *want = i ? b : a;
		if (want)
			assert_in(row, reference_fixture_format_prose(want, true), name);
	}
	free(row);
}

/* ---- the tables ---- */
TEST(test_commands)
{
	struct pages *p = *state;
	const char *text = reference_fixture_page_text(p, "commands");
	for (unsigned i = 0; i < command_count; i++) {
		char heading[64];
		snprintf(heading, sizeof heading, "### %s", commands[i]->name);
		char *s = reference_extract_section(text, heading);
		assert_in(s, commands[i]->usage, heading);
		assert_in(s, reference_fixture_format_prose(commands[i]->summary + 1, false),
		          heading);
		assert_in(s, commands[i]->aliases, heading);
		assert_in(s, commands[i]->help, heading);
		free(s);
	}
	for (unsigned g = 0; g < help_group_count; g++) {
		char heading[64];
		snprintf(heading, sizeof heading, "## %s\n", help_groups[g].title);
		line_after(text, heading);
	}
	for (unsigned i = 0; i < key_count; i++) {
		assert_true(*keys[i].help);
		assert_row(reference_fixture_page_text(p, "keys"), keys[i].name, keys[i].help,
		           NULL);
	}
	const struct key *own;
	for (unsigned i = 0; (own = timeline_key_at(i)); i++)
		assert_row(reference_fixture_page_text(p, "keys"), own->command, own->help, NULL);
}

/* Makes each run of blanks and line ends one blank: options are wrapped. Owned by the caller. */
static char *reference_unwrap_text(const char *text)
{
	char *out = strdup(text), *to = out;
	assert_non_null(out);
	for (const char *from = text; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > out && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return out;
}

TEST(test_command_line)
{
	static const char *const options[] = {
#define OPTION(id, letter, name, arg, commands, help) name, help,
#include "ui/cli/options.def"
#undef OPTION
	};
	const char *text = reference_fixture_page_text(*state, "command-line");
	for (unsigned i = 0; cli_commands[i]; i++) {
		if (!cli_commands[i]->usage)
			continue;
		char heading[64];
		snprintf(heading, sizeof heading, "## %s", cli_commands[i]->name);
		char *s = reference_extract_section(text, heading);
		assert_in(s, cli_commands[i]->usage, heading);
		free(s);
	}
	char *whole = reference_unwrap_text(text);
	for (size_t i = 0; i < sizeof options / sizeof *options; i += 2) {
		char word[64];
		snprintf(word, sizeof word, "--%s ", options[i]);
		assert_in(whole, word, "the command line");
		assert_in(whole, options[i + 1], word);
	}
	free(whole);
	/* No two commands have the same options. */
	char *section[16];
	unsigned count = 0;
	for (const char *at = text; (at = strstr(at, "\n## Options of")); at++) {
		char heading[80];
		snprintf(heading, sizeof heading, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
		assert_true(count < 16);
		section[count] = reference_extract_section(text, heading);
		for (unsigned i = 0; i < count; i++)
			assert_string_not_equal(strstr(section[i], "```"),
			                        strstr(section[count], "```"));
		count++;
	}
	assert_true(count > 8);
	while (count)
		free(section[--count]);
}

TEST(test_reference_views)
{
	struct pages *p = *state;
	for (unsigned i = 0; i < view_count + report_count; i++) {
		const struct view *v = i < view_count ? views[i] : NULL;
		const struct report *r = v ? NULL : reports[i - view_count];
		char heading[64];
		snprintf(heading, sizeof heading, "## %s", v ? v->name : r->name);
		char *s = reference_extract_section(
			reference_fixture_page_text(p, v ? "views" : "reports"), heading);
		assert_in(s, reference_fixture_format_prose(v ? v->title : r->title, false),
		          heading);
		assert_in(s, v ? v->args : r->args, heading);
		char *help = view_help_text(v ? &v->help : &r->help);
		assert_non_null(help);
		assert_in(s, help, heading);
		free(help);
		const char *device = v ? v->device : r->device;
		if (device)
			assert_in(s, device, heading);
		free(s);
	}
	/* Names in a help text are linked. */
	assert_in(reference_fixture_page_text(p, "views"), "[`l1d.ways`](parameters.md#l1d)",
	          "l1d");
}

TEST(test_machine)
{
	struct pages *p = *state;
	for (int i = 0; i < EV_COUNT; i++) {
		const struct event_info *e = &event_info[i];
		char heading[64];
		snprintf(heading, sizeof heading, "## %s", e->name);
		char *s = reference_extract_section(reference_fixture_page_text(p, "events"),
		                                    heading);
		assert_in(s, reference_fixture_format_prose(e->help + 1, false), heading);
		for (unsigned j = 0; j < e->field_count; j++)
			assert_row(s, e->fields[j].name, e->fields[j].help,
			           field_unit[e->fields[j].type]);
		free(s);
	}
	/* A field and a state may have the same name. */
	for (int i = 0; i < UOP_FIELD_COUNT; i++) {
		char heading[128];
		snprintf(heading, sizeof heading, "## %s",
		         uop_moment_help[uop_field_info[i].moment]);
		heading[3] = (char)toupper((unsigned char)heading[3]);
		char *s = reference_extract_section(reference_fixture_page_text(p, "fields"),
		                                    heading);
		assert_row(s, uop_field_info[i].name, uop_field_info[i].help,
		           field_unit[uop_field_info[i].type]);
		free(s);
	}
	char *states =
		reference_extract_section(reference_fixture_page_text(p, "fields"), "## States");
	for (int i = 0; i < UOP_STATE_COUNT; i++)
		assert_row(states, uop_state_info[i].name, uop_state_info[i].help, NULL);
	free(states);
	for (size_t i = 0; i < stat_row_count; i++)
		assert_row(reference_fixture_page_text(p, "statistics"), stat_rows[i].name,
		           stat_rows[i].help, stat_rows[i].unit);
	struct config def;
	config_default(&def);
	for (size_t i = 0; i < param_count; i++) {
		char value[PARAM_TEXT_MAX], start[PARAM_TEXT_MAX + 96];
		config_format(&def, &params[i], value, sizeof value);
		snprintf(start, sizeof start, "| `%s` | `%s` | ", params[i].name, value);
		line_after(reference_fixture_page_text(p, "parameters"), start);
		assert_row(reference_fixture_page_text(p, "parameters"), params[i].name,
		           params[i].help, params[i].type == PARAM_INT ? params[i].unit : NULL);
	}
	for (unsigned i = 0; i < csr_info_count; i++) {
		char start[64], name[32];
		snprintf(start, sizeof start, "| 0x%03x | `%s` | %c |", csr_info[i].first,
		         help_csr_name(&csr_info[i], name, sizeof name),
		         csr_info[i].machine ? 'M' : 'U');
		assert_in(line_after(reference_fixture_page_text(p, "csrs"), start),
		          reference_fixture_format_prose(csr_info[i].help, true), start);
	}
	const char *help, *name;
	for (unsigned i = 0; (name = expr_name(i, &help)); i++)
		assert_in(reference_fixture_page_text(p, "expressions"), name, "expressions");
	assert_in(reference_fixture_page_text(p, "expressions"), "words.c:41", "places");
	assert_in(reference_fixture_page_text(p, "programs"), "signal handlers", "programs");
	for (unsigned i = 0; i < glossary_term_count; i++) {
		char heading[64];
		snprintf(heading, sizeof heading, "## %s", glossary_terms[i].name);
		char *s = reference_extract_section(reference_fixture_page_text(p, "glossary"),
		                                    heading);
		assert_in(s, reference_fixture_format_prose(glossary_terms[i].summary + 1, false),
		          heading);
		assert_in(s, glossary_terms[i].text, heading);
		free(s);
	}
	for (unsigned i = 0; i < glossary_instruction_count; i++)
		assert_row(reference_fixture_page_text(p, "glossary"),
		           glossary_mnemonic(&glossary_instructions[i]),
		           glossary_instructions[i].what, NULL);
}

/* Checks prose and examples of several lines: each line occurs, in any form. */
static void assert_lines(const char *text, const char *lines, const char *of)
{
	while (*lines) {
		char line[2048];
		size_t n = strcspn(lines, "\n"), blank = strspn(lines, " ");
		assert_true(n < sizeof line);
		if (blank < n) {
			snprintf(line, sizeof line, "%.*s", (int)(n - (blank >= 4 ? 4 : 0)),
			         lines + (blank >= 4 ? 4 : 0));
			assert_in(text,
			          blank >= 4 ? line : reference_fixture_format_prose(line, false),
			          of);
		}
		lines += n + (lines[n] == '\n');
	}
}

static void assert_function(const char *section, const char *usage, const char *help,
                            const char *where)
{
	char line[512];
	if (!usage || !*usage || !help || !*help)
		fail_msg("%s: %s has no documentation", where,
		         usage && *usage ? usage : "something");
	snprintf(line, sizeof line, "\n**`%s`**\n", usage);
	assert_in(section, line, where);
	assert_lines(section, help, usage);
}

TEST(test_bindings)
{
	const char *text = reference_fixture_page_text(*state, "lua");
	for (unsigned i = 0; binding_areas[i]; i++) {
		const struct binding_area *a = binding_areas[i];
		char heading[64];
		snprintf(heading, sizeof heading, "## %s", a->name);
		char *s = reference_extract_section(text, heading);
		assert_in(s, reference_fixture_format_prose(a->summary + 1, false), a->name);
		assert_lines(s, a->text, a->name);
		for (unsigned j = 0; j < a->count; j++) {
			assert_function(s, a->bindings[j].usage, a->bindings[j].help,
			                a->bindings[j].name);
			assert_in(a->bindings[j].usage, a->bindings[j].name, "its own usage");
		}
		free(s);
	}
}

/* Each public function of a module (not _NAME) has its documentation directly before it. */
static unsigned assert_documented(const struct lua_module *m)
{
	unsigned functions = 0;
	for (const char *line = m->text, *before = ""; *line;
	     before = line, line += strcspn(line, "\n") + 1) {
		size_t head = strlen("function ");
		if (strncmp(line, "function ", head) != 0)
			continue;
		const char *name = line + head + strcspn(line + head, ".:") + 1;
		if (*name == '_')
			continue;
		functions++;
		if (strncmp(before, "--", 2) != 0)
			fail_msg("%s: %.*s has no documentation", m->file, (int)strcspn(line, "("),
			         line);
	}
	return functions;
}

TEST(test_modules)
{
	for (unsigned i = 0; i < lua_module_count; i++) {
		const struct lua_module *m = &lua_modules[i];
		struct module_doc d;
		const char *at = NULL;
		char heading[64];
		unsigned documented = 0;
		snprintf(heading, sizeof heading, "## %s", m->name);
		char *s = reference_extract_section(reference_fixture_page_text(*state, "lua"),
		                                    heading),
		     *introduction = lua_module_introduction(m);
		if (strlen(introduction) <= 100 || introduction[0] == ' ' ||
		    introduction[0] == '\n')
			fail_msg("%s begins with no introduction of a few lines: %s", m->file,
			         introduction);
		assert_lines(s, introduction, m->name);
		for (; module_doc_next(m, &at, &d); module_doc_deinit(&d)) {
			char function[64];
			assert_function(s, d.usage, d.help, m->name);
			snprintf(function, sizeof function, "%s(", d.name);
			/* The documentation follows. */
			assert_int_equal(strncmp(at, "function ", 9), 0);
			assert_int_equal(strncmp(at + 9 + strcspn(at + 9, ".:") + 1, function,
			                         strlen(function)),
			                 0);
			documented++;
		}
		assert_int_equal(documented, assert_documented(m));
		assert_ptr_equal(lua_module_find(m->name), m);
		free(s);
		free(introduction);
	}
	assert_null(lua_module_find("cyclops.trigger"));
}

TEST_GROUP(reference_fixture_setup_pages, reference_fixture_teardown_pages)
