/* Names the extension of an instruction that the machine does not execute, if its bits determine
 * it.
 */
#include <stddef.h>

#include "core/isa/inst.h"

static const struct {
	uint32_t mask, match;
	const char *name;
} rows[] = {
	{0x0000007f, 0x00000057, "v"}, /* vector arithmetic */
	{0x0000707f, 0x00000007, "v"}, /* and loads and stores, by width */
	{0x0000707f, 0x00005007, "v"},
	{0x0000707f, 0x00006007, "v"},
	{0x0000707f, 0x00007007, "v"},
	{0x0000707f, 0x00000027, "v"},
	{0x0000707f, 0x00005027, "v"},
	{0x0000707f, 0x00006027, "v"},
	{0x0000707f, 0x00007027, "v"},
	{0x0000007f, 0x00000077, "zvk"},
	{0x0000707f, 0x00004007, "q"},
	{0x0000707f, 0x00004027, "q"},
	{0x0600007f, 0x06000053, "q"},
	{0x0600007f, 0x06000043, "q"},
	{0x0600007f, 0x06000047, "q"},
	{0x0600007f, 0x0600004b, "q"},
	{0x0600007f, 0x0600004f, "q"},
	{0xfe00707f, 0x28002033, "zbkx"},
	{0xfe00707f, 0x28004033, "zbkx"},
	{0xfe00707f, 0x10001013, "zkn"}, /* hashes */
	{0xfe00707f, 0x30001013, "zkn"}, /* AES */
	{0xf200707f, 0x32000033, "zkn"},
	{0xfe00707f, 0x7e000033, "zkn"},
	{0xfff0707f, 0xf0100053, "zfa"}, /* fli */
	{0xfff0707f, 0xf2100053, "zfa"},
	{0xffe0007f, 0x40400053, "zfa"}, /* fround */
	{0xffe0007f, 0x42400053, "zfa"},
	{0xf800607f, 0x28002053, "zfa"}, /* fminm */
	{0xf800607f, 0xa0004053, "zfa"}, /* fleq */
	{0xfff0707f, 0xc2801053, "zfa"}, /* fcvtmod */
	{0xffffffff, 0x00d00073, "zawrs"},
	{0xffffffff, 0x01d00073, "zawrs"},
	{0xf800007f, 0x2800002f, "zacas"},
	{0x0000607f, 0x0000002f, "zabha"},
	{0xb3c0707f, 0x81c04073, "zimop"},
	{0xb200707f, 0x82004073, "zimop"},
	{0xffffffff, 0x10200073, "supervisor mode"}, /* sret */
	{0xfe007fff, 0x12000073, "supervisor mode"}, /* sfence.vma */
};

/* Extension of a CSR: a program may access an extension's CSR before its instructions. */
static const char *of_csr(uint32_t csr)
{
	if ((csr >= 0x008 && csr <= 0x00f) || (csr >= 0xc20 && csr <= 0xc22))
		return "v";
	if (csr == 0x015)
		return "zkr";
	if (csr == 0x000 || csr == 0x004 || csr == 0x005 || (csr >= 0x040 && csr <= 0x044))
		return "n (interrupts of user mode)"; /* RARS has it */
	return (csr >> 8 & 3) == 1 ? "supervisor mode" : NULL;
}

const char *inst_missing_extension(const struct inst *in)
{
	if (inst_flags(in) & OPF_CSR)
		return of_csr((uint32_t)in->imm);
	if (in->op != OP_ILLEGAL)
		return NULL;
	if (in->len == 2)
		return (in->raw & 0xf8ff) == 0x6081 ? "zcmop" : NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if ((in->raw & rows[i].mask) == rows[i].match)
			return rows[i].name;
	return NULL;
}
