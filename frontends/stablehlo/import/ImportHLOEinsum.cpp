// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// einsum and unary_einsum: dimensions named by letters, as sums, a dot_general
// and a transposition.

#include "frontends/stablehlo/import/MatmulReading.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
/// A value with one letter per dimension.
struct Lettered {
  Value value;
  std::string letters;

  size_t find(char letter) const { return letters.find(letter); }
  bool has(char letter) const { return find(letter) != std::string::npos; }
  int64_t sizeOf(char letter) const {
    return tensorTypeOf(value).getDimSize(find(letter));
  }
};
} // namespace

static bool areDistinctLetters(StringRef letters) {
  return llvm::all_of(letters, llvm::isAlpha) &&
         llvm::all_of(letters,
                      [&](char letter) { return letters.count(letter) == 1; });
}

/// Operands with the letters of the configuration `ab,bc->ac`, and the result's
/// letters; nullopt after a failure.
static std::optional<std::pair<SmallVector<Lettered>, std::string>>
readConfig(OpReading &x) {
  auto config = x.attr<StringAttr>("einsum_config");
  if (!config)
    return std::nullopt;
  auto [left, result] = config.getValue().split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  auto refuse = [&](const Twine &why) {
    x.invalid("einsum_config \"" + config.getValue() + "\": " + why);
    return std::nullopt;
  };
  if (!config.getValue().contains("->") || parts.size() != x.inputs())
    return refuse("expected letters for " + Twine(x.inputs()) +
                  " operands and the result");
  SmallVector<Lettered> operands;
  for (auto [i, part] : llvm::enumerate(parts)) {
    operands.push_back({x.in(i), part.trim().str()});
    if (!areDistinctLetters(operands.back().letters)) {
      x.unsupported("with einsum_config \"" + config.getValue() +
                    "\" is not supported: an operand's letters are not "
                    "distinct");
      return std::nullopt;
    }
    if (int64_t(operands.back().letters.size()) != rankOf(x.in(i)))
      return refuse("operand " + Twine(i) + " has rank " +
                    Twine(rankOf(x.in(i))));
  }
  std::string letters = result.trim().str();
  for (char letter : letters)
    if (llvm::none_of(operands, [&](auto &o) { return o.has(letter); }))
      return refuse("no operand has '" + Twine(letter) + "'");
  if (!areDistinctLetters(letters) ||
      int64_t(letters.size()) != x.type().getRank())
    return refuse("the result has rank " + Twine(x.type().getRank()));
  return std::pair(std::move(operands), std::move(letters));
}

/// Sums over the dimensions whose letters `isKept` does not want.
static void sumOthers(OpReading &x, Lettered &operand,
                      llvm::function_ref<bool(char)> isKept) {
  SmallVector<int64_t> dims;
  std::string kept;
  for (auto [d, letter] : llvm::enumerate(operand.letters))
    if (isKept(letter))
      kept.push_back(letter);
    else
      dims.push_back(d);
  if (!dims.empty())
    operand.value = x.reduce(graph::ReduceKind::sum, operand.value, dims);
  operand.letters = kept;
}

static Value ordered(OpReading &x, const Lettered &from, StringRef letters) {
  SmallVector<int64_t> permutation;
  for (char letter : letters)
    permutation.push_back(from.find(letter));
  return x.transpose(from.value, permutation);
}

static void unaryEinsumRule(OpReading &x) {
  auto config = readConfig(x);
  if (!config || x.failed())
    return;
  auto &[operands, letters] = *config;
  auto isKept = [&, &letters = letters](char letter) {
    return StringRef(letters).contains(letter);
  };
  sumOthers(x, operands[0], isKept);
  x.out(ordered(x, operands[0], letters));
}

static void einsumRule(OpReading &x) {
  auto config = readConfig(x);
  if (!config || x.failed())
    return;
  auto &[operands, letters] = *config;
  Lettered &lhs = operands[0], &rhs = operands[1];
  StringRef wanted = letters;
  for (char letter : lhs.letters)
    if (rhs.has(letter) && lhs.sizeOf(letter) != rhs.sizeOf(letter) &&
        !ShapedType::isDynamic(lhs.sizeOf(letter)) &&
        !ShapedType::isDynamic(rhs.sizeOf(letter)))
      return x.invalid("'" + Twine(letter) + "' is " +
                       Twine(lhs.sizeOf(letter)) + " and " +
                       Twine(rhs.sizeOf(letter)));
  auto sumOwn = [&](Lettered &own, const Lettered &other) {
    sumOthers(x, own, [&](char letter) {
      return wanted.contains(letter) || other.has(letter);
    });
  };
  sumOwn(lhs, rhs);
  sumOwn(rhs, lhs);
  SmallVector<int64_t> leftBatch, rightBatch, leftSums, rightSums, shape;
  Lettered product;
  for (char letter : lhs.letters)
    if (rhs.has(letter)) {
      bool isBatch = wanted.contains(letter);
      (isBatch ? leftBatch : leftSums).push_back(lhs.find(letter));
      (isBatch ? rightBatch : rightSums).push_back(rhs.find(letter));
      if (isBatch)
        product.letters.push_back(letter);
    }
  for (const Lettered *operand : {&lhs, &rhs})
    for (char letter : operand->letters)
      if (!(lhs.has(letter) && rhs.has(letter)))
        product.letters.push_back(letter);
  for (char letter : product.letters)
    shape.push_back((lhs.has(letter) ? lhs : rhs).sizeOf(letter));
  auto dims = graph::DotDimsAttr::get(x.b.getContext(), leftBatch, rightBatch,
                                      leftSums, rightSums);
  product.value =
      makeDot(x, dims, lhs.value, rhs.value,
              RankedTensorType::get(shape, x.type().getElementType()));
  x.out(ordered(x, product, letters));
}

void stablehlo::addEinsumRules(RuleTable &rules) {
  rules["stablehlo.einsum"] = einsumRule;
  rules["stablehlo.unary_einsum"] = unaryEinsumRule;
}
