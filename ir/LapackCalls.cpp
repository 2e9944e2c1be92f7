// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per routine: parts of operands and results behind the batch
// dimensions, and options.

#include "ir/LapackCalls.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/Error.h"

using namespace mlir;

namespace zenith::graph {

namespace {
struct Part {
  enum class Element { Same, Real, Complex, Integer } element;
  SmallVector<int64_t> dims;
};

struct Signature {
  SmallVector<Part> operands, results;
  SmallVector<int64_t> options;
};

/// The matrices that a routine works on: its first operand, mostly.
struct Matrices {
  SmallVector<int64_t> batch;
  int64_t rows, columns;
  Type element;

  bool isComplex() const { return isa<ComplexType>(element); }
  Type partType() const {
    auto complex = dyn_cast<ComplexType>(element);
    return complex ? complex.getElementType() : element;
  }
  Type typeOf(Part::Element part) const {
    switch (part) {
    case Part::Element::Same:
      return element;
    case Part::Element::Real:
      return partType();
    case Part::Element::Complex:
      return ComplexType::get(partType());
    case Part::Element::Integer:
      break;
    }
    return IntegerType::get(element.getContext(), 32);
  }
  SmallVector<int64_t> shapeOf(const Part &part) const {
    SmallVector<int64_t> shape(batch);
    shape.append(part.dims);
    return shape;
  }
  bool fit(const Part &part, Type value) const {
    auto type = cast<RankedTensorType>(value);
    return type.getElementType() == typeOf(part.element) &&
           succeeded(verifyCompatibleShape(type.getShape(), shapeOf(part)));
  }
};
} // namespace

static int64_t option(CustomCallOp op, StringRef name, int64_t fallback) {
  DictionaryAttr config = op.getConfigAttr();
  auto value = config ? config.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getValue().getSExtValue() : fallback;
}

// A letter that a byte may hold in either signedness.
static int64_t letter(CustomCallOp op, StringRef name, char fallback) {
  return option(op, name, fallback) & 0xff;
}

using E = Part::Element;

static std::optional<Signature> singularValues(CustomCallOp op, int64_t m,
                                               int64_t n) {
  int64_t mode = letter(op, "mode", 'A'), k = std::min(m, n);
  if (mode != 'A' && mode != 'S' && mode != 'N')
    return std::nullopt;
  auto u = op.getNumResults() > 2
               ? cast<RankedTensorType>(op.getResult(2).getType())
               : RankedTensorType();
  // Without vectors theirs are results all the same, of either size.
  bool isWhole = mode == 'A' || (mode == 'N' && u && u.getRank() >= 2 &&
                                 u.getShape().back() == m);
  Part same{E::Same, {m, n}};
  return Signature{{same},
                   {same,
                    {E::Real, {k}},
                    {E::Same, {m, isWhole ? m : k}},
                    {E::Same, {isWhole ? n : k, n}},
                    {E::Integer, {}}},
                   {mode}};
}

static Signature eigenvalues(CustomCallOp op, const Matrices &a) {
  int64_t n = a.columns;
  Signature call{
      {{E::Same, {n, n}}},
      {{E::Same, {n}}},
      {letter(op, "compute_left", 'V'), letter(op, "compute_right", 'V')}};
  if (!a.isComplex())
    call.results.push_back({E::Same, {n}});
  call.results.append(2, {E::Complex, {n, n}});
  call.results.push_back({E::Integer, {}});
  return call;
}

// Sorted by no predicate: none can be named.
static std::optional<Signature> schurForm(CustomCallOp op, const Matrices &a) {
  int64_t n = a.columns;
  if (letter(op, "sort", 'N') != 'N')
    return std::nullopt;
  Part square{E::Same, {n, n}}, values{E::Same, {n}}, number{E::Integer, {}};
  Signature call{{square}, {square, square, values}, {letter(op, "mode", 'V')}};
  if (!a.isComplex())
    call.results.push_back(values);
  call.results.append(2, number);
  return call;
}

static std::optional<Signature>
signatureOf(StringRef name, CustomCallOp op, const Matrices &a,
            ArrayRef<RankedTensorType> operands) {
  int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  int64_t below = std::max<int64_t>(n - 1, 0);
  Part same{E::Same, {m, n}}, square{E::Same, {n, n}}, info{E::Integer, {}};
  if (name == "getrf")
    return Signature{{same}, {same, {E::Integer, {k}}, info}, {}};
  if (name == "geqrf")
    return Signature{{same}, {same, {E::Same, {k}}}, {}};
  if (name == (a.isComplex() ? "ungqr" : "orgqr")) {
    int64_t count = operands.size() > 1 && operands[1].getRank() > 0
                        ? operands[1].getShape().back()
                        : 0;
    if (count > n || n > m)
      return std::nullopt;
    return Signature{{same, {E::Same, {count}}}, {same}, {count}};
  }
  if (name == (a.isComplex() ? "heevd" : "syevd"))
    return Signature{{square},
                     {square, {E::Real, {n}}, info},
                     {letter(op, "mode", 'V'), letter(op, "uplo", 'L')}};
  if (name == "gesdd")
    return singularValues(op, m, n);
  if (name == "geev")
    return eigenvalues(op, a);
  if (name == "gees")
    return schurForm(op, a);
  if (name == "gtsv")
    return Signature{
        {{E::Same, {m}}, {E::Same, {m}}, {E::Same, {m}}, same},
        {{E::Same, {m}}, {E::Same, {m}}, {E::Same, {m}}, same, info},
        {}};
  if (name == "gehrd")
    return Signature{{square},
                     {square, {E::Same, {below}}, info},
                     {option(op, "low", 1), option(op, "high", n)}};
  if (name == (a.isComplex() ? "hetrd" : "sytrd"))
    return Signature{
        {square},
        {square, {E::Real, {n}}, {E::Real, {below}}, {E::Same, {below}}, info},
        {letter(op, "uplo", 'L')}};
  return std::nullopt;
}

static llvm::Error wrong(CustomCallOp op, const Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "calls '" + op.getTarget() + "'" + what);
}

