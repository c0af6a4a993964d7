// Tiles of cores that multiply 32 by 32 to 64 bits and no more than that (M3, and the host).
//
// One word of a tile holds a tap's inputs of two pixels, x0 + x1 * 2^23. A 64-bit accumulator of word * weight then sums both
// pixels' products at once: the first pixel's sum in its low 23 bits, the second's above. The first must stay within
// +-2^22: weights are packed with the number of taps, a segment, for which it does.
#include "kernels/conv2d/tile_pairs.h"
#include "kernels/conv2d/tile_words.h"

#if !KINDLING_MVE && !KINDLING_DSP && !KINDLING_THUMB1

namespace kindling {
namespace {

constexpr std::int32_t kFirstPixelBias = 1 << (kSecondPixelBit - 1);  // keeps the low sum from borrowing from the high one

struct Record {
  std::int32_t bias2[2];  // twice the bias
  std::int32_t multiplier[2];
  std::uint8_t shift[2];  // to the right, less 1
  std::int8_t weights[];  // [taps][2], taps being the padded depth
};

constexpr std::uint32_t record_stride(std::uint32_t taps) { return offsetof(Record, weights) + kTileChannels * taps + 2; }

/// Sums of a segment's products, of channel a and pixels 0 and 1, 2 and 3, then of channel b.
struct SegmentSums {
  std::int64_t a01, a23, b01, b23;
};

#if defined(__arm__)

// Written out, since the sums of two channels and four pixels, their inputs, a weight, two pointers and the loop's end take all
// fourteen registers, and the compiler moves them about.

// clang-format off
/// Adds a tap's products: of channel a and pixels 0 and 1, 2 and 3, then of channel b.
#define KINDLING_TAP                                 \
  "ldrd %[first], %[second], [%[inputs]], #8\n"      \
  "ldrsb %[weight], [%[weights]], #1\n"              \
  "smlal %Q[a01], %R[a01], %[first], %[weight]\n"    \
  "smlal %Q[a23], %R[a23], %[second], %[weight]\n"   \
  "ldrsb %[weight], [%[weights]], #1\n"              \
  "smlal %Q[b01], %R[b01], %[first], %[weight]\n"    \
  "smlal %Q[b23], %R[b23], %[second], %[weight]\n"
#define KINDLING_FOUR_TAPS KINDLING_TAP KINDLING_TAP KINDLING_TAP KINDLING_TAP

/// Of a number of taps that is a multiple of four.
__attribute__((noinline)) SegmentSums sum_segment(const std::int32_t* inputs, const std::int8_t* weights, const std::int8_t* end) {
  std::int64_t a01 = kFirstPixelBias, a23 = kFirstPixelBias, b01 = kFirstPixelBias, b23 = kFirstPixelBias;
  std::int32_t first, second, weight;
  __asm__ volatile("1:\n"  //
                   KINDLING_FOUR_TAPS
                   "cmp %[weights], %[end]\n"
                   "bne 1b\n"
                   : [weights] "+r"(weights), [inputs] "+r"(inputs), [a01] "+r"(a01), [a23] "+r"(a23), [b01] "+r"(b01),
                     [b23] "+r"(b23), [first] "=&r"(first), [second] "=&r"(second), [weight] "=&r"(weight)
                   : [end] "r"(end)
                   : "cc", "memory");
  return {a01, a23, b01, b23};
}

/// Takes twice the accumulators of two pixels, as NarrowFactor::apply_to_double does, out of their sums: into the low word the
/// first's, into the high word the second's. `first` is twice the bias, `second` that less 2 * kFirstPixelBias.
#define KINDLING_TAKE_OUT(pair)                         \
  "lsl %[weight], %Q[" pair "], #9\n"                   \
  "lsr %Q[" pair "], %Q[" pair "], #23\n"               \
  "add %R[" pair "], %[first], %R[" pair "], lsl #10\n" \
  "add %R[" pair "], %R[" pair "], %Q[" pair "], lsl #1\n" \
  "add %Q[" pair "], %[second], %[weight], lsr #8\n"

/// NarrowFactor::apply_to_double and saturation, with multiplier `first`, offset `second`, right shift `end` + 1.
#define KINDLING_SCALE(value)                             \
  "add %[weight], %[second], " value ", asr #31\n"        \
  "mov %[inputs], #0x80000000\n"                          \
  "smlal %[inputs], %[weight], " value ", %[first]\n"     \
  "asr " value ", %[weight], %[end]\n"                    \
  "ssat " value ", #8, " value ", asr #1\n"

/// Requantises and stores a channel of four pixels. The numbers are offsets: of its bias, multiplier and shift from the record's
/// weights, of its place from the output.
#define KINDLING_FINISH(pair01, pair23, bias, multiplier, shift, place) \
  "ldr %[end], %[weight_bytes]\n"                                       \
  "sub %[inputs], %[weights], %[end]\n"                                 \
  "ldr %[first], [%[inputs], #" bias "]\n"                              \
  "sub %[second], %[first], #0x800000\n"                                \
  KINDLING_TAKE_OUT(pair01)                                             \
  KINDLING_TAKE_OUT(pair23)                                             \
  "ldr %[first], [%[inputs], #" multiplier "]\n"                        \
  "ldrb %[end], [%[inputs], #" shift "]\n"                              \
  "ldr %[second], %[odd_zero_point]\n"                                  \
  "lsl %[second], %[second], %[end]\n"                                  \
  KINDLING_SCALE("%Q[" pair01 "]")                                      \
  KINDLING_SCALE("%R[" pair01 "]")                                      \
  KINDLING_SCALE("%Q[" pair23 "]")                                      \
  KINDLING_SCALE("%R[" pair23 "]")                                      \
  "ldrd %[first], %[second], %[output_and_stride]\n"                    \
  "add %[weight], %[first], %[second]\n"                                \
  "strb %Q[" pair01 "], [%[first], #" place "]\n"                       \
  "strb %R[" pair01 "], [%[weight], #" place "]\n"                      \
  "add %[first], %[first], %[second], lsl #1\n"                         \
  "add %[weight], %[weight], %[second], lsl #1\n"                       \
  "strb %Q[" pair23 "], [%[first], #" place "]\n"                       \
  "strb %R[" pair23 "], [%[weight], #" place "]\n"
// clang-format on

/// As compute_segments below, of one segment at most.
__attribute__((noinline)) void compute_records(const std::int32_t* inputs, std::uint32_t taps, const std::uint8_t* records,
                                               std::uint32_t count, std::int32_t zero_point, std::int8_t* output,
                                               std::uint32_t stride) {
  static_assert(offsetof(Record, bias2) == 0 && offsetof(Record, multiplier) == 8 && offsetof(Record, shift) == 16 &&
                offsetof(Record, weights) == 18 && kSecondPixelBit == 23);
  const std::int32_t* const tile = inputs;
  const std::uint8_t* weights = records + offsetof(Record, weights);
  const std::uint8_t* const last = weights + count * record_stride(taps);
  const std::uint32_t weight_bytes = kTileChannels * taps;
  const std::int32_t odd_zero_point = 2 * zero_point + 1;
  std::uint32_t output_and_stride[] = {reinterpret_cast<std::uintptr_t>(output), stride};
  std::int64_t a01, a23, b01, b23;
  std::int32_t first, second, weight;
  const std::uint8_t* end;
  __asm__ volatile(
      "0:\n"
      "mov %Q[a01], #0x400000\n"
      "mov %Q[a23], #0x400000\n"
      "mov %Q[b01], #0x400000\n"
      "mov %Q[b23], #0x400000\n"
      "mov %R[a01], #0\n"
      "mov %R[a23], #0\n"
      "mov %R[b01], #0\n"
      "mov %R[b23], #0\n"
      "ldr %[inputs], %[tile]\n"
      "ldr %[end], %[weight_bytes]\n"
      "tst %[end], #8\n"  // four taps more than a multiple of eight
      "add %[end], %[weights]\n"
      "bne 2f\n"
      "1:\n"                     //
      KINDLING_FOUR_TAPS "2:\n"  //
      KINDLING_FOUR_TAPS
      "cmp %[weights], %[end]\n"
      "bne 1b\n"                                              //
      KINDLING_FINISH("a01", "a23", "-18", "-10", "-2", "0")  //
      KINDLING_FINISH("b01", "b23", "-14", "-6", "-1", "1")   //
      "ldr %[first], %[output_and_stride]\n"
      "add %[first], #2\n"
      "str %[first], %[output_and_stride]\n"
      "ldr %[first], %[last]\n"
      "add %[weights], #20\n"
      "cmp %[weights], %[first]\n"
      "bne 0b\n"
      : [weights] "+r"(weights), [inputs] "=&r"(inputs), [end] "=&r"(end), [a01] "=&r"(a01), [a23] "=&r"(a23), [b01] "=&r"(b01),
        [b23] "=&r"(b23), [first] "=&r"(first), [second] "=&r"(second), [weight] "=&r"(weight),
        [output_and_stride] "+m"(output_and_stride)
      : [tile] "m"(tile), [weight_bytes] "m"(weight_bytes), [odd_zero_point] "m"(odd_zero_point), [last] "m"(last)
      : "cc", "memory");
}

#else

SegmentSums sum_segment(const std::int32_t* inputs, const std::int8_t* weights, const std::int8_t* end) {
  SegmentSums sums = {kFirstPixelBias, kFirstPixelBias, kFirstPixelBias, kFirstPixelBias};
  for (; weights != end; inputs += 2, weights += kTileChannels) {
    const std::int64_t first = inputs[0], second = inputs[1];
    sums.a01 += first * weights[0], sums.a23 += second * weights[0];
    sums.b01 += first * weights[1], sums.b23 += second * weights[1];
  }
  return sums;
}

#endif

/// Adds to two pixels' accumulators what a segment has summed up.
inline void take_out(std::int64_t sum, std::int32_t* accumulators) {
  accumulators[0] += static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) & ((1u << kSecondPixelBit) - 1)) - kFirstPixelBias;
  accumulators[1] += static_cast<std::int32_t>(sum >> kSecondPixelBit);
}

