/* What both examples do, in C and in C++. */
#ifndef KINDLING_EXAMPLES_CLASSIFY_H
#define KINDLING_EXAMPLES_CLASSIFY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The class that the firmware's model finds most likely, for `count` values of its input; negative: what went wrong. */
int32_t classify(const int8_t* values, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
