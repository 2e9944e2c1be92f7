// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index of one dimension for a group of lanes: sums, products, provable ranges,
// divisions.

#include "lowering/builder/IndexMath.h"
#include "lowering/builder/KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

bool Ix::operator==(const Ix &other) const {
  if (scattered != other.scattered || offset != other.offset ||
      terms.size() != other.terms.size())
    return false;
  for (auto [x, y] : llvm::zip(terms, other.terms))
    if (x.variable != y.variable || x.factor != y.factor)
      return false;
  return true;
}

Ix IndexMath::variable(Variable v) {
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
  Ix x;
  x.terms.push_back({number, DimExpr(1)});
  return x;
}

Ix IndexMath::scalar(Value value, DimExpr size, int64_t divisor, DimExpr low) {
  if (size.isConstant(1) && low.isConstant(0))
    return Ix(0);
  if (builder)
    if (auto known = builder->constantOf(value))
      return Ix(*known);
  return variable(
      {value, Kind::Scalar, std::move(size), divisor, std::move(low), {}, {}});
}

Ix IndexMath::lanes(Value start, DimExpr size, int64_t divisor, DimExpr low) {
  if (width == 1)
    return scalar(start, std::move(size), divisor, std::move(low));
  return variable(
      {start, Kind::Lane, std::move(size), divisor, std::move(low), {}, {}});
}

Ix IndexMath::laneOffset() {
  return variable({Value(),
                   Kind::LaneOffset,
                   DimExpr(int64_t(width)),
                   1,
                   DimExpr(0),
                   {},
                   {}});
}

Ix IndexMath::tile(Value start, DimExpr size) {
  return variable({start, Kind::Tile, std::move(size), 1, DimExpr(0), {}, {}});
}

Ix IndexMath::scattered(Value lanes) const {
  Ix x;
  x.scattered = lanes;
  return x;
}

Ix IndexMath::add(const Ix &x, const Ix &y) {
  Ix sum;
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
  sum.scattered = x.scattered ? x.scattered : y.scattered;
  if (x.scattered && y.scattered)
    sum.scattered = builder->b.create<arith::AddIOp>(builder->loc, x.scattered,
                                                     y.scattered);
  return sum;
}

Ix IndexMath::scale(const Ix &x, const DimExpr &factor) {
  if (factor.isConstant(1))
    return x;
  if (factor.isConstant(0))
    return Ix(0);
  Ix product;
  product.offset = x.offset * factor;
  for (const Ix::Term &term : x.terms)
    product.terms.push_back({term.variable, term.factor * factor});
  if (x.scattered) {
    Value lanes = builder->broadcast(builder->size(factor), width);
    product.scattered =
        builder->b.create<arith::MulIOp>(builder->loc, x.scattered, lanes);
  }
  return product;
}

Ix IndexMath::shift(const Ix &x, const DimExpr &offset) {
  Ix moved = x;
  moved.offset = moved.offset + offset;
  return moved;
}

static bool provablyNonNegative(const DimExpr &x) {
  if (auto value = x.constant())
    return *value >= 0;
  return DimExpr(0).provablyAtMost(x, /*atLeastOne=*/true);
}

