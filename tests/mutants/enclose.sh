#!/bin/bash
# Runs a command without lasting effects: it reads all files of this computer, but its writes go to
# memory, and vanish with its processes. A mutant may remove any file or kill any process.
#
#   unshare --pid --mount --ipc --fork --kill-child enclose.sh OUT TREE COMMAND...
#
# TREE is the folder that the command begins in; OUT is its folder build/mutant, where writes stay.
set -eu
out=$1 tree=$2
shift 2
mount --make-rprivate /
mount -t tmpfs -o size=4g mutants /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
if [ ! -d "/mnt/root$tree" ]; then # on another disk
	mkdir -p "/mnt/root$tree" /mnt/upper2 /mnt/work2
	mount -t overlay overlay -o "lowerdir=$tree,upperdir=/mnt/upper2,workdir=/mnt/work2" \
		"/mnt/root$tree"
fi
mount --rbind /dev /mnt/root/dev
mount --rbind /sys /mnt/root/sys
mount -t proc proc /mnt/root/proc
mkdir -p "/mnt/root$tree/build/mutant"
mount --bind "$out" "/mnt/root$tree/build/mutant"
status=0
# Not exec: this shell is the first process here, and waits for those that are left.
chroot /mnt/root /bin/bash -c 'cd "$0" && exec "$@"' "$tree" "$@" || status=$?
exit $status
