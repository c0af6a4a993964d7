// What the instruction set of the core at hand offers to kernels. The packed layouts depend on the tier, which is MVE where
// KINDLING_MVE is 1, DSP where KINDLING_DSP is 1 and scalar elsewhere, the host included.
#pragma once

#if defined(__ARM_FEATURE_MVE)
#define KINDLING_MVE 1
#else
#define KINDLING_MVE 0
#endif

#if defined(__ARM_FEATURE_DSP) && !KINDLING_MVE
#define KINDLING_DSP 1
#else
#define KINDLING_DSP 0
#endif

// Thumb-1 cores (M0, M0+, M23) multiply 32 by 32 bits to the low 32 only, and compute in eight registers.
#if defined(__arm__) && __ARM_ARCH_ISA_THUMB == 1
#define KINDLING_THUMB1 1
#else
#define KINDLING_THUMB1 0
#endif
