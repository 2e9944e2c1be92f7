// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index of one dimension for a group of lanes: sums, products, provable ranges,
// divisions.

#include "lowering/builder/IndexMath.h"
#include "lowering/builder/KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

bool LaneIndex::operator==(const LaneIndex &other) const {
  if (perLane != other.perLane || offset != other.offset ||
      terms.size() != other.terms.size())
    return false;
  for (auto [x, y] : llvm::zip(terms, other.terms))
    if (x.variable != y.variable || x.factor != y.factor)
      return false;
  return true;
}

LaneIndex IndexMath::variable(Variable v) {
  unsigned number = 0;
  for (; number < variables.size(); ++number)
    if (v.value && variables[number].value == v.value &&
        variables[number].kind == v.kind)
      break;
  if (!v.value && v.kind == Kind::LaneOffset)
    for (number = 0; number < variables.size(); ++number)
      if (variables[number].kind == Kind::LaneOffset)
        break;
  if (number == variables.size())
    variables.push_back(std::move(v));
  LaneIndex x;
  x.terms.push_back({number, DimExpr(1)});
  return x;
}

LaneIndex IndexMath::scalar(Value value, DimExpr size, int64_t divisor,
                            DimExpr low) {
  if (size.isConstant(1) && low.isConstant(0))
    return LaneIndex(0);
  if (builder)
    if (auto known = builder->constantOf(value))
      return LaneIndex(*known);
  return variable(
      {value, Kind::Scalar, std::move(size), divisor, std::move(low), {}, {}});
}

LaneIndex IndexMath::lanes(Value start, DimExpr size, int64_t divisor,
                           DimExpr low) {
  if (width == 1)
    return scalar(start, std::move(size), divisor, std::move(low));
  return variable(
      {start, Kind::Lane, std::move(size), divisor, std::move(low), {}, {}});
}

LaneIndex IndexMath::laneOffset() {
  return variable({Value(),
                   Kind::LaneOffset,
                   DimExpr(int64_t(width)),
                   1,
                   DimExpr(0),
                   {},
                   {}});
}

LaneIndex IndexMath::tile(Value start, DimExpr size) {
  return variable({start, Kind::Tile, std::move(size), 1, DimExpr(0), {}, {}});
}

LaneIndex IndexMath::perLane(Value lanes) const {
  LaneIndex x;
  x.perLane = lanes;
  return x;
}

/// The size that is repeated in all lanes, or is made a divisor
/// (KernelBuilder::divisor).
static Value sizeIn(Value x) {
  if (auto lanes =
          x ? x.getDefiningOp<vector::BroadcastOp>() : vector::BroadcastOp())
    x = lanes.getSource();
  auto positive = x ? x.getDefiningOp<arith::MaxSIOp>() : arith::MaxSIOp();
  return positive && matchPattern(positive.getRhs(), m_One())
             ? positive.getLhs()
             : x;
}

/// The dividend, where the values are a divisor times a quotient per lane and
/// the remainder of the same division (divideLanes): an index into a value that
/// was reshaped and is read as it lies in memory. Null otherwise.
static Value dividendOf(Value product, Value remainder) {
  auto through = [](Value value) {
    auto cast = value ? value.getDefiningOp<arith::IndexCastOp>()
                      : arith::IndexCastOp();
    return cast ? cast.getIn() : Value();
  };
  auto opOf = [&](Value value) {
    Value inner = through(value);
    return inner ? inner.getDefiningOp() : nullptr;
  };
  auto times = product.getDefiningOp<arith::MulIOp>();
  auto rest = dyn_cast_or_null<arith::RemUIOp>(opOf(remainder));
  auto quotient =
      dyn_cast_or_null<arith::DivUIOp>(times ? opOf(times.getLhs()) : nullptr);
  if (!rest || !quotient || rest.getLhs() != quotient.getLhs() ||
      rest.getRhs() != quotient.getRhs())
    return {};
  Value divisor = through(rest.getRhs());
  Attribute by, factor;
  bool isSame =
      sizeIn(divisor) == sizeIn(times.getRhs()) ||
      (divisor && matchPattern(divisor, m_Constant(&by)) &&
       matchPattern(times.getRhs(), m_Constant(&factor)) && by == factor);
  return isSame ? through(rest.getLhs()) : Value();
}

