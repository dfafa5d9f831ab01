#include "tests/fuzz/grammar.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/binding.h"
#include "scripting/expr/expr.h"
#include "ui/console/command.h"

enum { DEPTH_MAX = 11, WORD_MAX = 48, WORDS_MAX = 64 };

void grammar_begin(struct grammar *g, const uint8_t *choices, size_t n)
{
	*g = (struct grammar){.at = choices, .end = choices + n};
}

/* 0 when there is nothing left to choose by. */
static unsigned pick(struct grammar *g, size_t n)
{
	unsigned v = 0;
	for (size_t room = 1; room < n && g->at < g->end; room *= 256)
		v = v << 8 | *g->at++;
	return n ? (unsigned)(v % n) : 0;
}

static void put(struct grammar *g, const char *text, size_t n)
{
	if (g->n + n >= sizeof g->text) {
		g->at = g->end;
		return;
	}
	memcpy(g->text + g->n, text, n);
	g->n += n;
	g->text[g->n] = '\0';
}

static void put_text(struct grammar *g, const char *text)
{
	put(g, text, strlen(text));
}

/* ---- rules ---- */
/* %X stands for a rule or one of the terminals below, %% for itself. The first alternative of a
 * rule ends: it is taken when there are no choices left, or the text is too deep. */
struct rule {
	char name;
	const char *const *alternative; /* NULL at the end */
};
#define RULE(name, ...) {name, (const char *const[]){__VA_ARGS__, NULL}}

