#!/bin/bash
# The results of `make`, and the Debian package: built, installed below a folder by dpkg, used from
# there, and removed.
. tests/lib.sh
if [ "${BUILD:-build/release}" != build/release ]; then
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
unset MAKEFLAGS MAKELEVEL MFLAGS
export PATH=$PATH:/usr/sbin:/sbin # dpkg looks there for tools outside an ordinary user's PATH
tree=$PWD root=$dir/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"

command="make BUILD=build/none"
check "it would build that flavour's program" \
	[ "$(make -n BUILD=build/none 2>"$dir/err" | grep -c -- '-o build/none/cyclops ')" = 1 ]

# The packages that a distribution needs, by its /etc/os-release.
suggests() {
	local status=0
	printf 'ID=%s\nID_LIKE="%s"\n' "$1" "$2" >"$dir/os-release"
	CC=no-compiler OS_RELEASE=$dir/os-release make/setup.sh --check build 2>"$dir/err" ||
		status=$?
	[ $status = 1 ] && grep -q '^Cyclops needs these.*: no-compiler$' "$dir/err" &&
		grep -q -- "^  $3 " "$dir/err"
}
command="make/setup.sh --check build"
check "Fedora's packages" suggests fedora '' 'dnf install gcc'
check "those of a distribution like Fedora" suggests rocky 'rhel centos fedora' 'dnf install gcc'
check "Arch's" suggests arch '' 'pacman -S --needed gcc'
check "SUSE's" suggests opensuse-tumbleweed 'opensuse suse' 'zypper install gcc'
check "Ubuntu's" suggests ubuntu debian 'apt-get install gcc'
check "another's" suggests gentoo '' "Debian's names of the packages: gcc"

command="make deb"
export DPKG_DEB_COMPRESSOR_TYPE=gzip # as good as xz for this test, in a fifth of the time
make --no-print-directory deb >"$dir/out" 2>"$dir/err" || cat "$dir/err"
package=$(tail -n 1 "$dir/out")
check "it names the package" [ -s "$package" ]
field() { dpkg-deb -f "$package" "$1"; }
check "its version is the program's" [ "cyclops $(field Version)" = "$(build/cyclops --version)-1" ]
mapfile -t libraries < <(ldd build/cyclops |
	sed -n 's/^\t\(lib\(ncursesw\|readline\|elf\|dw\|lua5\|jansson\|md4c\|freetype\)[^ ]*\).*/\1/p')
check "it has libraries" [ ${#libraries[@]} -ge 4 ]
depends=$(field Depends)
owners=$(dpkg -S "${libraries[@]/#/*/}")
for library in "${libraries[@]}"; do
	owner=$(grep -m 1 "/$library\$" <<<"$owners")
	check "it depends on ${owner%%:*}, for $library" grep -qw -- "${owner%%:*}" <<<"$depends"
	check "the container has it, too" grep -qw -- "${owner%%:*}" make/Containerfile
done
check "root owns all of it" [ "$(dpkg-deb -c "$package" | awk '{ print $2 }' | sort -u)" \
	= root/root ]
theirs=$(tail -n 2 "$dir/out" | head -n 1)
dpkg-deb -c "$theirs" >"$dir/theirs"
for file in solutions/01-pipeline.s solutions/12-profiler.lua labs.html slides.html rubric.html \
	cheatsheet.html; do
	check "the lecturer's package has $file, for root alone" \
		grep -q "^-rw-r----- root/root .*/usr/share/cyclops-lecturer/$file\$" "$dir/theirs"
done
check "students' has nothing of it" [ -z "$(dpkg-deb -c "$package" |
	grep -E '/solutions/|/wrong/|lecturer/|oral.md')" ]
cp "$package" "$dir/first.deb"
(umask 077 && make --no-print-directory deb >"$dir/again" 2>&1)
check "built twice, with another umask, it is the same" cmp -s "$package" "$dir/first.deb"

# With any umask of the installing user.
installed() { (umask "${mask:-077}" && dpkg --root="$root" --force-not-root --force-depends \
	--log="$dir/log" "$@" >"$dir/out" 2>"$dir/err"); }
for mask in 000 027 0111 0777 077; do
	command="dpkg -i with umask $mask"
	check "it can be installed" installed -i "$package"
	check "everybody may read what is installed, and root alone write it" [ -z "$(find \
		"$root/usr" ! -perm -a=r -o -type d ! -perm -a=x -o ! -type l -perm /022)" ]
done
dpkg-deb --ctrl-tarfile "$package" | tar -t >"$dir/control"
check "it executes nothing when it is installed" \
	[ "$(sort "$dir/control" | tr '\n' ' ')" = "./ ./control ./md5sums " ]
check "what is installed is what was packed" [ -z "$(dpkg --root="$root" --verify cyclops)" ]

# From another folder, so that no file of the tree is found by chance.
cp build/tests/cli/guest "$dir/guest"
cd "$dir" || exit 1
CYCLOPS=$root/usr/bin/cyclops
run 0 run ./guest
says out "hello from the guest"
for preset in "$tree"/demos/configs/*.lua; do
	preset=$(basename "$preset" .lua)
	run 0 run --config "$preset" ./guest
	says out "hello from the guest"
done
run 0 --batch -e 'tbreak main' -e continue -e 'view rob' ./guest
says out "breakpoint"
check "the manual page" grep -q 'interactive inspector' \
	<(zcat "$root/usr/share/man/man1/cyclops.1.gz")
export HOME=$dir/home
mkdir "$HOME"
run 0 demo hello
says out "Hello, cycle!"
run 0 tour --batch hello
says out "Breakpoint 1, main (argc=1"
run 0 manual start
says out "# Get started"
cp "$tree/tests/asm/hello.s" .
run 0 run ./hello.s
says out "hello"
for page in "$root"/usr/share/doc/cyclops/index.md "$root"/usr/share/doc/cyclops/copyright \
	"$root"/usr/share/doc/cyclops/changelog.Debian.gz \
	"$root"/usr/share/bash-completion/completions/cyclops \
	"$root"/usr/share/zsh/vendor-completions/_cyclops "$root"/usr/share/cyclops/xprof/xprof.h; \
	do
	check "$page is there" [ -s "$page" ]
done

command="dpkg -r"
check "it can be removed" installed -P cyclops
check "nothing stays" [ -z "$(find "$root/usr" -type f 2>/dev/null)" ]
finish
