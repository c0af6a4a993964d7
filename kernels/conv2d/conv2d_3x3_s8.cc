// On MVE cores: windows of 3x3 taps that lie next to each other share columns. Six columns of three rows are what four pixels depend on.
// They are copied once, and each vector of them meets up to three taps of two channels.
#include "kernels/conv2d/conv2d.h"

#if KINDLING_MVE
#include "kernels/conv2d/record_mve.h"
#include "kernels/conv2d/tile.h"
#include "kernels/span.h"
#endif

namespace kindling {
#if KINDLING_MVE
namespace {

constexpr std::int32_t kColumns = kTilePixels + 2;

/// What all pixels of an image have in common. The tile is int8 [3 rows][input channels / 16][6 columns][16].
struct Layer {
  std::int32_t sums[4][kTilePixels];  // of four channels
  std::uint16_t places[8];            // see record_places
  const std::int8_t* tile;
  const std::uint8_t *records, *end;
  std::uint32_t steps;  // of three taps of sixteen channels
  std::int32_t zero_point;
};

// clang-format off
/// The products of three taps of a row and sixteen channels. `first` is what begins sums (vmladav) or adds to them.
#define KINDLING_THREE_TAPS(first)                      \
  "vldrb.8 q0, [%[weights]], #16\n"                     \
  "vldrb.8 q1, [%[weights]], #16\n"                     \
  "vldrb.8 q6, [%[tile]], #16\n"                        \
  first " %[a0], q6, q0\n" first " %[b0], q6, q1\n"     \
  "vldrb.8 q2, [%[weights]], #16\n"                     \
  "vldrb.8 q3, [%[weights]], #16\n"                     \
  "vldrb.8 q6, [%[tile]], #16\n"                        \
  first " %[a1], q6, q0\n" first " %[b1], q6, q1\n"     \
  "vmladava.s8 %[a0], q6, q2\nvmladava.s8 %[b0], q6, q3\n" \
  "vldrb.8 q4, [%[weights]], #16\n"                     \
  "vldrb.8 q5, [%[weights]], #16\n"                     \
  "vldrb.8 q6, [%[tile]], #16\n"                        \
  first " %[a2], q6, q0\n" first " %[b2], q6, q1\n"     \
  "vmladava.s8 %[a1], q6, q2\nvmladava.s8 %[b1], q6, q3\n" \
  "vmladava.s8 %[a0], q6, q4\nvmladava.s8 %[b0], q6, q5\n" \
  "vldrb.8 q6, [%[tile]], #16\n"                        \
  first " %[a3], q6, q0\n" first " %[b3], q6, q1\n"     \
  "vmladava.s8 %[a2], q6, q2\nvmladava.s8 %[b2], q6, q3\n" \
  "vmladava.s8 %[a1], q6, q4\nvmladava.s8 %[b1], q6, q5\n" \
  "vldrb.8 q6, [%[tile]], #16\n"                        \
  "vmladava.s8 %[a3], q6, q2\nvmladava.s8 %[b3], q6, q3\n" \
  "vmladava.s8 %[a2], q6, q4\nvmladava.s8 %[b2], q6, q5\n" \
  "vldrb.8 q6, [%[tile]], #16\n"                        \
  "vmladava.s8 %[a3], q6, q4\nvmladava.s8 %[b3], q6, q5\n"
// clang-format on

/// All outputs of the tile's pixels.
__attribute__((noinline)) void multiply(Layer& layer, std::int8_t* output, std::uint32_t pixels) {
  const mve_pred16_t lanes = vctp16q(2 * pixels);
  const std::uint8_t* weights = layer.records;
  std::int32_t(*sums)[kTilePixels] = layer.sums;
  std::int32_t a0, a1, a2, a3, b0, b1, b2, b3;
  std::uint32_t left;
  const std::int8_t* tile;
  __asm__ volatile("1:\n"  // two channels
                   "ldr %[tile], %[inputs]\n"
                   "ldr %[left], %[steps]\n"  //
                   KINDLING_THREE_TAPS("vmladav.s8")
                   "subs %[left], #1\n"
                   "2:\n"  //
                   KINDLING_THREE_TAPS("vmladava.s8")
                   "subs %[left], #1\n"
                   "bne 2b\n"
                   "strd %[a0], %[a1], [%[sums]], #8\n"
                   "strd %[a2], %[a3], [%[sums]], #8\n"
                   "strd %[b0], %[b1], [%[sums]], #8\n"
                   "strd %[b2], %[b3], [%[sums]], #8\n"
                   "tst %[sums], #32\n"  // sums of four channels start and end where this bit is 0
                   "bne 1b\n"
                   "vldrw.32 q3, [%[sums]]\n"
                   "vldrw.32 q7, [%[sums], #-16]\n"
                   "vldrw.32 q6, [%[sums], #-32]\n"
                   "vldrw.32 q5, [%[sums], #-48]\n"
                   "vldrw.32 q4, [%[sums], #-64]!\n"  //
                   KINDLING_FINISH_RECORD("%[zero_point]", "%[end]", "q3")
                   "bne 1b\n"
                   : [weights] "+&r"(weights), [output] "+&r"(output), [sums] "+&r"(sums), [tile] "=&r"(tile), [left] "=&r"(left),
                     [a0] "=&Te"(a0), [a1] "=&Te"(a1), [a2] "=&Te"(a2), [a3] "=&Te"(a3), [b0] "=&Te"(b0), [b1] "=&Te"(b1),
                     [b2] "=&Te"(b2), [b3] "=&Te"(b3)
                   : [inputs] "m"(layer.tile), [steps] "m"(layer.steps), [zero_point] "m"(layer.zero_point), [end] "m"(layer.end),
                     [lanes] "Up"(lanes)
                   : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "cc", "memory");
}

/// Copies the same columns of `rows` rows, sixteen channels at a time. `source_gap` leads from the end of a row's first pixel to the next
/// row.
inline void copy_columns(std::int8_t* target, const std::int8_t* source, std::int32_t depth, std::int32_t columns,
                         std::int32_t source_gap, std::int32_t rows) {
  const std::int8_t* from;
  std::int32_t left;
  __asm__ volatile(
      "1:\n"
      "mov %[left], %[depth]\n"
      "2:\n"
      "mov %[from], %[source]\n"
      "dls lr, %[columns]\n"
      "3:\n"
      "vldrb.8 q0, [%[from]]\n"
      "add %[from], %[depth]\n"
      "vstrb.8 q0, [%[target]], #16\n"
      "le lr, 3b\n"
      "adds %[source], #16\n"
      "add %[target], %[target_gap]\n"
      "subs %[left], #16\n"
      "bne 2b\n"
      "add %[source], %[source_gap]\n"
      "subs %[rows], #1\n"
      "bne 1b\n"
      : [source] "+&r"(source), [target] "+&r"(target), [rows] "+&r"(rows), [from] "=&r"(from), [left] "=&r"(left)
      : [columns] "r"(columns), [depth] "r"(depth), [source_gap] "r"(source_gap), [target_gap] "r"(16 * (kColumns - columns))
      : "q0", "lr", "cc", "memory");
}

/// Fills the tile for the `columns` columns from `left` on of three rows from `top` on.
void copy_tile(const Conv2dParams& params, const std::int8_t* image, std::int32_t top, std::int32_t left, std::int32_t columns,
               std::int8_t* tile) {
  const std::int32_t depth = params.input_channels, row_bytes = params.input_width * depth;
  const Span inside_rows = span_inside(top, 3, 1, params.input_height), inside = span_inside(left, columns, 1, params.input_width);
  if (inside_rows.count < 3 || inside.count < columns) fill_bytes(tile, params.input_zero_point, 3 * kColumns * depth);
  if (inside_rows.count <= 0 || inside.count <= 0) return;
  const std::int8_t* row = image + inside_rows.first * row_bytes + inside.first * depth;
  tile += inside_rows.before * kColumns * depth + inside.before * 16;
  copy_columns(tile, row, depth, inside.count, row_bytes - depth, inside_rows.count);
}

/// The same as `_is_3x3` of conv2d.py.
bool is_3x3(const Conv2dParams& params) {
  return params.kernel_height == 3 && params.kernel_width == 3 && params.stride_height == 1 && params.stride_width == 1 &&
         params.dilation_height == 1 && params.dilation_width == 1 && params.groups == 1 && params.input_channels % 16 == 0 &&
         params.output_channels % kTileChannels == 0 && params.output_channels < kFarOutputs;
}

}  // namespace

void conv2d_3x3_s8(const std::int8_t* input, const Conv2dParams& params, void* scratch, std::int8_t* output) {
  auto* tile = static_cast<std::int8_t*>(scratch);
  const std::uint32_t channels = params.output_channels, width = params.output_width;
  constexpr std::uintptr_t kLayerAlignment = 64;  // multiply tells from its address which sums are whole
  const auto behind_tile = reinterpret_cast<std::uintptr_t>(tile + 3 * kColumns * params.input_channels);
  auto& layer = *reinterpret_cast<Layer*>((behind_tile + kLayerAlignment - 1) & ~(kLayerAlignment - 1));
  vstrhq_u16(layer.places, record_places(channels));
  layer.tile = tile;
  layer.records = params.channels();
  layer.end = layer.records + tile_record_count(channels) * (kTileConstants + kTileChannels * 9 * params.input_channels);
  layer.steps = 3 * params.input_channels / 16;
  layer.zero_point = params.output_zero_point;
  for (std::uint32_t image = 0; image < params.batches; ++image) {
    for (std::int32_t row = 0; row < params.output_height; ++row, output += width * channels) {
      for (std::uint32_t column = 0; column < width; column += kTilePixels) {
        const std::uint32_t rest = width - column, pixels = rest < kTilePixels ? rest : kTilePixels;
        copy_tile(params, input, row - params.pad_top, static_cast<std::int32_t>(column) - params.pad_left, pixels + 2, tile);
        multiply(layer, output + column * channels, pixels);
      }
      clamp_outputs(output, width * channels, activation_of(params));
    }
    input += params.input_height * params.input_width * params.input_channels;
  }
}

Error check_conv2d_3x3_s8(const std::uint32_t* argument_bytes, const void* constant) {
  const Error error = check_conv2d_s8(argument_bytes, constant);
  return error == Error::Ok ? valid_if(is_3x3(*params_of<Conv2dParams>(constant, argument_bytes[1]))) : error;
}

#else

void conv2d_3x3_s8(const std::int8_t* input, const Conv2dParams& params, void* scratch, std::int8_t* output) {
  conv2d_s8(input, params, scratch, output);
}

Error check_conv2d_3x3_s8(const std::uint32_t* argument_bytes, const void* constant) { return check_conv2d_s8(argument_bytes, constant); }

#endif
}  // namespace kindling