// `number` is the operand that they are.
static std::optional<Matrices> matricesOf(ArrayRef<RankedTensorType> operands,
                                          size_t number) {
  if (operands.size() <= number || operands[number].getRank() < 2 ||
      !llvm::all_of(operands, [](RankedTensorType type) {
        return type.hasStaticShape();
      }))
    return std::nullopt;
  ArrayRef<int64_t> shape = operands[number].getShape();
  Matrices a{SmallVector<int64_t>(shape.drop_back(2)), shape[shape.size() - 2],
             shape.back(), operands[number].getElementType()};
  if (!a.partType().isF32() && !a.partType().isF64())
    return std::nullopt;
  return a;
}

llvm::Expected<LapackCall> lapackCall(CustomCallOp op,
                                      ArrayRef<RankedTensorType> operands) {
  StringRef name = op.getTarget();
  std::optional<Matrices> a;
  std::optional<Signature> signature;
  // Three diagonals stand before the right-hand sides.
  if (name.consume_front("lapack_"))
    a = matricesOf(operands, name == "gtsv" ? 3 : 0);
  if (a)
    signature = signatureOf(name, op, *a, operands);
  if (!signature)
    return wrong(op, ", which is no routine here");
  bool fits = signature->operands.size() == operands.size() &&
              signature->results.size() == op.getNumResults();
  for (auto [part, type] : llvm::zip(signature->operands, operands))
    fits = fits && a->fit(part, type);
  for (auto [part, type] : llvm::zip(signature->results, op->getResultTypes()))
    fits = fits && a->fit(part, type);
  if (!fits)
    return wrong(op, " with operands or results that it does not have");
  LapackCall call{name.str(),         's', 1, a->rows, a->columns,
                  signature->options, {}};
  for (const Part &part : signature->results)
    call.resultShapes.push_back(a->shapeOf(part));
  call.letter = a->partType().isF32() ? (a->isComplex() ? 'c' : 's')
                                      : (a->isComplex() ? 'z' : 'd');
  for (int64_t size : a->batch)
    call.batches *= size;
  return call;
}

} // namespace zenith::graph
