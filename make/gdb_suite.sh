#!/bin/bash
# make/gdb_suite.sh FOLDER: gets gdb's own test suite, of the version that is installed, from
# Debian's sources of gdb. Nothing of it is part of this tree.
set -eu
[ ! -e "$1/complete" ] || exit 0
mkdir -p "$1" && cd "$1"
mkdir -p lists/partial cache gdb
# from where this system's packages come
echo "deb-src $(apt-get indextargets --format '$(REPO_URI)' | grep debian/ | head -n 1) bookworm main" \
	>sources.list
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null
	-o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" source --download-only gdb
tar xf gdb_*.orig.tar.xz -C gdb --strip-components 1 --wildcards \
	'gdb*/gdb/testsuite/*' 'gdb*/include/dwarf2.*'
# The suite knows no RISC-V target with hardware breakpoints and watchpoints; Cyclops's stub has them.
sed -i '/^proc skip_hw_[a-z]*_tests/,/^}/ s/|| .istarget "ia64-\*-\*"\] *$/& || [istarget "riscv*-*-*"]/' \
	gdb/gdb/testsuite/lib/gdb.exp
touch complete
