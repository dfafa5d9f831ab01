/* The generated reference: its links have targets, its Markdown is clean, and it is the same each
 * time. */
#include "tests/unit/ui/reference_fixture.h"

/* ---- the Markdown ---- */
static unsigned reference_pages_count_bars(const char *line, size_t n)
{
	unsigned count = 0;
	for (size_t i = 0; i < n; i++)
		count += line[i] == '|' && (!i || line[i - 1] != '\\');
	return count;
}

TEST(test_reference_pages_lines)
{
	struct pages *p = *state;
	for (unsigned i = 0; i < reference_page_count; i++) {
		const char *name = reference_pages[i].name;
		bool fenced = false;
		unsigned columns = 0;
		size_t before = 0, n = 0; /* bytes in the previous line and in this line */
		for (const char *line = p->text[i]; *line; line += n + 1, before = n) {
			n = strcspn(line, "\n");
			if (line[n] != '\n')
				fail_msg("%s.md does not end with its last line's end", name);
			if (n && isspace((unsigned char)line[n - 1]))
				fail_msg("%s.md: a blank ends '%.*s'", name, (int)n, line);
			if (!strncmp(line, "```", 3)) {
				fenced = !fenced;
				continue;
			}
			if (fenced)
				continue;
			if (!n && !before && line > p->text[i])
				fail_msg("%s.md has two empty lines in a row", name);
			if (*line == '#' && before)
				fail_msg("%s.md: no empty line before '%.*s'", name, (int)n, line);
			if (*line == '|' && before && columns &&
			    reference_pages_count_bars(line, n) != columns)
				fail_msg("%s.md: a row of another table: %.*s", name, (int)n, line);
			columns = *line == '|' ? reference_pages_count_bars(line, n) : 0;
		}
		assert_false(fenced);
		assert_true(n);
	}
}

/* An anchor as GitHub makes it, written a second time. */
static bool has_anchor(const char *text, const char *anchor, size_t n)
{
	for (const char *line = text; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		size_t at = 0;
		if (*line != '#')
			continue;
		const char *s = line + strspn(line, "#") + 1;
		for (; *s && *s != '\n'; s++) {
			if (ispunct((unsigned char)*s) && *s != '-' && *s != '_')
				continue;
			char want = *s == ' ' ? '-' : (char)tolower((unsigned char)*s);
			if (at >= n || anchor[at] != want)
				break;
			at++;
		}
		if ((!*s || *s == '\n') && at == n)
			return true;
	}
	return false;
}

TEST(test_links)
{
	struct pages *p = *state;
	unsigned links = 0;
	for (unsigned i = 0; i < reference_page_count; i++)
		for (const char *s = p->text[i]; (s = strstr(s, "](")); links++) {
			char target[64];
			s += 2;
			size_t n = strcspn(s, ")"), name = strcspn(s, ".");
			assert_true(name < n && name < sizeof target &&
			            !strncmp(s + name, ".md", 3));
			snprintf(target, sizeof target, "%.*s", (int)name, s);
			const char *text = reference_fixture_page_text(p, target);
			if (name + 3 < n) {
				assert_int_equal(s[name + 3], '#');
				if (!has_anchor(text, s + name + 4, n - name - 4))
					fail_msg("%s.md links to %.*s, which is not there",
					         reference_pages[i].name, (int)n, s);
			}
		}
	assert_true(links > 50);
	for (unsigned i = 1; i < reference_page_count; i++) {
		char link[64];
		snprintf(link, sizeof link, "](%s.md)", reference_pages[i].name);
		assert_in(p->text[0], link, "the index");
	}
}

TEST(test_prose)
{
	assert_string_equal(
		reference_fixture_format_prose("oracle.* is rob_size, _so_ a<b [x]|y", false),
		"oracle.\\* is rob_size, \\_so\\_ a\\<b \\[x\\]|y");
	assert_string_equal(reference_fixture_format_prose("a|b `c|d*` \\", true),
	                    "a\\|b `c\\|d*` \\\\");
	assert_string_equal(reference_fixture_format_prose("`c|d` one ` alone", false),
	                    "`c|d` one \\` alone");
	assert_string_equal(reference_fixture_format_prose("two\nlines", true), "two lines");
}

TEST(test_reference_pages_markdown)
{
	char buf[256];
	(void)state;
	FILE *f = fmemopen(buf, sizeof buf, "w");
	md_fence(f, "text", "");
	md_fence(f, "lua", "one  \n\n   two");
	md_code(f, "a|`b", true);
	md_code(f, "a|b", false);
	md_link(f, "x", "page", "Running, forwards_and `backwards`");
	md_sentence(f, "an *event*");
	md_table(f, "a|b c");
	md_text(f, "lua", "x*\ny:\n    f()\n      g()\n\nz");
	fclose(f);
	assert_string_equal(buf, "```lua\none\n\n   two\n```\n\n`` a\\|`b "
	                         "```a|b`[`x`](page.md#running-forwards_and-backwards)"
	                         "An \\*event\\*.\n\n| a | b c |\n| --- | --- |\n"
	                         "x\\*\ny:\n\n```lua\nf()\n  g()\n```\n\nz\n\n");
}

TEST(test_same_again)
{
	struct pages *p = *state;
	p->c.width = 20, p->c.ascii = true;
	for (unsigned i = 0; i < reference_page_count; i++) {
		char *again = page_text(p, i);
		assert_string_equal(again, p->text[i]);
		free(again);
	}
	/* Help texts went to the page, and later output goes to its usual place. */
	assert_int_equal(p->written, 0);
	console_print(&p->c, "four");
	assert_int_equal(p->written, 4);
}

TEST(test_files)
{
	struct pages *p = *state;
	struct err err;
	char folder[] = "/tmp/cyclops-reference-XXXXXX", docs[64], path[128];
	assert_non_null(mkdtemp(folder));
	snprintf(docs, sizeof docs, "%s/docs", folder);
	/* Makes the folder, then writes into it again. */
	for (int times = 0; times < 2; times++)
		assert_true(reference_write(docs, &p->c, &err));
	for (unsigned i = 0; i < reference_page_count; i++) {
		struct stat st;
		snprintf(path, sizeof path, "%s/%s.md", docs, reference_pages[i].name);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, strlen(p->text[i]));
		if (i)
			unlink(path);
	}
	/* A file in the folder's place. */
	snprintf(path, sizeof path, "%s/index.md", docs);
	assert_false(reference_write(path, &p->c, &err));
	assert_non_null(strstr(err.msg, "index.md"));
	snprintf(path, sizeof path, "%s/no/where", folder);
	assert_false(reference_write(path, &p->c, &err));
	assert_non_null(strstr(err.msg, "can't make the folder"));
	snprintf(path, sizeof path, "%s/index.md", docs);
	unlink(path);
	rmdir(docs);
	rmdir(folder);
}

TEST_GROUP(reference_fixture_setup_pages, reference_fixture_teardown_pages)
