// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas as of jax.lax.linalg: factors that the tangents are solved with are
// results of the routine, or of the same routine asked for its vectors too.

#include "passes/autodiff/matrices/LapackGradients.h"
#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/matrices/MatrixRules.h"
#include "passes/autodiff/sweeps/Tape.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;
using Dims = SmallVector<int64_t>;

static StringRef routineOf(CustomCallOp op) {
  StringRef name = op.getTarget();
  return name.consume_front("lapack_") ? name : StringRef();
}

static int64_t letterOf(CustomCallOp op, StringRef name, char fallback) {
  DictionaryAttr config = op.getConfigAttr();
  auto value = config ? config.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getValue().getSExtValue() & 0xff : fallback;
}

static bool isSymmetricEigen(StringRef routine) {
  return routine == "syevd" || routine == "heevd";
}

static bool isOrthogonalFactor(StringRef routine) {
  return routine == "orgqr" || routine == "ungqr";
}

/// The QR decomposition whose orthogonal factor the call gives, as a whole.
static CustomCallOp decompositionOf(CustomCallOp op) {
  auto made = op.getInputs()[0].getDefiningOp<CustomCallOp>();
  bool isWhole = made && routineOf(made) == "geqrf" &&
                 op.getInputs()[0] == made.getResult(0) &&
                 op.getInputs()[1] == made.getResult(1);
  return isWhole ? made : CustomCallOp();
}

SmallVector<Value> lapackVariables(CustomCallOp op) {
  if (isOrthogonalFactor(routineOf(op)))
    if (CustomCallOp made = decompositionOf(op))
      return {made.getInputs()[0]};
  return SmallVector<Value>(op->getOperands());
}

GradientAnswer lapackAnswer(CustomCallOp op) {
  StringRef routine = routineOf(op);
  std::string name = "the routine '" + op.getTarget().str() + "'";
  bool isQR = routine == "geqrf" || isOrthogonalFactor(routine);
  if (routine != "getrf" && routine != "gesdd" && !isQR &&
      !isSymmetricEigen(routine))
    return {GradientAnswer::Refused, name + " has no rule"};
  RankedTensorType type = typeOf(op.getInputs()[0]);
  int64_t m = type.getDimSize(type.getRank() - 2),
          n = type.getDimSize(type.getRank() - 1);
  if (ShapedType::isDynamic(m) || ShapedType::isDynamic(n))
    return {GradientAnswer::Refused,
            name + " has no rule for sizes known at run time only"};
  if (isQR && (m < n || (routine != "geqrf" && !decompositionOf(op))))
    return {GradientAnswer::Refused,
            name + " has a rule for whole decompositions of matrices with at "
                   "least as many rows as columns"};
  if (isQR && isa<ComplexType>(type.getElementType()))
    return {GradientAnswer::Refused,
            name + " has no rule for complex matrices"};
  if (routine == "gesdd" && letterOf(op, "mode", 'A') == 'A' && m != n)
    return {GradientAnswer::Refused,
            name + " has no rule for all singular vectors of matrices that "
                   "are not square"};
  return {};
}

/// The routine again with its vectors, if it was asked for values alone.
static CustomCallOp withVectors(CustomCallOp op, RuleBuilder &rule, char mode) {
  if (letterOf(op, "mode", mode) != 'N')
    return op;
  NamedAttrList config(op.getConfigAttr());
  auto old = cast<IntegerAttr>(config.get("mode"));
  config.set("mode", IntegerAttr::get(old.getType(), mode));
  SmallVector<Type> types(op->getResultTypes());
  if (mode == 'S') {
    RankedTensorType a = typeOf(op.getInputs()[0]);
    int64_t rank = a.getRank(),
            k = std::min(a.getDimSize(rank - 2), a.getDimSize(rank - 1));
    Dims left(a.getShape()), right(a.getShape());
    left[rank - 1] = right[rank - 2] = k;
    types[2] = a.clone(left);
    types[3] = a.clone(right);
  }
  return rule.builder.create<CustomCallOp>(
      rule.loc, types, op.getTarget(), op.getInputs(),
      config.getDictionary(op.getContext()));
}

/// The order of rows after exchanging row i with row pivots[i], one after the
/// other; pivots count from 1.
static Value permutationOf(RuleBuilder &rule, Value pivots, Value rows) {
  int64_t last = typeOf(pivots).getRank() - 1;
  Value positions = rule.iota(rows, last, rule.builder.getI64Type());
  Value count = rule.dim(pivots, last);
  Value wide = rule.convert(pivots, rule.builder.getI64Type());
  auto at = [&](RuleBuilder &inside, Value x, Value isThere) {
    Value found = inside.sum(inside.where(isThere, x), {last});
    return inside.repeat(found, {last}, x);
  };
  return tripLoop(
      rule, rule.index(0), count, /*isUpwards=*/true, positions,
      TypeRange(positions),
      [&](RuleBuilder &inside, Value trip, ValueRange carried) {
        Value order = carried[0];
        Value pivotPlaces =
            inside.iota(wide, last, inside.builder.getI64Type());
        Value isTrip = inside.compare(CompareDirection::eq, pivotPlaces,
                                      inside.broadcast(trip, {}, pivotPlaces));
        Value pivot = inside.sum(inside.where(isTrip, wide), {last});
        Value other = inside.repeat(inside.sub(pivot, inside.splat(pivot, 1)),
                                    {last}, order);
        Value own = inside.broadcast(trip, {}, positions);
        Value isOwn = inside.compare(CompareDirection::eq, positions, own);
        Value isOther = inside.compare(CompareDirection::eq, positions, other);
        Value swapped = inside.select(isOther, at(inside, order, isOwn), order);
        return Values{
            inside.select(isOwn, at(inside, order, isOther), swapped)};
      })[0];
}