LaneIndex IndexMath::add(const LaneIndex &x, const LaneIndex &y) {
  LaneIndex sum;
  sum.offset = x.offset + y.offset;
  auto left = x.terms.begin(), right = y.terms.begin();
  while (left != x.terms.end() || right != y.terms.end()) {
    if (right == y.terms.end() ||
        (left != x.terms.end() && left->variable < right->variable)) {
      sum.terms.push_back(*left++);
    } else if (left == x.terms.end() || right->variable < left->variable) {
      sum.terms.push_back(*right++);
    } else {
      DimExpr factor = left->factor + right->factor;
      if (!factor.isConstant(0))
        sum.terms.push_back({left->variable, std::move(factor)});
      ++left, ++right;
    }
  }
  sum.perLane = x.perLane ? x.perLane : y.perLane;
  if (!x.perLane || !y.perLane)
    return sum;
  sum.perLane = dividendOf(x.perLane, y.perLane);
  if (!sum.perLane)
    sum.perLane = dividendOf(y.perLane, x.perLane);
  if (!sum.perLane)
    sum.perLane =
        builder->b.create<arith::AddIOp>(builder->loc, x.perLane, y.perLane);
  return sum;
}

LaneIndex IndexMath::scale(const LaneIndex &x, const DimExpr &factor) {
  if (factor.isConstant(1))
    return x;
  if (factor.isConstant(0))
    return LaneIndex(0);
  LaneIndex product;
  product.offset = x.offset * factor;
  for (const LaneIndex::Term &term : x.terms)
    product.terms.push_back({term.variable, term.factor * factor});
  if (x.perLane) {
    Value lanes = builder->broadcast(builder->size(factor), width);
    product.perLane =
        builder->b.create<arith::MulIOp>(builder->loc, x.perLane, lanes);
  }
  return product;
}

LaneIndex IndexMath::shift(const LaneIndex &x, const DimExpr &offset) {
  LaneIndex moved = x;
  moved.offset = moved.offset + offset;
  return moved;
}

static bool provablyNonNegative(const DimExpr &x) {
  if (auto value = x.constant())
    return *value >= 0;
  return DimExpr(0).provablyAtMost(x, /*atLeastOne=*/true);
}

std::optional<DimExpr> IndexMath::upper(const LaneIndex &x) const {
  if (x.perLane)
    return std::nullopt;
  DimExpr bound = x.offset;
  for (const LaneIndex::Term &term : x.terms) {
    const Variable &v = variables[term.variable];
    if (kernels::provablyNonNegative(term.factor))
      bound = bound + term.factor * (v.size - 1);
    else if (kernels::provablyNonNegative(DimExpr(0) - term.factor))
      bound = bound + term.factor * v.low;
    else
      return std::nullopt;
  }
  return bound;
}

std::optional<DimExpr> IndexMath::lower(const LaneIndex &x) const {
  if (x.perLane)
    return std::nullopt;
  DimExpr bound = x.offset;
  for (const LaneIndex::Term &term : x.terms) {
    const Variable &v = variables[term.variable];
    if (kernels::provablyNonNegative(term.factor))
      bound = bound + term.factor * v.low;
    else if (kernels::provablyNonNegative(DimExpr(0) - term.factor))
      bound = bound + term.factor * (v.size - 1);
    else
      return std::nullopt;
  }
  return bound;
}

bool IndexMath::provable(const DimExpr &nonNegative) const {
  return kernels::provablyNonNegative(nonNegative) ||
         llvm::any_of(assumed, [&](const DimExpr &known) {
           return kernels::provablyNonNegative(nonNegative - known);
         });
}

bool IndexMath::provablyInside(const LaneIndex &x, const DimExpr &low,
                               const DimExpr &high) {
  auto least = lower(x), most = upper(x);
  return least && most && provable(*least - low) && provable(high - 1 - *most);
}

bool IndexMath::provablyOutside(const LaneIndex &x, const DimExpr &low,
                                const DimExpr &high) {
  auto least = lower(x), most = upper(x);
  return (least && provable(*least - high)) ||
         (most && provable(low - 1 - *most));
}

bool IndexMath::provablyNonNegative(const LaneIndex &x) {
  auto least = lower(x);
  return least && provable(*least);
}

