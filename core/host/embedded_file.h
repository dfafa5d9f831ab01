/* Files of the source tree that become part of the program. */
#ifndef CYCLOPS_CORE_HOST_EMBEDDED_FILE_H
#define CYCLOPS_CORE_HOST_EMBEDDED_FILE_H

/* Declares `symbol` as an array of char: the file's bytes, then a zero byte. */
#ifdef __wasm__
#define EMBEDDED_FILE(symbol, path)                                                       \
	__asm__(".section .rodata." #symbol ",\"\",@\n.type " #symbol ",@object\n" #symbol \
	        ":\n\t.incbin \"" path "\"\n\t.int8 0\n.size " #symbol ", .-" #symbol      \
	        "\n.text\n");                                                              \
	extern const char symbol[]
#else
#define EMBEDDED_FILE(symbol, path)                                                \
	__asm__(".pushsection .rodata\n" #symbol ":\n\t.incbin \"" path            \
	        "\"\n\t.byte 0\n.popsection");                                     \
	extern const char symbol[]
#endif

#endif
