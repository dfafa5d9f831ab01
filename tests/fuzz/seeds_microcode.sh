#!/bin/bash
# The programs of demos/microcode: seeds_microcode.sh FOLDER
set -eu
mkdir -p "$1"
cp demos/microcode/*.mic "$1"
