// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads mappings as Shardy writes them.

#include "passes/sharding/FactorMapping.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace zenith::sharding {

namespace {
/// A cursor over the text; every method that fails leaves `ok` false.
struct MappingText {
  StringRef rest;
  llvm::StringMap<unsigned> names;
  bool ok = true;

  void skip() { rest = rest.ltrim(); }
  bool take(StringRef token) {
    skip();
    return rest.consume_front(token);
  }
  void expect(StringRef token) { ok &= take(token); }

  // i to z, or z_1 and so on.
  std::string name() {
    skip();
    size_t length = rest.empty() || !llvm::isAlpha(rest.front()) ? 0 : 1;
    if (rest.starts_with("z_"))
      length = 2 + rest.drop_front(2).take_while(llvm::isDigit).size();
    std::string text = rest.take_front(length).str();
    ok &= length > 0;
    rest = rest.drop_front(length);
    return text;
  }

  unsigned factor() {
    return names.try_emplace(name(), names.size()).first->second;
  }

  int64_t number() {
    skip();
    int64_t value = 0;
    ok &= !rest.consumeInteger(10, value) && value > 0;
    return value;
  }

  void list(StringRef open, StringRef close, llvm::function_ref<void()> item) {
    expect(open);
    if (take(close))
      return;
    do
      item();
    while (ok && take(","));
    expect(close);
  }

  SmallVector<TensorFactors> tensors() {
    SmallVector<TensorFactors> all;
    list("(", ")", [&] {
      TensorFactors &tensor = all.emplace_back();
      list("[", "]", [&] {
        DimFactors &dim = tensor.emplace_back();
        do
          dim.push_back(factor());
        while (ok && !rest.starts_with(",") && !rest.starts_with("]"));
      });
    });
    return all;
  }
};
} // namespace

static void readKinds(MappingText &text, FactorMapping &mapping) {
  auto each = [&](llvm::function_ref<void(Factor &)> set) {
    text.expect("=");
    text.list("{", "}", [&] {
      unsigned factor = text.factor();
      text.ok &= factor < mapping.factors.size();
      if (text.ok)
        set(mapping.factors[factor]);
    });
  };
  while (text.ok) {
    text.take(",");
    if (text.take("reduction"))
      each([](Factor &f) { f.kind = FactorKind::Reduction; });
    else if (text.take("need_replication"))
      each([](Factor &f) { f.kind = FactorKind::NeedReplication; });
    else if (text.take("permutation"))
      each([](Factor &f) { f.kind = FactorKind::Permutation; });
    else if (text.take("blocked_propagation"))
      each([](Factor &f) { f.blocked = true; });
    else if (!text.take("custom"))
      return;
  }
}

// Whether factors exist, and those of a static dimension multiply to its size.
static bool fits(const FactorMapping &mapping, ArrayRef<TensorFactors> tensors,
                 ValueRange values) {
  if (tensors.size() != values.size())
    return false;
  for (auto [tensor, value] : llvm::zip_equal(tensors, values)) {
    ArrayRef<int64_t> shape = shapeOf(value);
    if (tensor.size() != shape.size())
      return false;
    for (auto [dim, size] : llvm::zip_equal(tensor, shape)) {
      int64_t product = 1;
      for (unsigned factor : dim)
        if (factor >= mapping.factors.size() ||
            __builtin_mul_overflow(product, mapping.factors[factor].size,
                                   &product))
          return false;
      // A window or concatenation has factors of another size.
      bool isSimple = dim.size() == 1;
      if (!isSimple && !ShapedType::isDynamic(size) && product != size)
        return false;
    }
  }
  return true;
}

std::optional<FactorMapping> parseFactorMapping(StringRef source,
                                                Operation *op) {
  MappingText text{source.trim(), {}};
  bool isEnclosed = text.rest.consume_front("<");
  FactorMapping mapping;
  mapping.isCustom = true;
  mapping.operands = text.tensors();
  text.expect("->");
  mapping.results = text.tensors();
  mapping.factors.resize(text.names.size());
  text.list("{", "}", [&] {
    unsigned factor = text.factor();
    text.expect("=");
    int64_t size = text.number();
    text.ok &= factor < mapping.factors.size();
    if (text.ok)
      mapping.factors[factor].size = size;
  });
  readKinds(text, mapping);
  if (isEnclosed)
    text.expect(">");
  text.skip();
  if (!text.ok || !text.rest.empty() ||
      !fits(mapping, mapping.operands, op->getOperands()) ||
      !fits(mapping, mapping.results, op->getResults()))
    return std::nullopt;
  return mapping;
}

} // namespace zenith::sharding