/// Rows of each matrix in another order.
static Value reordered(RuleBuilder &rule, Value x, Value order) {
  int64_t rank = typeOf(x).getRank();
  auto batches = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  Dims sizes(rank, 1);
  sizes.back() = typeOf(x).getDimSize(rank - 1);
  auto dims =
      GatherDimsAttr::get(rule.builder.getContext(), {rank - 1}, {rank - 2},
                          batches, batches, {rank - 2}, rank - 1);
  return rule.builder.create<GatherOp>(rule.loc, x.getType(), x, order, dims,
                                       sizes);
}

/// x cut or filled with zeros to `size` along dimension `dim`.
static Value resized(RuleBuilder &rule, Value x, int64_t dim, int64_t size) {
  RankedTensorType type = typeOf(x);
  Dims low(type.getRank(), 0), high(type.getRank(), 0), shape(type.getShape());
  if (shape[dim] == size)
    return x;
  high[dim] = size - shape[dim];
  shape[dim] = size;
  return rule.builder.create<PadOp>(rule.loc, type.clone(shape), x,
                                    rule.scalar(type.getElementType(), 0),
                                    ValueRange(), ValueRange(), low, high, low);
}

/// P A = L U: L^-1 P A' U^-1 has L^-1 L' below the diagonal and U' U^-1 above.
static Values luTangents(CustomCallOp op, RuleBuilder &rule, Value t) {
  MatrixRules matrix(rule);
  Value lu = op.getResult(0);
  RankedTensorType type = typeOf(lu);
  int64_t rank = type.getRank(), m = type.getDimSize(rank - 2),
          n = type.getDimSize(rank - 1), k = std::min(m, n);
  Value rows = rule.sum(matrix.real(lu), {rank - 1});
  Value change = reordered(rule, t, permutationOf(rule, op.getResult(1), rows));
  // Square factors: ones on the diagonal where there is no column or row.
  Value left = matrix.lower(resized(rule, lu, rank - 1, k), -1);
  left = resized(rule, left, rank - 1, m);
  left = rule.add(left, matrix.identity(left));
  Value right = matrix.upper(resized(rule, lu, rank - 2, k));
  right = resized(rule, right, rank - 2, n);
  if (n > k) {
    Value places = rule.iota(right, rank - 1, rule.builder.getI64Type());
    Value isRest = rule.compare(CompareDirection::ge, places,
                                rule.splat(places, double(k)));
    right = rule.add(right, rule.where(isRest, matrix.identity(right)));
  }
  Value both = matrix.solve(left, change, MatrixForm::plain, true, true, true);
  both = matrix.solve(right, both, MatrixForm::plain, false, false, false);
  Value ofLeft = matrix.matmul(left, matrix.lower(both, -1)),
        ofRight = matrix.matmul(matrix.upper(both), right);
  return {rule.add(ofLeft, ofRight), Value(), Value()};
}

/// Differences of eigenvalues divide: equal ones give inf or NaN.
static Values eigenTangents(CustomCallOp op, RuleBuilder &rule, Value t) {
  MatrixRules matrix(rule);
  CustomCallOp whole = withVectors(op, rule, 'V');
  Value v = whole.getResult(0), w = whole.getResult(1);
  Value change = matrix.mirrored(t, letterOf(op, "uplo", 'L') == 'L');
  Value inner = matrix.matmul(matrix.adjoint(v), matrix.matmul(change, v));
  Value ofValues = matrix.real(matrix.diagonal(inner));
  Value ofVectors;
  if (whole == op) {
    Value square = matrix.real(inner), one = matrix.identity(square);
    Value distance = rule.add(one, rule.sub(matrix.alongColumns(w, square),
                                            matrix.alongRows(w, square)));
    Value factor = rule.sub(rule.div(rule.splat(distance, 1), distance), one);
    ofVectors = matrix.matmul(
        v, rule.mul(inner,
                    matrix.asElement(factor, typeOf(inner).getElementType())));
  }
  return {ofVectors, ofValues, Value()};
}

namespace {
/// A = U diag(s) V^H and the tangent of A.
struct Singular {
  RuleBuilder &rule;
  MatrixRules matrix;
  Value u, s, vh, change;

