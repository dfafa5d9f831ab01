# name:
# answer serial ?
# answer beside ?
# answer violations ?
#
# Four linked lists of the same length, each walked to its end, one after the other: the values are
# added up. Make it faster on the default machine; `sum` at the end stays right, whatever the values
# are and wherever the nodes lie in the 128 KB of `nodes`. A node: its next (0: none), its value.
	.option norvc
	.globl _start, loop, heads, sum, nodes
_start:	la s1, heads
	li t2, 4                # lists
	li a0, 0
list:	ld s0, 0(s1)
loop:	ld t1, 8(s0)
	add a0, a0, t1
	ld s0, 0(s0)
	bnez s0, loop
	addi s1, s1, 8
	addi t2, t2, -1
	bnez t2, list

	la s1, sum
	sd a0, 0(s1)
	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
heads:	.dword list0, list1, list2, list3
sum:	.dword 0
	.p2align 12
nodes:
	.dword nodes + 64 * 47, 754; .zero 48
	.dword nodes + 64 * 913, 45; .zero 496
	.dword nodes + 64 * 145, 921; .zero 1008
	.dword nodes + 64 * 1156, 958; .zero 1392
	.dword nodes + 64 * 1257, 754; .zero 368
list2:	.dword nodes + 64 * 1810, 754; .zero 1520
	.dword nodes + 64 * 1397, 720; .zero 240
	.dword nodes + 64 * 1127, 132; .zero 944
	.dword nodes + 64 * 1174, 812; .zero 176
	.dword nodes + 64 * 122, 986; .zero 176
	.dword nodes + 64 * 1161, 936; .zero 368
	.dword nodes + 64 * 954, 349; .zero 176
	.dword nodes + 64 * 1268, 360; .zero 496
	.dword nodes + 64 * 312, 86; .zero 112
	.dword nodes + 64 * 96, 701; .zero 48
	.dword nodes + 64 * 123, 484; .zero 48
	.dword nodes + 64 * 987, 922; .zero 112
	.dword nodes + 64 * 1498, 79; .zero 112
	.dword nodes + 64 * 791, 892; .zero 48
	.dword nodes + 64 * 1300, 877; .zero 48
	.dword nodes + 64 * 1817, 427; .zero 304
list3:	.dword nodes + 64 * 1192, 966; .zero 240
	.dword nodes + 64 * 614, 809; .zero 176
	.dword nodes + 64 * 200, 30; .zero 176
	.dword nodes + 64 * 1941, 884; .zero 48
	.dword nodes + 64 * 391, 511; .zero 240
	.dword nodes + 64 * 108, 586; .zero 48
	.dword nodes + 64 * 1056, 14; .zero 560
	.dword nodes + 64 * 1703, 639; .zero 432
	.dword nodes + 64 * 1207, 678; .zero 112
	.dword nodes + 64 * 1349, 391; .zero 112
	.dword nodes + 64 * 578, 388; .zero 432
	.dword nodes + 64 * 1309, 596; .zero 560
	.dword nodes + 64 * 1040, 12; .zero 368
	.dword nodes + 64 * 168, 623; .zero 48
	.dword nodes + 64 * 447, 73; .zero 432
	.dword nodes + 64 * 539, 82; .zero 496
	.dword nodes + 64 * 780, 92; .zero 112
	.dword nodes + 64 * 809, 654; .zero 112
	.dword nodes + 64 * 128, 118; .zero 48
	.dword nodes + 64 * 1182, 263; .zero 816
	.dword nodes + 64 * 193, 900; .zero 880
	.dword nodes + 64 * 553, 426; .zero 112
	.dword nodes + 64 * 590, 745; .zero 752
	.dword nodes + 64 * 422, 338; .zero 240
	.dword nodes + 64 * 882, 397; .zero 432
	.dword nodes + 64 * 1424, 956; .zero 496
	.dword nodes + 64 * 281, 752; .zero 496
	.dword nodes + 64 * 1108, 710; .zero 944
	.dword nodes + 64 * 208, 594; .zero 176
	.dword nodes + 64 * 1122, 468; .zero 624
	.dword nodes + 64 * 1129, 451; .zero 48
	.dword nodes + 64 * 254, 473; .zero 112
	.dword nodes + 64 * 333, 858; .zero 1328
	.dword nodes + 64 * 0, 554; .zero 304
	.dword nodes + 64 * 310, 85; .zero 176
	.dword nodes + 64 * 1231, 531; .zero 240
	.dword nodes + 64 * 309, 768; .zero 1008
	.dword nodes + 64 * 571, 526; .zero 496
	.dword nodes + 64 * 946, 30; .zero 112
	.dword nodes + 64 * 1095, 317; .zero 176
	.dword nodes + 64 * 1942, 615; .zero 688
	.dword 0, 89; .zero 368
	.dword nodes + 64 * 192, 492; .zero 1968
	.dword nodes + 64 * 1076, 22; .zero 368
	.dword nodes + 64 * 1285, 235; .zero 752
