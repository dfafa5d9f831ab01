#!/bin/bash
# Colours in a terminal: the theme fits the background, which the terminal's answer or COLORFGBG
# gives; changed cells are underlined, in the colour of their meaning.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# Names of keys on the bottom line, in the ink of each theme.
DAY=$'\e\\[[0-9;]*38;5;25m' NIGHT=$'\e\\[[0-9;]*38;5;117m'
has_theme() { look -eN && [[ ${lines[-1]} =~ ${!1} ]]; }
at_cycle() { [ "$(cycle)" = "$1" ]; }

# ---- a terminal that answers ----
open_terminal 120 40
tell 'set -g window-style bg=#fdf6e3'
type_text "$CYCLOPS -n -o ui.start=reset tests/golden/guest.elf"
# Keys typed ahead of the screen and of the answer.
keys Enter s s s
check 'a light terminal gets day' wait_until has_theme DAY
check 'and its answer takes no key' wait_until at_cycle 3
enter 'theme dark'
check 'a person may want another' wait_until has_theme NIGHT
enter 'theme light'
check 'light is a name of day' wait_until has_theme DAY
leave
tell 'set -g window-style bg=#101418'
start tests/golden/guest.elf
check 'a dark one gets night' wait_until has_theme NIGHT
leave

# ---- a terminal that does not answer ----
open_terminal 120 40 "COLORFGBG='0;default;15'"
start tests/golden/guest.elf
check 'COLORFGBG is light' wait_until has_theme DAY
leave
open_terminal 120 40 "COLORFGBG='15;8'"
start tests/golden/guest.elf
check 'and dark' wait_until has_theme NIGHT
leave
open_terminal 120 40 "COLORFGBG='0;15' CYCLOPS_THEME=dark"
start tests/golden/guest.elf
check 'what is set counts more' wait_until has_theme NIGHT

# ---- changes ----
# The line of a cause, and the colours of its bar.
cause() { screen_colours | grep -a " $1 "; }
bar() { cause "$1" | grep -ao $'\e\\[[0-9;]*m█' | head -n 1; }
enter 'goto 2000'
wait_until at_cycle 2000 || not_ok 'goto'
keys 3
enter 'focus cpi'
keys z
check 'the CPI stack alone' wait_for 'zoomed'
check 'it has bars' wait_until is_not '' bar memory
before=$(bar memory)
enter 'goto 4000'
check 'what has changed is underlined' wait_until shows $'memory.*\e\\[(1;)?4m' -eN
check 'and its bar keeps its ink' [ "$before" = "$(bar memory)" ]
leave
finish
