# name:
# answer serial ?
# answer beside ?
# answer violations ?
#
# Four linked lists of 64 nodes, each walked to its end, one after the other: the values are added
# up. Make it faster on the default machine; `sum` at the end stays the same, whatever the values
# are. A node: its next (0: none), then its value.
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
	.dword nodes + 64 * 4, 754
	.zero 48
	.dword nodes + 64 * 127, 45
	.zero 48
	.dword nodes + 64 * 25, 921
	.zero 48
	.dword nodes + 64 * 159, 958
	.zero 48
	.dword nodes + 64 * 178, 754
	.zero 48
list2:	.dword nodes + 64 * 233, 754
	.zero 48
	.dword nodes + 64 * 195, 720
	.zero 48
	.dword nodes + 64 * 153, 132
	.zero 48
	.dword nodes + 64 * 164, 812
	.zero 48
	.dword nodes + 64 * 15, 986
	.zero 48
	.dword nodes + 64 * 162, 936
	.zero 48
	.dword nodes + 64 * 133, 349
	.zero 48
	.dword nodes + 64 * 180, 360
	.zero 48
	.dword nodes + 64 * 53, 86
	.zero 48
	.dword nodes + 64 * 8, 701
	.zero 48
	.dword nodes + 64 * 16, 484
	.zero 48
	.dword nodes + 64 * 135, 922
	.zero 48
	.dword nodes + 64 * 206, 79
	.zero 48
	.dword nodes + 64 * 107, 892
	.zero 48
	.dword nodes + 64 * 183, 877
	.zero 48
	.dword nodes + 64 * 235, 427
	.zero 48
list3:	.dword nodes + 64 * 169, 966
	.zero 48
	.dword nodes + 64 * 86, 809
	.zero 48
	.dword nodes + 64 * 36, 30
	.zero 48
	.dword nodes + 64 * 243, 884
	.zero 48
	.dword nodes + 64 * 63, 511
	.zero 48
	.dword nodes + 64 * 11, 586
	.zero 48
	.dword nodes + 64 * 144, 14
	.zero 48
	.dword nodes + 64 * 224, 639
	.zero 48
	.dword nodes + 64 * 172, 678
	.zero 48
	.dword nodes + 64 * 188, 391
	.zero 48
	.dword nodes + 64 * 81, 388
	.zero 48
	.dword nodes + 64 * 184, 596
	.zero 48
	.dword nodes + 64 * 142, 12
	.zero 48
	.dword nodes + 64 * 30, 623
	.zero 48
	.dword nodes + 64 * 67, 73
	.zero 48
	.dword nodes + 64 * 77, 82
	.zero 48
	.dword nodes + 64 * 106, 92
	.zero 48
	.dword nodes + 64 * 111, 654
	.zero 48
	.dword nodes + 64 * 19, 118
	.zero 48
	.dword nodes + 64 * 166, 263
	.zero 48
	.dword nodes + 64 * 35, 900
	.zero 48
	.dword nodes + 64 * 78, 426
	.zero 48
	.dword nodes + 64 * 84, 745
	.zero 48
	.dword nodes + 64 * 64, 338
	.zero 48
	.dword nodes + 64 * 124, 397
	.zero 48
	.dword nodes + 64 * 198, 956
	.zero 48
	.dword nodes + 64 * 48, 752
	.zero 48
	.dword nodes + 64 * 150, 710
	.zero 48
	.dword nodes + 64 * 37, 594
	.zero 48
	.dword nodes + 64 * 151, 468
	.zero 48
	.dword nodes + 64 * 154, 451
	.zero 48
	.dword nodes + 64 * 44, 473
	.zero 48
	.dword nodes + 64 * 54, 858
	.zero 48
	.dword nodes + 64 * 0, 554
	.zero 48
	.dword nodes + 64 * 52, 85
	.zero 48
	.dword nodes + 64 * 174, 531
	.zero 48
	.dword nodes + 64 * 51, 768
	.zero 48
	.dword nodes + 64 * 80, 526
	.zero 48
	.dword nodes + 64 * 132, 30
	.zero 48
	.dword nodes + 64 * 147, 317
	.zero 48
	.dword nodes + 64 * 244, 615
	.zero 48
	.dword 0, 89
	.zero 48
	.dword nodes + 64 * 34, 492
	.zero 48
	.dword nodes + 64 * 145, 22
	.zero 48
	.dword nodes + 64 * 181, 235
	.zero 48
