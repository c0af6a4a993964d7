// Tiles of MVE cores: VMLADAVA adds sixteen products to a general-purpose register. Each vector of weights serves two pixels,
// each vector of inputs four channels, and a record's four channels of a pixel are requantised as one vector.
#include "kernels/conv2d/tile.h"

#if KINDLING_MVE

#include <arm_mve.h>

#include "kernels/requantise_mve.h"

namespace kindling {
namespace {

struct Record {
  std::int32_t bias[4];
  std::int32_t multiplier[4];
  std::int8_t shift[4];
  std::int8_t weights[];  // [taps / 16][4][16]
};

// VMLADAVA accumulates in even registers only. There are eight, just enough for two pixels and four channels, and the compiler
// would take one of them for its loop; so loops and what surrounds them are written out.

// clang-format off
/// Biases, then the products of all taps, for two pixels. `weights` ends up behind the record, the inputs behind the pixels' own.
#define KINDLING_TWO_PIXELS                            \
  "mov %[left], %[taps]\n"                             \
  "ldrd %[a0], %[a1], [%[weights], %[bias]]\n"         \
  "ldrd %[a2], %[a3], [%[weights], %[bias] + 8]\n"     \
  "ldrd %[b0], %[b1], [%[weights], %[bias]]\n"         \
  "ldrd %[b2], %[b3], [%[weights], %[bias] + 8]\n"     \
  "1:\n"                                               \
  "vldrb.8 q0, [%[first]], #16\n"                      \
  "vldrb.8 q1, [%[second]], #16\n"                     \
  "vldrb.8 q2, [%[weights]], #16\n"                    \
  "vmladava.s8 %[a0], q0, q2\n"                        \
  "vmladava.s8 %[b0], q1, q2\n"                        \
  "vldrb.8 q2, [%[weights]], #16\n"                    \
  "vmladava.s8 %[a1], q0, q2\n"                        \
  "vmladava.s8 %[b1], q1, q2\n"                        \
  "vldrb.8 q2, [%[weights]], #16\n"                    \
  "vmladava.s8 %[a2], q0, q2\n"                        \
  "vmladava.s8 %[b2], q1, q2\n"                        \
  "vldrb.8 q2, [%[weights]], #16\n"                    \
  "vmladava.s8 %[a3], q0, q2\n"                        \
  "vmladava.s8 %[b3], q1, q2\n"                        \
  "subs %[left], #16\n"                                \
  "bne 1b\n"

/// Moves the sums to vectors, given by their halves.
#define KINDLING_TO_VECTORS(first_low, first_high, second_low, second_high) \
  "vmov " first_low ", %[a0], %[a1]\n"                                      \
  "vmov " first_high ", %[a2], %[a3]\n"                                     \
  "vmov " second_low ", %[b0], %[b1]\n"                                     \
  "vmov " second_high ", %[b2], %[b3]\n"

/// Requantises (requantise_mve.h) by the multipliers in q0 and the shifts in q1, adds the zero point in %[a1], saturates, and
/// stores a pixel's four channels at %[left], a low register as narrowing stores demand.
#define KINDLING_STORE(sums)             \
  "vshr.s32 q2, " sums ", #31\n"         \
  "vqrdmulh.s32 " sums ", " sums ", q0\n" \
  "vadd.i32 " sums ", " sums ", q2\n"     \
  "vrshl.s32 " sums ", " sums ", q1\n"    \
  "vadd.i32 " sums ", " sums ", %[a1]\n"  \
  "vqmovnb.s32 " sums ", " sums "\n"      \
  "vqmovnb.s16 " sums ", " sums "\n"      \
  "vstrb.32 " sums ", [%[left]]\n"
// clang-format on

/// All outputs of `records` whole records for four pixels.
__attribute__((noinline)) void multiply_whole_records(const std::int8_t* tile, std::uint32_t taps, const std::uint8_t* records,
                                                      std::uint32_t count, std::int32_t zero_point, std::int8_t* output,
                                                      std::uint32_t stride) {
  const std::int8_t *first = tile, *second = tile + taps;
  const std::uint8_t* weights = records + offsetof(Record, weights);
  const std::uint8_t* const end = weights + count * (offsetof(Record, weights) + kTileChannels * taps);
  std::int32_t a0, a1, a2, a3, b0, b1, b2, b3;
  std::uint32_t left;
  __asm__ volatile("0:\n"                                               //
                   KINDLING_TWO_PIXELS                                  //
                       KINDLING_TO_VECTORS("d8", "d9", "d10", "d11")    //
                   "sub %[weights], %[weights], %[taps], lsl #2\n"      // once more, for the other two pixels
                   "add %[first], %[taps]\n"                            //
                   "add %[second], %[taps]\n"                           //
                   KINDLING_TWO_PIXELS                                  //
                       KINDLING_TO_VECTORS("d12", "d13", "d14", "d15")  //
                   "sub %[left], %[weights], %[taps], lsl #2\n"         //
                   "vldrw.32 q0, [%[left], %[multiplier]]\n"            //
                   "vldrb.s32 q1, [%[left], %[shift]]\n"                //
                   "ldr %[a1], %[zero_point]\n"                         //
                   "ldr %[a2], %[stride]\n"                             //
                   "mov %[left], %[output]\n"                           //
                   KINDLING_STORE("q4")                                 //
                   "add %[left], %[a2]\n"                               //
                   KINDLING_STORE("q5")                                 //
                   "add %[left], %[a2]\n"                               //
                   KINDLING_STORE("q6")                                 //
                   "add %[left], %[a2]\n"                               //
                   KINDLING_STORE("q7")                                 //
                   "adds %[output], #4\n"                               //
                   "sub %[second], %[first], %[taps], lsl #1\n"  // back to the tile's beginning, from the end of its third pixel
                   "sub %[first], %[second], %[taps]\n"          //
                   "adds %[weights], %[record]\n"                //
                   "ldr %[a0], %[end]\n"                         //
                   "cmp %[weights], %[a0]\n"                     //
                   "bne 0b\n"
                   : [first] "+r"(first), [second] "+r"(second), [weights] "+r"(weights), [output] "+r"(output), [left] "=&l"(left),
                     [a0] "=&Te"(a0), [a1] "=&Te"(a1), [a2] "=&Te"(a2), [a3] "=&Te"(a3), [b0] "=&Te"(b0), [b1] "=&Te"(b1),
                     [b2] "=&Te"(b2), [b3] "=&Te"(b3)
                   : [taps] "r"(taps), [zero_point] "m"(zero_point), [stride] "m"(stride), [end] "m"(end),
                     [record] "i"(offsetof(Record, weights)), [bias] "i"(-static_cast<std::int32_t>(offsetof(Record, weights))),
                     [multiplier] "i"(-static_cast<std::int32_t>(offsetof(Record, weights) - offsetof(Record, multiplier))),
                     [shift] "i"(-static_cast<std::int32_t>(offsetof(Record, weights) - offsetof(Record, shift)))
                   : "q0", "q1", "q2", "q4", "q5", "q6", "q7", "cc", "memory");
}

/// One pair of pixels, for what is left over: fewer pixels than a tile has, or fewer channels than a record.
inline void multiply_two_pixels(const std::int8_t* first, std::uint32_t taps, const std::uint8_t* record, int32x4_t& first_sums,
                                int32x4_t& second_sums) {
  const std::int8_t* second = first + taps;
  const std::uint8_t* weights = record + offsetof(Record, weights);
  std::int32_t a0, a1, a2, a3, b0, b1, b2, b3;
  std::uint32_t left;
  __asm__ volatile(KINDLING_TWO_PIXELS KINDLING_TO_VECTORS("%e[first_sums]", "%f[first_sums]", "%e[second_sums]", "%f[second_sums]")
                   : [first_sums] "=w"(first_sums), [second_sums] "=w"(second_sums), [first] "+r"(first), [second] "+r"(second),
                     [weights] "+r"(weights), [left] "=&r"(left), [a0] "=&Te"(a0), [a1] "=&Te"(a1), [a2] "=&Te"(a2),
                     [a3] "=&Te"(a3), [b0] "=&Te"(b0), [b1] "=&Te"(b1), [b2] "=&Te"(b2), [b3] "=&Te"(b3)
                   : [taps] "r"(taps), [bias] "i"(-static_cast<std::int32_t>(offsetof(Record, weights)))
                   : "q0", "q1", "q2", "cc", "memory");
}

}  // namespace

TilePixel::TilePixel(void* tile, std::uint32_t depth, std::uint32_t pixel)
    : next_(static_cast<std::int8_t*>(tile) + pixel * padded_depth(depth)) {}

void TilePixel::copy(const WindowRows& rows, std::int8_t outside) {
  const std::int32_t stride = rows.before + rows.inside + rows.after;
  if (stride != rows.inside) fill_bytes(next_, outside, rows.count * stride);
  const std::int8_t* source = rows.source;
  std::int8_t* target = next_ + rows.before;
  const mve_pred16_t lanes = vctp8q(rows.inside);
  for (std::int32_t y = rows.count; y > 0; --y, source += rows.row_bytes, target += stride) {
    vstrbq_p_s8(target, vldrbq_z_s8(source, lanes), lanes);
    if (rows.inside > 16) copy_bytes(target + 16, source + 16, rows.inside - 16);
  }
  next_ += rows.count * stride;
}

__attribute__((optimize("no-branch-count-reg"))) void multiply_tile(const void* tile, std::uint32_t depth, std::uint32_t,
                                                                    const std::uint8_t* records, std::uint32_t channels,
                                                                    std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth), record_stride = offsetof(Record, weights) + kTileChannels * taps;
  const auto* inputs = static_cast<const std::int8_t*>(tile);
  std::int32_t left = static_cast<std::int32_t>(channels);
  std::int8_t* output = outputs.first;
  if (outputs.pixels == kTilePixels && left >= 4) {
    const std::uint32_t whole = channels / kTileChannels;
    multiply_whole_records(inputs, taps, records, whole, zero_point, output, outputs.stride);
    records += whole * record_stride;
    output += whole * kTileChannels;
    left -= static_cast<std::int32_t>(whole * kTileChannels);
  }
  for (; left > 0; left -= 4, output += 4, records += record_stride) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    const int32x4_t multiplier = vldrwq_s32(record.multiplier), shift = vldrbq_s32(record.shift);
    const int32x4_t lowest = vdupq_n_s32(-128), highest = vdupq_n_s32(127);
    const auto store = [&](std::uint32_t pixel, int32x4_t sums) {
      const int32x4_t result = requantise(sums, multiplier, shift, zero_point);
      vstrbq_p_s32(output + pixel * outputs.stride, vminq_s32(vmaxq_s32(result, lowest), highest), vctp32q(left));
    };
    for (std::uint32_t pixel = 0; pixel < outputs.pixels; pixel += 2) {
      int32x4_t first, second;
      multiply_two_pixels(inputs + pixel * taps, taps, records, first, second);
      store(pixel, first);
      if (pixel + 1 < outputs.pixels) store(pixel + 1, second);
    }
  }
}

}  // namespace kindling

#endif
