// Tiles of DSP cores: SMLAD adds two products of 16-bit halves.
//
// A word of a tile holds two taps' inputs of a pixel; for each four taps there are those of taps 0 and 2 of four pixels, then those of
// taps 1 and 3, the order in which SXTB16 leaves them. A word of weights holds the same two taps of two channels, w0 in the low and w1
// in the high byte of a half, less 1 where w0 is negative, so that the half is w0 + 256 * w1. SMLAD with such words sums up
// x * w0 + 256 * x * w1, and with the low bytes alone x * w0; the second channel's sum is the difference of both. It must fit 24 bits:
// weights are packed with the number of taps, a segment, for which it does.
#include "kernels/conv2d/tile_pairs.h"

#if KINDLING_DSP

#include "kernels/dsp.h"

namespace kindling {
namespace {

struct Record {
  std::int32_t bias2[2];  // twice the bias
  std::int32_t multiplier[2];
  std::uint8_t shift[2];  // to the right, less 1
  std::uint8_t unused[2];
  std::uint32_t weights[];  // [taps / 2], taps being the padded depth
};

constexpr std::uint32_t record_stride(std::uint32_t taps) { return offsetof(Record, weights) + kTileChannels * taps; }

constexpr std::uint32_t kGroupTaps = 4;
constexpr std::uint32_t kGroupWords = 2 * kTilePixels;  // of a tile

// Written out, since the sums of two channels and four pixels, two pixels' inputs, weights and two pointers take all fourteen
// registers, and the compiler moves them about.

// clang-format off
/// Adds two taps' products of both channels: `a` sums up low bytes, `b` halves.
#define KINDLING_TWO_TAPS                          \
  "ldr %[both], [%[weights]], #4\n"                \
  "ldrd %[first], %[second], [%[inputs]], #8\n"    \
  "sxtb16 %[low], %[both]\n"                       \
  "smlad %[a0], %[first], %[low], %[a0]\n"         \
  "smlad %[b0], %[first], %[both], %[b0]\n"        \
  "smlad %[a1], %[second], %[low], %[a1]\n"        \
  "smlad %[b1], %[second], %[both], %[b1]\n"       \
  "ldrd %[first], %[second], [%[inputs]], #8\n"    \
  "smlad %[a2], %[first], %[low], %[a2]\n"         \
  "smlad %[b2], %[first], %[both], %[b2]\n"        \
  "smlad %[a3], %[second], %[low], %[a3]\n"        \
  "smlad %[b3], %[second], %[both], %[b3]\n"
#define KINDLING_FOUR_TAPS KINDLING_TWO_TAPS KINDLING_TWO_TAPS

/// Adds the products of a segment, of a number of taps that is a multiple of four, to four pixels' sums of both channels.
__attribute__((noinline)) void add_segment(const std::int32_t* inputs, const std::int32_t* end, const std::uint32_t* weights,
                                           std::int32_t (&sums)[kTileChannels][kTilePixels]) {
  const std::int32_t* const last = end;
  std::int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0, first, second, low, both;
  __asm__ volatile("1:\n"  //
                   KINDLING_FOUR_TAPS
                   "ldr %[low], %[last]\n"
                   "cmp %[inputs], %[low]\n"
                   "bne 1b\n"
                   : [weights] "+r"(weights), [inputs] "+r"(inputs), [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3),
                     [b0] "+r"(b0), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [first] "=&r"(first), [second] "=&r"(second),
                     [low] "=&r"(low), [both] "=&r"(both)
                   : [last] "m"(last)
                   : "cc", "memory");
  const auto add = [&](std::uint32_t pixel, std::int32_t a, std::int32_t b) {
    sums[0][pixel] += a;
    sums[1][pixel] += static_cast<std::int32_t>(static_cast<std::uint32_t>(b) - static_cast<std::uint32_t>(a)) >> 8;
  };
  add(0, a0, b0), add(1, a1, b1), add(2, a2, b2), add(3, a3, b3);
}

/// As compute_records below, of more taps than a segment has, for weights that are larger on average than they tend to be.
void compute_segments(const std::int32_t* inputs, std::uint32_t taps, std::uint32_t segment, const std::uint8_t* records,
                      std::uint32_t count, std::int32_t zero_point, std::int8_t* output, std::uint32_t stride) {
  const std::uint32_t step = segment < kGroupTaps ? kGroupTaps : segment & ~(kGroupTaps - 1);
  for (; count > 0; --count, records += record_stride(taps), output += kTileChannels) {
    const Record& record = *reinterpret_cast<const Record*>(records);
    std::int32_t sums[kTileChannels][kTilePixels];
    for (std::uint32_t c = 0; c < kTileChannels; ++c) {
      for (std::int32_t& sum : sums[c]) sum = record.bias2[c] / 2;
    }
    for (std::uint32_t tap = 0; tap < taps;) {
      const std::uint32_t end = step < taps - tap ? tap + step : taps;
      add_segment(inputs + kTilePixels / 2 * tap, inputs + kTilePixels / 2 * end, record.weights + tap / 2, sums);
      tap = end;
    }
    for (std::uint32_t c = 0; c < kTileChannels; ++c) {
      const NarrowFactor factor(record.multiplier[c], record.shift[c] + 1, zero_point);
      for (std::uint32_t pixel = 0; pixel < kTilePixels; ++pixel) output[pixel * stride + c] = saturate(factor.apply(sums[c][pixel]));
    }
  }
}

/// Takes twice the accumulators, as NarrowFactor::apply_to_double does, out of the sums of a pixel; `first` and `second` are twice the
/// biases.
#define KINDLING_TAKE_OUT(pixel)                                            \
  "sub %[b" pixel "], %[b" pixel "], %[a" pixel "]\n"                       \
  "add %[a" pixel "], %[first], %[a" pixel "], lsl #1\n"                    \
  "add %[b" pixel "], %[second], %[b" pixel "], asr #7\n"

/// NarrowFactor::apply_to_double and saturation, with multiplier `first`, offset `second`, right shift `low` + 1.
#define KINDLING_SCALE(value)                              \
  "add %[both], %[second], %[" value "], asr #31\n"        \
  "smmlar %[" value "], %[" value "], %[first], %[both]\n" \
  "asr %[" value "], %[" value "], %[low]\n"               \
  "ssat %[" value "], #8, %[" value "], asr #1\n"

/// Requantises a channel of four pixels. The numbers are offsets of its multiplier and shift from the record, which is at `inputs`.
#define KINDLING_FINISH(channel, multiplier, shift)  \
  "ldr %[first], [%[inputs], #" multiplier "]\n"     \
  "ldrb %[low], [%[inputs], #" shift "]\n"           \
  "ldr %[second], %[odd_zero_point]\n"               \
  "lsl %[second], %[second], %[low]\n"               \
  KINDLING_SCALE(channel "0")                        \
  KINDLING_SCALE(channel "1")                        \
  KINDLING_SCALE(channel "2")                        \
  KINDLING_SCALE(channel "3")

#define KINDLING_STORE(pixel)                 \
  "strb %[a" pixel "], [%[first]]\n"          \
  "strb %[b" pixel "], [%[first], #1]\n"
// clang-format on

/// Computes both channels of `count` records for four pixels, of one segment at most.
__attribute__((noinline)) void compute_records(const std::int32_t* tile, std::uint32_t taps, const std::uint8_t* records,
                                               std::uint32_t count, std::int32_t zero_point, std::int8_t* output,
                                               std::uint32_t stride) {
  static_assert(offsetof(Record, bias2) == 0 && offsetof(Record, multiplier) == 8 && offsetof(Record, shift) == 16 &&
                offsetof(Record, weights) == 20);
  const std::int32_t *const first_input = tile, *const last_input = tile + taps / kGroupTaps * kGroupWords, *inputs;
  const std::uint8_t* weights = records + offsetof(Record, weights);
  const std::uint8_t* const last = weights + count * record_stride(taps);
  const std::uint32_t record_bytes = record_stride(taps);
  const std::int32_t odd_zero_point = 2 * zero_point + 1;
  std::uint32_t output_and_stride[] = {reinterpret_cast<std::uintptr_t>(output), stride}, entry;
  std::int32_t a0, a1, a2, a3, b0, b1, b2, b3, first, second, low, both;
  __asm__ volatile(
      "lsls %[low], %[taps], #29\n"  // taps / 4 % 4 tells where to enter: its 2 is the carry, its 1 the sign
      "adr.w %[both], 1f\n"
      "it mi\n"
      "adrmi.w %[both], 4f\n"
      "bcc 5f\n"
      "adr.w %[both], 3f\n"
      "it mi\n"
      "adrmi.w %[both], 2f\n"
      "5:\n"
      "add %[both], #1\n"  // in Thumb state
      "str %[both], %[entry]\n"
      "0:\n"
      "mov %[a0], #0\n"
      "mov %[a1], #0\n"
      "mov %[a2], #0\n"
      "mov %[a3], #0\n"
      "mov %[b0], #0\n"
      "mov %[b1], #0\n"
      "mov %[b2], #0\n"
      "mov %[b3], #0\n"
      "ldr %[inputs], %[first_input]\n"
      "ldr pc, %[entry]\n"
      "1:\n"                     //
      KINDLING_FOUR_TAPS "2:\n"  //
      KINDLING_FOUR_TAPS "3:\n"  //
      KINDLING_FOUR_TAPS "4:\n"  //
      KINDLING_FOUR_TAPS
      "ldr %[low], %[last_input]\n"
      "cmp %[inputs], %[low]\n"
      "bne 1b\n"
      "ldr %[low], %[record_bytes]\n"
      "sub %[inputs], %[weights], %[low]\n"
      "ldrd %[first], %[second], [%[inputs]]\n"  //
      KINDLING_TAKE_OUT("0") KINDLING_TAKE_OUT("1") KINDLING_TAKE_OUT("2") KINDLING_TAKE_OUT("3")  //
      KINDLING_FINISH("a", "8", "16")            //
      KINDLING_FINISH("b", "12", "17")           //
      "ldrd %[first], %[second], %[output_and_stride]\n"
      "add %[low], %[first], #2\n"
      "str %[low], %[output_and_stride]\n"  //
      KINDLING_STORE("0")                   //
      "add %[first], %[second]\n"           //
      KINDLING_STORE("1")                   //
      "add %[first], %[second]\n"           //
      KINDLING_STORE("2")                   //
      "add %[first], %[second]\n"           //
      KINDLING_STORE("3")                   //
      "ldr %[low], %[last]\n"
      "add %[weights], #20\n"
      "cmp %[weights], %[low]\n"
      "bne 0b\n"
      : [weights] "+r"(weights), [inputs] "=&r"(inputs), [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3),
        [b0] "=&r"(b0), [b1] "=&r"(b1), [b2] "=&r"(b2), [b3] "=&r"(b3), [first] "=&r"(first), [second] "=&r"(second),
        [low] "=&r"(low), [both] "=&r"(both), [output_and_stride] "+m"(output_and_stride), [entry] "=m"(entry)
      : [taps] "6"(taps), [first_input] "m"(first_input), [last_input] "m"(last_input), [record_bytes] "m"(record_bytes),
        [odd_zero_point] "m"(odd_zero_point), [last] "m"(last)
      : "cc", "memory");
}

/// Bytes from where an input of a group lies to the next one's place, of each of four, the first in the lowest byte: +16, -14, +16, +14.
constexpr std::uint32_t kSteps = 0x0e10f210;

/// Where the next input of a pixel goes.
struct Place {
  std::int8_t* at;
  std::uint32_t steps;  // kSteps, turned by a byte for each input of the group that is there

