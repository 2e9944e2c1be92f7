// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tilings. Tile i in row-major order lies on device number i of an iota
// that is reshaped, transposed and flattened.

#include "frontends/stablehlo/shardings/TilingText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace zenith::stablehlo {

// `[2,4]` or `(1,0)` at the beginning of `text`.
static std::optional<SmallVector<int64_t>>
takeList(StringRef &text, StringRef open, StringRef close) {
  SmallVector<int64_t> list;
  if (!text.consume_front(open))
    return std::nullopt;
  while (!text.consume_front(close)) {
    int64_t number;
    text.consume_front(",");
    if (text.consumeInteger(10, number) || number < 0 || number > (1 << 24))
      return std::nullopt;
    list.push_back(number);
  }
  return list;
}

static std::optional<int64_t> product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    if (size < 1 || __builtin_mul_overflow(result, size, &result) ||
        result > INT32_MAX)
      return std::nullopt;
  return result;
}

// The parts of the device numbers in the order of the tiles.
static std::optional<SmallVector<Tiling::Part>>
iotaParts(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  SmallVector<Tiling::Part> parts;
  for (int64_t from : permutation) {
    if (from < 0 || from >= int64_t(shape.size()))
      return std::nullopt;
    std::optional<int64_t> stride = product(shape.drop_front(from + 1));
    if (!stride)
      return std::nullopt;
    parts.push_back({*stride, shape[from]});
  }
  return parts;
}

// Deals the parts to the tile dimensions, major to minor.
static bool dealParts(ArrayRef<int64_t> tiles, SmallVector<Tiling::Part> parts,
                      Tiling &tiling) {
  auto next = parts.begin();
  for (int64_t size : tiles) {
    auto &dim = tiling.dims.emplace_back();
    while (size > 1) {
      while (next != parts.end() && next->size == 1)
        ++next;
      if (next == parts.end())
        return false;
      if (size % next->size == 0) {
        dim.push_back(*next);
        size /= next->size;
        ++next;
      } else if (next->size % size == 0) {
        next->size /= size;
        dim.push_back({next->stride * next->size, size});
        size = 1;
      } else {
        return false;
      }
    }
  }
  return true;
}

std::optional<Tiling> parseTiling(StringRef text) {
  Tiling tiling;
  text = text.trim();
  if (!text.consume_front("{") || !text.consume_back("}"))
    return std::nullopt;
  text = text.trim();
  if (text == "replicated") {
    tiling.says = Tiling::Replicated;
    return tiling;
  }
  if (text == "unknown" || text == "manual" || text.empty())
    return tiling;
  if (!text.consume_front("devices="))
    return std::nullopt;
  tiling.says = Tiling::Tiles;
  auto tiles = takeList(text, "[", "]");
  if (!tiles || !text.consume_front("<="))
    return std::nullopt;
  auto shape = takeList(text, "[", "]");
  if (!shape)
    return std::nullopt;
  SmallVector<int64_t> permutation;
  for (size_t i = 0; i < shape->size(); ++i)
    permutation.push_back(i);
  if (text.consume_front("T")) {
    auto given = takeList(text, "(", ")");
    if (!given)
      return std::nullopt;
    permutation = *given;
    SmallVector<int64_t> sorted(permutation);
    llvm::sort(sorted);
    for (auto [i, dim] : llvm::enumerate(sorted))
      if (dim != int64_t(i) || sorted.size() != shape->size())
        return std::nullopt;
  }
  text = text.trim();
  // Dimensions behind the value's own: copies.
  bool copies = text.consume_front("last_tile_dim_replicate") ||
                text.consume_front("last_tile_dims={replicated}");
  if (!text.trim().empty())
    return std::nullopt;
  auto devices = product(*shape), blocks = product(*tiles);
  auto parts = iotaParts(*shape, permutation);
  if (!devices || devices != blocks || !parts ||
      !dealParts(*tiles, *parts, tiling))
    return std::nullopt;
  if (copies && !tiling.dims.empty())
    tiling.dims.pop_back();
  tiling.devices = *devices;
  return tiling;
}

std::optional<std::string> TilingAxes::add(StringRef text) {
  std::optional<Tiling> tiling = parseTiling(text);
  if (!tiling)
    return ("sharding '" + text + "' is no tiling of a mesh").str();
  if (tiling->says != Tiling::Tiles || tiling->devices == 1)
    return std::nullopt;
  if (total != 1 && total != tiling->devices)
    return ("sharding '" + text + "' is for " + llvm::Twine(tiling->devices) +
            " devices, another one for " + llvm::Twine(total))
        .str();
  total = tiling->devices;
  for (auto &dim : tiling->dims)
    for (const Tiling::Part &part : dim) {
      cuts.insert(part.stride);
      cuts.insert(part.stride * part.size);
    }
  return std::nullopt;
}

std::optional<std::string> TilingAxes::finish() const {
  int64_t inner = 1;
  for (int64_t cut : cuts) {
    if (cut % inner != 0)
      return std::string("shardings are tilings of no common mesh");
    inner = cut;
  }
  return std::nullopt;
}

SmallVector<int64_t> TilingAxes::strides() const {
  SmallVector<int64_t> list;
  for (int64_t cut : cuts)
    if (cut < total)
      list.push_back(cut);
  std::reverse(list.begin(), list.end());
  return list;
}

SmallVector<unsigned> axesWithin(const Tiling::Part &part,
                                 ArrayRef<int64_t> strides) {
  SmallVector<unsigned> axes;
  for (auto [i, stride] : llvm::enumerate(strides))
    if (stride >= part.stride && stride < part.stride * part.size)
      axes.push_back(i);
  return axes;
}

std::string tilingAxisName(unsigned axis) {
  return "axis_" + std::to_string(axis);
}

} // namespace zenith::stablehlo
