"""Random loops in C, for judge.py: each seed draws arrays, types, strides and some statements of
ordinary loops. The program never ends. Its data are random bytes and the cycles of permutations,
from a file that all seeds share."""
import random

SIZES = {"l1": 4 << 10, "l2": 64 << 10, "memory": 1 << 20}  # bytes of an array, by the level of its lines
INTS = ("unsigned char", "short", "int", "long")
FLOATS = ("float", "double")
BYTES = {"unsigned char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8}
PERMUTATIONS = (1 << 10, 1 << 14, 1 << 18)  # entries


def write_data(path):
    """Writes random bytes, and for each of PERMUTATIONS one cycle through so many indices."""
    r = random.Random(55)
    with open(path, "wb") as f:
        f.write(r.randbytes(SIZES["memory"]))
        for n in PERMUTATIONS:
            order = list(range(n))
            r.shuffle(order)
            after = [0] * n
            for one, other in zip(order, order[1:] + order[:1]):
                after[one] = other
            f.write(b"".join(i.to_bytes(4, "little") for i in after))


class Loop:
    """A loop being drawn: its arrays, variables and statements."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.globals, self.variables, self.body, self.kinds = [], [], [], []
        self.functions = []
        kinds = list(KINDS)
        weights = [KINDS[k] for k in kinds]
        for kind in self.r.choices(kinds, weights, k=self.r.choice((1, 1, 1, 2, 2, 3, 4))):
            self.kinds.append(kind.__name__)
            kind(self)
        self.trips = self.r.choice((12, 100, 1000, 10000, 10000))

    def one(self, *of):
        return self.r.choice(of)

    def name(self, of):
        return f"{of}{len(self.globals) + len(self.variables) + len(self.body)}"

    def variable(self, kind, value):
        name = self.name("v")
        self.variables.append(f"{kind} {name} = {value};")
        return name

    def array(self, kind, size=None):
        """Returns an element's text, for index text; a stride is drawn."""
        name = self.name("array")
        size = SIZES[size or self.one(*SIZES)] // BYTES[kind]
        self.globals.append(f"{kind} {name}[{size}];" if self.r.random() < 0.5 or kind in FLOATS
                            else f"#define {name} (({kind} *)random_bytes)")
        stride = self.one(1, 1, 1, 2, 3, 8, 17, 64)
        return lambda i: f"{name}[({i} * {stride}ul) & {size - 1}]"


def add_up(loop):
    kind = loop.one(*INTS, *FLOATS)
    total = loop.variable(kind if kind in FLOATS else "long", 0)
    loop.body.append(f"{total} += {loop.array(kind)('i')};")


def copy(loop):
    kind = loop.one(*INTS, *FLOATS)
    loop.body.append(f"{loop.array(kind)('i')} = {loop.array(kind)('i')};")


def fill(loop):
    kind = loop.one(*INTS)
    loop.body.append(f"{loop.array(kind)('i')} = ({kind})i;")


def update(loop):
    kind = loop.one(*INTS, *FLOATS)
    loop.body.append(f"{loop.array(kind)('i')} += 3;")


def recurrence(loop):
    kind = loop.one("long", *FLOATS)
    v = loop.variable(kind, "1")
    if kind == "long":
        loop.body.append(loop.one(f"{v} = {v} * 6364136223846793005l + 1;", f"{v} ^= {v} << 13; {v} ^= {v} >> 7;",
                                  f"{v} = {v} * {v} + i;", f"{v} = ({v} >> 3) + i;"))
    else:
        loop.body.append(loop.one(f"{v} = {v} * ({kind})0.99 + ({kind})0.5;", f"{v} += ({kind})i;",
                                  f"{v} = ({kind})1 / ({v} + 1);"))


def divide(loop):
    kind = loop.one("int", "long", "double")
    v = loop.variable(kind, "1")
    if loop.r.random() < 0.5:
        loop.body.append(f"{v} += ({kind})1000003 / (({kind})(i & 63) + 1);")
    else:
        loop.body.append(f"{v} = {v} / 3 + ({kind})i;")


def multiply(loop):
    kind = loop.one("long", *FLOATS)
    for _ in range(loop.one(1, 2, 4)):
        v = loop.variable(kind, "1")
        loop.body.append(f"{v} += ({kind})(i & 1023) * ({kind})(i & 255);")


def branch(loop):
    v = loop.variable("long", 0)
    element = loop.array("unsigned char", loop.one("l1", "l2"))("i").split("[", 1)[1]
    mask = loop.one(1, 3, 15, 128)
    loop.body.append(f"if (random_bytes[{element} & {mask}) {v} += i; else {v} = keep({v} ^ 5);")


def call(loop):
    v = loop.variable("long", 0)
    name = loop.name("f")
    loop.functions.append(f"__attribute__((noinline)) static long {name}(long a, long b)\n"
                          f"{{\n\treturn keep(a + {loop.one(1, 2, 3)} * b);\n}}")
    loop.body.append(f"{v} = {name}({v}, i);")


def call_indirect(loop):
    v = loop.variable("long", 0)
    names = []
    for _ in range(loop.one(2, 4)):
        name = loop.name("g") + "abcd"[len(names)]
        names.append(name)
        loop.functions.append(f"static long {name}(long a)\n{{\n\treturn a + {len(names)};\n}}")
    table = loop.name("table")
    loop.functions.append(f"static long (*const volatile {table}[])(long) = {{{', '.join(names)}}};")
    which = loop.one("i", "random_bytes[i & 1023]")
    loop.body.append(f"{v} = {table}[{which} % {len(names)}]({v});")


def gather(loop):
    v = loop.variable("long", 0)
    n = loop.r.randrange(len(PERMUTATIONS))
    loop.body.append(f"{v} += ((const unsigned *)permutation{n})[((const unsigned *)permutation{n})"
                     f"[i & {PERMUTATIONS[n] - 1}]];")


def scatter(loop):
    n = loop.r.randrange(len(PERMUTATIONS))
    name = loop.name("counts")
    loop.globals.append(f"int {name}[{PERMUTATIONS[n]}];")
    loop.body.append(f"{name}[((const unsigned *)permutation{n})[i & {PERMUTATIONS[n] - 1}]]++;")


def chase(loop):
    n = loop.r.randrange(len(PERMUTATIONS))
    v = loop.variable("unsigned", 0)
    loop.body.append(f"{v} = ((const unsigned *)permutation{n})[{v}];")


def forward(loop):
    name = loop.name("cell")
    kind = loop.one("long", "int", "double")
    loop.globals.append(f"static volatile {kind} {name}[4];")
    loop.body.append(f"{name}[{loop.one('0', 'i & 3', 'i & 1')}] += 1;")


def work(loop):
    v = loop.variable("long", 1)
    for _ in range(loop.one(2, 4, 8)):
        loop.body.append(f"{v} = keep({v} {loop.one('+', '^', '-')} {loop.one('i', '7', '(i >> 2)')});")


def independent_work(loop):
    for _ in range(loop.one(3, 6, 9)):
        v = loop.variable("long", 1)
        loop.body.append(f"{v} = keep({v} {loop.one('+', '^')} i);")


KINDS = {add_up: 3, copy: 2, fill: 2, update: 2, recurrence: 2, divide: 2, multiply: 2, branch: 3, call: 1,
         call_indirect: 1, gather: 2, scatter: 2, chase: 2, forward: 1, work: 1, independent_work: 2}


def program(seed, data):
    """The text of one program."""
    loop = Loop(seed)
    lines = [f"/* seed {seed}: {', '.join(loop.kinds)} */",
             'extern unsigned char random_bytes[], permutation0[], permutation1[], permutation2[];',
             f'__asm__(".section .data; .balign 4096; random_bytes: .incbin \\"{data}\\", 0, {SIZES["memory"]}");']
    at = SIZES["memory"]
    for n, entries in enumerate(PERMUTATIONS):
        lines.append(f'__asm__("permutation{n}: .incbin \\"{data}\\", {at}, {entries * 4}; .text");')
        if n + 1 < len(PERMUTATIONS):
            lines[-1] = lines[-1].replace("; .text", "")
        at += entries * 4
    lines += ["#define keep(x) ({ long x_ = (x); __asm__ volatile(\"\" : \"+r\"(x_)); x_; })"]
    lines += loop.globals + loop.functions
    names = [v.split(" = ")[0].rsplit(" ", 1)[1] for v in loop.variables]
    lines += ["__attribute__((used)) static void loop(void)", "{",
              *("\t" + v for v in loop.variables),
              "\tfor (unsigned long from = 0;;) {",
              f"\t\tconst unsigned long to = from + {loop.trips};",
              "\t\tfor (unsigned long i = from; i < to; i++) {",
              *("\t\t\t" + b for b in loop.body), "\t\t}",
              *(f"\t\t__asm__ volatile(\"\" : \"+rm\"({name}));" for name in names),
              "\t\t__asm__ volatile(\"\" : : : \"memory\");", "\t\tfrom = to;", "\t}", "}",
              '__attribute__((naked)) void _start(void)', '{', '\t__asm__(".option push; .option norelax; la gp, '
              '__global_pointer$; .option pop; j loop");', "}"]
    return "\n".join(lines) + "\n"