static const struct rule rules[] = {
	/* S: a script; O: what it holds */
	RULE('Z', "%O%B", "%O%B%B", "%O%B%B%B%B"),
	RULE('O', "local m = cyclops.machine{ program = 'guest' }\nlocal o = m\n",
             "local m = cyclops.machine{ program = 'guest', set = { [%P] = %N } }\nlocal o = "
             "m.mem\n",
             "local m = cyclops.machine{ program = 'guest', args = { %s }, set = { ['cop.enable'] "
             "= true } }\nlocal o = m.cop\n",
             "local m = cyclops.machine{ program = 'guest', set = { ['sampler.enable'] = true, "
             "['sampler.memory'] = '1M', ['oracle.enable'] = true, "
             "['oracle.memory'] = '1M' } }\nlocal o = m.sampler\n",
             "local m = cyclops.machine{ program = 'guest', set = { ['profileme.enable'] = true } "
             "}\nlocal o = m.profileme\n",
             "local m = cyclops.machine{ program = 'guest', values = 'results,latency' }\nlocal o "
             "= m.values\n",
             "local m = cyclops.machine{ program = 'guest' }\nlocal o = cyclops.stream():add(%n, "
             "%n, 1, 100)\n",
             "local m = cyclops.machine{ program = 'guest' }\nlocal o = cyclops.messages():add(%n, "
             "%n, 1, 100)\n",
             "local m = cyclops.machine{ program = 'guest' }\nlocal o = cyclops.compressor(%C)\n",
             "local m = cyclops.machine{ program = 'guest' }\nlocal o = cyclops.profile()\n",
             "local m = cyclops.machine{ program = 'guest' }\nlocal o = m:on(%v, %F)\n",
             "local m = cyclops.machine{ program = 'guest' }\nlocal o = m:state{ n = 0, list = { "
             "size = 8, bits = 8 } }\n",
             "local m = cyclops.machine{ program = 'guest', history = false, args = { 'l' } "
             "}\nlocal o = m\n",
             "local m <close> = cyclops.machine{ program = 'guest', stdin = 'input', echo = true, "
             "args = { 'i' }, name = %s }\nlocal o = m\n",
             "local m = cyclops.machine{ program = 'guest', %K = %E }\nlocal o = m\n",
             "local m = cyclops.machine{ program = 'guest', predictor = %L }\nlocal o = m\n"),
	/* statements */
	RULE('B', "", "%S\n", "%T%B", "%T%T%B", "%S\n%T%B"),
	RULE('T', "pcall(function(...) %S end)\n"),
	RULE('S', "print(%i)", "%b", "pcall(function(...) %b end)", "%i = %b", "%i = %E",
             "local %i = %E", "print(%E)", "%b", "print(pcall(function(...) return %b end))",
             "m:run{ cycles = %n }", "m:step(%n)", "pcall(m.run, m, { insts = %n })", "m:cmd(%c)",
             "print(pcall(m.cmd, m, %c))", "print(m:eval(%x))", "if %E then %B else %B end",
             "for %i = 1, %n do %B end", "for k, v in pairs(%E) do %B end", "while %E do %B end",
             "repeat %B until %E", "do local x <close> = setmetatable({}, { __close = %F }) %B end",
             "do local %i = setmetatable({}, { __index = %F, __newindex = %F, __call = %F, __len = "
             "%F, __eq = %F, __concat = %F, __tostring = %F, __pairs = %F }) %B end",
             "%i = setmetatable(%E, { %M = %E })",
             "local function f(...) %B return f(...) end pcall(f, %A)",
             "local function f(...) %B return 1 + f(...) end pcall(f, %A)", "error(%E)",
             "pcall(error, %E)", "xpcall(%F, %F, %A)", "print(pcall(pcall, pcall, error, %E))",
             "error(setmetatable({}, { __tostring = %F }))",
             "local co = coroutine.create(%F) for i = 1, 5 do print(coroutine.resume(co, %A)) end",
             "coroutine.wrap(%F)(%A)", "coroutine.yield(%A)",
             "do local co = coroutine.create(%F) coroutine.resume(co) coroutine.close(co) end",
             "m:on(%v, %F)", "m:on(%v, { %W = %E }, %F)", "m:every({ insts = %n }, %F)",
             "m:at_exit(%F)",
             "cyclops.view{ name = %s, columns = { %s, { name = %s, type = %s } }, rows = %F }",
             "cyclops.command{ name = %s, run = %F, complete = %s, help = %s }",
             "print(require(%s))", "require(%q)", "%G", "%G",
             "local t = {} for i = 1, %n do t[i] = %E end", "table.sort(%E, %F)",
             "do goto done %B ::done:: end", "m.%x = %E", "m[%s] = %E", "m.regs[%s] = %E",
             "m.mem[%s] = %E", "o.%W = %E", "_ENV = %E", "local _ENV = %E %B", "_G[%s] = %E",
             "string.%W = %F", "collectgarbage(%s)", "m:close()", "m = nil collectgarbage()",
             "for i = 1, %n do pcall(cyclops.machine, { program = 'guest', l2 = %E }) end"),
	/* what nobody must have */
	RULE('G', "print(io, os, debug, package, dofile, loadfile, collectgarbage)",
             "print(io.open(%p, %s):read 'a')", "print(os.getenv 'CYCLOPS_FUZZ_SECRET')",
             "os.remove(%p)", "os.execute(%s)", "print(dofile(%p))", "print(loadfile(%p)())",
             "package.loadlib(%p, '*')", "package.path = %p",
             "for l in io.lines(%p) do print(l) end", "print(m:cmd('save ' .. %p))",
             "print(m:cmd('restore ' .. %p))", "print(m:cmd('source ' .. %p))",
             "print(m:cmd('trace konata ' .. %p))", "m:save(%p)", "print(m:load(%p))",
             "print(cyclops.machine{ program = %p })",
             "print(cyclops.machine{ program = 'guest', stdin = %p, args = { 'i' }, echo = true "
             "}:run())",
             "print(cyclops.machine{ program = 'guest', config = %p })",
             "cyclops.machine{ program = 'guest', rw = true }",
             "print(cyclops.machine{ program = 'guest', firmware = %p })",
             "print(cyclops.machine{ program = 'guest', cop = %p })",
             "print(cyclops.machine{ program = 'guest', predictor = %p })",
             "print(cyclops.machine{ program = 'guest', values = %p })", "print(m:source(%p, %n))",
             "print(m:cmd('alias s save; s ' .. %p))", "print(m:cmd('export folded ' .. %p))",
             "print(m:cmd('cop load ' .. %p))", "print(m:cmd('report oracle > ' .. %p))",
             "print(m:cmd('hook ' .. %p))", "print(m:cmd('lua ' .. %p))",
             "print(m:cmd('view source ' .. %p .. ':1'))", "print(m:cmd('list ' .. %p .. ':1'))",
             "print(m:cmd('set args <' .. %p))", "print(m:cmd('run <' .. %p .. ' >' .. %p))",
             "print(require '../outside/secret')", "print(require 'link.secret')",
             "print(require('cyclops.hotlists').read(%p))",
             "require('cyclops.hotlists').write(%E, %p)", "print(load('\\27Lua' .. %s))",
             "print(load(string.dump(%F)))", "print(load(%F, %s, 'b'))",
             "print(load(%s, %s, 'bt', %E))", "setmetatable({}, { __gc = %F })",
             "setmetatable(%E, { __mode = 'k' })", "print(getmetatable('').__index)",
             "getmetatable(m).__index = %F", "debug.sethook(%F)", "debug.getregistry()",
             "rawset(string, 'format', %F)", "rawset(cyclops, %s, %F)",
             "rawset(getmetatable(%E) or {}, %s, %E)",
             "for k, v in pairs(cyclops) do print(k, rawget(cyclops, k), pcall(v, %A)) end",
             "print(('x'):rep(%n))", "print(#(('x'):rep(%n)):rep(%n))",
             "local s = 'x' while true do s = s .. s end",
             "local t = {} while true do t[#t + 1] = ('y'):rep(1000) .. #t end",
             "while true do end", "while true do pcall(error) end",
             "while true do pcall(while_true) end", "repeat until pcall(error)",
             "local function f() return xpcall(f, f) end f()",
             "print(string.find(('a'):rep(30000), ('a?'):rep(%n) .. ('a'):rep(20)))",
             "print(('a'):rep(%n):gsub('.-b', %F))", "print(string.format(%s, %A))",
             "print(string.pack(%s, %A))", "print(string.unpack(%s, %s))",
             "print(table.concat(%E, %s, %n, %n))", "print(table.unpack({}, 1, %n))",
             "table.move(%E, %n, %n, %n)", "table.insert(%E, %n, %E)", "print(select(%n, %A))",
             "print(utf8.char(%n, %n), utf8.codepoint(%s, %n, %n))",
             "local t = setmetatable({}, { __len = function() return %n end }) table.sort(t) "
             "print(table.unpack(t))",
             "local co co = coroutine.wrap(function() co() end) co()",
             "local function deep(n) return n == 0 or deep(n - 1) + 1 end pcall(deep, %n)",
             "local c = coroutine.wrap(function() local x <close> = setmetatable({}, { __close = "
             "function() while true do end end }) coroutine.yield() end) c() c = nil",
             "local s = %s for i = 1, 20 do s = '(' .. s .. ')' end load('return ' .. "
             "('('):rep(%n) .. s)()",
             "local st = cyclops.stream() st:add(%n, %n, 1, %n) for i = 1, 40 do st:append(st) end",
             "local ms = {} for i = 1, %n do ms[i] = cyclops.machine{ program = 'guest' } end"),
	RULE('M', "__index", "__newindex", "__call", "__len", "__eq", "__lt", "__le", "__concat",
             "__close", "__gc", "__mode", "__metatable", "__name", "__pairs", "__tostring", "__unm",
             "__idiv", "__shl"),
	RULE('F', "print", "function(...) %B end", "function(e, ...) %B end",
             "function(e, ...) %B return %E end", "function(a, b, ...) return %E end",
             "function(...) coroutine.yield(%A) %B end", "m.step", "o.%W", "cyclops.%W",
             "string.%W", "coroutine.yield", "pcall", "load", "function(...) return ... end",
             "function(e, ...) m:step(%n) %B end", "function(e, ...) m:close() end"),
	/* expressions; A: some */
	RULE('A', "nil", "%E", "%E, %E", "%E, %E, %E", "table.unpack(%E)", "..."),
	RULE('E', "%i", "%n", "%s", "%b", "m.%x", "o.%W", "nil", "true", "{ %A }",
             "{ %W = %E, [%E] = %E }", "%F", "(%E)", "%E + %E", "%E .. %E", "%E == %E", "%E // %E",
             "%E << %E", "#%E", "-%E", "~%E", "%E and %E or %E", "not %E", "%i.%W", "%i[%E]",
             "(%E)[%E]", "(%F)(%A)", "m", "o", "e", "cyclops", "_G", "_ENV", "string.%W(%A)",
             "table.%W(%A)", "math.%W(%A)", "utf8.%W(%A)", "coroutine.%W(%A)", "tostring(%E)",
             "tonumber(%E, %n)", "type(%E)", "next(%E)", "rawget(%E, %E)", "rawequal(%E, %E)",
             "setmetatable({}, { %M = %F })", "getmetatable(%E)", "select('#', %A)", "load(%s)",
             "pcall(%F, %A)", "m.view[%s]", "m.stat[%s]", "m.config[%s]", "e:table()", "m.rob[%n]",
             "m.rob[%n].%k", "e.%k", "e.inst.%k", "...", "m:view(%V)", "m:report(%s)"),
	RULE('i', "a", "b", "c", "d", "f", "t", "k", "v", "x", "e"),
	RULE('N', "1", "0", "2", "16", "64", "%n", "'%W'", "true", "false", "'1K'", "'1G'", "'64K'",
             "%s", "-1", "1e9", "%E"),
	RULE('n', "1", "0", "2", "3", "-1", "7", "100", "1000", "20000", "65536", "1e5", "1e9",
             "1 << 31", "1 << 32", "1 << 40", "math.maxinteger", "math.mininteger", "0x7fffffff",
             "-0x80000000", "1e308", "0/0", "-1/0", "1.5", "0.1", "m.pc", "m.sp", "m.twice",
             "'0x10'", "'12'", "3e7", "0x10400", "5000", "300"),
	RULE('C', "'A(16)'", "'H(P(256), 2048), A(16)'", "'R(4)'", "'Rc(%n)'", "'C(P(3)), A(4)'",
             "'T(64)'", "'T(64, ways=4, tag=8, hit=2), A(%n)'", "'H(C(R(2)), 8, fold)'",
             "'A(%n, %n)'", "%s"),
	RULE('L', "\"return { name = 'p', predict = function() return true end }\\n\"",
             "\"return {}\\n\"", "\"return { %W = %E }\\n\"", "\"%W = 1\\n\"", "%s"),
	RULE('q', "'cyclops.triggers'", "'lib'", "'cyclops.hotlists'", "'cyclops.cop'",
             "'cyclops.sampler'", "'cyclops.values'", "'cyclops.counts'", "'cyclops.instrument'",
             "'cyclops.asm_loops'", "'itself'", "'lib.lib'", "'../secret'", "'link'",
             "'folder.deep'", "%s"),
	/* Texts: no choice, a word, what formats, patterns and commands are made of. */
	RULE('s', "''", "'%W'", "'%W'", "'%x'", "'%W %W'", "%p", "'main'", "'twice'", "'commit'",
             "'start'", "'%%s %%d %%5.2f %%q %%x %%c %%a'", "'%%99999d'", "'%%p%%p'",
             "'^(.-)%%s*$'", "'[%%w_]+'", "'(()'", "'[a-'", "'%%b()'", "'%%f[%%w]%%w+'",
             "'\\0\\255\\27[2J'", "'\\u{10ffff}'", "'i4<!8s1z'", "'>I16 d n j'", "'\\27LuaT\\0'",
             "('x'):rep(%n)", "'return 1'", "'return load'", "'a = 1'", "'rob 1'", "'guest.c:30'",
             "'while true do end'", "'return ...'"),
	RULE('p', "'input'", "'guest'", "'lib.lua'", "'../outside/secret'", "'link/secret'",
             "'./link/../outside/secret.lua'", "outside .. '/secret'", "outside .. '/secret.lua'",
             "outside .. '/new'", "'new'", "'folder/new'", "'/etc/passwd'", "'/dev/zero'",
             "'/dev/full'", "'/dev/stdin'", "'/proc/self/environ'", "'/proc/self/mem'", "'.'", "''",
             "'/'", "'fifo'", "'input\\0/etc/passwd'", "('/x'):rep(5000)", "'classic5'"),
	/* m:cmd()'s argument; Y: a line */
	RULE('c', "'step'", "[==[%Y]==]", "[==[%Y]==]", "[==[%Y; %Y]==]", "%s"),
	RULE('Y', "step", "%y", "%y", "%y %X", "%y %w", "print %X", "break %w if %X", "tbreak *%X",
             "watch %X", "catch %j if %X", "condition 1 %X", "display %X", "display/x %X",
             "x/%z %X", "view %J", "report %R", "step %z", "goto %z", "goto -%z", "goto #%z",
             "reverse-step %z", "continue", "reverse-continue", "finish", "set %w = %X",
             "set *(u8)sp = %X", "config %u", "stats %t", "info %w", "help %w", "list %w",
             "alias %w = %Y", "%Y; %Y", "until %w", "ignore 1 %z", "delete", "apropos %w",
             "disassemble %w", "frame %z", "backtrace", "why %z", "cop %w", "lua %X", "hook %w"),
	RULE('z', "1", "0", "2", "10", "500", "3000", "-1", "999999999999999999999", "0x10", "8xg",
             "5i", "s", "3dw", "main", "1K"),
	/* expressions of print; H: what a configuration returns */
	RULE('X', "a0", "%x", "%x", "%e", "$%x", "*%X", "*(u8)%X", "*(u8 *)%X + 1", "mem64(%X)",
             "mem32(%X)", "str(%X)", "str(%X, %n)", "mapped(%X)", "rob[%z].%k", "rob.count",
             "lsq[1].addr", "view.%J", "view['%J']", "view['%J'][1].%k", "stat['%t']",
             "config['%u']", "%X + %X", "%X == %X", "%X != %X", "%X && %X", "%X and %X", "%X or %X",
             "not %X", "(%X)", "-%X", "%X // %X", "%X << %X", "%X .. %X", "{ %X, x = %X }",
             "where(%X)", "func(%X)", "line()", "sym '%w'", "address '%w'", "bits 'fa0'",
             "bdt[%z][0]", "pflag[%z]", "fetchq[1].%k", "%k", "event.%k", "event", "%n", "%s",
             "(function(...) %B return %X end)()", "%E", "pcall(%F, %A)", "('x'):rep(%n)",
             "(function() while true do end end)()", "setmetatable({}, { __index = %F })[1]",
             "load(%s)()", "#%X", "tostring(%X)", "string.format(%s, %X)"),
	RULE('H', "return { %D }", "%B\nreturn { %D, %D }", "return { %D, %D, %D, %D }",
             "local t = { %D }\n%B\nreturn t", "%B\nreturn %E",
             "return setmetatable({ %D }, { %M = %F })", "%G\nreturn { %D }",
             "return (function(...) %B return { %D } end)()", "return { %D", "\\27Lua",
             "# %W\nreturn { %D }"),
	RULE('D', "", "[%P] = %N", "[%P] = %N", "[%P] = %Q", "%W = { %W = %N }", "%W = %N",
             "pipe = { rob_size = %N, %W = %N }", "l1d = { size = %N, assoc = %N, line = %N }",
             "description = %s", "[%E] = %E", "[%P] = %E"),
};