list0:	.dword nodes + 64 * 91, 980
	.zero 48
	.dword nodes + 64 * 14, 715
	.zero 48
	.dword nodes + 64 * 125, 115
	.zero 48
	.dword nodes + 64 * 200, 509
	.zero 48
	.dword nodes + 64 * 20, 798
	.zero 48
	.dword nodes + 64 * 254, 629
	.zero 48
	.dword nodes + 64 * 246, 675
	.zero 48
	.dword nodes + 64 * 241, 942
	.zero 48
	.dword nodes + 64 * 176, 497
	.zero 48
	.dword nodes + 64 * 163, 261
	.zero 48
	.dword nodes + 64 * 187, 917
	.zero 48
	.dword nodes + 64 * 114, 11
	.zero 48
	.dword nodes + 64 * 136, 376
	.zero 48
	.dword nodes + 64 * 22, 308
	.zero 48
	.dword nodes + 64 * 65, 146
	.zero 48
	.dword nodes + 64 * 173, 694
	.zero 48
	.dword nodes + 64 * 129, 626
	.zero 48
	.dword nodes + 64 * 118, 207
	.zero 48
	.dword nodes + 64 * 87, 530
	.zero 48
	.dword nodes + 64 * 79, 173
	.zero 48
	.dword nodes + 64 * 69, 771
	.zero 48
	.dword nodes + 64 * 110, 927
	.zero 48
	.dword nodes + 64 * 149, 350
	.zero 48
	.dword nodes + 64 * 148, 675
	.zero 48
	.dword nodes + 64 * 57, 952
	.zero 48
	.dword nodes + 64 * 140, 452
	.zero 48
	.dword nodes + 64 * 89, 510
	.zero 48
	.dword nodes + 64 * 55, 913
	.zero 48
	.dword nodes + 64 * 156, 247
	.zero 48
	.dword nodes + 64 * 245, 334
	.zero 48
	.dword nodes + 64 * 120, 414
	.zero 48
	.dword nodes + 64 * 220, 681
	.zero 48
	.dword nodes + 64 * 74, 256
	.zero 48
	.dword nodes + 64 * 88, 203
	.zero 48
	.dword nodes + 64 * 97, 649
	.zero 48
	.dword nodes + 64 * 152, 441
	.zero 48
	.dword nodes + 64 * 27, 823
	.zero 48
