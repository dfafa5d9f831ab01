#!/bin/bash
# Installs the packages that a task needs.
#
#   make/setup.sh [--check] GROUP...  build demos test host suite lint fuzz bench deb docs web
#
# Silent if all are there. Otherwise installs them with apt-get, as root or through a sudo without a
# password; if that is impossible, or with --check, prints the command to type and fails. --check
# build queries the compiler and pkg-config, on any system; all other checks query Debian's dpkg.
# OS_RELEASE is the file that names the distribution.
set -u

declare -A group=(
	[build]="gcc libc6-dev make pkg-config libncurses-dev libreadline-dev libelf-dev libdw-dev liblua5.4-dev libjansson-dev libmd4c-dev libfreetype-dev zlib1g-dev libiberty-dev"
	[demos]="gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
	[test]="clang lld python3-clang-14 g++-riscv64-linux-gnu qemu-user libcmocka-dev tmux valgrind gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf parallel rsync slurm-wlm munge python3 strace gdb-multiarch dpkg-dev patch xz-utils bzip2 graphviz groff-base fonts-dejavu-core zsh bash-completion chromium mkdocs mkdocs-material"
	[lint]="clang clang-tidy libcmocka-dev python3"
	[fuzz]="clang libclang-rt-14-dev"
	[deb]="dpkg-dev"
	[docs]="mkdocs mkdocs-material git"
	[suite]="dejagnu"
	[web]="emscripten clang python3 patch xz-utils bzip2 chromium"
	[host]="gcc-aarch64-linux-gnu libc6-dev-arm64-cross binutils-aarch64-linux-gnu qemu-user"
	[bench]="valgrind time"
)

# The platform of the editors' client kit; a node from elsewhere has its own npm, which Debian's is
# at odds with.
command -v npm >/dev/null || group[test]+=" nodejs npm" group[web]+=" nodejs npm"

check=
if [ "${1:-}" = --check ]; then
	check=1
	shift
fi

# The group build elsewhere: the words of /etc/os-release's ID and ID_LIKE, and the command. The
# names were taken from the distributions' package lists; only Debian's are tested.
elsewhere=(
	"fedora rhel|dnf install gcc make pkgconf-pkg-config ncurses-devel readline-devel elfutils-libelf-devel elfutils-devel lua-devel jansson-devel md4c-devel freetype-devel zlib-devel binutils-devel"
	"arch|pacman -S --needed gcc make pkgconf ncurses readline libelf lua jansson md4c freetype2 zlib binutils"
	"suse opensuse|zypper install gcc make pkgconf-pkg-config ncurses-devel readline-devel libelf-devel libdw-devel lua54-devel libjansson-devel md4c-devel freetype2-devel zlib-devel binutils-devel"
)

# Prints the command that installs the group build on this distribution.
suggest_packages() {
	local words row word
	words=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}")
	for row in "${elsewhere[@]}"; do
		for word in ${row%%|*}; do
			case " $words " in
			*" $word "*)
				echo "  ${row#*|}"
				echo 'That command is not tested; the container of make/Containerfile is Debian.'
				return
				;;
			esac
		done
	done
	case " $words " in
	*' debian '* | *' ubuntu '*) echo "  apt-get install ${group[build]}" ;;
	*)
		echo "  Debian's names of the packages: ${group[build]}"
		echo 'The container of make/Containerfile has them.'
		;;
	esac
}

# Prints what `make` lacks, in names that any distribution has.
lacking_to_build() {
	command -v "${CC%% *}" >/dev/null || { echo "${CC%% *}" && return; }
	command -v pkg-config >/dev/null || { echo pkg-config && return; }
	local name
	for name in ncursesw panelw readline libelf libdw jansson md4c zlib freetype2; do
		pkg-config --exists "$name" || echo "$name"
	done
	for name in lua5.4 lua-5.4 lua54 lua; do
		pkg-config --exists "$name >= 5.4" && break
	done || echo 'lua 5.4'
	local header
	for header in libiberty/demangle.h demangle.h; do
		echo "#include <$header>" | $CC -E -x c - >/dev/null 2>&1 && return
	done
	echo libiberty
}

if [ "$*" = build ] && [ -n "$check" ]; then
	CC=${CC:-gcc}
	lacking=$(lacking_to_build)
	[ -n "$lacking" ] || exit 0
	echo "Cyclops needs these to build, with their headers: ${lacking//$'\n'/, }" >&2
	suggest_packages >&2
	exit 1
fi

if ! command -v dpkg-query >/dev/null; then
	[ -z "$check" ] && echo "This is no Debian: what is missing of $* is for you to install." >&2
	exit 0
fi

wanted=
for g in "$@"; do
	wanted+=" ${group[$g]:?no such group: $g}"
done

have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
missing=
for p in $wanted; do
	case $'\n'$have$'\n'$missing$'\n' in
	*$'\n'$p$'\n'*) ;;
	*) missing+=${missing:+$'\n'}$p ;;
	esac
done
[ -n "$missing" ] || exit 0
missing=${missing//$'\n'/ }

install="apt-get install -y --no-install-recommends $missing"
by_hand() {
	echo "Cyclops needs packages that are not installed. To install them:" >&2
	if [ "$(id -u)" = 0 ]; then
		echo "  apt-get update && $install" >&2
	else
		echo "  sudo apt-get update && sudo $install" >&2
	fi
	exit 1
}

[ -z "$check" ] || by_hand
command -v apt-get >/dev/null || by_hand
root=
if [ "$(id -u)" != 0 ]; then
	sudo -n true 2>/dev/null || by_hand
	root="sudo -n"
fi

echo "Installing $missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
	$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
		>>"$log" 2>&1 </dev/null
}
# The lists on this machine may be fresh enough: fetching them is only worth it when they are not.
# shellcheck disable=SC2086  # a list of words
if ! apt install -y --no-install-recommends $missing; then
	if ! { apt update && apt install -y --no-install-recommends $missing; }; then
		tail -n 15 "$log" >&2
		by_hand
	fi
fi
