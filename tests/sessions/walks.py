#!/usr/bin/env python3
"""walks.py FOLDER SEED c|cc COUNT: a program at random, FOLDER/program.c or program.cc, and COUNT
sessions of a debugger that walk through it, FOLDER/sessions, in JSON.

Programs end by themselves after some ten thousand instructions: functions call only those before
them, recursion counts down, and a loop's rounds are limited by what its body costs.

With BACK=1 the sessions also go backwards, and change variables and registers by hand, return from
functions and call them."""
import json
import os
import random
import sys

folder, seed, language, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
random.seed(f"{language}{seed}")
CPP = language == "cc"
BACK = bool(os.environ.get("BACK"))
# gdb's steps do not end where an exception or longjmp ends a frame of a static program.
JUMPS = random.random() < 0.2
COST_MAX = 400 if BACK else 1500  # instructions of a call, roughly


class Function:
    def __init__(self, name, parameters, returns, cost):
        self.name, self.parameters, self.returns, self.cost = name, parameters, returns, cost
        self.target = name
        self.throws = False


class Writer:
    """Lines of the program."""

    def __init__(self):
        self.lines = []

    def put(self, depth, text):
        self.lines.append("\t" * depth + text)


class Body:
    """Statements of a function: its variables, and what it has cost so far."""

    def __init__(self, out, functions, variables):
        self.out, self.functions, self.variables = out, functions, list(variables)
        self.locals = 0
        self.early = "1"
        self.cost = 5
        self.loops = 0
        self.rounds = 1  # product of the enclosing loops'
        self.labels = 0

    def spend(self, n):
        self.cost += n * self.rounds

    def afford(self):
        """Functions that may still be called here."""
        left = COST_MAX - self.cost
        return [f for f in self.functions if f.cost * self.rounds < left]

    def atom(self):
        kind = random.random()
        if kind < 0.6:
            return random.choice(self.variables)
        if kind < 0.75:
            return str(random.randint(0, 9))
        return random.choice(["g0", "g1", "r0.a", "r0.c", "table[1].a", "bytes[2]", "sink"])

    def call(self, depth=0):
        able = self.afford()
        if not able:
            return self.atom()
        f = random.choice(able)
        self.spend(f.cost)
        arguments = []
        for kind in f.parameters:
            if kind == "rec *":
                arguments.append(random.choice(["&r0", "&table[1]", "&table[2]"]))
            elif kind == "rec":
                arguments.append(random.choice(["r0", "table[0]"]))
            elif kind == "op":
                arguments.append(random.choice(["plus", "minus"]))
            else:
                arguments.append(self.value(depth + 1, calls=depth == 0 and random.random() < 0.2))
        text = f"{f.target}({', '.join(arguments)})"
        return f"{text}.a" if f.returns == "rec" else text

    def value(self, depth=0, calls=False):
        self.spend(2)
        kind = random.random()
        if calls and kind < 0.4:
            return self.call(depth)
        if depth > 1 or kind < 0.35:
            return self.atom()
        if kind < 0.45:
            return f"({self.condition()} ? {self.value(depth + 1)} : {self.atom()})"
        return f"({self.value(depth + 1, calls)} {random.choice('+-*&|^')} {self.atom()})"

    def condition(self):
        self.spend(2)
        if random.random() < 0.2:
            return f"{self.atom()} > {random.randint(0, 5)} && {self.atom()} < {random.randint(3, 99)}"
        return f"({self.atom()} & {random.choice([1, 2, 3, 7])}) {random.choice(['==', '!=', '<'])} " \
            f"{random.randint(0, 3)}"

    def target(self):
        kind = random.random()
        own = [v for v in self.variables if v.startswith("v")]
        if own and kind < 0.6:
            return random.choice(own)
        return random.choice(["g0", "g1", "r0.a", "r0.c", "table[1].a", "table[2].c", "sink"])

    def assignment(self, calls=True):
        self.spend(3)
        return f"{self.target()} {random.choice(['=', '+=', '-=', '^='])} {self.value(0, calls)};"

    def statements(self, n, depth):
        for _ in range(n):
            self.statement(depth)

    def block(self, depth):
        """Variables of a block are its own."""
        kept = list(self.variables)
        self.statements(random.randint(1, 3), depth)
        self.variables = kept

    def statement(self, depth):
        put = self.out.put
        kinds = ["set"] * 5 + ["declare"] * 3 + ["two", "call", "call", "call", "many lines"]
        kinds += ["print"] * (not BACK)
        if depth < 4 and self.cost < COST_MAX:
            kinds += ["if", "if else", "short if", "switch", "macro", "block", "leave"]
            if self.rounds < 20:
                kinds += ["for", "short for", "while", "do"]
            if CPP:
                kinds += ["try"] * JUMPS + ["object", "virtual", "lambda", "range", "template"]
        kind = random.choice(kinds)
        self.spend(4)
        if kind == "set":
            put(depth, self.assignment())
        elif kind == "declare":
            value = self.value(0, True)
            name = f"v{self.locals}"
            self.locals += 1
            put(depth, f"{random.choice(['int', 'int', 'long', 'unsigned'])} {name} = {value};")
            self.variables.append(name)
        elif kind == "two":
            put(depth, f"{self.assignment(False)} {self.assignment()}")
        elif kind == "call":
            put(depth, random.choice(["", "sink += ", "g0 ^= "]) + self.call() + ";")
        elif kind == "many lines":
            put(depth, f"{self.target()} = {self.call()} +")
            put(depth + 1, f"{self.value()} -")
            put(depth + 1, f"{self.call()};")
        elif kind == "print":
            self.spend(300)
            put(depth, f'printf("%ld\\n", (long){self.value()});')
        elif kind == "macro":
            put(depth, f"{self.target()} = MIX({self.value()}, {self.atom()});")
        elif kind == "if":
            put(depth, f"if ({self.condition()}) {{")
            self.block(depth + 1)
            put(depth, "}")
        elif kind == "if else":
            put(depth, f"if ({self.condition()}) {{")
            self.block(depth + 1)
            put(depth, "} else {")
            self.block(depth + 1)
            put(depth, "}")
        elif kind == "short if":
            put(depth, f"if ({self.condition()}) {self.assignment()} else {self.assignment(False)}")
        elif kind == "block":
            put(depth, "{")
            self.block(depth + 1)
            put(depth, "}")
        elif kind == "leave":
            put(depth, f"if ({self.condition()} && sink == {random.randint(1, 50)})")
            # In C++, goto passes over no variable.
            put(depth + 1, f"return {self.early};" if CPP else "goto out;")
            self.labels += not CPP
        elif kind == "switch":
            put(depth, f"switch ({self.value()} & 3) {{")
            for case in range(random.randint(1, 3)):
                put(depth, f"case {case}:")
                put(depth + 1, self.assignment())
                if random.random() < 0.8:
                    put(depth + 1, "break;")
            put(depth, "default:")
            put(depth + 1, self.assignment())
            put(depth, "}")
        elif kind in ("for", "short for", "while", "do"):
            n, i = random.randint(1, 4), f"i{self.loops}"
            self.loops += 1
            self.rounds *= n
            self.spend(3)
            # A loop's own variable is read, and never set.
            self.variables.append(i)
            if kind == "short for":
                put(depth, f"for (int {i} = 0; {i} < {n}; {i}++) {self.assignment()}")
            elif kind == "for":
                put(depth, f"for (int {i} = 0; {i} < {n}; {i}++) {{")
                self.block(depth + 1)
                if random.random() < 0.3:
                    put(depth + 1, f"if ({self.condition()})")
                    put(depth + 2, random.choice(["break;", "continue;"]))
                put(depth, "}")
            elif kind == "while":
                put(depth, f"int {i} = {n};")
                put(depth, f"while ({i}-- > 0) {{")
                self.block(depth + 1)
                put(depth, "}")
            else:
                put(depth, f"int {i} = {n};")
                put(depth, "do {")
                self.block(depth + 1)
                put(depth, f"}} while (--{i} > 0);")
            self.variables.remove(i)
            self.rounds //= n
        elif kind == "try":
            self.spend(3000)
            put(depth, "try {")
            self.block(depth + 1)
            put(depth + 1, f"sink += thrower({self.value()});")
            self.block(depth + 1)
            put(depth, "} catch (int e) {")
            put(depth + 1, "g0 += e;")
            self.block(depth + 1)
            put(depth, "}")
        elif kind == "object":
            put(depth, "{")
            put(depth + 1, f"Guard guard({self.value()});")
            self.block(depth + 1)
            put(depth, "}")
        elif kind == "virtual":
            self.spend(20)
            put(depth, f"{self.target()} = shapes[{self.value()} & 1]->area({self.value()});")
        elif kind == "lambda":
            self.spend(10)
            name = f"l{self.locals}"
            self.locals += 1
            put(depth, f"auto {name} = [&](int x) {{ return x * {self.atom()}; }};")
            put(depth, f"{self.target()} = {name}({self.atom()}) + {name}({random.randint(1, 9)});")
        elif kind == "range":
            self.spend(30)
            put(depth, "for (const rec &each : table)")
            put(depth + 1, f"{self.target()} += each.a;")
        elif kind == "template":
            put(depth, f"{self.target()} = largest<{random.choice(['int', 'long'])}>"
                f"({self.value()}, {self.atom()});")