list1:	.dword nodes + 64 * 68, 825
	.zero 48
	.dword nodes + 64 * 71, 772
	.zero 48
	.dword nodes + 64 * 222, 936
	.zero 48
	.dword nodes + 64 * 42, 205
	.zero 48
	.dword nodes + 64 * 223, 901
	.zero 48
	.dword nodes + 64 * 171, 219
	.zero 48
	.dword nodes + 64 * 216, 393
	.zero 48
	.dword nodes + 64 * 160, 224
	.zero 48
	.dword nodes + 64 * 237, 597
	.zero 48
	.dword nodes + 64 * 83, 942
	.zero 48
	.dword nodes + 64 * 251, 324
	.zero 48
	.dword nodes + 64 * 24, 214
	.zero 48
	.dword nodes + 64 * 119, 139
	.zero 48
	.dword nodes + 64 * 99, 137
	.zero 48
	.dword 0, 508
	.zero 48
	.dword nodes + 64 * 250, 359
	.zero 48
	.dword nodes + 64 * 199, 857
	.zero 48
	.dword nodes + 64 * 13, 917
	.zero 48
	.dword nodes + 64 * 131, 869
	.zero 48
	.dword nodes + 64 * 186, 41
	.zero 48
	.dword nodes + 64 * 100, 728
	.zero 48
	.dword nodes + 64 * 249, 65
	.zero 48
	.dword nodes + 64 * 201, 972
	.zero 48
	.dword nodes + 64 * 108, 283
	.zero 48
	.dword nodes + 64 * 75, 841
	.zero 48
	.dword nodes + 64 * 12, 173
	.zero 48
	.dword nodes + 64 * 109, 115
	.zero 48
	.dword nodes + 64 * 115, 461
	.zero 48
	.dword nodes + 64 * 205, 482
	.zero 48
	.dword nodes + 64 * 50, 281
	.zero 48
	.dword nodes + 64 * 210, 947
	.zero 48
	.dword nodes + 64 * 202, 219
	.zero 48
	.dword nodes + 64 * 212, 850
	.zero 48
	.dword nodes + 64 * 194, 423
	.zero 48
	.dword nodes + 64 * 23, 391
	.zero 48
	.dword nodes + 64 * 56, 640
	.zero 48
	.dword nodes + 64 * 123, 532
	.zero 48
	.dword nodes + 64 * 165, 505
	.zero 48
	.dword nodes + 64 * 104, 688
	.zero 48
	.dword nodes + 64 * 247, 322
	.zero 48
	.dword nodes + 64 * 221, 733
	.zero 48
	.dword nodes + 64 * 17, 859
	.zero 48
	.dword nodes + 64 * 116, 862
	.zero 48
	.dword nodes + 64 * 28, 639
	.zero 48
	.dword nodes + 64 * 229, 463
	.zero 48
	.dword nodes + 64 * 70, 328
	.zero 48
	.dword nodes + 64 * 60, 76
	.zero 48
	.dword nodes + 64 * 218, 848
	.zero 48
	.dword nodes + 64 * 112, 32
	.zero 48
	.dword nodes + 64 * 10, 284
	.zero 48
	.dword nodes + 64 * 61, 893
	.zero 48
	.dword nodes + 64 * 41, 622
	.zero 48
	.dword nodes + 64 * 113, 42
	.zero 48
	.dword nodes + 64 * 122, 694
	.zero 48
	.dword nodes + 64 * 161, 725
	.zero 48
	.dword nodes + 64 * 193, 287
	.zero 48
	.dword nodes + 64 * 40, 584
	.zero 48
	.dword nodes + 64 * 217, 362
	.zero 48
	.dword nodes + 64 * 121, 316
	.zero 48
	.dword nodes + 64 * 177, 664
	.zero 48
	.dword nodes + 64 * 59, 810
	.zero 48
	.dword nodes + 64 * 46, 577
	.zero 48
	.dword nodes + 64 * 95, 19
	.zero 48
	.dword nodes + 64 * 238, 656
	.zero 48
	.dword nodes + 64 * 248, 139
	.zero 48
	.dword nodes + 64 * 230, 414
	.zero 48
	.dword nodes + 64 * 1, 465
	.zero 48
	.dword nodes + 64 * 72, 194
	.zero 48
	.dword nodes + 64 * 240, 25
	.zero 48
	.dword nodes + 64 * 226, 787
	.zero 48
	.dword nodes + 64 * 26, 849
	.zero 48
	.dword nodes + 64 * 239, 272
	.zero 48
	.dword nodes + 64 * 242, 243
	.zero 48
	.dword nodes + 64 * 102, 797
	.zero 48
	.dword nodes + 64 * 227, 144
	.zero 48
	.dword nodes + 64 * 98, 815
	.zero 48
	.dword nodes + 64 * 252, 48
	.zero 48
	.dword nodes + 64 * 82, 644
	.zero 48
	.dword nodes + 64 * 192, 118
	.zero 48
	.dword nodes + 64 * 155, 457
	.zero 48
	.dword nodes + 64 * 126, 111
	.zero 48
	.dword nodes + 64 * 170, 645
	.zero 48
	.dword nodes + 64 * 253, 548
	.zero 48
	.dword nodes + 64 * 93, 670
	.zero 48
	.dword nodes + 64 * 31, 655
	.zero 48
	.dword nodes + 64 * 215, 826
	.zero 48
	.dword nodes + 64 * 167, 377
	.zero 48
	.dword 0, 981
	.zero 48
	.dword nodes + 64 * 43, 79
	.zero 48
	.dword nodes + 64 * 141, 700
	.zero 48
	.dword nodes + 64 * 168, 202
	.zero 48
	.dword nodes + 64 * 138, 204
	.zero 48
	.dword nodes + 64 * 225, 843
	.zero 48
	.dword nodes + 64 * 214, 486
	.zero 48
	.dword nodes + 64 * 29, 262
	.zero 48
	.dword nodes + 64 * 105, 182
	.zero 48
	.dword nodes + 64 * 236, 731
	.zero 48
	.dword nodes + 64 * 228, 11
	.zero 48
	.dword nodes + 64 * 32, 773
	.zero 48
	.dword nodes + 64 * 213, 483
	.zero 48
	.dword nodes + 64 * 157, 547
	.zero 48
	.dword nodes + 64 * 62, 731
	.zero 48
	.dword nodes + 64 * 47, 37
	.zero 48
	.dword nodes + 64 * 73, 183
	.zero 48
	.dword nodes + 64 * 137, 231
	.zero 48
	.dword nodes + 64 * 196, 278
	.zero 48
	.dword nodes + 64 * 45, 797
	.zero 48
	.dword nodes + 64 * 49, 354
	.zero 48
	.dword nodes + 64 * 2, 552
	.zero 48
	.dword nodes + 64 * 3, 714
	.zero 48
	.dword nodes + 64 * 39, 969
	.zero 48
	.dword nodes + 64 * 182, 532
	.zero 48
	.dword nodes + 64 * 85, 512
	.zero 48
	.dword nodes + 64 * 255, 629
	.zero 48
	.dword nodes + 64 * 185, 774
	.zero 48
	.dword nodes + 64 * 130, 163
	.zero 48
	.dword nodes + 64 * 143, 402
	.zero 48
	.dword nodes + 64 * 90, 869
	.zero 48
	.dword nodes + 64 * 231, 810
	.zero 48
	.dword nodes + 64 * 204, 716
	.zero 48
	.dword nodes + 64 * 96, 927
	.zero 48
	.dword nodes + 64 * 139, 229
	.zero 48
	.dword nodes + 64 * 92, 89
	.zero 48
	.dword nodes + 64 * 33, 420
	.zero 48
	.dword nodes + 64 * 207, 954
	.zero 48
	.dword nodes + 64 * 18, 914
	.zero 48
	.dword nodes + 64 * 146, 739
	.zero 48
	.dword nodes + 64 * 197, 397
	.zero 48
	.dword 0, 133
	.zero 48
	.dword nodes + 64 * 94, 461
	.zero 48
	.dword nodes + 64 * 158, 464
	.zero 48
	.dword nodes + 64 * 209, 201
	.zero 48
	.dword nodes + 64 * 134, 640
	.zero 48
	.dword nodes + 64 * 219, 908
	.zero 48
	.dword nodes + 64 * 179, 931
	.zero 48
	.dword nodes + 64 * 189, 6
	.zero 48
	.dword nodes + 64 * 128, 385
	.zero 48
	.dword nodes + 64 * 208, 563
	.zero 48
	.dword nodes + 64 * 58, 582
	.zero 48
	.dword nodes + 64 * 232, 668
	.zero 48
	.dword nodes + 64 * 203, 900
	.zero 48
	.dword nodes + 64 * 9, 514
	.zero 48
	.dword nodes + 64 * 38, 815
	.zero 48
	.dword nodes + 64 * 6, 839
	.zero 48
	.dword nodes + 64 * 234, 966
	.zero 48
	.dword nodes + 64 * 101, 351
	.zero 48
	.dword nodes + 64 * 211, 474
	.zero 48
	.dword nodes + 64 * 7, 334
	.zero 48
	.dword nodes + 64 * 76, 666
	.zero 48
	.dword nodes + 64 * 191, 209
	.zero 48
	.dword nodes + 64 * 175, 101
	.zero 48
	.dword nodes + 64 * 117, 739
	.zero 48
	.dword nodes + 64 * 190, 886
	.zero 48
