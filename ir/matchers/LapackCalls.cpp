// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per routine: parts of operands and results after the batch
// dimensions, and options.

#include "ir/matchers/LapackCalls.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace zenith::graph {

namespace {
struct Part {
  enum class Element { Same, Real, Complex, Integer } element;
  DimVector dims;
};

struct Signature {
  SmallVector<Part> operands, results;
  DimVector options;
};

/// The matrices that a routine works on: its first operand, mostly.
struct Matrices {
  DimVector batch;
  DimExpr rows, columns;
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
  DimVector dimsOf(const Part &part) const {
    DimVector dims(batch);
    dims.append(part.dims);
    return dims;
  }
  bool isOperand(const Part &part, Type type, const DimVector &dims) const {
    return getElementTypeOrSelf(type) == typeOf(part.element) &&
           dims == dimsOf(part);
  }
  // Dynamic dimensions of results get the sizes of the routine.
  bool isResult(const Part &part, Type value) const {
    auto type = cast<RankedTensorType>(value);
    DimVector dims = dimsOf(part);
    if (type.getElementType() != typeOf(part.element) ||
        type.getRank() != int64_t(dims.size()))
      return false;
    for (auto [size, dim] : llvm::zip(type.getShape(), dims))
      if (!ShapedType::isDynamic(size) && !dim.isConstant(size))
        return false;
    return true;
  }
};
} // namespace

static int64_t option(CustomCallOp op, StringRef name, int64_t fallback) {
  DictionaryAttr config = op.getConfigAttr();
  auto value = config ? config.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getValue().getSExtValue() : fallback;
}

static bool isGiven(CustomCallOp op, StringRef name) {
  DictionaryAttr config = op.getConfigAttr();
  return config && config.getAs<IntegerAttr>(name);
}

// An ASCII letter, held by a byte of either signedness.
static int64_t letter(CustomCallOp op, StringRef name, char fallback) {
  return option(op, name, fallback) & 0xff;
}

using E = Part::Element;

static std::optional<Signature>
singularValues(CustomCallOp op, const DimExpr &m, const DimExpr &n) {
  int64_t mode = letter(op, "mode", 'A');
  DimExpr k = DimExpr::min(m, n);
  if (mode != 'A' && mode != 'S' && mode != 'N')
    return std::nullopt;
  // Without eigenvectors their results exist all the same, of either size.
  auto has = [&](unsigned result, unsigned back, const DimExpr &size) {
    auto type = result < op.getNumResults()
                    ? cast<RankedTensorType>(op.getResult(result).getType())
                    : RankedTensorType();
    return type && type.getRank() >= 2 &&
           size.isConstant(type.getDimSize(type.getRank() - back));
  };
  bool isWhole = mode == 'A' || (mode == 'N' && has(2, 1, m) && has(3, 2, n));
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
  const DimExpr &n = a.columns;
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

// The sort predicate must be absent: none can be named.
static std::optional<Signature> schurForm(CustomCallOp op, const Matrices &a) {
  const DimExpr &n = a.columns;
  if (letter(op, "sort", 'N') != 'N')
    return std::nullopt;
  Part square{E::Same, {n, n}}, values{E::Same, {n}}, number{E::Integer, {}};
  Signature call{{square}, {square, square, values}, {letter(op, "mode", 'V')}};
  if (!a.isComplex())
    call.results.push_back(values);
  call.results.append(2, number);
  return call;
}

static std::optional<Signature> signatureOf(StringRef name, CustomCallOp op,
                                            const Matrices &a,
                                            ArrayRef<DimVector> operands) {
  const DimExpr &m = a.rows, &n = a.columns;
  DimExpr k = DimExpr::min(m, n), below = DimExpr::max(n - 1, 0);
  Part same{E::Same, {m, n}}, square{E::Same, {n, n}}, info{E::Integer, {}};
  if (name == "getrf")
    return Signature{{same}, {same, {E::Integer, {k}}, info}, {}};
  if (name == "geqrf")
    return Signature{{same}, {same, {E::Same, {k}}}, {}};
  if (name == (a.isComplex() ? "ungqr" : "orgqr")) {
    DimExpr count = operands.size() > 1 && !operands[1].empty()
                        ? operands[1].back()
                        : DimExpr();
    if (!count.provablyAtMost(n) || !n.provablyAtMost(m))
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
  if (name == "gehrd") {
    DimExpr high = isGiven(op, "high") ? DimExpr(option(op, "high", 0)) : n;
    return Signature{{square},
                     {square, {E::Same, {below}}, info},
                     {option(op, "low", 1), high}};
  }
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
static std::optional<Matrices>
matricesOf(CustomCallOp op, ArrayRef<DimVector> operands, size_t number) {
  if (operands.size() <= number || operands[number].size() < 2)
    return std::nullopt;
  ArrayRef<DimExpr> dims = operands[number];
  Matrices a{DimVector(dims.drop_back(2)), dims[dims.size() - 2], dims.back(),
             getElementTypeOrSelf(op.getInputs()[number])};
  if (!a.partType().isF32() && !a.partType().isF64())
    return std::nullopt;
  return a;
}

llvm::Expected<LapackCall> lapackCall(CustomCallOp op,
                                      ArrayRef<DimVector> operands) {
  StringRef name = op.getTarget();
  std::optional<Matrices> a;
  std::optional<Signature> signature;
  // Three diagonals come before the right-hand sides.
  if (name.consume_front("lapack_"))
    a = matricesOf(op, operands, name == "gtsv" ? 3 : 0);
  if (a)
    signature = signatureOf(name, op, *a, operands);
  if (!signature)
    return wrong(op, ", which is no routine here");
  bool fits = signature->operands.size() == operands.size() &&
              signature->results.size() == op.getNumResults();
  for (auto [part, value, dims] :
       llvm::zip(signature->operands, op.getInputs(), operands))
    fits = fits && a->isOperand(part, value.getType(), dims);
  for (auto [part, type] : llvm::zip(signature->results, op->getResultTypes()))
    fits = fits && a->isResult(part, type);
  if (!fits)
    return wrong(op, " with operands or results that it does not have");
  LapackCall call{name.str(),         's', 1, a->rows, a->columns,
                  signature->options, {}};
  for (const Part &part : signature->results)
    call.resultDims.push_back(a->dimsOf(part));
  call.letter = a->partType().isF32() ? (a->isComplex() ? 'c' : 's')
                                      : (a->isComplex() ? 'z' : 'd');
  for (const DimExpr &size : a->batch)
    call.batches = call.batches * size;
  return call;
}

} // namespace zenith::graph
