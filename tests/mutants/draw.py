"""Finds the places of a source that can be mutated, and writes it with all drawn mutants behind
switches.

A place is an expression or a statement in the body of a function, with the texts that may stand
there instead:

  operator    < <= > >= == != + - * / % & | ^ << >> && || ++ -- and assignments: another one;
              ! - ~ left out, or one side of && ||
  constant    a number and 1 more, 1 less; a constant of an enum and its neighbour; true and false
  condition   of `if`: always, never, the opposite; of `while`: never; `a ? b : c` the opposite
  statement   an assignment, a call, `break`, `continue` or an early `return` left out
  arguments   two neighbours of the same type swapped, but not "%s" with its text

What the compiler evaluates cannot be switched: cases, sizes of arrays, static initializers, and the
bodies of macros. The release of memory is not left out: only a checker of leaks sees that.
"""
import os
import re
import sys

try:
    import clang.cindex as cindex
except ImportError:  # another python3 than Debian's
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        import clang.cindex as cindex
    except ImportError:
        sys.exit("mutants need libclang for Python: python3-clang (make setup)")

from ctypes import POINTER, byref, c_uint, c_void_p

K = cindex.CursorKind
OTHERS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"],
    "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"], "&&": ["||"], "||": ["&&"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "&=": ["|="], "|=": ["&="],
    "^=": ["|="], "<<=": [">>="], ">>=": ["<<="],
}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
RELEASE = re.compile(r"\w*(free|release|deinit|close)\w*\s*\(|\(void\)\s*\w+$|assert\b")
SYMMETRIC = {"strcmp", "strcasecmp", "strncmp", "memcmp", "alloc_zeroed", "calloc"}
NOT_SWITCHED = {K.ENUM_DECL, K.STRUCT_DECL, K.UNION_DECL, K.TYPEDEF_DECL, K.STATIC_ASSERT,
    K.CXX_UNARY_EXPR, K.ASM_STMT, K.STMT_EXPR if hasattr(K, "STMT_EXPR") else K.ASM_STMT}
LOOPS = {K.FOR_STMT, K.WHILE_STMT, K.DO_STMT}
BODIES = LOOPS | {K.IF_STMT}
SWITCH = "extern unsigned char mutant_table[]; int mutant_reached(unsigned n);"


def flat(text):
    """On one line, without comments: lines keep their numbers."""
    return " ".join(COMMENT.sub(" ", text).split())


class Mutant:
    """The text of a file from start to end, and its replacement."""

    def __init__(self, file, start, end, new, kind, line, function, old, number=0):
        self.file, self.start, self.end, self.new, self.kind = file, start, end, new, kind
        self.line, self.function, self.old, self.number = line, function, old, number

    def applied(self, text):
        """The text with this mutant in it."""
        return text[:self.start] + self.new + text[self.end:]

    def __str__(self):
        new = self.new if self.new.strip("; ") else "(left out)"
        return f"{self.file}:{self.line} {self.function}(): {flat(self.old)} -> {new}"