  Value scaled(Value real, Value x) {
    return rule.mul(x, matrix.asElement(real, typeOf(x).getElementType()));
  }
  Values tangents(bool wantsVectors);
  /// What of `x` is outside of the columns of `basis`, divided by s.
  Value outside(Value x, Value basis) {
    Value inside =
        matrix.matmul(basis, matrix.matmul(matrix.adjoint(basis), x));
    Value rest = rule.sub(x, inside);
    Value ones = rule.splat(s, 1);
    return scaled(matrix.alongColumns(rule.div(ones, s), matrix.real(rest)),
                  rest);
  }
};
} // namespace

Values Singular::tangents(bool wantsVectors) {
  Value inner = matrix.matmul(matrix.matmul(matrix.adjoint(u), change),
                              matrix.adjoint(vh));
  Value ofValues = matrix.real(matrix.diagonal(inner));
  if (!wantsVectors)
    return {Value(), ofValues, Value(), Value(), Value()};
  Value square = matrix.real(inner), one = matrix.identity(square),
        columns = matrix.alongColumns(s, square),
        rows = matrix.alongRows(s, square), ones = rule.splat(square, 1);
  Value distance = rule.mul(rule.add(columns, rows), rule.sub(columns, rows));
  Value factor = rule.sub(rule.div(ones, rule.add(distance, one)), one);
  Value right = scaled(columns, inner), left = scaled(rows, inner);
  // Imaginary parts of the diagonal, which real matrices have not.
  Value isZero =
      rule.compare(CompareDirection::eq, columns, rule.zeros(columns));
  Value inverse = rule.mul(one, rule.unless(isZero, rule.div(ones, columns)));
  Value turn =
      scaled(rule.scale(inverse, 0.5), rule.sub(inner, matrix.adjoint(inner)));
  Value v = matrix.adjoint(vh);
  Value ofU = matrix.matmul(
      u,
      rule.add(scaled(factor, rule.add(right, matrix.adjoint(right))), turn));
  Value ofV =
      matrix.matmul(v, scaled(factor, rule.add(left, matrix.adjoint(left))));
  RankedTensorType type = typeOf(change);
  int64_t m = type.getDimSize(type.getRank() - 2),
          n = type.getDimSize(type.getRank() - 1);
  if (m > n)
    ofU = rule.add(ofU, outside(matrix.matmul(change, v), u));
  if (n > m)
    ofV = rule.add(ofV, outside(matrix.matmul(matrix.adjoint(change), u), v));
  return {Value(), ofValues, ofU, matrix.adjoint(ofV), Value()};
}

/// A = Q R: with M = Q^H A' R^-1 and the antisymmetric part W of which M's
/// lower triangle is the lower one, Q' = Q (W - M) + A' R^-1 and R' = (M - W)
/// R.
static Values qrTangents(CustomCallOp op, RuleBuilder &rule, Value t) {
  MatrixRules matrix(rule);
  CustomCallOp made = routineOf(op) == "geqrf" ? op : decompositionOf(op);
  Value packed = made.getResult(0), q = op.getResult(0);
  RankedTensorType type = typeOf(packed);
  int64_t rank = type.getRank(), m = type.getDimSize(rank - 2),
          n = type.getDimSize(rank - 1);
  if (made == op) {
    StringRef routine =
        MatrixRules::isComplex(packed) ? "lapack_ungqr" : "lapack_orgqr";
    q = rule.builder
            .create<CustomCallOp>(rule.loc, TypeRange(type), routine,
                                  ValueRange{packed, made.getResult(1)},
                                  DictionaryAttr())
            .getResult(0);
  }
  Value r = matrix.upper(resized(rule, packed, rank - 2, n));
  Value along = matrix.solve(r, t, MatrixForm::plain, false, false, false);
  Value inner = matrix.matmul(matrix.adjoint(q), along);
  Value strict = matrix.lower(inner, -1);
  Value turn = rule.sub(strict, matrix.adjoint(strict));
  if (made != op)
    return {rule.add(matrix.matmul(q, rule.sub(turn, inner)), along)};
  Value ofR = matrix.matmul(rule.sub(inner, turn), r);
  return {resized(rule, ofR, rank - 2, m), Value()};
}

Derivatives lapackTangents(CustomCallOp op, RuleBuilder &rule,
                           ArrayRef<Value> t) {
  StringRef routine = routineOf(op);
  if (routine == "getrf")
    return luTangents(op, rule, t[0]);
  if (isSymmetricEigen(routine))
    return eigenTangents(op, rule, t[0]);
  if (routine == "geqrf" || isOrthogonalFactor(routine))
    return qrTangents(op, rule, t[0]);
  if (routine != "gesdd")
    return refuseRule(op);
  CustomCallOp whole = withVectors(op, rule, 'S');
  Singular singular{rule,
                    MatrixRules(rule),
                    whole.getResult(2),
                    whole.getResult(1),
                    whole.getResult(3),
                    t[0]};
  return singular.tangents(whole == op);
}

} // namespace zenith::autodiff