bool IndexMath::provablyBelow(const LaneIndex &x, const DimExpr &bound) {
  auto most = upper(x);
  return most && provable(bound - 1 - *most);
}

bool IndexMath::uniform(const LaneIndex &x) const {
  return !x.perLane && laneStride(x).isConstant(0);
}

DimExpr IndexMath::laneStride(const LaneIndex &x) const {
  DimExpr stride = 0;
  for (const LaneIndex::Term &term : x.terms)
    if (variables[term.variable].kind == Kind::Lane ||
        variables[term.variable].kind == Kind::LaneOffset)
      stride = stride + term.factor;
  return stride;
}

DimExpr IndexMath::tileStride(const LaneIndex &x) const {
  DimExpr stride = 0;
  for (const LaneIndex::Term &term : x.terms)
    if (variables[term.variable].kind == Kind::Tile)
      stride = stride + term.factor;
  return stride;
}

DimExpr IndexMath::factorOf(const LaneIndex &x, Value variable) const {
  for (const LaneIndex::Term &term : x.terms)
    if (variables[term.variable].value == variable)
      return term.factor;
  return 0;
}

bool IndexMath::opaque(const LaneIndex &x, Value variable) const {
  for (const LaneIndex::Term &term : x.terms)
    if (llvm::is_contained(variables[term.variable].sources, variable))
      return true;
  return false;
}

LaneIndex IndexMath::opaqueOf(ArrayRef<LaneIndex> parts, DimExpr size) {
  Variable v{Value(), Kind::Scalar, std::move(size), 1, DimExpr(0), {}, {}};
  // Each source once: a quotient and its remainder have the same ones, and
  // further divisions of both would double them each time.
  llvm::SetVector<Value> sources;
  for (const LaneIndex &part : parts)
    for (const LaneIndex::Term &term : part.terms) {
      const Variable &source = variables[term.variable];
      if (source.value)
        sources.insert(source.value);
      sources.insert(source.sources.begin(), source.sources.end());
    }
  v.sources.assign(sources.begin(), sources.end());
  if (v.sources.empty())
    return LaneIndex(0);
  return variable(std::move(v));
}

// Greatest common divisor of the terms of an expression.
static int64_t contentOf(const DimExpr &x) {
  int64_t divisor = 0;
  for (const auto &[monomial, coefficient] : x.terms())
    divisor = std::gcd(divisor, coefficient);
  return divisor;
}

int64_t IndexMath::knownDivisor(const LaneIndex &x) const {
  if (x.perLane)
    return 1;
  int64_t divisor = contentOf(x.offset);
  for (const LaneIndex::Term &term : x.terms) {
    const Variable &v = variables[term.variable];
    if (v.kind != Kind::LaneOffset)
      divisor = std::gcd(divisor, contentOf(term.factor) * v.divisor);
  }
  return divisor;
}

// start + lane as two variables, so that the start alone can be divided.
LaneIndex IndexMath::separateLanes(const LaneIndex &x) {
  LaneIndex separated(x.offset);
  for (const LaneIndex::Term &term : x.terms) {
    Variable v = variables[term.variable];
    LaneIndex part;
    part.terms.push_back(term);
    if (v.kind == Kind::Lane) {
      LaneIndex start = scalar(v.value, v.size, v.divisor);
      LaneIndex lane = variable({Value(),
                                 Kind::LaneOffset,
                                 DimExpr(int64_t(width)),
                                 1,
                                 DimExpr(0),
                                 {},
                                 {}});
      part = scale(add(start, lane), term.factor);
    }
    separated = add(separated, part);
  }
  return separated;
}

void IndexMath::collapse(const LaneIndex &x, ArrayRef<DimExpr> boundaries) {
  for (const LaneIndex::Term &term : x.terms)
    variables[term.variable].boundaries.assign(boundaries.begin(),
                                               boundaries.end());
}

Value IndexMath::onlyVariable(const LaneIndex &x) const {
  if (x.terms.size() != 1 || x.perLane || !x.terms[0].factor.isConstant(1))
    return {};
  return variables[x.terms[0].variable].value;
}