std::optional<DimExpr> IndexMath::upper(const Ix &x) const {
  if (x.scattered)
    return std::nullopt;
  DimExpr bound = x.offset;
  for (const Ix::Term &term : x.terms) {
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

std::optional<DimExpr> IndexMath::lower(const Ix &x) const {
  if (x.scattered)
    return std::nullopt;
  DimExpr bound = x.offset;
  for (const Ix::Term &term : x.terms) {
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

bool IndexMath::provablyInside(const Ix &x, const DimExpr &low,
                               const DimExpr &high) {
  auto least = lower(x), most = upper(x);
  return least && most && provable(*least - low) && provable(high - 1 - *most);
}

bool IndexMath::provablyOutside(const Ix &x, const DimExpr &low,
                                const DimExpr &high) {
  auto least = lower(x), most = upper(x);
  return (least && provable(*least - high)) ||
         (most && provable(low - 1 - *most));
}

bool IndexMath::provablyNonNegative(const Ix &x) {
  auto least = lower(x);
  return least && provable(*least);
}

bool IndexMath::provablyBelow(const Ix &x, const DimExpr &bound) {
  auto most = upper(x);
  return most && provable(bound - 1 - *most);
}

bool IndexMath::uniform(const Ix &x) const {
  return !x.scattered && laneStride(x).isConstant(0);
}

DimExpr IndexMath::laneStride(const Ix &x) const {
  DimExpr stride = 0;
  for (const Ix::Term &term : x.terms)
    if (variables[term.variable].kind == Kind::Lane ||
        variables[term.variable].kind == Kind::LaneOffset)
      stride = stride + term.factor;
  return stride;
}

DimExpr IndexMath::tileStride(const Ix &x) const {
  DimExpr stride = 0;
  for (const Ix::Term &term : x.terms)
    if (variables[term.variable].kind == Kind::Tile)
      stride = stride + term.factor;
  return stride;
}

DimExpr IndexMath::factorOf(const Ix &x, Value variable) const {
  for (const Ix::Term &term : x.terms)
    if (variables[term.variable].value == variable)
      return term.factor;
  return 0;
}

bool IndexMath::opaque(const Ix &x, Value variable) const {
  for (const Ix::Term &term : x.terms)
    if (llvm::is_contained(variables[term.variable].sources, variable))
      return true;
  return false;
}

Ix IndexMath::opaqueOf(ArrayRef<Ix> parts, DimExpr size) {
  Variable v{Value(), Kind::Scalar, std::move(size), 1, DimExpr(0), {}, {}};
  for (const Ix &part : parts)
    for (const Ix::Term &term : part.terms) {
      const Variable &source = variables[term.variable];
      if (source.value)
        v.sources.push_back(source.value);
      v.sources.append(source.sources.begin(), source.sources.end());
    }
  if (v.sources.empty())
    return Ix(0);
  return variable(std::move(v));
}

// Greatest common divisor of what an expression is a sum of.
static int64_t contentOf(const DimExpr &x) {
  int64_t divisor = 0;
  for (const auto &[monomial, coefficient] : x.terms())
    divisor = std::gcd(divisor, coefficient);
  return divisor;
}

int64_t IndexMath::knownDivisor(const Ix &x) const {
  if (x.scattered)
    return 1;
  int64_t divisor = contentOf(x.offset);
  for (const Ix::Term &term : x.terms) {
    const Variable &v = variables[term.variable];
    if (v.kind != Kind::LaneOffset)
      divisor = std::gcd(divisor, contentOf(term.factor) * v.divisor);
  }
  return divisor;
}

// start + lane as two variables, so that the start alone can be divided.
Ix IndexMath::separateLanes(const Ix &x) {
  Ix separated(x.offset);
  for (const Ix::Term &term : x.terms) {
    Variable v = variables[term.variable];
    Ix part;
    part.terms.push_back(term);
    if (v.kind == Kind::Lane) {
      Ix start = scalar(v.value, v.size, v.divisor);
      Ix lane = variable({Value(),
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

void IndexMath::collapse(const Ix &x, ArrayRef<DimExpr> boundaries) {
  for (const Ix::Term &term : x.terms)
    variables[term.variable].boundaries.assign(boundaries.begin(),
                                               boundaries.end());
}

Value IndexMath::onlyVariable(const Ix &x) const {
  if (x.terms.size() != 1 || x.scattered || !x.terms[0].factor.isConstant(1))
    return {};
  return variables[x.terms[0].variable].value;
}

// One collapsed variable times a factor, plus what stays below the factor.
bool IndexMath::staysCollapsed(const Ix &rest, const DimExpr &divisor) const {
  for (const Ix::Term &term : rest.terms) {
    auto boundary = divisor.exactDiv(term.factor);
    if (!boundary ||
        !llvm::is_contained(variables[term.variable].boundaries, *boundary))
      continue;
    Ix others = rest;
    llvm::erase_if(others.terms, [&](const Ix::Term &other) {
      return other.variable == term.variable;
    });
    auto least = lower(others), most = upper(others);
    if (least && most && kernels::provablyNonNegative(*least) &&
        kernels::provablyNonNegative(term.factor - 1 - *most))
      return true;
  }
  return false;
}

std::pair<Ix, Ix> IndexMath::divide(const Ix &x, const DimExpr &divisor) {
  if (divisor.isConstant(1))
    return {x, Ix(0)};
  Ix quotient, rest;
  if (x.scattered)
    return divideLanes(x, divisor);
  for (const Ix::Term &term : x.terms) {
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

std::pair<Ix, Ix> IndexMath::divideRest(const Ix &rest,
                                        const DimExpr &divisor) {
  if (!builder) {
    for (const Ix::Term &term : rest.terms) {
      const Variable &v = variables[term.variable];
      // A reversed dimension splits like the one that it reverses.
      bool reversed = kernels::provablyNonNegative(DimExpr(0) - term.factor);
      auto inner =
          divisor.exactDiv(reversed ? DimExpr(0) - term.factor : term.factor);
      if (v.value && inner && *inner != v.size && !inner->isConstant(1) &&
          v.size.exactDiv(*inner))
        splits.push_back({v.value, *inner});
    }
    Ix parts[] = {rest};
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
    Ix separated = separateLanes(rest), shared = separated, lane;
    llvm::erase_if(shared.terms, [&](const Ix::Term &t) {
      return variables[t.variable].kind == Kind::LaneOffset;
    });
    llvm::copy_if(separated.terms, std::back_inserter(lane.terms),
                  [&](const Ix::Term &t) {
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

std::pair<Ix, Ix> IndexMath::divideUniform(const Ix &rest,
                                           const DimExpr &divisor) {
  Block *block = builder->b.getInsertionBlock();
  bool tiled = !tileStride(rest).isConstant(0);
  auto reaches = [&](Block *from) {
    return from == block || from->findAncestorOpInBlock(*block->getParentOp());
  };
  for (const Division &known : divisions)
    if (!tiled && known.divisor == divisor && known.dividend == rest &&
        reaches(known.block))
      return known.result;
  Value dividend = laneZero(rest), by = builder->size(divisor);
  Value quotient = builder->div(dividend, by);
  Value remainder = builder->rem(dividend, by);
  auto most = upper(rest);
  DimExpr count =
      most ? DimExpr::floorDiv(*most, divisor) + 1 : DimExpr(int64_t(1) << 40);
  int64_t step =
      std::max<int64_t>(1, std::gcd(knownDivisor(rest), contentOf(divisor)));
  std::pair<Ix, Ix> result = {scalar(quotient, count),
                              scalar(remainder, divisor, step)};
  if (!tiled)
    divisions.push_back({rest, divisor, block, result});
  return result;
}

std::pair<Ix, Ix> IndexMath::divideLanes(const Ix &rest,
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
  Value dividend = cast(lanes),
        by = cast(builder->broadcast(builder->size(divisor), width));
  Value quotient = b.create<arith::DivUIOp>(builder->loc, dividend, by);
  Value remainder = b.create<arith::RemUIOp>(builder->loc, dividend, by);
  auto back = [&](Value x) {
    return b.create<arith::IndexCastOp>(builder->loc, wide, x).getResult();
  };
  return {scattered(back(quotient)), scattered(back(remainder))};
}

Value IndexMath::term(const Ix::Term &term) {
  const Variable &v = variables[term.variable];
  if (v.kind == Kind::LaneOffset)
    return builder->index(0);
  Value value = v.value;
  if (v.kind == Kind::Tile && tileRow)
    value = builder->add(value, builder->index(tileRow));
  return builder->mul(value, builder->size(term.factor));
}

Value IndexMath::laneZero(const Ix &x) {
  Value sum = builder->index(0);
  bool constant = x.offset.constant().has_value();
  if (!constant)
    sum = builder->size(x.offset);
  for (const Ix::Term &part : x.terms)
    sum = builder->add(sum, term(part));
  return constant ? builder->add(sum, builder->size(x.offset)) : sum;
}

Value IndexMath::value(const Ix &x) {
  Ix affine = x;
  affine.scattered = Value();
  Value first = laneZero(affine);
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
  return x.scattered ? b.create<arith::AddIOp>(builder->loc, lanes, x.scattered)
                           .getResult()
                     : lanes;
}

} // namespace zenith::kernels