/* Lua's own, which can't be names. */
static bool is_keyword(const char *word, size_t n)
{
	static const char *const keywords[] = {
		"and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
		"function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
		"repeat",   "return", "then", "true", "until",  "while"};
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strlen(keywords[i]) == n && !memcmp(keywords[i], word, n))
			return true;
	return false;
}

/* A word of a documentation text; keys: one in front of `=`. */
static void put_word_of(struct grammar *g, const char *text, bool keys)
{
	const char *at[WORDS_MAX];
	size_t length[WORDS_MAX], n = 0;
	for (const char *s = text; *s && n < WORDS_MAX;) {
		size_t len = 0;
		while (isalnum((unsigned char)s[len]) || s[len] == '_')
			len++;
		const char *behind = s + len + strspn(s + len, " ");
		if (len && len < WORD_MAX && !is_keyword(s, len) && !isdigit((unsigned char)*s) &&
		    (!keys || (*behind == '=' && behind[1] != '='))) {
			at[n] = s;
			length[n++] = len;
		}
		s += len + !len;
	}
	if (n) {
		const unsigned i = pick(g, n);
		put(g, at[i], length[i]);
	} else {
		put_text(g, "x");
	}
}

static const struct binding *pick_binding(struct grammar *g, const struct binding_area **area)
{
	unsigned areas = 0;
	while (binding_areas[areas])
		areas++;
	*area = binding_areas[pick(g, areas)];
	return &(*area)->bindings[pick(g, (*area)->count)];
}

