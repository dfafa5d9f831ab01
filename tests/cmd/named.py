"""Commands of the prompt and of the screen, keys, and options of the command line that no test
uses: a line each. A name is used as the first word of a command line, or with --; a word in a comment does not count."""
import glob
import re
import sys

TESTS = [path for end in ("c", "h", "sh", "lua", "py", "cyc")
    for path in glob.glob(f"tests/**/*.{end}", recursive=True)]
COMMENT = re.compile(r"^\s*(#|--|/?\*|//).*$", re.M)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


TMUX = {"Esc": "Escape", "PgUp": "PageUp", "PgDn": "PageDown", "S-Tab": "BTab"}
PRESSES = re.compile(r"\b(?:keys|press|press_gone|tells|changes|moves|sizes)\s+(.*)")


def screen_gaps():
    """Keys that no test in tests/tty/ presses, and commands of the screen that neither these keys nor tests run."""
    text = "\n".join(COMMENT.sub("", read(path)) for path in glob.glob("tests/tty/*.sh"))
    words = {word for line in PRESSES.findall(text) for word in re.findall(r"[^\s'\"]+", line)}
    used = set()
    gaps = []
    for key, line in re.findall(r'^KEY\("([^"]+)", "([^"]*)"', read("ui/screen/keys.def"), re.M):
        if TMUX.get(key, key) in words:
            used.add(line.split()[0])
        else:
            gaps.append(f"no test presses the key {key}: press it in tests/tty/run.sh")
    for name in re.findall(r'^SCREEN_COMMAND\(\w+, "([^"]+)"',
            read("ui/screen/screen_commands.def"), re.M):
        if name not in used and not re.search(rf"(?:enter|command_line '[^']*') '?{name}\b", text):
            gaps.append(f"no test uses the screen's command '{name}': add one to tests/tty/run.sh")
    return gaps


def main():
    texts = [COMMENT.sub("", read(path)) for path in TESTS]
    wrong = 0

    def used(*patterns):
        return any(re.search(pattern, text, re.M) for pattern in patterns for text in texts)

    for name in re.findall(r"^COMMAND\((\w+)\)", read("ui/cmd/commands.def"), re.M):
        name = name.replace("_", "-")
        if not used(r"(?:[\"']|\\n|; |^)" + name + r"(?=[\"' \n\\;/]|$)"):
            print(f"no test uses the command '{name}': add one to tests/unit/ui/test_console.c or "
                f"tests/cmd/")
            wrong += 1
    for short, name in re.findall(r"^OPTION\(\w+, ('.'|0), \"([^\"]*)\"",
            read("ui/cli/options.def"), re.M):
        if not used(rf"--{name}(?![-\w])", rf"(?<![-\w])-{short[1]}(?![-\w])" if short != "0"
                else r"(?!)"):
            print(f"no test uses the option --{name}: add one to tests/cli/ or tests/cmd/")
            wrong += 1
    for gap in screen_gaps():
        print(gap)
        wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
