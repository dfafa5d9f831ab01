# name: Gina Solution
# answer serial 117
# answer beside 29
# answer violations 198
#
# Four linked lists of the same length, each walked to its end, one after the other: the values are
# added up. Make it faster on the default machine; `sum` at the end stays right, whatever the values
# are and wherever the lists lie among the nodes. A node: its next (0: none), then its value.
	.option norvc
	.globl _start, loop, heads, sum, nodes
_start:	la s1, heads
	ld s2, 0(s1)            # all four at once: they are of the same length
	ld s3, 8(s1)
	ld s4, 16(s1)
	ld s5, 24(s1)
	li a0, 0
loop:	ld t1, 8(s2)
	ld t2, 8(s3)
	ld t3, 8(s4)
	ld t4, 8(s5)
	add t1, t1, t2
	add t3, t3, t4
	add a0, a0, t1
	add a0, a0, t3
	ld s2, 0(s2)
	ld s3, 0(s3)
	ld s4, 0(s4)
	ld s5, 0(s5)
	bnez s2, loop

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
	.dword nodes + 64 * 4, 754, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 127, 45, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 25, 921, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 159, 958, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 178, 754, 0, 0, 0, 0, 0, 0
list2:	.dword nodes + 64 * 233, 754, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 195, 720, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 153, 132, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 164, 812, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 15, 986, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 162, 936, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 133, 349, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 180, 360, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 53, 86, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 8, 701, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 16, 484, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 135, 922, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 206, 79, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 107, 892, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 183, 877, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 235, 427, 0, 0, 0, 0, 0, 0
list3:	.dword nodes + 64 * 169, 966, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 86, 809, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 36, 30, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 243, 884, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 63, 511, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 11, 586, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 144, 14, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 224, 639, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 172, 678, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 188, 391, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 81, 388, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 184, 596, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 142, 12, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 30, 623, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 67, 73, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 77, 82, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 106, 92, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 111, 654, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 19, 118, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 166, 263, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 35, 900, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 78, 426, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 84, 745, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 64, 338, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 124, 397, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 198, 956, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 48, 752, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 150, 710, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 37, 594, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 151, 468, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 154, 451, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 44, 473, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 54, 858, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 0, 554, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 52, 85, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 174, 531, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 51, 768, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 80, 526, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 132, 30, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 147, 317, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 244, 615, 0, 0, 0, 0, 0, 0
	.dword 0, 89, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 34, 492, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 145, 22, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 181, 235, 0, 0, 0, 0, 0, 0
list0:	.dword nodes + 64 * 91, 980, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 14, 715, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 125, 115, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 200, 509, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 20, 798, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 254, 629, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 246, 675, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 241, 942, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 176, 497, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 163, 261, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 187, 917, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 114, 11, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 136, 376, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 22, 308, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 65, 146, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 173, 694, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 129, 626, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 118, 207, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 87, 530, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 79, 173, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 69, 771, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 110, 927, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 149, 350, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 148, 675, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 57, 952, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 140, 452, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 89, 510, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 55, 913, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 156, 247, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 245, 334, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 120, 414, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 220, 681, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 74, 256, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 88, 203, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 97, 649, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 152, 441, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 27, 823, 0, 0, 0, 0, 0, 0
list1:	.dword nodes + 64 * 68, 825, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 71, 772, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 222, 936, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 42, 205, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 223, 901, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 171, 219, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 216, 393, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 160, 224, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 237, 597, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 83, 942, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 251, 324, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 24, 214, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 119, 139, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 99, 137, 0, 0, 0, 0, 0, 0
	.dword 0, 508, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 250, 359, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 199, 857, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 13, 917, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 131, 869, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 186, 41, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 100, 728, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 249, 65, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 201, 972, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 108, 283, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 75, 841, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 12, 173, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 109, 115, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 115, 461, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 205, 482, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 50, 281, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 210, 947, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 202, 219, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 212, 850, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 194, 423, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 23, 391, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 56, 640, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 123, 532, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 165, 505, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 104, 688, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 247, 322, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 221, 733, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 17, 859, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 116, 862, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 28, 639, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 229, 463, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 70, 328, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 60, 76, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 218, 848, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 112, 32, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 10, 284, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 61, 893, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 41, 622, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 113, 42, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 122, 694, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 161, 725, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 193, 287, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 40, 584, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 217, 362, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 121, 316, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 177, 664, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 59, 810, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 46, 577, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 95, 19, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 238, 656, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 248, 139, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 230, 414, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 1, 465, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 72, 194, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 240, 25, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 226, 787, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 26, 849, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 239, 272, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 242, 243, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 102, 797, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 227, 144, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 98, 815, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 252, 48, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 82, 644, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 192, 118, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 155, 457, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 126, 111, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 170, 645, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 253, 548, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 93, 670, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 31, 655, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 215, 826, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 167, 377, 0, 0, 0, 0, 0, 0
	.dword 0, 981, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 43, 79, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 141, 700, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 168, 202, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 138, 204, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 225, 843, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 214, 486, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 29, 262, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 105, 182, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 236, 731, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 228, 11, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 32, 773, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 213, 483, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 157, 547, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 62, 731, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 47, 37, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 73, 183, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 137, 231, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 196, 278, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 45, 797, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 49, 354, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 2, 552, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 3, 714, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 39, 969, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 182, 532, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 85, 512, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 255, 629, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 185, 774, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 130, 163, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 143, 402, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 90, 869, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 231, 810, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 204, 716, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 96, 927, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 139, 229, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 92, 89, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 33, 420, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 207, 954, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 18, 914, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 146, 739, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 197, 397, 0, 0, 0, 0, 0, 0
	.dword 0, 133, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 94, 461, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 158, 464, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 209, 201, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 134, 640, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 219, 908, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 179, 931, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 189, 6, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 128, 385, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 208, 563, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 58, 582, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 232, 668, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 203, 900, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 9, 514, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 38, 815, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 6, 839, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 234, 966, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 101, 351, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 211, 474, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 7, 334, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 76, 666, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 191, 209, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 175, 101, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 117, 739, 0, 0, 0, 0, 0, 0
	.dword nodes + 64 * 190, 886, 0, 0, 0, 0, 0, 0
