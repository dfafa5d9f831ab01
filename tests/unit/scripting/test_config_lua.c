#include "core/defs/config_fields.h"

#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/params.h"
#include "scripting/config/config_lua.h"
#include "scripting/config/table_file.h"
#include "tests/cases.h"

/* Makes a file config.lua with this text, in a folder of its own. */
struct lua_file {
	char folder[32], path[64];
};

static struct lua_file lua_file_create(const char *text)
{
	struct lua_file l = {.folder = "/tmp/cyclops-test-XXXXXX"};
	assert_non_null(mkdtemp(l.folder));
	snprintf(l.path, sizeof l.path, "%s/config.lua", l.folder);
	FILE *f = fopen(l.path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return l;
}

static void lua_file_remove(const struct lua_file *l)
{
	unlink(l->path);
	rmdir(l->folder);
}

static bool config_lua_load_text(struct config *cfg, const char *text, struct err *err)
{
	const struct lua_file l = lua_file_create(text);
	const bool ok = config_load_file(cfg, l.path, err);
	lua_file_remove(&l);
	return ok;
}

static int64_t config_lua_param_value(const struct config *cfg, const char *name)
{
	return config_get(cfg, param_find(name, NULL));
}

TEST(nested_and_dotted_names_set_the_same)
{
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	if (!config_lua_load_text(
		    &cfg,
		    "local n = 2^3\n"
		    "return { pipe = { rob_size = n * 4, in_order = true }, ['bpred.kind'] = "
		    "'gshare',\n"
		    "  l1d = { size = '16K' }, [ 'lsq.size' ] = 8.0 }\n",
		    &err))
		fail_msg("%s", err.msg);
	assert_int_equal(config_lua_param_value(&cfg, "pipe.rob_size"), 32);
	assert_int_equal(config_lua_param_value(&cfg, "pipe.in_order"), 1);
	assert_int_equal(config_lua_param_value(&cfg, "bpred.kind"), 2);
	assert_int_equal(config_lua_param_value(&cfg, "l1d.size"), 16384);
	assert_int_equal(config_lua_param_value(&cfg, "lsq.size"), 8);
	assert_int_equal(config_lua_param_value(&cfg, "pipe.fetch_queue"), 32);
}

TEST(a_file_has_a_base)
{
	struct config cfg, preset;
	struct err err = {""};
	config_default(&preset);
	assert_true(config_load(&preset, "classic5", &err));
	config_default(&cfg);
	assert_true(config_set(&cfg, "l1d.size", "8K", &err)); /* which a base takes back */
	if (!config_lua_load_text(&cfg, "return { base = 'classic5', pipe = { rob_size = 24 } }\n",
	                          &err))
		fail_msg("%s", err.msg);
	assert_int_equal(config_lua_param_value(&cfg, "pipe.rob_size"), 24);
	for (size_t i = 0; i < param_count; i++)
		assert_true(!strcmp(params[i].name, "pipe.rob_size") ||
		            config_same(&cfg, &preset, &params[i]));
	assert_false(config_lua_load_text(&cfg, "return { base = 'classic6' }\n", &err));
	assert_non_null(strstr(err.msg, "classic5"));
	assert_false(config_lua_load_text(&cfg, "return { base = './other.lua' }\n", &err));
	assert_non_null(strstr(err.msg, "base is the name of a preset"));
	assert_false(config_lua_load_text(&cfg, "return { base = 5 }\n", &err));
	assert_non_null(strstr(err.msg, "base is the name of a preset"));
}

TEST(texts_are_strings)
{
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	if (!config_lua_load_text(&cfg, "return { sim = { hostname = 'a, b = c' } }\n", &err))
		fail_msg("%s", err.msg);
	assert_string_equal(config_text(&cfg, param_find("sim.hostname", NULL)), "a, b = c");
}

static void config_lua_expect_error(const char *text, const char *part1, const char *part2)
{
	struct config cfg, before;
	struct err err = {""};
	config_default(&cfg);
	cfg.rob_size = 48;
	before = cfg;
	assert_false(config_lua_load_text(&cfg, text, &err));
	if (!strstr(err.msg, part1) || !strstr(err.msg, part2))
		fail_msg("'%s' should speak of '%s' and '%s'", err.msg, part1, part2);
	assert_memory_equal(&cfg, &before, sizeof cfg);
}

TEST(errors_say_where_and_what)
{
	config_lua_expect_error("return {\n  pipe = {\n    rob_sise = 4 } }\n",
	                        "config.lua:3:", "pipe.rob_size");
	config_lua_expect_error("return { pipe = { rob_size = 8 },\n\n  lsq = { size = -4 } }\n",
	                        "config.lua:3:", "lsq.size");
	config_lua_expect_error("return {\n pipe = { in_order = 'maybe' } }\n",
	                        "config.lua:2:", "in_order");
	config_lua_expect_error("return { pipe = { rob_size = 2.5 } }\n",
	                        "config.lua:1:", "whole number");
	config_lua_expect_error("return { pipe = { rob_size = math.floor } }\n", "config.lua",
	                        "rob_size");
	config_lua_expect_error("return {\n  pipe = = 3 }\n", "config.lua:2:", "unexpected symbol");
	config_lua_expect_error("return {\n sim = { hostname = 5 } }\n",
	                        "config.lua:2:", "sim.hostname: expected a string, not a number");
	config_lua_expect_error("return { sim = { hostname = true } }\n",
	                        "config.lua:1:", "expected a string, not a boolean");
	config_lua_expect_error("return { sim = { hostname = 'a\\0b' } }\n",
	                        "config.lua:1:", "sim.hostname: there is a zero byte");
	config_lua_expect_error("return { sim = { hostname = 'a\\nb' } }\n",
	                        "config.lua:1:", "sim.hostname: character 2");
	config_lua_expect_error("return 42\n", "config.lua", "returns a number");
	config_lua_expect_error("return {\n predict = function() end }\n", "config.lua",
	                        "this is a plug-in, not a configuration");
	config_lua_expect_error("return { 1, 2 }\n", "config.lua", "names, not positions");
	config_lua_expect_error("local t = {} t.t = t return t\n", "config.lua",
	                        "nested too deeply");
}

TEST(the_lowest_line_is_reported_always)
{
	for (int i = 0; i < 20; i++)
		config_lua_expect_error(
			"return {\n zzz1 = 1,\n zzz2 = 2,\n zzz3 = 3,\n zzz4 = 4 }\n",
			"config.lua:2:", "zzz1");
}

TEST(the_host_is_out_of_reach)
{
	config_lua_expect_error("os.execute('true') return {}\n", "config.lua:1:", "os");
	config_lua_expect_error("io.open('x', 'w') return {}\n", "config.lua:1:", "io");
	config_lua_expect_error("require('x') return {}\n", "config.lua:1:", "require");
	config_lua_expect_error("assert(load('\\27Lua')) return {}\n", "config.lua:1:", "binary");
	config_lua_expect_error("while true do end\n", "config.lua:1:", "too long");
	/* Nothing hides the limit: neither a caught error, nor a pattern, nor an endless table. */
	config_lua_expect_error("while true do pcall(function() while true do end end) end\n",
	                        "config.lua:1:", "too long");
	config_lua_expect_error("\nreturn { x = ('a'):rep(200):find(('a*'):rep(50) .. 'b') }\n",
	                        "config.lua:2:", "too long");
	config_lua_expect_error(
		"local t, s = {}, ('x'):rep(1 << 20) for i = 1, 3000 do t[i] = s end return { "
		"table.concat(t) }",
		"config.lua:1:", "too large");
	config_lua_expect_error("local t = {} for i = 1, 100 do t['a' .. i] = t end return t\n",
	                        "config.lua", "too long");
	config_lua_expect_error("string.format = nil return {}\n",
	                        "config.lua:1:", "format of string can't be set");
	config_lua_expect_error("\x1bLua", "config.lua", "binary");
}

TEST(a_missing_file_is_named)
{
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	assert_false(config_load(&cfg, "no/such/file.lua", &err));
	assert_non_null(strstr(err.msg, "no/such/file.lua"));
}

TEST(presets_are_found_by_name)
{
	struct config cfg, def;
	struct err err = {""};
	config_default(&def);
	cfg = def;
	if (!config_load(&cfg, "default", &err))
		fail_msg("%s", err.msg);
	assert_memory_equal(&cfg, &def, sizeof cfg);
	/* The paper's machine differs in its fetch, which reads as SimpleScalar's does. */
	if (!config_load(&cfg, "vaswani2003", &err))
		fail_msg("%s", err.msg);
	def.fetch_lines = 16;
	assert_memory_equal(&cfg, &def, sizeof cfg);
	assert_false(config_load(&cfg, "vaswani203", &err));
	assert_non_null(strstr(err.msg, "did you mean 'vaswani2003'"));
}

/* A configuration may name shipped modules and modules in its own folder, but no other file. */
TEST(modules_lie_beside_the_file)
{
	static const struct {
		const char *named, *said; /* NULL: the name is allowed */
	} cases[] = {
		{"results,own.lua", NULL},
		{"./own.lua", "without a path"},
		{"/etc/passwd", "without a path"},
		{"../own.lua", "without a path"},
		{"results,sub/own.lua", "without a path"},
		{"link.lua", "expected a file, no link"},
		{"none.lua", "no such file beside config.lua"},
		{"..", "expected a file, no link"},
	};
	char folder[] = "/tmp/cyclops-test-XXXXXX", path[64], own[64], link[64];
	char text[256], want[256];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/config.lua", folder);
	snprintf(own, sizeof own, "%s/own.lua", folder);
	snprintf(link, sizeof link, "%s/link.lua", folder);
	snprintf(want, sizeof want, "results,%s", own);
	FILE *f = fopen(own, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(symlink("own.lua", link), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct config cfg;
		struct err err = {""};
		config_default(&cfg);
		snprintf(text, sizeof text, "return { ['values.modules'] = '%s' }\n",
		         cases[i].named);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(text, f);
		fclose(f);
		const bool ok = config_load(&cfg, path, &err);
		if (cases[i].said ? ok || !strstr(err.msg, cases[i].said) ||
		                            strcmp(cfg.values_modules, "none") != 0
		                  : !ok || strcmp(cfg.values_modules, want) != 0)
			fail_msg("%s: %s, %s", cases[i].named, cfg.values_modules, err.msg);
	}
	unlink(path);
	unlink(own);
	unlink(link);
	rmdir(folder);
}

static void check_preset(void *ctx, const char *name)
{
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	if (!config_load(&cfg, name, &err) || !config_check(&cfg, &err))
		fail_msg("%s: %s", name, err.msg);
	++*(int *)ctx;
}

TEST(every_preset_is_a_valid_machine)
{
	int count = 0;
	config_each_preset(check_preset, &count);
	assert_true(count >= 2);
}

/* The order and the lines of a table's entries follow their names, not similar text. */
TEST(entries_have_lines)
{
	static const struct {
		const char *name;
		unsigned line;
	} want[] = {{"quoted", 7}, {"doubly", 8}, {"zz", 9}, {"list", 10}, {"yy", 11}};
	struct err err;
	const struct lua_file l = lua_file_create("-- zz = 1\n"
	                                          "--[[ zz = 1\n]] local azz = 1 local _zz = 2\n"
	                                          "local a = {} a.zz = 1 local zz\n"
	                                          "local b = zz == 1\n"
	                                          "return { 8,\n"
	                                          "['quoted'] = 1,\n"
	                                          "[\"doubly\"]\t= 2,\n"
	                                          "zz = 3,\n"
	                                          "list = { azz, zz = azz },\n"
	                                          "yy = 5, 9 }\n");
	struct table_file *t = table_file_read(l.path, "a list", &err);
	if (!t)
		fail_msg("%s", err.msg);
	const struct lua_value *root = table_file_root(t);
	assert_int_equal(root->positions, 2);
	assert_int_equal(root->count, 7);
	assert_int_equal(root->items[1].number, 9);
	for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
		assert_string_equal(root->items[2 + i].name, want[i].name);
		assert_int_equal(root->items[2 + i].line, want[i].line);
	}
	assert_int_equal(lua_value_named(lua_value_named(root, "list"), "zz")->line, 10);
	table_file_free(t);
	lua_file_remove(&l);
}