list0:	.dword nodes + 64 * 644, 980; .zero 432
	.dword nodes + 64 * 121, 715; .zero 368
	.dword nodes + 64 * 889, 115; .zero 304
	.dword nodes + 64 * 1432, 509; .zero 944
	.dword nodes + 64 * 129, 798; .zero 176
	.dword nodes + 64 * 2021, 629; .zero 112
	.dword nodes + 64 * 1947, 675; .zero 944
	.dword nodes + 64 * 1927, 942; .zero 432
	.dword nodes + 64 * 1249, 497; .zero 496
	.dword nodes + 64 * 1170, 261; .zero 48
	.dword nodes + 64 * 1342, 917; .zero 1904
	.dword nodes + 64 * 816, 11; .zero 880
	.dword nodes + 64 * 994, 376; .zero 1072
	.dword nodes + 64 * 138, 308; .zero 48
	.dword nodes + 64 * 428, 146; .zero 432
	.dword nodes + 64 * 1218, 694; .zero 304
	.dword nodes + 64 * 929, 626; .zero 368
	.dword nodes + 64 * 851, 207; .zero 48
	.dword nodes + 64 * 615, 530; .zero 240
	.dword nodes + 64 * 570, 173; .zero 1264
	.dword nodes + 64 * 458, 771; .zero 48
	.dword nodes + 64 * 808, 927; .zero 1072
	.dword nodes + 64 * 1099, 350; .zero 176
	.dword nodes + 64 * 1098, 675; .zero 496
	.dword nodes + 64 * 345, 952; .zero 48
	.dword nodes + 64 * 1017, 452; .zero 560
	.dword nodes + 64 * 635, 510; .zero 688
	.dword nodes + 64 * 338, 913; .zero 2096
	.dword nodes + 64 * 1143, 247; .zero 240
	.dword nodes + 64 * 1944, 334; .zero 176
	.dword nodes + 64 * 859, 414; .zero 432
	.dword nodes + 64 * 1678, 681; .zero 432
	.dword nodes + 64 * 500, 256; .zero 624
	.dword nodes + 64 * 632, 203; .zero 432
	.dword nodes + 64 * 711, 649; .zero 368
	.dword nodes + 64 * 1126, 441; .zero 240
	.dword nodes + 64 * 150, 823; .zero 240