/// Computes both channels of `count` records for four pixels, of which pixel p's go to output + p * stride; of more taps than a
/// segment has, for weights that are larger on average than they tend to be.
void compute_segments(const std::int32_t* inputs, std::uint32_t taps, std::uint32_t segment, const std::uint8_t* records,
                      std::uint32_t count, std::int32_t zero_point, std::int8_t* output, std::uint32_t stride) {
  const std::uint32_t step = segment < kTileDepthStep ? kTileDepthStep : segment & ~(kTileDepthStep - 1);
  for (; count > 0; --count, records += record_stride(taps), output += kTileChannels) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    std::int32_t accumulators[kTileChannels][kTilePixels];
    for (std::uint32_t c = 0; c < kTileChannels; ++c) {
      for (std::int32_t& accumulator : accumulators[c]) accumulator = record.bias2[c] / 2;
    }
    for (std::uint32_t tap = 0; tap < taps;) {
      const std::uint32_t end = step < taps - tap ? tap + step : taps;
      const SegmentSums sums = sum_segment(inputs + 2 * tap, record.weights + kTileChannels * tap, record.weights + kTileChannels * end);
      take_out(sums.a01, accumulators[0]), take_out(sums.a23, accumulators[0] + 2);
      take_out(sums.b01, accumulators[1]), take_out(sums.b23, accumulators[1] + 2);
      tap = end;
    }
    for (std::uint32_t c = 0; c < kTileChannels; ++c) {
      const NarrowFactor factor(record.multiplier[c], record.shift[c] + 1, zero_point);
      for (std::uint32_t pixel = 0; pixel < kTilePixels; ++pixel) {
        output[pixel * stride + c] = saturate(factor.apply(accumulators[c][pixel]));
      }
    }
  }
}