COMMON = """#include <stdio.h>
#include <setjmp.h>
typedef struct rec { int a; short b; long c; double d; } rec;
typedef int (*op)(int, int);
int g0 = 3;
long g1 = 5;
volatile int sink;
unsigned char bytes[5] = "abcd";
rec r0 = {1, 2, 3, 0.5}, table[3] = {{4, 5, 6, 1.5}, {7, 8, 9, 2.5}, {1, 1, 2, 3.5}};
#define MIX(x, y) ((x) * 3 + (y))
int plus(int a, int b) { return a + b; } int minus(int a, int b) { return a - b; }""".split("\n")

IN_C = """jmp_buf back;
__attribute__((noinline)) int jumper(int a)
{
	if (a & 1)
		longjmp(back, a | 1);
	return a + 1;
}
__attribute__((noinline)) int jumps(int a)
{
	volatile int kept = a;
	int got = setjmp(back);
	if (got)
		return got + kept;
	kept += jumper(a);
	return kept;
}""".split("\n")

with open("tests/sessions/areas.inc", encoding="ascii") as file:
    AREAS = file.read().splitlines()
IN_CPP = """struct Guard {
	int kept;
	explicit Guard(int a) : kept(a) { sink++; }
	~Guard()
	{
		sink += kept;
	}
};
""".split("\n")[:-1] + AREAS + """template <typename T> T largest(T a, T b)
{
	if (a < b)
		return b;
	return a;
}
__attribute__((noinline)) int thrower(int a)
{
	Guard guard(a);
	if (a & 1)
		throw a + 1;
	return a;
}""".split("\n")