static void expand(struct grammar *g, char name);

static void put_template(struct grammar *g, const char *t)
{
	for (; *t; t++)
		if (*t == '%' && t[1] != '%')
			expand(g, *++t);
		else
			put(g, t += *t == '%', 1);
}

static const struct {
	const char *word, *template;
} kinds_of_argument[] = {
	{"FUNCTION", "%F"},       {"EVENT", "%v"},
	{"LINE", "%c"},           {"PATH", "%p"},
	{"FILE", "%p"},           {"EXPRESSION", "[==[%X]==]"},
	{"TABLE", "{ %K = %E }"}, {"{", "{ %K = %E }"},
	{"PC", "m.twice"},        {"ADDRESS", "%n"},
	{"PLACE", "'twice'"},     {"NAME", "'%W'"},
	{"VIEW", "%V"},           {"STREAM", "o"},
	{"MESSAGES", "o"},        {"COMPRESSOR", "o"},
	{"PROFILE", "o"},         {"TEXT", "%s"},
	{"WORDS", "%s"},          {"SNAPSHOT", "m:snapshot()"},
	{"MICROPROGRAM", "%s"},   {"REGISTER", "'%x'"},
};

/* As the usage has them, one after another: "m:on(EVENT, FUNCTION)". */
static void put_arguments(struct grammar *g, const char *usage)
{
	const char *s = usage + strcspn(usage, "({");
	bool any = false;
	for (; *s && strncmp(s, "->", 2) != 0 && pick(g, 8) != 7; s++) {
		size_t len = 0;
		while (isupper((unsigned char)s[len]) || s[len] == '{')
			len++;
		if (!len)
			continue;
		const char *with = "%n";
		for (size_t i = 0; i < sizeof kinds_of_argument / sizeof *kinds_of_argument; i++)
			if (!strncmp(s, kinds_of_argument[i].word,
			             strlen(kinds_of_argument[i].word)))
				with = kinds_of_argument[i].template;
		if (any)
			put_text(g, ", ");
		put_template(g, with);
		any = true;
		s += *s == '{' ? strcspn(s, "}") : len;
		if (!*s)
			break;
	}
}

