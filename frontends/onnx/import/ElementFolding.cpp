// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic on known elements. A comparison folds only if it
// holds, or fails, for all sizes.
#include "frontends/onnx/import/ElementFolding.h"
#include "frontends/onnx/DimNames.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

std::optional<int64_t> zenith::onnx::smallCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0 || size > maxKnownElements)
      return std::nullopt;
    count *= size;
    if (count > maxKnownElements)
      return std::nullopt;
  }
  return count;
}

std::optional<SmallVector<int64_t>>
zenith::onnx::staticShape(ArrayRef<DimExpr> dims) {
  SmallVector<int64_t> shape;
  for (const DimExpr &dim : dims) {
    auto constant = dim.constant();
    if (!constant || *constant < 0)
      return std::nullopt;
    shape.push_back(*constant);
  }
  return shape;
}

SmallVector<int64_t> zenith::onnx::broadcastIndices(ArrayRef<int64_t> from,
                                                    ArrayRef<int64_t> to) {
  SmallVector<int64_t> indices;
  int64_t count = 1;
  for (int64_t size : to)
    count *= size;
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat, stride = 1, index = 0;
    for (size_t back = 1; back <= to.size(); ++back) {
      int64_t position = rest % to[to.size() - back];
      rest /= to[to.size() - back];
      if (back > from.size())
        continue;
      int64_t size = from[from.size() - back];
      index += (size == 1 ? 0 : position) * stride;
      stride *= size;
    }
    indices.push_back(index);
  }
  return indices;
}

Elements zenith::onnx::transposeKnown(const Elements &from,
                                      ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> strides(from.shape.size(), 1);
  for (size_t d = strides.size(); d-- > 1;)
    strides[d - 1] = strides[d] * from.shape[d];
  Elements result{{}, {}};
  for (int64_t source : permutation)
    result.shape.push_back(from.shape[source]);
  for (int64_t flat = 0, count = from.values.size(); flat < count; ++flat) {
    int64_t rest = flat, index = 0;
    for (size_t d = permutation.size(); d-- > 0;) {
      index += rest % result.shape[d] * strides[permutation[d]];
      rest /= result.shape[d];
    }
    result.values.push_back(from.values[index]);
  }
  return result;
}

/// The common shape of static shapes; nothing if they do not fit. The path that
/// computes on data reports the mistake.
static std::optional<SmallVector<int64_t>>
commonShape(ArrayRef<Elements> operands) {
  SmallVector<int64_t> shape;
  for (const Elements &operand : operands) {
    if (operand.shape.size() > shape.size())
      shape.insert(shape.begin(), operand.shape.size() - shape.size(), 1);
    size_t shift = shape.size() - operand.shape.size();
    for (auto [index, size] : llvm::enumerate(operand.shape)) {
      int64_t &common = shape[index + shift];
      if (size != 1 && common != 1 && size != common)
        return std::nullopt;
      common = common == 1 ? size : common;
    }
  }
  return smallCount(shape) ? std::optional(shape) : std::nullopt;
}

using Fold = llvm::function_ref<std::optional<DimExpr>(ArrayRef<DimExpr>)>;

/// Applies `fold` to every group of elements; all inputs must be known
/// integers, and so is the result.
static bool foldElementwise(NodeReading &n, Type resultElement, Fold fold) {
  SmallVector<Elements> operands;
  for (size_t i = 0; i < n.inputCount(); ++i) {
    auto known = n.has(i) ? n.knownElements(i) : std::nullopt;
    if (!known)
      return false;
    operands.push_back(std::move(*known));
  }
  auto shape = commonShape(operands);
  if (!shape)
    return false;
  SmallVector<SmallVector<int64_t>> indices;
  for (const Elements &operand : operands)
    indices.push_back(broadcastIndices(operand.shape, *shape));
  Elements result{*shape, {}};
  for (int64_t i = 0, count = *smallCount(*shape); i < count; ++i) {
    SmallVector<DimExpr> group;
    for (auto [operand, index] : llvm::zip_equal(operands, indices))
      group.push_back(operand.values[index[i]]);
    auto value = fold(group);
    if (!value || !simpleEnough(*value))
      return false;
    result.values.push_back(std::move(*value));
  }
  n.result(0, std::move(result), resultElement);
  return true;
}

/// Arithmetic in the type of the inputs. Only 64-bit integers: narrower ones
/// would wrap where expressions do not.
static bool foldArithmetic(NodeReading &n, Fold fold) {
  return n.elementType(0).isSignlessInteger(64) &&
         foldElementwise(n, n.elementType(0), fold);
}

bool zenith::onnx::foldAdd(NodeReading &n) {
  return foldArithmetic(n, [](ArrayRef<DimExpr> v) { return v[0] + v[1]; });
}

bool zenith::onnx::foldSub(NodeReading &n) {
  return foldArithmetic(n, [](ArrayRef<DimExpr> v) { return v[0] - v[1]; });
}

bool zenith::onnx::foldMul(NodeReading &n) {
  return foldArithmetic(n, [](ArrayRef<DimExpr> v) { return v[0] * v[1]; });
}

bool zenith::onnx::foldNeg(NodeReading &n) {
  return foldArithmetic(n,
                        [](ArrayRef<DimExpr> v) { return DimExpr(0) - v[0]; });
}

