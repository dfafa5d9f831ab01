#!/usr/bin/env python3
"""Code that opens, names or looks for a file of the host first checks whether the giver of the name
may reach it (core/base/reach.h): each function with such a call also asks. Exceptions are rows of
make/openers.txt: a file with how many such functions, or a whole room; and the reason.
"""
import re
import subprocess
import sys

LIST = "make/openers.txt"
OPENERS = r"""fopen freopen open open64 openat openat2 creat opendir scandir open_input open_data_input open_own_input output_begin
output_write output_create output_remove output_inherited stat lstat fstatat statx access faccessat
realpath canonicalize_file_name readlink readlinkat glob wordexp nftw ftw fts_open popen system
posix_spawn posix_spawnp execv execve execvp execvpe dlopen luaL_loadfile luaL_loadfilex luaL_dofile
mkstemp mkostemp mkdtemp mkdir mkfifo mknod rename renameat renameat2 unlink unlinkat rmdir remove
symlink symlinkat link linkat truncate chmod chown chdir chroot tmpfile read_history write_history
append_history history_truncate_file cct_file_open checkpoint_load checkpoint_save microprogram_open
alloc_file alloc_real_path alloc_folder alloc_folder_names
FT_New_Face script_run_path session_set_input program_open launch_open_input config_load""".split()
CALL = re.compile(r"(?<![\w.>])(%s)\s*\((?!void\b)" % "|".join(OPENERS))
ASKS = re.compile(r"\b(reach_allows|console_may|api_check_path)\s*\(")
# A function's body: from a line that begins a definition to the next "}" at the line's beginning.
FUNCTION = re.compile(r"^[A-Za-z_][^;={}]*?\b(\w+)\([^;{}]*\)\s*\n\{\n(.*?)^\}", re.S | re.M)


def blank(text):
    """Without comments and texts."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m[0]), text,
        flags=re.S)


def silent(name):
    """The functions of a file that open something and do not ask."""
    with open(name, encoding="utf-8") as file:
        text = blank(file.read())
    if name.startswith("ui/cmd/") and re.search(r"\.files = true", text):
        return []  # ui/console/run.c checks before any of them
    return [f[1] for f in FUNCTION.finditer(text) if CALL.search(f[2]) and not ASKS.search(f[2])]


def rows():
    with open(LIST, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                found = re.match(r"(\S+?)(?: (\d+))?: (\S.*)$", line)
                if not found or bool(found[2]) == found[1].endswith("/"):
                    sys.exit(f"{LIST}:{number}: expected FILE COUNT: REASON, or ROOM/: REASON")
                yield found[1], int(found[2] or 0), number


def main():
    bad = 0
    files = subprocess.run(["git", "ls-files", "*.c", "*.inc", ":!tests", ":!demos"], check=True,
        capture_output=True, text=True).stdout.split()
    allowed, used = {}, set()
    for name, count, number in rows():
        allowed[name] = (count, number)
    for name in files:
        found = silent(name)
        room = next((r for r in allowed if r.endswith("/") and name.startswith(r)), None)
        count = allowed.get(name, (0, 0))[0]
        if name in allowed and len(found) == count:
            used.add(name)
        elif room and name not in allowed:
            used |= {room} if found else set()
        elif len(found) != count:
            used.add(name)
            bad += 1
            print(f"{name}: {len(found)} functions open files and do not ask reach_allows() or "
                f"console_may() ({', '.join(found)}); {LIST} allows {count}", file=sys.stderr)
    for name in allowed.keys() - used:
        bad += 1
        print(f"{LIST}:{allowed[name][1]}: {name} needs no row", file=sys.stderr)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