list1:	.dword nodes + 64 * 453, 825; .zero 496
	.dword nodes + 64 * 476, 772; .zero 368
	.dword nodes + 64 * 1684, 936; .zero 1072
	.dword nodes + 64 * 240, 205; .zero 688
	.dword nodes + 64 * 1694, 901; .zero 624
	.dword nodes + 64 * 1200, 219; .zero 176
	.dword nodes + 64 * 1633, 393; .zero 240
	.dword nodes + 64 * 1159, 224; .zero 48
	.dword nodes + 64 * 1864, 597; .zero 240
	.dword nodes + 64 * 589, 942; .zero 112
	.dword nodes + 64 * 2000, 324; .zero 48
	.dword nodes + 64 * 144, 214; .zero 112
	.dword nodes + 64 * 857, 139; .zero 176
	.dword nodes + 64 * 728, 137; .zero 112
	.dword 0, 508; .zero 1776
	.dword nodes + 64 * 1971, 359; .zero 368
	.dword nodes + 64 * 1428, 857; .zero 112
	.dword nodes + 64 * 119, 917; .zero 304
	.dword nodes + 64 * 936, 869; .zero 368
	.dword nodes + 64 * 1334, 41; .zero 368
	.dword nodes + 64 * 735, 728; .zero 368
	.dword nodes + 64 * 1962, 65; .zero 432
	.dword nodes + 64 * 1437, 972; .zero 880
	.dword nodes + 64 * 801, 283; .zero 624
	.dword nodes + 64 * 508, 841; .zero 432
	.dword nodes + 64 * 111, 173; .zero 560
	.dword nodes + 64 * 804, 115; .zero 368
	.dword nodes + 64 * 818, 461; .zero 48
	.dword nodes + 64 * 1494, 482; .zero 624
	.dword nodes + 64 * 299, 281; .zero 496
	.dword nodes + 64 * 1566, 947; .zero 1072
	.dword nodes + 64 * 1447, 219; .zero 1008
	.dword nodes + 64 * 1592, 850; .zero 432
	.dword nodes + 64 * 1396, 423; .zero 496
	.dword nodes + 64 * 141, 391; .zero 624
	.dword nodes + 64 * 341, 640; .zero 112
	.dword nodes + 64 * 876, 532; .zero 176
	.dword nodes + 64 * 1177, 505; .zero 48
	.dword nodes + 64 * 757, 688; .zero 1392
	.dword nodes + 64 * 1950, 322; .zero 560
	.dword nodes + 64 * 1682, 733; .zero 432
	.dword nodes + 64 * 125, 859; .zero 1264
	.dword nodes + 64 * 821, 862; .zero 816
	.dword nodes + 64 * 159, 639; .zero 368
	.dword nodes + 64 * 1784, 463; .zero 176
	.dword nodes + 64 * 473, 328; .zero 48
	.dword nodes + 64 * 371, 76; .zero 560
	.dword nodes + 64 * 1672, 848; .zero 880
	.dword nodes + 64 * 813, 32; .zero 240
	.dword nodes + 64 * 102, 284; .zero 48
	.dword nodes + 64 * 374, 893; .zero 112
	.dword nodes + 64 * 226, 622; .zero 752
	.dword nodes + 64 * 815, 42; .zero 112
	.dword nodes + 64 * 870, 694; .zero 176
	.dword nodes + 64 * 1160, 725; .zero 112
	.dword nodes + 64 * 1394, 287; .zero 496
	.dword nodes + 64 * 213, 584; .zero 176
	.dword nodes + 64 * 1635, 362; .zero 48
	.dword nodes + 64 * 864, 316; .zero 48
	.dword nodes + 64 * 1252, 664; .zero 560
	.dword nodes + 64 * 369, 810; .zero 240
	.dword nodes + 64 * 265, 577; .zero 176
	.dword nodes + 64 * 701, 19; .zero 304
	.dword nodes + 64 * 1878, 656; .zero 112
	.dword nodes + 64 * 1952, 139; .zero 240
	.dword nodes + 64 * 1785, 414; .zero 240
	.dword nodes + 64 * 1, 465; .zero 112
	.dword nodes + 64 * 478, 194; .zero 368
	.dword nodes + 64 * 1912, 25; .zero 432
	.dword nodes + 64 * 1759, 787; .zero 688
	.dword nodes + 64 * 149, 849; .zero 816
	.dword nodes + 64 * 1892, 272; .zero 1072
	.dword nodes + 64 * 1935, 243; .zero 48
	.dword nodes + 64 * 745, 797; .zero 176
	.dword nodes + 64 * 1760, 144; .zero 304
	.dword nodes + 64 * 718, 815; .zero 496
	.dword nodes + 64 * 2008, 48; .zero 176
	.dword nodes + 64 * 583, 644; .zero 1072
	.dword nodes + 64 * 1385, 118; .zero 432
	.dword nodes + 64 * 1141, 457; .zero 496
	.dword nodes + 64 * 903, 111; .zero 560
	.dword nodes + 64 * 1194, 645; .zero 1072
	.dword nodes + 64 * 2017, 548; .zero 496
	.dword nodes + 64 * 664, 670; .zero 496
	.dword nodes + 64 * 170, 655; .zero 432
	.dword nodes + 64 * 1627, 826; .zero 752
	.dword nodes + 64 * 1184, 377; .zero 496
	.dword 0, 981; .zero 48
	.dword nodes + 64 * 242, 79; .zero 944
	.dword nodes + 64 * 1018, 700; .zero 560
	.dword nodes + 64 * 1188, 202; .zero 112
	.dword nodes + 64 * 1012, 204; .zero 48
	.dword nodes + 64 * 1721, 843; .zero 112
	.dword nodes + 64 * 1617, 486; .zero 1008
	.dword nodes + 64 * 166, 262; .zero 560
	.dword nodes + 64 * 763, 182; .zero 240
	.dword nodes + 64 * 1843, 731; .zero 240
	.dword nodes + 64 * 1770, 11; .zero 304
	.dword nodes + 64 * 177, 773; .zero 624
	.dword nodes + 64 * 1598, 483; .zero 752
	.dword nodes + 64 * 1146, 547; .zero 560
	.dword nodes + 64 * 385, 731; .zero 1648
	.dword nodes + 64 * 273, 37; .zero 240
	.dword nodes + 64 * 493, 183; .zero 944
	.dword nodes + 64 * 1002, 231; .zero 176
	.dword nodes + 64 * 1399, 278; .zero 2224
	.dword nodes + 64 * 258, 797; .zero 944
	.dword nodes + 64 * 296, 354; .zero 496
	.dword nodes + 64 * 9, 552; .zero 1136
	.dword nodes + 64 * 25, 714; .zero 368
	.dword nodes + 64 * 212, 969; .zero 1200
	.dword nodes + 64 * 1292, 532; .zero 624
	.dword nodes + 64 * 594, 512; .zero 368
	.dword nodes + 64 * 2034, 629; .zero 112
	.dword nodes + 64 * 1326, 774; .zero 2352
	.dword nodes + 64 * 935, 163; .zero 240
	.dword nodes + 64 * 1049, 402; .zero 112
	.dword nodes + 64 * 643, 869; .zero 240
	.dword nodes + 64 * 1792, 810; .zero 112
	.dword nodes + 64 * 1468, 716; .zero 624
	.dword nodes + 64 * 704, 927; .zero 560
	.dword nodes + 64 * 1014, 229; .zero 1136
	.dword nodes + 64 * 653, 89; .zero 2416
	.dword nodes + 64 * 186, 420; .zero 48
	.dword nodes + 64 * 1513, 954; .zero 624
	.dword nodes + 64 * 127, 914; .zero 880
	.dword nodes + 64 * 1089, 739; .zero 48
	.dword nodes + 64 * 1415, 397; .zero 432
	.dword 0, 133; .zero 48
	.dword nodes + 64 * 697, 461; .zero 1072
	.dword nodes + 64 * 1148, 464; .zero 48
	.dword nodes + 64 * 1551, 201; .zero 368
	.dword nodes + 64 * 971, 640; .zero 1648
	.dword nodes + 64 * 1676, 908; .zero 1328
	.dword nodes + 64 * 1265, 931; .zero 880
	.dword nodes + 64 * 1361, 6; .zero 880
	.dword nodes + 64 * 920, 385; .zero 1264
	.dword nodes + 64 * 1516, 563; .zero 944
	.dword nodes + 64 * 361, 582; .zero 496
	.dword nodes + 64 * 1793, 668; .zero 368
	.dword nodes + 64 * 1459, 900; .zero 48
	.dword nodes + 64 * 99, 514; .zero 112
	.dword nodes + 64 * 210, 815; .zero 176
	.dword nodes + 64 * 77, 839; .zero 176
	.dword nodes + 64 * 1811, 966; .zero 112
	.dword nodes + 64 * 741, 351; .zero 624
	.dword nodes + 64 * 1574, 474; .zero 560
	.dword nodes + 64 * 81, 334; .zero 1840
	.dword nodes + 64 * 509, 666; .zero 496
	.dword nodes + 64 * 1370, 209; .zero 560
	.dword nodes + 64 * 1248, 101; .zero 240
	.dword nodes + 64 * 823, 739; .zero 816
	.dword nodes + 64 * 1369, 886; .zero 880
