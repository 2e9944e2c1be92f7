// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines that programs call by name: LAPACK's, each with its operands,
// results and options; others are refused.

#include "ir/interpreter/EvalCustomCall.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

/// The one door to LAPACK of the house, a library without headers.
extern "C" int zenith_routine_lapack(const char *routine, char type,
                                     const int64_t *numbers,
                                     void *const *inputs, void *const *results);

namespace {
/// One operand or result behind the batch dimensions.
struct Part {
  enum class Element { Same, Real, Complex, Integer } element;
  Shape dims;
};

struct Routine {
  SmallVector<Part> inputs, results;
  SmallVector<int64_t> options;
};

/// Sizes and element type of the first operand.
struct Matrix {
  SmallVector<int64_t> batch;
  int64_t count = 1, rows, columns;
  Type element;

  bool isComplex() const { return isa<ComplexType>(element); }
  Type partType() const {
    auto complex = dyn_cast<ComplexType>(element);
    return complex ? complex.getElementType() : element;
  }
  char letter() const {
    return partType().isF32() ? (isComplex() ? 'c' : 's')
                              : (isComplex() ? 'z' : 'd');
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
};
} // namespace

static int64_t option(graph::CustomCallOp op, StringRef name,
                      int64_t fallback) {
  DictionaryAttr config = op.getConfigAttr();
  auto value = config ? config.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getValue().getSExtValue() : fallback;
}

// A letter that a byte may hold in either signedness.
static int64_t letter(graph::CustomCallOp op, StringRef name, char fallback) {
  return option(op, name, fallback) & 0xff;
}

// What the routine takes and gives for such a matrix; nullopt where it is
// unknown.
static std::optional<Routine> routineNamed(StringRef name,
                                           graph::CustomCallOp op,
                                           const Matrix &a,
                                           const OpEvaluation &e) {
  using E = Part::Element;
  int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  int64_t below = std::max<int64_t>(n - 1, 0);
  Part same{E::Same, {m, n}}, info{E::Integer, {}};
  Part square{E::Same, {n, n}};
  if (name == "getrf")
    return Routine{{same}, {same, {E::Integer, {k}}, info}, {}};
  if (name == "geqrf")
    return Routine{{same}, {same, {E::Same, {k}}}, {}};
  if (name == (a.isComplex() ? "ungqr" : "orgqr")) {
    int64_t count = e.operands.size() > 1 && !e.operand(1).shape().empty()
                        ? e.operand(1).shape().back()
                        : 0;
    if (count > n || n > m)
      return std::nullopt;
    return Routine{{same, {E::Same, {count}}}, {same}, {count}};
  }
  if (name == (a.isComplex() ? "heevd" : "syevd"))
    return Routine{{square},
                   {square, {E::Real, {n}}, info},
                   {letter(op, "mode", 'V'), letter(op, "uplo", 'L')}};
  if (name == "gesdd") {
    int64_t mode = letter(op, "mode", 'A');
    if (mode != 'A' && mode != 'S' && mode != 'N')
      return std::nullopt;
    auto u = op.getNumResults() > 2
                 ? cast<RankedTensorType>(op.getResult(2).getType())
                 : RankedTensorType();
    // Without vectors theirs are results all the same, of either size.
    bool isWhole = mode == 'A' || (mode == 'N' && u && u.getRank() >= 2 &&
                                   u.getShape().back() == m);
    return Routine{{same},
                   {same,
                    {E::Real, {k}},
                    {E::Same, {m, isWhole ? m : k}},
                    {E::Same, {isWhole ? n : k, n}},
                    info},
                   {mode}};
  }
  if (name == "geev") {
    Routine routine{
        {square},
        {{E::Same, {n}}},
        {letter(op, "compute_left", 'V'), letter(op, "compute_right", 'V')}};
    if (!a.isComplex())
      routine.results.push_back({E::Same, {n}});
    routine.results.append(2, {E::Complex, {n, n}});
    routine.results.push_back(info);
    return routine;
  }
  if (name == "gehrd")
    return Routine{{square},
                   {square, {E::Same, {below}}, info},
                   {option(op, "low", 1), option(op, "high", n)}};
  if (name == (a.isComplex() ? "hetrd" : "sytrd"))
    return Routine{
        {square},
        {square, {E::Real, {n}}, {E::Real, {below}}, {E::Same, {below}}, info},
        {letter(op, "uplo", 'L')}};
  return std::nullopt;
}

static bool fits(const Matrix &a, const Part &part, RankedTensorType type) {
  Shape shape(a.batch);
  shape.append(part.dims);
  return type.getElementType() == a.typeOf(part.element) &&
         succeeded(verifyCompatibleShape(type.getShape(), shape));
}

static bool fitAll(const OpEvaluation &e, const Matrix &a,
                   const Routine &routine) {
  if (routine.inputs.size() != e.operands.size() ||
      routine.results.size() != e.op->getNumResults())
    return false;
  for (auto [part, value] : llvm::zip(routine.inputs, e.operands))
    if (!fits(a, part, value.type()))
      return false;
  for (auto [i, part] : llvm::enumerate(routine.results))
    if (!fits(a, part, e.resultType(i)))
      return false;
  return true;
}

static std::optional<Matrix> matrixOf(const OpEvaluation &e) {
  if (e.operands.empty() || e.operand(0).shape().size() < 2)
    return std::nullopt;
  ArrayRef<int64_t> shape = e.operand(0).shape();
  Matrix a{Shape(shape.drop_back(2)), 1, shape[shape.size() - 2], shape.back(),
           e.operand(0).elementType()};
  for (int64_t size : a.batch)
    a.count *= size;
  if (!a.partType().isF32() && !a.partType().isF64())
    return std::nullopt;
  return a;
}

static Expected<Results> callLapack(StringRef name, const OpEvaluation &e,
                                    const Matrix &a, const Routine &routine) {
  Results results;
  for (auto [i, part] : llvm::enumerate(routine.results)) {
    Shape shape(a.batch);
    shape.append(part.dims);
    Expected<Tensor> result = e.allocate(shape, i);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  SmallVector<int64_t> numbers{a.count, a.rows, a.columns};
  numbers.append(routine.options);
  SmallVector<void *> inputs, targets;
  for (const Tensor &input : e.operands)
    inputs.push_back(const_cast<char *>(input.bytes()));
  for (Tensor &result : results)
    targets.push_back(result.writable());
  switch (zenith_routine_lapack(name.str().c_str(), a.letter(), numbers.data(),
                                inputs.data(), targets.data())) {
  case 0:
    return results;
  case 2:
    return e.fail("calls 'lapack_" + name +
                      "', and this machine has no liblapack.so.3",
                  EvalError::Kind::Unsupported);
  case 3:
    return e.fail("has no memory for the work space of 'lapack_" + name + "'",
                  EvalError::Kind::Memory);
  default:
    return e.fail("calls 'lapack_" + name + "', which is no routine here",
                  EvalError::Kind::Unsupported);
  }
}

Expected<Results>
zenith::interpreter::evaluateCustomCall(graph::CustomCallOp op,
                                        const OpEvaluation &e) {
  StringRef name = op.getTarget();
  std::optional<Matrix> a = matrixOf(e);
  std::optional<Routine> routine;
  if (name.consume_front("lapack_") && a)
    routine = routineNamed(name, op, *a, e);
  if (!routine)
    return e.fail("calls '" + op.getTarget() + "', which is no routine here",
                  EvalError::Kind::Unsupported);
  if (!fitAll(e, *a, *routine))
    return e.fail("calls '" + op.getTarget() +
                      "' with operands or results that it does not have",
                  EvalError::Kind::Unsupported);
  return callLapack(name, e, *a, *routine);
}