class Source:
    """The places of one file. `unit`: a source that includes the file, or the file itself."""

    def __init__(self, path, unit, flags):
        self.path = path
        with open(path, encoding="latin-1", newline="") as file:
            self.text = file.read()
        self.places = []  # [mutants of one place]
        self.function = ""
        tree = cindex.Index.create().parse(unit, args=flags)
        for cursor in tree.cursor.get_children():
            if cursor.kind == K.FUNCTION_DECL and cursor.is_definition():
                self.read_function(cursor)

    def read_function(self, cursor):
        if self.extent(cursor) is None:
            return
        self.function = cursor.spelling
        for child in cursor.get_children():
            if child.kind == K.COMPOUND_STMT:
                self.visit(child, [cursor])

    def offset(self, location):
        """The cursor's place in this file, as it is spelled; None if it is in another file."""
        file, line, column, offset = c_void_p(), c_uint(), c_uint(), c_uint()
        cindex.conf.lib.clang_getFileLocation(location, byref(file), byref(line), byref(column),
            byref(offset))
        if not file:
            return None
        name = cindex.conf.lib.clang_getFileName(file)
        name = name if isinstance(name, str) else name.decode()
        return offset.value if os.path.normpath(name) == self.path else None

    def extent(self, cursor):
        start = self.offset(cursor.extent.start)
        end = self.offset(cursor.extent.end)
        if start is None or end is None or self.text[start:end].strip() == "":
            return None
        # A mutant that ends with a macro, within a macro's argument, ends before that.
        return (start, end) if not self.text[end - 1].isspace() else None

    def between(self, start, end):
        return COMMENT.sub(" ", self.text[start:end]).strip()

    def place(self, kind, start, end, *texts):
        old = self.text[start:end]
        if len(re.findall(r"[(\[{]", old)) != len(re.findall(r"[)\]}]", old)) or "#" in old:
            return
        line = self.text.count("\n", 0, start) + 1
        # An implicit cast has the extent of its operand.
        if self.places and texts and (start, end, flat(texts[0])) == (
                self.places[-1][0].start, self.places[-1][0].end, self.places[-1][0].new):
            return
        self.places.append([Mutant(self.path, start, end, flat(text), kind, line, self.function,
            old) for text in texts])

    def visit(self, cursor, parents):
        kind = cursor.kind
        if kind in NOT_SWITCHED:
            return
        children = list(cursor.get_children())
        if kind == K.VAR_DECL and cursor.storage_class == cindex.StorageClass.STATIC:
            return
        if kind in (K.VAR_DECL, K.COMPOUND_LITERAL_EXPR) and cursor.type.kind in (cindex.TypeKind.CONSTANTARRAY,
                cindex.TypeKind.VARIABLEARRAY):
            children = [c for c in children if c.kind == K.INIT_LIST_EXPR]
        if kind in (K.CASE_STMT, K.DEFAULT_STMT):
            children = children[-1:]
        where = self.extent(cursor)
        if where:
            self.offer(cursor, children, where, parents)
        for child in children:
            self.visit(child, parents + [cursor])

    def offer(self, cursor, children, where, parents):
        kind, (start, end) = cursor.kind, where
        text, parent = self.text[start:end], parents[-1]
        inner = [self.extent(child) for child in children]
        if kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and None not in inner \
                and len(inner) == 2 and inner[0][0] == start and inner[1][1] == end:
            self.offer_binary(cursor, children, inner)
        elif kind == K.UNARY_OPERATOR and len(inner) == 1 and inner[0]:
            self.offer_unary(where, inner[0])
        elif kind == K.INTEGER_LITERAL and NUMBER.match(text):
            if not (parent.kind == K.UNEXPOSED_EXPR and self.is_pointer(parent)):
                zero = re.fullmatch("0[xX]?0*[uUlL]*", text)
                self.place("constant", start, end, f"({text} + 1)",
                    *([] if zero else [f"({text} - 1)"]))
        elif text in ("true", "false"):
            self.place("constant", start, end, "false" if text == "true" else "true")
        elif kind == K.DECL_REF_EXPR and cursor.referenced is not None \
                and cursor.referenced.kind == K.ENUM_CONSTANT_DECL and re.fullmatch(r"\w+", text):
            self.offer_enum(cursor.referenced, where)
        elif kind == K.CONDITIONAL_OPERATOR and len(inner) == 3 and None not in inner \
                and inner[0][0] == start:
            self.place("condition", start, end, f"!({self.text[slice(*inner[0])]})"
                + self.text[inner[0][1]:end])
        elif kind in (K.IF_STMT, K.WHILE_STMT) and inner and inner[0]:
            first, last = inner[0]
            condition = self.text[first:last]
            if self.text[:first].rstrip().endswith("(") \
                    and self.text[last:].lstrip().startswith(")"):
                self.place("condition", first, last, *(["0"] if kind == K.WHILE_STMT
                    else ["0", "1", f"!({condition})"]))
        elif kind == K.RETURN_STMT and len(inner) == 1 and inner[0] \
                and children[0].type.get_canonical().kind == cindex.TypeKind.BOOL \
                and children[0].kind not in (K.BINARY_OPERATOR, K.UNARY_OPERATOR):
            value = self.text[slice(*inner[0])]
            if value not in ("true", "false", "0", "1"):
                self.place("condition", *inner[0], f"!({value})")
        if kind == K.CALL_EXPR and text.endswith(")"):
            self.offer_swaps(cursor, where)
        self.offer_dropped(cursor, where, parents)

    @staticmethod
    def is_pointer(cursor):
        return cursor.type.get_canonical().kind == cindex.TypeKind.POINTER

    def offer_binary(self, cursor, children, inner):
        (start, left), (right, end) = inner
        operator = self.between(left, right)
        texts = []
        pointers = [self.is_pointer(child) for child in children]
        for other in OTHERS.get(operator, []):
            if operator in ("+", "-") and any(pointers) and (operator == "-" or pointers[1]):
                continue
            if {operator, other} & {"%"} and cursor.type.get_canonical().kind in (
                    cindex.TypeKind.DOUBLE, cindex.TypeKind.FLOAT):
                continue
            texts.append(f"{self.text[start:left]} {other} {self.text[right:end]}")
        if operator in ("&&", "||"):
            texts += [self.text[start:left], self.text[right:end]]
        if texts:
            self.place("operator", start, end, *texts)

    def offer_unary(self, where, inner):
        start, end = where
        before, after = self.between(start, inner[0]), self.between(inner[1], end)
        operand = self.text[slice(*inner)]
        if before in ("!", "-", "~") and not after:
            self.place("operator", start, end, operand)
        elif before in ("++", "--") and not after:
            self.place("operator", start, end, ("--" if before == "++" else "++") + operand)
        elif after in ("++", "--") and not before:
            self.place("operator", start, end, operand + ("--" if after == "++" else "++"))

    def offer_enum(self, constant, where):
        names = [(c.spelling, c.enum_value) for c in constant.semantic_parent.get_children()
            if c.kind == K.ENUM_CONSTANT_DECL]
        at = [name for name, _ in names].index(constant.spelling)
        for other, value in names[at + 1:at + 2] + names[max(at - 1, 0):at]:
            if value != constant.enum_value:
                self.place("constant", *where, other)
                return

    def offer_swaps(self, cursor, where):
        arguments = list(cursor.get_arguments())
        inner = [self.extent(argument) for argument in arguments]
        if None in inner or cursor.spelling in SYMMETRIC:
            return
        texts = []
        for i in range(len(arguments) - 1):
            (a, b), (c, d) = inner[i], inner[i + 1]
            types = [re.sub(r"\bconst\b| ", "", arguments[k].type.get_canonical().spelling)
                for k in (i, i + 1)]
            if types[0] == types[1] and self.text[a:b] not in ('"%s"', self.text[c:d]) \
                    and b <= c and self.between(b, c) == ",":
                texts.append(self.text[where[0]:a] + self.text[c:d] + ", " + self.text[a:b]
                    + self.text[d:where[1]])
        if texts:
            self.place("arguments", *where, *texts)

    def offer_dropped(self, cursor, where, parents):
        parent, kind, (start, end) = parents[-1], cursor.kind, where
        text = self.text[start:end]
        if parent.kind not in BODIES | {K.COMPOUND_STMT, K.CASE_STMT, K.DEFAULT_STMT} \
                or self.text[end:end + 1] != ";" or RELEASE.match(text):
            return
        before = COMMENT.sub("", self.text[:start]).rstrip()
        if not before.endswith((")", "{", "}", ";", ":", "else", "do")):
            return  # a condition, a part of `for`
        if parent.kind == K.FOR_STMT and not before.endswith(")"):
            return
        if kind == K.RETURN_STMT:
            # The end of a function returns something.
            if parent.kind != K.IF_STMT and (parent.kind != K.COMPOUND_STMT or len(parents) < 3
                    or parents[-2].kind != K.IF_STMT):
                return
        elif kind == K.BINARY_OPERATOR:
            if "=" not in text:
                return
        elif kind not in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.BREAK_STMT,
                K.CONTINUE_STMT, K.UNARY_OPERATOR):
            return
        self.place("statement", start, end + 1, ";")


def switched(text, mutants):
    """The text with each of these mutants guarded by its switch."""
    order = sorted(mutants, key=lambda m: (m.start, -m.end, m.kind != "statement", m.number))

    def written(low, high, inside):
        out = []
        while inside:
            m = inside[0]
            nested = [n for n in inside[1:] if n.start < m.end]
            rest = inside[1 + len(nested):]
            out.append(text[low:m.start])
            old = written(m.start, m.end, nested)
            on = f"(mutant_table[{m.number}] && mutant_reached({m.number}))"
            if m.kind == "statement":
                out.append(f"{{ if (!{on}) {old} }}")
            else:
                out.append(f"({on} ? ({m.new}) : ({old}))")
            low, inside = m.end, rest
        out.append(text[low:high])
        return "".join(out)

    return SWITCH + "\n#line 1\n" + written(0, len(text), order)


cindex.conf.lib.clang_getFileLocation.argtypes = [cindex.SourceLocation, POINTER(c_void_p),
    POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)]
cindex.conf.lib.clang_getFileName.argtypes = [c_void_p]