/* A call of anything in the API. */
static void put_call(struct grammar *g)
{
	const struct binding_area *area;
	const struct binding *outer = g->binding;
	g->binding = pick_binding(g, &area);
	const char *of = !strcmp(area->object, "cyclops")   ? "cyclops."
	                 : !strcmp(area->object, "machine") ? "m:"
	                 : !strcmp(area->object, "event")   ? "e:"
	                 : !strcmp(area->object, "mem")     ? "m.mem:"
	                 : !strcmp(area->object, "cop") || !strcmp(area->object, "sampler") ||
	                                 !strcmp(area->object, "profileme") ||
	                                 !strcmp(area->object, "values")
	                         ? NULL
	                         : "o:";
	if (strchr(area->object, '.')) {
		put_text(g, strcmp(area->object, "machine.") ? "tostring(o." : "tostring(m.");
		put_text(g, g->binding->name);
		put_text(g, ")");
		g->binding = outer;
		return;
	}
	put_text(g, of ? of : "m.");
	if (!of) {
		put_text(g, area->object);
		put_text(g, ":");
	}
	put_text(g, g->binding->name);
	put_text(g, "(");
	if (pick(g, 4) < 3)
		put_arguments(g, g->binding->usage);
	else
		put_template(g, "%A");
	put_text(g, ")");
	g->binding = outer;
}