def function(out, number, functions):
    """Writes a function, and returns what callers need to know of it."""
    name = f"f{number}"
    kind = random.choice(["plain"] * 4 + ["line", "lines", "inline", "inline", "recursive", "tail",
        "pointer", "structure", "structures", "double"])
    attribute = random.choice(["static ", "", "static ", "__attribute__((noinline)) "])
    body = Body(out, functions, ["a", "b"])
    put = out.put
    if kind in ("line", "lines"):
        put(0, f"{attribute}int {name}(int a, int b) {{ return {body.value(0, True)}; }}" + (
            f" static int {name}x(int a) {{ sink += a; return a; }}" if kind == "lines" else ""))
        return Function(name, ["int", "int"], "int", body.cost)
    if kind == "inline":
        put(0, f"static inline __attribute__((always_inline)) int {name}(int a, int b)")
        put(0, "{")
        body.statements(random.randint(1, 3), 1)
        parameters, returns = ["int", "int"], "int"
    elif kind in ("recursive", "tail"):
        put(0, f"{attribute}int {name}(int a, int b)")
        put(0, "{")
        put(1, "if ((a & 7) == 0)")
        put(2, "return b;")
        body.cost += 40
        body.rounds = 8
        body.statements(random.randint(1, 2), 1)
        again = f"{name}((a & 7) - 1, {body.atom()})"
        put(1, f"return {again};" if kind == "tail" else f"return {again} + {body.atom()};")
        body.rounds = 1
        put(0, "}")
        if body.labels:
            out.lines[-1] = "out:"
            put(1, "return 7;")
            put(0, "}")
        return Function(name, ["int", "int"], "int", body.cost)
    elif kind == "pointer":
        put(0, f"{attribute}int {name}(op how, int a)")
        put(0, "{")
        body.variables = ["a"]
        put(1, f"sink ^= how(a, {body.atom()});")
        body.cost += 10
        body.statements(random.randint(1, 2), 1)
        parameters, returns = ["op", "int"], "int"
    elif kind == "structure":
        put(0, f"{attribute}long {name}(rec *p, int a)")
        put(0, "{")
        body.variables = ["a", "p->a", "p->c"]
        put(1, f"p->b += {body.atom()};")
        body.statements(random.randint(1, 4), 1)
        parameters, returns = ["rec *", "int"], "long"
    elif kind == "structures":
        put(0, f"{attribute}rec {name}(rec s, int a)")
        put(0, "{")
        body.variables = ["a", "s.a"]
        body.early = "s"
        put(1, f"s.a = {body.value()};")
        body.statements(random.randint(1, 3), 1)
        parameters, returns = ["rec", "int"], "rec"
    elif kind == "double":
        put(0, f"{attribute}double {name}(double d, int a)")
        put(0, "{")
        body.variables = ["a"]
        put(1, "double v9 = d * 1.5;")
        body.statements(random.randint(1, 3), 1)
        parameters, returns = ["double", "int"], "double"
    else:
        put(0, f"{attribute}int {name}(int a, int b)")
        put(0, "{")
        body.statements(random.randint(2, 7), 1)
        parameters, returns = ["int", "int"], "int"
    if body.labels:
        put(0, "out:")
    put(1, {"rec": "return s;", "double": "return v9 + d;"}.get(
        returns, f"return {body.atom() if body.labels else body.value(0, True)};"))
    put(0, "}")
    f = Function(name, parameters, returns, body.cost)
    if returns == "double":
        f.target = f"(int){name}"
    return f