// Matches one collapsed variable times a factor, plus a rest below the factor.
bool IndexMath::staysCollapsed(const LaneIndex &rest,
                               const DimExpr &divisor) const {
  for (const LaneIndex::Term &term : rest.terms) {
    auto boundary = divisor.exactDiv(term.factor);
    if (!boundary ||
        !llvm::is_contained(variables[term.variable].boundaries, *boundary))
      continue;
    LaneIndex others = rest;
    llvm::erase_if(others.terms, [&](const LaneIndex::Term &other) {
      return other.variable == term.variable;
    });
    auto least = lower(others), most = upper(others);
    if (least && most && kernels::provablyNonNegative(*least) &&
        kernels::provablyNonNegative(term.factor - 1 - *most))
      return true;
  }
  return false;
}

std::pair<LaneIndex, LaneIndex> IndexMath::divide(const LaneIndex &x,
                                                  const DimExpr &divisor) {
  if (divisor.isConstant(1))
    return {x, LaneIndex(0)};
  LaneIndex quotient, rest;
  if (x.perLane)
    return divideLanes(x, divisor);
  for (const LaneIndex::Term &term : x.terms) {
    if (auto exact = term.factor.exactDiv(divisor))
      quotient.terms.push_back({term.variable, *exact});
    else
      rest.terms.push_back(term);
  }
  if (auto exact = x.offset.exactDiv(divisor)) {
    quotient.offset = *exact;
  } else if (x.offset.constant() && divisor.constant()) {
    quotient.offset = DimExpr::floorDiv(x.offset, divisor);
    rest.offset = DimExpr::mod(x.offset, divisor);
  } else {
    rest.offset = x.offset;
  }
  if (provablyInside(rest, 0, divisor) || staysCollapsed(rest, divisor))
    return {quotient, rest};
  if (!provablyNonNegative(rest))
    return divideRest(x, divisor);
  auto [more, remainder] = divideRest(rest, divisor);
  return {add(quotient, more), remainder};
}

std::pair<LaneIndex, LaneIndex> IndexMath::divideRest(const LaneIndex &rest,
                                                      const DimExpr &divisor) {
  if (!builder) {
    for (const LaneIndex::Term &term : rest.terms) {
      const Variable &v = variables[term.variable];
      // A reversed dimension splits like the dimension that it reverses.
      bool reversed = kernels::provablyNonNegative(DimExpr(0) - term.factor);
      auto inner =
          divisor.exactDiv(reversed ? DimExpr(0) - term.factor : term.factor);
      if (v.value && inner && *inner != v.size && !inner->isConstant(1) &&
          v.size.exactDiv(*inner))
        splits.push_back({v.value, *inner});
    }
    LaneIndex parts[] = {rest};
    auto most = upper(rest);
    DimExpr count = most ? DimExpr::floorDiv(*most, divisor) + 1
                         : DimExpr(int64_t(1) << 40);
    return {opaqueOf(parts, count), opaqueOf(parts, divisor)};
  }
  if (uniform(rest) && tileStride(rest).isConstant(0))
    return divideUniform(rest, divisor);
  auto stride = laneStride(rest).constant();
  auto by = divisor.constant();
  if (stride && *stride > 0 && by) {
    LaneIndex separated = separateLanes(rest), shared = separated, lane;
    llvm::erase_if(shared.terms, [&](const LaneIndex::Term &t) {
      return variables[t.variable].kind == Kind::LaneOffset;
    });
    llvm::copy_if(separated.terms, std::back_inserter(lane.terms),
                  [&](const LaneIndex::Term &t) {
                    return variables[t.variable].kind == Kind::LaneOffset;
                  });
    int64_t step = std::gcd(knownDivisor(shared), *by);
    if (*stride * int64_t(width - 1) < step && tileStride(rest).isConstant(0)) {
      auto [quotient, remainder] = divide(shared, divisor);
      return {quotient, add(remainder, lane)};
    }
  }
  return uniform(rest) ? divideUniform(rest, divisor)
                       : divideLanes(rest, divisor);
}