#if !defined(__arm__)
void compute_records(const std::int32_t* inputs, std::uint32_t taps, const std::uint8_t* records, std::uint32_t count,
                     std::int32_t zero_point, std::int8_t* output, std::uint32_t stride) {
  compute_segments(inputs, taps, taps, records, count, zero_point, output, stride);
}
#endif

/// Writes a tap.
struct PutFour {
  template <class Input>
  void operator()(std::int32_t*& next, Input input) const {
    const std::int32_t first = input(0) + input(1) * (1 << kSecondPixelBit), second = input(2) + input(3) * (1 << kSecondPixelBit);
#if defined(__arm__)
    __asm__ volatile("strd %[first], %[second], [%[next]], #8" : [next] "+r"(next) : [first] "r"(first), [second] "r"(second) : "memory");
#else
    next[0] = first, next[1] = second;
    next += 2;
#endif
  }
};

}  // namespace

TilePixel::TilePixel(void* tile, std::uint32_t, std::uint32_t pixel)
    : next_(static_cast<std::int32_t*>(tile) + pixel / 2), second_(pixel % 2 == 1) {}

void TilePixel::copy(const WindowRows& rows, std::int8_t outside) {
  if (second_) {
    next_ =
        write_rows<2>(next_, rows, outside, [](std::int32_t& word, std::int32_t value) { word += value * (1 << kSecondPixelBit); });
  } else {
    next_ = write_rows<2>(next_, rows, outside, [](std::int32_t& word, std::int32_t value) { word = value; });
  }
}

void copy_pixels(void* tile, const std::int8_t* source, std::uint32_t depth, std::uint32_t pixels) {
  write_pixels(tile, source, depth, pixels, PutFour());
}

void copy_four(void* tile, const WindowRows& rows, std::int32_t pixel_bytes, std::int32_t above, std::int32_t below, std::int8_t outside) {
  write_windows(tile, rows, pixel_bytes, above, below, outside, PutFour());
}

void multiply_tile(const void* tile, std::uint32_t depth, std::uint32_t segment, const std::uint8_t* records, std::uint32_t channels,
                   std::int32_t zero_point, TileOutputs outputs) {
  const std::uint32_t taps = padded_depth(depth);
  const auto* inputs = static_cast<const std::int32_t*>(tile);
  multiply_by_pairs(record_stride(taps), records, channels, outputs,
                    [&](const std::uint8_t* records, std::uint32_t count, std::int8_t* output, std::uint32_t stride) {
                      if (taps <= segment) {
                        compute_records(inputs, taps, records, count, zero_point, output, stride);
                      } else {
                        compute_segments(inputs, taps, segment, records, count, zero_point, output, stride);
                      }
                    });
}

}  // namespace kindling

#endif
