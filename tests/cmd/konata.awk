# Whether a file is a Kanata 0004 log that makes sense: every line of a known type, ids in order, every stage that
# begins ends, in order, nothing about an instruction before its I or after its R, retire ids without gaps, and
# each committed instruction through F, D, W and C. Prints what it counted, or what is wrong with which line.
BEGIN { FS = "\t"; next_id = 0; retired = 0 }
function bad(what) { printf "line %d: %s: %s\n", NR, what, $0; failed = 1; exit 1 }
NR == 1 { if ($1 != "Kanata" || $2 != "0004") bad("header"); next }
NR == 2 { if ($1 != "C=" || $2 !~ /^[0-9]+$/) bad("first cycle"); next }
$1 == "C" { if (NF != 2 || $2 < 1) bad("cycles"); cycles += $2; next }
$1 == "I" { if (NF != 4 || $2 != next_id++) bad("id"); if ($3 + 0 <= seq + 0 && !($3 in early)) bad("order"); seq = $3; open[$2] = 1; next }
!($2 in open) { bad("about an instruction that is not there") }
$1 == "L" { if (NF != 4 || $3 !~ /^[01]$/ || $4 == "") bad("label"); labels++; next }
$1 == "S" { if (NF != 4 || ($2 in stage)) bad("stage begins in another"); stage[$2] = $4; seen[$2] = seen[$2] $4; next }
$1 == "E" { if (NF != 4 || stage[$2] != $4) bad("stage ends that has not begun"); delete stage[$2]; next }
$1 == "W" { if (NF != 4 || !($3 in open) || $3 >= $2) bad("dependency"); arrows++; next }
$1 == "R" {
	if (NF != 4 || ($2 in stage)) bad("retires within a stage")
	if ($4 == 0) { if ($3 != retired++) bad("retire id"); if (seen[$2] !~ /^F?D?X?M?WC$/) bad("stages " seen[$2]) }
	else if ($4 == 1) flushed++
	else bad("kind of retirement")
	delete open[$2]
	next
}
{ bad("unknown line") }
END {
	if (failed) exit 1
	for (id in open) left++
	printf "%d instructions, %d retired, %d flushed, %d left, %d arrows, %d cycles\n", next_id, retired, flushed, left, arrows, cycles
}
