// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of each element type: bits of floats transformed so that they count
// upwards.

#include "ir/interpreter/OrderKeys.h"

#include "ir/interpreter/ElementLoops.h"
#include <limits>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

static constexpr uint64_t signBit = uint64_t(1) << 63;

template <typename T> static uint64_t keyOf(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value)
      return std::numeric_limits<uint64_t>::max();
    double wide = double(value) + 0.0; // -0 becomes 0
    uint64_t bits;
    std::memcpy(&bits, &wide, sizeof(bits));
    return bits & signBit ? ~bits : bits | signBit;
  } else if constexpr (std::is_signed_v<T>) {
    return uint64_t(int64_t(value)) ^ signBit;
  } else {
    return uint64_t(value);
  }
}

template <typename T> static void fillKeys(Tensor &keys, const Tensor &tensor) {
  uint64_t *to = writableElements<uint64_t>(keys).data();
  const T *from = reinterpret_cast<const T *>(tensor.bytes());
  for (int64_t i = 0, count = keys.size(); i < count; ++i)
    to[i] = keyOf(from[i]);
}

Expected<Tensor> zenith::interpreter::orderKeys(const OpEvaluation &e,
                                                const Tensor &tensor) {
  Tensor values = widened(tensor);
  Type element = values.elementType();
  int64_t parts = isa<ComplexType>(element) ? 2 : 1;
  auto keyType = IntegerType::get(element.getContext(), 64,
                                  IntegerType::SignednessSemantics::Unsigned);
  Expected<Tensor> keys = e.temporary({tensor.size() * parts}, keyType);
  if (!keys)
    return keys;
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (element.isF32())
    fillKeys<float>(*keys, values);
  else if (element.isF64())
    fillKeys<double>(*keys, values);
  else
    visitInteger(element, [&](auto tag, unsigned) {
      fillKeys<typename decltype(tag)::type>(*keys, values);
    });
  return keys;
}

Expected<KeyRows> zenith::interpreter::keyRows(const OpEvaluation &e,
                                               const Tensor &tensor) {
  KeyRows rows;
  Expected<Tensor> keys = orderKeys(e, tensor);
  if (!keys)
    return keys.takeError();
  rows.keys = std::move(*keys);
  rows.count = tensor.shape()[0];
  rows.length = rows.count ? rows.keys.size() / rows.count : 0;
  return rows;
}