static void put_command(struct grammar *g)
{
	unsigned i = pick(g, command_count);
	put_text(g, commands[i]->name);
}

static void put_expr_name(struct grammar *g)
{
	static const char *const registers[] = {"a0",    "sp",    "pc",      "cycle",
	                                        "insts", "fa0",   "ra",      "newest",
	                                        "main",  "twice", "counter", "numbers"};
	const char *help;
	unsigned n = 0;
	while (expr_name(n, &help))
		n++;
	const unsigned i = pick(g, n + sizeof registers / sizeof *registers);
	put_text(g, i < n ? expr_name(i, &help) : registers[i - n]);
}

/* ---- terminals ---- */
static void put_quoted(struct grammar *g, const char *text)
{
	put_text(g, "'");
	put_text(g, text);
	put_text(g, "'");
}

static const char *const plain_words[] = {
	"main",  "twice",  "x",      "n",          "format",    "rep",     "gsub",    "find",
	"pack",  "concat", "unpack", "sort",       "insert",    "yield",   "wrap",    "resume",
	"close", "floor",  "random", "char",       "tointeger", "name",    "enable",  "1",
	"size",  "rob",    "all",    "count",      "-1",        "machine", "program", "__index",
	"ult",   "codes",  "len",    "guest.c:29", "*main",     "fetch",   "oracle",  "events"};

