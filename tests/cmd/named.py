"""Commands of the prompt and options of the command line that no test uses: a line each. Where a name stands as the first word of a
command line, or behind --, it is used; a word in a comment is none."""
import glob
import re
import sys

TESTS = [path for end in ("c", "h", "sh", "lua", "py", "cyc") for path in glob.glob(f"tests/**/*.{end}", recursive=True)]
COMMENT = re.compile(r"^\s*(#|--|/?\*|//).*$", re.M)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    texts = [COMMENT.sub("", read(path)) for path in TESTS]
    wrong = 0

    def used(*patterns):
        return any(re.search(pattern, text, re.M) for pattern in patterns for text in texts)

    for name in re.findall(r"^COMMAND\((\w+)\)", read("ui/cmd/commands.def"), re.M):
        name = name.replace("_", "-")
        if not used(r"(?:[\"']|\\n|; |^)" + name + r"(?=[\"' \n\\;/]|$)"):
            print(f"no test uses the command '{name}': add one to tests/unit/test_console.c or tests/cmd/")
            wrong += 1
    for short, name in re.findall(r"^OPTION\(\w+, ('.'|0), \"([^\"]*)\"", read("ui/options.def"), re.M):
        if not used(rf"--{name}(?![-\w])", rf"(?<![-\w])-{short[1]}(?![-\w])" if short != "0" else r"(?!)"):
            print(f"no test uses the option --{name}: add one to tests/cli/ or tests/cmd/")
            wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
