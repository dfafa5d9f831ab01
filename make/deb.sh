#!/bin/bash
# Makes a Debian package of the program as it is built. DEBFULLNAME and DEBEMAIL name its
# maintainer.
#
#   make/deb.sh FOLDER      leaves FOLDER/cyclops_VERSION_ARCHITECTURE.deb there, and its name on
#                           standard output; before it, that of cyclops-lecturer_VERSION_all.deb,
#                           which has what students must not have: solutions, and build/kit
set -eu

folder=$1
version=$(build/cyclops --version)
version=${version#cyclops }-1
architecture=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-the Cyclops authors} <${DEBEMAIL:-cyclops@localhost}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
log=$work/log
umask 022

# Files get the time of the last commit, where there is none that of the newest source: the same
# source makes the same package.
newest() { find . -path ./build -prune -o -type f -printf '%T@\n' | sort -n | tail -n 1 |
	sed 's/\..*//'; }
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || newest)}
export SOURCE_DATE_EPOCH=$epoch

if ! make --no-print-directory install DESTDIR="$root" PREFIX=/usr \
	ZSH_FUNCTIONS=/usr/share/zsh/vendor-completions >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/cyclops"
gzip -9n "$root/usr/share/man/man1/cyclops.1"

docs=$root/usr/share/doc/cyclops
cat >"$docs/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: cyclops

Files: *
Copyright: 2026 the Cyclops authors
License: GPL-3
 On Debian systems, the text of version 3 of the GNU General Public License
 is in /usr/share/common-licenses/GPL-3.
END
cat >"$work/changelog" <<END
cyclops ($version) stable; urgency=medium

  * Built from its sources.

 -- $maintainer  $(date -R -u -d "@$epoch")
END
gzip -9nc "$work/changelog" >"$docs/changelog.Debian.gz"

# Dependences: the packages of the libraries that the program is linked with.
mkdir -p "$work/debian"
printf 'Source: cyclops\n\nPackage: cyclops\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "$root/usr/bin/cyclops" 2>"$log") ||
	{ cat "$log" >&2; exit 1; }
depends=${depends#shlibs:Depends=}

mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: cyclops
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Depends: $depends
Suggests: gcc-riscv64-linux-gnu, fonts-dejavu-core
Section: devel
Priority: optional
Installed-Size: $(du -ks --apparent-size "$root/usr" | cut -f1)
Description: inspector and stepping debugger of an out-of-order RISC-V processor
 Cyclops simulates an out-of-order RISC-V processor cycle by cycle, and shows
 it at work on a terminal: forwards and backwards, with the reason why each
 instruction is where it is. The machine carries the profiling hardware of
 five research systems. For courses, students and researchers.
END

# The lecturer's: readable by root and its group alone.
theirs=$work/lecturer
their_files=$theirs/usr/share/cyclops-lecturer
install -d "$their_files/solutions" "$theirs/DEBIAN" "$theirs/usr/share/doc/cyclops-lecturer"
install -m640 build/kit/*.html "$their_files"
install -m640 tests/labs/solutions/* "$their_files/solutions"
chmod 750 "$their_files" "$their_files/solutions"
install -m644 "$docs/copyright" "$docs/changelog.Debian.gz" "$theirs/usr/share/doc/cyclops-lecturer"
cat >"$theirs/DEBIAN/control" <<END
Package: cyclops-lecturer
Version: $version
Architecture: all
Maintainer: $maintainer
Suggests: cyclops
Section: devel
Priority: optional
Installed-Size: $(du -ks --apparent-size "$theirs/usr" | cut -f1)
Description: solutions of the labs of Cyclops, and pages for lecturers
 Solutions of twelve labs, a page to print for each with usual mistakes and
 oral questions, slides, a rubric and a cheat sheet. Only root and its group
 can read them.
END

mkdir -p "$folder"
# package ROOT FILE: packs the files below a folder.
package() {
	(cd "$1" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) \
		>"$1/DEBIAN/md5sums"
	dpkg-deb --root-owner-group --build "$1" "$2" >/dev/null
	echo "$2"
}
package "$theirs" "$folder/cyclops-lecturer_${version}_all.deb"
package "$root" "$folder/cyclops_${version}_$architecture.deb"