def write_program():
    out = Writer()
    for line in COMMON + (IN_CPP if CPP else IN_C):
        out.put(0, line)
    functions = [Function("plus", ["int", "int"], "int", 8),
        Function("minus", ["int", "int"], "int", 8)]
    if not CPP and JUMPS:
        functions.append(Function("jumps", ["int"], "int", 80))
    for number in range(random.randint(4, 9)):
        functions.append(function(out, number, functions))
    out.put(0, "int main(void)")
    out.put(0, "{")
    body = Body(out, functions, ["g0", "g1"])
    body.cost = -4 * COST_MAX
    body.statements(random.randint(4, 8), 1)
    for f in functions[3:]:
        if random.random() < 0.6:
            body.functions = [f]
            out.put(1, f"sink += {body.call()};")
    if body.labels:
        out.put(0, "out:")
    out.put(1, 'printf("%d %ld %d\\n", g0, g1, (int)sink);')
    out.put(1, "return 0;")
    out.put(0, "}")
    text = "\n".join(out.lines) + "\n"
    with open(f"{folder}/program.{language}", "w", encoding="utf-8") as f:
        f.write(text)
    return [f.name for f in functions], len(out.lines), text.count("\n", 0, text.index("int plus"))


names, length, first = write_program()
if CPP:
    names += ["thrower"] * JUMPS + ["Guard::Guard", "Guard::~Guard", "Shape::area", "Disc::area"]
VALUES = ["g0", "g1", "sink", "r0.a", "table[1].a", "a", "b", "*p"]
PLACES = VALUES[:-1] + ["r0.c", "table[2].c", "bytes[2]", "s.a", "v0", "v1", "v2", "i0", "p->a",
    "$a0", "$a5"]
AFTER = ["print/x $pc", "backtrace"]


def place():
    return str(random.randint(first, length)) if random.random() < 0.5 else random.choice(names)


def move(backwards):
    kind = random.random()
    if backwards and kind < 0.45:
        return random.choice(["reverse-next", "reverse-next", "reverse-step", "reverse-step",
            "reverse-finish", "reverse-continue", "reverse-stepi", "reverse-stepi",
            "reverse-stepi 3", "reverse-nexti"])
    if backwards:
        kind = random.random()
    if kind < 0.45:
        return random.choice(["next", "next", "next", "next 2", "next 3"])
    if kind < 0.65:
        return random.choice(["step", "step", "step", "step 2", "step 3"])
    if kind < 0.74:
        return "finish"
    if kind < 0.82:
        return "continue"
    if kind < 0.87:
        return "until"
    if kind < 0.90:
        return f"until {random.randint(first, length)}"
    if kind < 0.95:
        return f"advance {place()}"
    return random.choice(["stepi", "nexti", "stepi 3", "nexti 2"])


def change():
    kind = random.random()
    if kind < 0.7:
        return f"set var {random.choice(PLACES)} = {random.randint(-1, 9)}"
    if kind < 0.8:
        return random.choice(["return", "return", "return 5"])
    return f"print {random.choice(['plus', 'minus', random.choice(names[2:])])}" \
        f"({random.randint(-2, 20)}, {random.randint(0, 9)})"


def session(backwards):
    if backwards:
        # The record begins at main, which is its earliest place.
        commands = ["tbreak *main", "continue", "break main"]
        commands += [f"tbreak {random.choice(names[2:])}", "continue"] + AFTER
    else:
        commands = [f"tbreak {random.choice(names[2:] + ['main'] * 4)}", "continue"] + AFTER
    for _ in range(random.randint(6, 20)):
        kind = random.random()
        if kind < 0.12:
            commands.append(f"{random.choice(['break', 'break', 'tbreak'])} {place()}")
        elif kind < 0.15:
            commands.append("delete")
        elif kind < 0.20:
            commands.append(random.choice(["up", "frame 1"]))
        elif kind < 0.30:
            commands.append(f"print {random.choice(VALUES)}")
        elif backwards and kind < 0.45:
            commands += [change()] + AFTER
        else:
            commands += [move(backwards)] + AFTER
            if backwards:
                commands += ["print g0 + 1000 * sink", "print $a0", "print $a5", "print $sp - $fp"]
    return commands


with open(f"{folder}/sessions", "w", encoding="utf-8") as f:
    json.dump([session(BACK) for _ in range(count)], f)