  bool begins_group() const { return steps == kSteps; }

  void put(std::int32_t value) {
    using Half [[gnu::may_alias]] = std::int16_t;
    *reinterpret_cast<Half*>(at) = static_cast<Half>(value);
    at += static_cast<std::int8_t>(steps);
    steps = steps >> 8 | steps << 24;
  }

  /// A whole group: taps 0 and 2, 1 and 3.
  void put_group(std::int32_t even, std::int32_t odd) {
    auto* const words = reinterpret_cast<std::int32_t*>(at);
    words[0] = even;
    words[kTilePixels] = odd;
    at += kGroupWords * sizeof(std::int32_t);
  }

  void put_same(std::int32_t value, std::int32_t count) {
    if (begins_group()) {
      for (const std::int32_t both = pack_halves(value, value); count >= 4; count -= 4) put_group(both, both);
    }
    for (; count > 0; --count) put(value);
  }

  [[gnu::noinline]] void put_row(const std::int8_t* source, std::int32_t count) {  // inline in three places it is a kilobyte
    if (begins_group()) {
      if (is_word_aligned(source)) {
        const auto put_word = [&] {
          const std::uint32_t four = aligned_word(source);
          put_group(__sxtb16(four), sxtb16_odd(four));
          source += 4;
        };
        for (; count >= 16; count -= 16) put_word(), put_word(), put_word(), put_word();
        for (; count >= 4; count -= 4) put_word();
      } else {
        for (; count >= 4; count -= 4, source += 4) put_group(pack_halves(source[0], source[2]), pack_halves(source[1], source[3]));
      }
    }
    for (; count > 0; --count) put(*source++);
  }
};

}  // namespace

TilePixel::TilePixel(void* tile, std::uint32_t, std::uint32_t pixel)
    : next_(static_cast<std::int8_t*>(tile) + pixel * sizeof(std::int32_t)), steps_(kSteps) {}

void TilePixel::copy(const WindowRows& rows, std::int8_t outside) {
  Place place = {next_, steps_};
  const std::int8_t* row = rows.source;
  for (std::int32_t y = rows.count; y > 0; --y, row += rows.row_bytes) {
    if (rows.before > 0) place.put_same(outside, rows.before);
    place.put_row(row, rows.inside);
    if (rows.after > 0) place.put_same(outside, rows.after);
  }
  next_ = place.at;
  steps_ = place.steps;
}

void copy_pixels(void* tile, const std::int8_t* source, std::uint32_t depth, std::uint32_t pixels) {
  auto* first = static_cast<std::int8_t*>(tile);
  for (; pixels > 0; --pixels, source += depth, first += sizeof(std::int32_t)) {
    Place place = {first, kSteps};
    place.put_row(source, static_cast<std::int32_t>(depth));
  }
}

void copy_four(void* tile, const WindowRows& rows, std::int32_t pixel_bytes, std::int32_t above, std::int32_t below, std::int8_t outside) {
  const std::int8_t* source = rows.source;
  auto* first = static_cast<std::int8_t*>(tile);
  for (std::uint32_t i = 0; i < kTilePixels; ++i, source += pixel_bytes, first += sizeof(std::int32_t)) {
    Place place = {first, kSteps};
    if (above > 0) place.put_same(outside, above);
    const std::int8_t* row = source;
    for (std::int32_t y = rows.count; y > 0; --y, row += rows.row_bytes) place.put_row(row, rows.inside);
    if (below > 0) place.put_same(outside, below);
  }
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
