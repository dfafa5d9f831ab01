#!/bin/bash
# make/other_host.sh FOLDER: builds Cyclops for another kind of host, 64-bit Arm: its libraries come
# from Debian by apt-get, without changes to this system, and lie in FOLDER/root; the program is
# FOLDER/cyclops, which qemu-aarch64 runs with -L FOLDER/root.
set -u
arch=arm64 triple=aarch64-linux-gnu
mkdir -p "$1/lists/partial" "$1/cache" "$1/debs" "$1/root"
folder=$(cd "$1" && pwd)
apt=(apt-get -qq -o "APT::Architectures::=$arch" -o "Dir::State::lists=$folder/lists"
	-o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
packages="libc6 libelf1 libelf-dev libdw1 libdw-dev libncurses6 libncursesw6 libtinfo6 libncurses-dev
	libreadline8 libreadline-dev liblua5.4-0 liblua5.4-dev libjansson4 libjansson-dev zlib1g
	zlib1g-dev liblzma5 liblzma-dev libbz2-1.0 libbz2-dev libzstd1 libzstd-dev libmd4c0
	libmd4c-dev libmd4c-html0 libfreetype6 libfreetype-dev libpng16-16 libpng-dev libbrotli1
	libbrotli-dev libiberty-dev"

if ! [ -e "$folder/complete" ]; then
	"${apt[@]}" update && cd "$folder/debs" || exit 1
	# shellcheck disable=SC2086  # a list of words
	"${apt[@]}" download $(printf "%s:$arch " $packages) || exit 1
	for file in *.deb; do
		dpkg -x "$file" "$folder/root" || exit 1
	done
	# /lib is /usr/lib, as on an installed system, and no link leads out of the folder.
	cp -a "$folder/root/lib/." "$folder/root/usr/lib" && rm -r "$folder/root/lib" &&
		ln -s usr/lib "$folder/root/lib"
	find "$folder/root" -lname '/*' | while read -r link; do
		ln -sf "$(basename "$(readlink "$link")")" "$link"
	done
	cd - >/dev/null && touch "$folder/complete"
fi

root=$folder/root lib=usr/lib/$triple
export PKG_CONFIG_LIBDIR=$root/$lib/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
make --no-print-directory "BUILD=$1" CC=$triple-gcc AR=$triple-ar GOLD= \
	CFLAGS="-O1 -g0 -isystem $root/usr/include -isystem $root/usr/include/$triple" \
	LDFLAGS="-L$root/$lib -Wl,-rpath-link,$root/$lib" \
	"$1/cyclops"
