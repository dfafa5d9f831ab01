#!/bin/bash
# The package alone, on a clean Debian: it is installed with apt into a root that debootstrap makes,
# and tours, demos, the manual, the assembler and the start page are used there, without compiler,
# checkout or network; the start page, five tours and three labs in a terminal, to their ends.
# Without root, debootstrap or a mirror the package is unpacked below a folder, with this system's
# libraries.
#
# The root is kept, as it is before the package comes: $XDG_CACHE_HOME/cyclops/debian-SUITE.tar, or
# ~/.cache; remove it to have a new one.
#
#   make/test-package.sh PACKAGE.deb         `make test-package` makes the package, and calls this;
#                                            takes minutes, and is in no suite
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
cp "${1:?usage: make/test-package.sh PACKAGE.deb}" "$dir/cyclops.deb" || exit 1
package=$dir/cyclops.deb
root=$dir/root
# apt's own
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -n 1)}
suite=${DEBIAN_SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")}

kept=${XDG_CACHE_HOME:-$HOME/.cache}/cyclops/debian-$suite.tar

make_root() {
	if [ -e "$kept" ]; then
		mkdir "$root" && tar -C "$root" -xpf "$kept"
		return
	fi
	debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$dir/bootstrap" 2>&1 || return
	chroot "$root" apt-get -qq update >"$dir/bootstrap" 2>&1 || return
	mkdir -p "${kept%/*}" && tar -C "$root" -cpf "$kept.new" . && mv "$kept.new" "$kept"
}

clean=
if [ "$(id -u)" = 0 ] && { [ -e "$kept" ] || command -v debootstrap >/dev/null; } &&
	make_root; then
	cp "$package" "$root/cyclops.deb"
	command="apt install ./cyclops.deb"
	install_it() { chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -qq install \
		-y --no-install-recommends /cyclops.deb >"$dir/out" 2>"$dir/err"; }
	check "apt installs it" install_it
	chroot "$root" useradd -m student
	clean=1
	as() { chroot --userspec=student "$root" /usr/bin/env -i HOME=/home/student LANG=C.UTF-8 \
		TERM=xterm-256color PATH=/usr/bin:/bin "$@"; }
	home=$root/home/student inside=/home/student
else
	echo "no clean root: $(tail -n 1 "$dir/bootstrap" 2>/dev/null || echo 'not root, or no debootstrap'); the package is unpacked"
	mkdir "$root"
	dpkg -x "$package" "$root"
	home=$dir/home inside=$dir/home
	mkdir "$home"
	as() { (cd "$home" && env -i HOME="$home" LANG=C.UTF-8 TERM=xterm-256color \
		PATH="$root/usr/bin:/usr/bin:/bin" "$@"); }
fi

# used WANT WORDS...: the package's program.
used() {
	local want=$1 got=0
	shift
	command="cyclops $*"
	as cyclops "$@" >"$dir/out" 2>"$dir/err" </dev/null || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}

echo "package: $(stat -c %s "$package") bytes; installed: $(dpkg-deb -f "$package" Installed-Size) KB"
check "no cross compiler is needed" [ "${clean:+$(as sh -c 'command -v riscv64-linux-gnu-gcc')}" \
	= "" ]
used 0 --version
used 0 demo
for demo in hello fib branchy linked matmul readfile selfmod longjmp; do
	used 0 demo $demo
done
used 0 demo sort
for tour in $(as cyclops tour | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	used 0 tour --batch "$tour"
done
used 0 lab
says out 'Lab 12:'
for lab in 1 2 3; do
	used 0 lab --batch $lab
	says out 'Your hand-in of this lab:'
	used 0 lab check $lab
	says out ' of 20 points'
done
used 0 lab check 11
says out ' of 20 points'
check "solutions are not in it" \
	[ -z "$(find "$root" -path '*cyclops*' -name '*solution*' -print -quit)" ]
used 0 manual
used 0 manual lab1
says out 'What is graded'
used 0 manual start
says out '# Get started'
used 0 manual --browser
cp tests/asm/hello.s tests/asm/main.s "$home/"
used 0 run "$inside/hello.s"
check "what a session writes is one's own" [ -d "$home/.local/share/cyclops/course" ]

# The start page, in a terminal.
if command -v tmux >/dev/null; then
	declare -f as >"$dir/as"
	{
		declare -p root home
		cat "$dir/as"
		echo 'as cyclops'
	} >"$dir/page.sh"
	tmux -S "$dir/tmux" -f /dev/null new-session -d -x 80 -y 24 "bash $dir/page.sh"
	shown() { tmux -S "$dir/tmux" capture-pane -p 2>/dev/null | grep -qE "$1"; }
	seen() {
		local i
		for ((i = 0; i < 100; i++)); do
			shown "$1" && return
			sleep 0.1
		done
		return 1
	}
	press() { tmux -S "$dir/tmux" send-keys "$@"; }
	command="cyclops"
	check "the start page" seen 'What shall it be'
	press Down Enter
	check "tours" seen 'A first look'
	press Enter
	check "the first one plays" seen 'Tour first'
	press q
	check "and back" seen 'A first look'
	press Escape Down Enter
	check "labs" seen '2 forwarding'
	press Down Down Enter
	check "a lab's page" seen 'Aim'
	# Out of the pager, whichever there is.
	press q
	check "and what is next" seen 'Enter begins the steps'
	press Enter
	check "a lab plays" seen 'Tour lab'
	press q
	check "and back to the labs" seen '2 forwarding'
	press q
	tmux -S "$dir/tmux" kill-server 2>/dev/null

	gone() {
		local i
		for ((i = 0; i < 50; i++)); do
			shown "$1" || return
			sleep 0.1
		done
	}
	# To their ends, at two sizes. A question is passed over.
	through() {
		local begun=$SECONDS
		command="cyclops $* ($size)"
		{
			declare -p root home
			cat "$dir/as"
			echo "as env PAGER=cat cyclops $*; read -r"
		} >"$dir/page.sh"
		tmux -S "$dir/tmux" -f /dev/null new-session -d -x "${size%x*}" -y "${size#*x}" \
			"bash $dir/page.sh"
		until shown 'This was the tour' || [ $SECONDS -gt $((begun + 90)) ]; do
			if shown 'Enter begins the steps'; then
				press Enter
			elif shown 'Space answers'; then
				press Space
				seen 'cyclops. answer' && press '?' Enter
				gone 'Space answers'
			elif shown 'Space (goes|reads) on'; then
				press Space
			fi
			sleep 0.05
		done
		check "it reaches its end" seen 'This was the tour'
		check "nothing was missing on the way" [ "$(tmux -S "$dir/tmux" capture-pane -p -S - | grep -cE 'no view is called|No such file|is not installed')" = 0 ]
		press q
		[ "$1" = tour ] || check "its hand-in is named" seen 'Your hand-in of this lab'
		tmux -S "$dir/tmux" kill-server 2>/dev/null
	}
	size=80x24
	for tour in first linked cct profile cop; do
		through tour $tour
	done
	size=120x36
	for lab in 1 5 11; do
		through lab $lab
	done
fi
finish
