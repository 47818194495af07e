/* Included before every C++ file of llama.cpp. In GCC before 12.4, 13.3 and 14 _tile_loadconfig tells the compiler that
   it reads 8 of the 64 bytes it reads (GCC bug 114098), the others are optimised away, and on CPUs with AMX (Sapphire
   Rapids and later) the first product of matrices ends the process with "illegal instruction". */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#undef _tile_loadconfig
#define _tile_loadconfig(config) __asm__ volatile("ldtilecfg\t%0" : : "m"(*(const char(*)[64])(config)))
#endif