std::pair<LaneIndex, LaneIndex>
IndexMath::divideUniform(const LaneIndex &rest, const DimExpr &divisor) {
  Block *block = builder->b.getInsertionBlock();
  bool tiled = !tileStride(rest).isConstant(0);
  auto reaches = [&](Block *from) {
    return from == block || from->findAncestorOpInBlock(*block->getParentOp());
  };
  for (const Division &known : divisions)
    if (!tiled && known.divisor == divisor && known.dividend == rest &&
        reaches(known.block))
      return known.result;
  Value dividend = laneBase(rest), by = builder->size(divisor);
  Value quotient = builder->div(dividend, by);
  Value remainder = builder->rem(dividend, by);
  auto most = upper(rest);
  DimExpr count =
      most ? DimExpr::floorDiv(*most, divisor) + 1 : DimExpr(int64_t(1) << 40);
  int64_t step =
      std::max<int64_t>(1, std::gcd(knownDivisor(rest), contentOf(divisor)));
  std::pair<LaneIndex, LaneIndex> result = {scalar(quotient, count),
                                            scalar(remainder, divisor, step)};
  if (!tiled)
    divisions.push_back({rest, divisor, block, result});
  return result;
}

std::pair<LaneIndex, LaneIndex> IndexMath::divideLanes(const LaneIndex &rest,
                                                       const DimExpr &divisor) {
  OpBuilder &b = builder->b;
  Value lanes = value(rest);
  Type wide = lanes.getType();
  auto most = upper(rest);
  bool narrow = most && most->provablyAtMost(DimExpr(INT32_MAX)) &&
                divisor.provablyAtMost(DimExpr(INT32_MAX));
  Type type =
      narrow ? typeLike(b.getI32Type(), wide) : typeLike(b.getI64Type(), wide);
  auto cast = [&](Value x) {
    return b.create<arith::IndexCastOp>(builder->loc, type, x).getResult();
  };
  Value positive = builder->divisor(builder->size(divisor));
  Value dividend = cast(lanes), by = cast(builder->broadcast(positive, width));
  Value quotient = b.create<arith::DivUIOp>(builder->loc, dividend, by);
  Value remainder = b.create<arith::RemUIOp>(builder->loc, dividend, by);
  auto back = [&](Value x) {
    return b.create<arith::IndexCastOp>(builder->loc, wide, x).getResult();
  };
  return {perLane(back(quotient)), perLane(back(remainder))};
}

Value IndexMath::term(const LaneIndex::Term &term) {
  const Variable &v = variables[term.variable];
  if (v.kind == Kind::LaneOffset)
    return builder->index(0);
  Value value = v.value;
  if (v.kind == Kind::Tile && tileRow)
    value = builder->add(value, builder->index(tileRow));
  return builder->mul(value, builder->size(term.factor));
}

/// What an offset is without any size.
static int64_t constantPart(const DimExpr &offset) {
  auto known = offset.terms().find(DimExpr::Monomial());
  return known == offset.terms().end() ? 0 : known->second;
}

Value IndexMath::laneBase(const LaneIndex &x) {
  // The constant comes last: positions that differ by constants share the rest,
  // which instructions that access memory add them to.
  int64_t constant = constantPart(x.offset);
  Value sum = builder->size(x.offset - DimExpr(constant));
  for (const LaneIndex::Term &part : x.terms)
    sum = builder->add(sum, term(part));
  return builder->add(sum, builder->index(constant));
}

Value IndexMath::value(const LaneIndex &x) {
  LaneIndex affine = x;
  affine.perLane = Value();
  Value first = laneBase(affine);
  if (uniform(x) || width == 1)
    return first;
  Value lanes = builder->broadcast(first, width);
  DimExpr stride = laneStride(x);
  OpBuilder &b = builder->b;
  if (!stride.isConstant(0)) {
    auto type = VectorType::get({int64_t(width)}, b.getIndexType());
    SmallVector<int64_t> steps(width);
    for (unsigned lane = 0; lane < width; ++lane)
      steps[lane] = stride.constant().value_or(1) * lane;
    Value step = builder->constant(cast<TypedAttr>(
        Attribute(DenseElementsAttr::get(type, ArrayRef<int64_t>(steps)))));
    if (!stride.constant())
      step = b.create<arith::MulIOp>(
          builder->loc, step, builder->broadcast(builder->size(stride), width));
    lanes = b.create<arith::AddIOp>(builder->loc, lanes, step);
  }
  return x.perLane ? b.create<arith::AddIOp>(builder->loc, lanes, x.perLane)
                         .getResult()
                   : lanes;
}

} // namespace zenith::kernels