static bool put_terminal(struct grammar *g, char name)
{
	switch (name) {
	case 'b': put_call(g); return true;
	case 'y': put_command(g); return true;
	case 'x': put_expr_name(g); return true;
	case 'e': put_text(g, stat_rows[pick(g, stat_row_count)].name); return true;
	case 't': put_text(g, stat_rows[pick(g, stat_row_count)].name); return true;
	case 'u': put_text(g, params[pick(g, param_count)].name); return true;
	case 'P': put_quoted(g, params[pick(g, param_count)].name); return true;
	case 'j': put_text(g, event_info[pick(g, EV_COUNT)].name); return true;
	case 'v': put_quoted(g, event_info[pick(g, EV_COUNT)].name); return true;
	case 'J': put_text(g, views[pick(g, view_count)]->name); return true;
	case 'V': put_quoted(g, views[pick(g, view_count)]->name); return true;
	case 'R': put_text(g, reports[pick(g, report_count)]->name); return true;
	case 'k': put_text(g, uop_field_info[pick(g, UOP_FIELD_COUNT)].name); return true;
	case 'w':
	case 'W': {
		/* Mostly a word of the documentation: of what is called, or of anything. */
		const struct binding_area *area;
		const unsigned how = pick(g, 4);
		const char *plain =
			plain_words[pick(g, how ? 1 : sizeof plain_words / sizeof *plain_words)];
		if (how == 0)
			put_text(g, name == 'w' || (isalpha((unsigned char)*plain) &&
			                            !strpbrk(plain, ":."))
			                    ? plain
			                    : "x");
		else if (how == 1)
			put_text(g, pick_binding(g, &area)->name);
		else
			put_word_of(g,
			            g->binding ? g->binding->usage : pick_binding(g, &area)->usage,
			            false);
		return true;
	}
	case 'K': {
		const struct binding_area *area;
		const struct binding *b = g->binding ? g->binding : pick_binding(g, &area);
		put_word_of(g, pick(g, 2) ? b->usage : b->help, true);
		return true;
	}
	case 'Q': {
		const struct param *p = &params[pick(g, param_count)];
		char number[40];
		if (p->type == PARAM_ENUM || p->type == PARAM_TEXT) {
			put_text(g, "'");
			put_word_of(g, p->unit, false);
			put_text(g, "'");
		} else {
			snprintf(number, sizeof number, "%" PRId64,
			         pick(g, 3) == 0 ? p->def
			         : pick(g, 2)    ? p->max
			                         : p->min);
			put_text(g, number);
		}
		return true;
	}
	default:
		return false;
	}
}

static void expand(struct grammar *g, char name)
{
	if (put_terminal(g, name))
		return;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (rules[i].name != name)
			continue;
		size_t n = 0;
		while (rules[i].alternative[n])
			n++;
		const unsigned which = g->depth < DEPTH_MAX ? pick(g, n) : 0;
		g->depth++;
		put_template(g, rules[i].alternative[which]);
		g->depth--;
		return;
	}
	__builtin_trap(); /* a template names a rule that there is not */
}

const char *grammar_write(struct grammar *g, enum grammar_start start)
{
	g->n = 0;
	g->depth = 0;
	g->text[0] = '\0';
	expand(g, "ZHXY"[start]);
	return g->text;
}
