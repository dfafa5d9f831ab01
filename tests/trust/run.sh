#!/bin/bash
# What lies in the present folder is data. Cyclops is installed below a path with blanks and quotes,
# by a user with private files, and every command of it is started in a folder that
# has a course, presets, modules, startup files, programs and names of its own (folder.py): nothing
# of it is executed, or read as code or configuration.
. tests/lib.sh
if ! strace -o "$dir/log" true 2>"$dir/err"; then
	echo "SKIPPED: strace does not work here: $(head -n 1 "$dir/err")"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
unset MAKEFLAGS MAKELEVEL MFLAGS
prefix="$dir/a  prefix, 'quoted' and \"quoted\" \$x; touch PWNED"
command="make install"
installs() { (umask 077 && make --no-print-directory install INSTALL_DEMOS= \
	PREFIX="${prefix//\$/\$\$}" >"$dir/out" 2>"$dir/err"); }
check "it can be installed" installs
check "nothing of the path is executed" [ -z "$(find . -maxdepth 1 -name 'PWNED*')" ]
check "everybody may read what is installed" \
	[ -z "$(find "$prefix" ! -perm -a=r -o -type d ! -perm -a=x)" ]
check "and no other user can write it" [ -z "$(find "$prefix" -perm /go=w)" ]
mkdir "$dir/folder" "$dir/home"
command=folder.py
: >"$dir/out"
passes "a folder that is no friend" tests/trust/folder.py "$prefix/bin/cyclops" "$dir/folder" \
	"$dir/home"
check "every command was tried" grep -qE '^[0-9]{3,} tried, 0 wrong$' "$dir/said"
finish