bool zenith::onnx::foldDiv(NodeReading &n) {
  return foldArithmetic(n, [](ArrayRef<DimExpr> v) -> std::optional<DimExpr> {
    auto lhs = v[0].constant(), rhs = v[1].constant();
    if (rhs && *rhs == 0)
      return std::nullopt;
    if (lhs && rhs && !(*lhs == INT64_MIN && *rhs == -1))
      return DimExpr(*lhs / *rhs);
    // The quotient truncates; expressions round down.
    if (provablyNatural(v[0]) && provablyNatural(v[1]))
      return DimExpr::floorDiv(v[0], v[1]);
    return std::nullopt;
  });
}

bool zenith::onnx::foldMod(NodeReading &n) {
  bool truncates = n.intAttribute("fmod", 0) != 0;
  return foldArithmetic(
      n, [truncates](ArrayRef<DimExpr> v) -> std::optional<DimExpr> {
        auto lhs = v[0].constant(), rhs = v[1].constant();
        if (lhs && rhs && *rhs != 0 && *rhs != -1) {
          int64_t rest = *lhs % *rhs;
          bool adjust = !truncates && rest != 0 && (rest < 0) != (*rhs < 0);
          return DimExpr(adjust ? rest + *rhs : rest);
        }
        bool natural = provablyNatural(v[0]) && provablyLess(DimExpr(0), v[1]);
        return natural ? std::optional(DimExpr::mod(v[0], v[1])) : std::nullopt;
      });
}

bool zenith::onnx::foldMin(NodeReading &n) {
  return foldArithmetic(n, [](ArrayRef<DimExpr> v) {
    DimExpr result = v[0];
    for (const DimExpr &value : v.drop_front())
      result = DimExpr::min(result, value);
    return result;
  });
}

bool zenith::onnx::foldMax(NodeReading &n) {
  return foldArithmetic(n, [](ArrayRef<DimExpr> v) {
    DimExpr result = v[0];
    for (const DimExpr &value : v.drop_front())
      result = DimExpr::max(result, value);
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Truth values: 0 and 1
//===----------------------------------------------------------------------===//

static std::optional<DimExpr> truth(bool holds, bool fails) {
  if (holds == fails)
    return std::nullopt;
  return DimExpr(int64_t(holds));
}

static bool foldTest(NodeReading &n, Fold fold) {
  return foldElementwise(n, n.b.builder.getI1Type(), fold);
}

bool zenith::onnx::foldEqual(NodeReading &n) {
  return foldTest(n, [](ArrayRef<DimExpr> v) {
    return truth(v[0] == v[1],
                 provablyLess(v[0], v[1]) || provablyLess(v[1], v[0]));
  });
}

bool zenith::onnx::foldLess(NodeReading &n) {
  return foldTest(n, [](ArrayRef<DimExpr> v) {
    return truth(provablyLess(v[0], v[1]), v[1].provablyAtMost(v[0]));
  });
}

bool zenith::onnx::foldLessOrEqual(NodeReading &n) {
  return foldTest(n, [](ArrayRef<DimExpr> v) {
    return truth(v[0].provablyAtMost(v[1]), provablyLess(v[1], v[0]));
  });
}

bool zenith::onnx::foldGreater(NodeReading &n) {
  return foldTest(n, [](ArrayRef<DimExpr> v) {
    return truth(provablyLess(v[1], v[0]), v[0].provablyAtMost(v[1]));
  });
}

bool zenith::onnx::foldGreaterOrEqual(NodeReading &n) {
  return foldTest(n, [](ArrayRef<DimExpr> v) {
    return truth(v[1].provablyAtMost(v[0]), provablyLess(v[0], v[1]));
  });
}

bool zenith::onnx::foldAnd(NodeReading &n) {
  return foldTest(n, [](ArrayRef<DimExpr> v) { return v[0] * v[1]; });
}

bool zenith::onnx::foldOr(NodeReading &n) {
  return foldTest(n,
                  [](ArrayRef<DimExpr> v) { return DimExpr::max(v[0], v[1]); });
}

bool zenith::onnx::foldNot(NodeReading &n) {
  return foldTest(n, [](ArrayRef<DimExpr> v) { return DimExpr(1) - v[0]; });
}

bool zenith::onnx::foldWhere(NodeReading &n) {
  return foldElementwise(
      n, n.elementType(1), [](ArrayRef<DimExpr> v) -> std::optional<DimExpr> {
        auto pred = v[0].constant();
        return pred ? std::optional(*pred ? v[1] : v[2]) : std::nullopt;
      });
}

bool zenith::onnx::castKnownElements(Elements &elements, Type to) {
  auto type = cast<IntegerType>(to);
  bool isUnsigned = type.isUnsigned();
  for (DimExpr &value : elements.values) {
    auto constant = value.constant();
    if (type.getWidth() == 1) {
      bool positive = provablyLess(DimExpr(0), value);
      if (!constant && !positive)
        return false;
      value = DimExpr(int64_t(constant ? *constant != 0 : 1));
      continue;
    }
    // A symbolic size in a narrower type is assumed to fit: otherwise the model
    // would have no meaning.
    if (!constant)
      continue;
    bool fits = isUnsigned ? *constant >= 0 &&
                                 (type.getWidth() == 64 ||
                                  llvm::isUIntN(type.getWidth(), *constant))
                           : llvm::isIntN(type.getWidth(), *constant);
    if (!fits)
      return false;
  }
  return true;
}
