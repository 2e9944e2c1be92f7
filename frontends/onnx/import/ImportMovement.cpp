// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the ops that rearrange elements. On known elements they
// rearrange expressions.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/ElementFolding.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/OpenAxes.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Gives input 0 another shape, as data or as elements.
static void giveShape(NodeReading &n, ArrayRef<DimExpr> dims) {
  if (n.failed())
    return;
  auto shape = staticShape(dims);
  if (auto known = n.knownElements(0);
      known && shape && smallCount(*shape) == int64_t(known->values.size()))
    return n.result(0, Elements{*shape, std::move(known->values)},
                    n.elementType(0));
  n.result(n.b.reshape(n.input(0), dims));
}

//===----------------------------------------------------------------------===//
// Shapes of the same elements
//===----------------------------------------------------------------------===//

/// Of rows without elements nothing says how many there are.
static constexpr const char *leastRow = "the least number of elements of a row";

/// The dims that a Reshape's shape input asks for: 0 copies a dim, -1 is the
/// remaining dim.
static std::optional<DimVector>
requestedDims(NodeReading &n, ArrayRef<DimExpr> request, bool zeroCopies) {
  DimVector from = n.dims(0), to;
  std::optional<size_t> open;
  for (auto [index, wanted] : llvm::enumerate(request)) {
    auto constant = wanted.constant();
    if (constant == 0 && zeroCopies) {
      if (index >= from.size()) {
        n.fail(invalid(
            fmt::format("the shape copies dimension {} of a value of rank {}",
                        index, from.size())));
        return std::nullopt;
      }
      to.push_back(from[index]);
    } else if (constant == -1) {
      if (open) {
        n.fail(invalid("the shape has -1 twice"));
        return std::nullopt;
      }
      open = index;
      to.push_back(DimExpr(1));
    } else if (constant && *constant < 0) {
      n.fail(invalid(fmt::format("the shape has dimension {}", *constant)));
      return std::nullopt;
    } else {
      to.push_back(wanted);
    }
  }
  DimExpr total = n.b.product(from), known = n.b.product(to);
  if (open) {
    auto exact = known.isConstant(0) ? std::nullopt : total.exactDiv(known);
    if (!exact && total.constant() && known.constant() &&
        !known.isConstant(0)) {
      n.fail(invalid(fmt::format("{} elements do not divide into {}",
                                 total.str(), known.str())));
      return std::nullopt;
    }
    if (!exact)
      n.b.requireAtMost(DimExpr(1), known, leastRow);
    to[*open] = exact ? *exact : DimExpr::floorDiv(total, known);
  } else if (total.constant() && known.constant() && total != known) {
    n.fail(invalid(fmt::format("{} elements do not fit a shape of {}",
                               total.str(), known.str())));
    return std::nullopt;
  }
  return to;
}

/// True if the expression contains integers read from data, which may be
/// negative.
static bool readsData(const DimExpr &expr) {
  bool found = false;
  expr.forEachSymbol([&](const std::string &name) {
    found |= llvm::StringRef(name).starts_with("%i");
  });
  return found;
}

/// The same if a dimension is data that may be 0 or -1: the meaning of these is
/// computed from data too.
static DimVector dataDims(NodeReading &n, ArrayRef<DimExpr> request,
                          bool zeroCopies) {
  ImportBuilder &b = n.b;
  DimVector from = n.dims(0);
  SmallVector<Value> wanted, copied;
  auto entry = [&](const DimExpr &dim) {
    return b.reshape(b.scalar(dim), {DimExpr(1)});
  };
  for (auto [index, dim] : llvm::enumerate(request)) {
    wanted.push_back(entry(dim));
    copied.push_back(entry(index < from.size() ? from[index] : DimExpr(0)));
  }
  Value dims = b.concat(0, wanted), zero = b.scalar(DimExpr(0)),
        one = b.scalar(DimExpr(1));
  if (zeroCopies)
    dims = b.select(b.compare(graph::CompareDirection::eq, dims, zero),
                    b.concat(0, copied), dims);
  Value isOpen = b.compare(graph::CompareDirection::lt, dims, zero);
  Value least = b.reduce(graph::ReduceKind::min, dims, {0}, /*keepDims=*/false);
  Value known = b.reduce(graph::ReduceKind::prod, b.select(isOpen, one, dims),
                         {0}, /*keepDims=*/false);
  Value row =
      b.select(b.compare(graph::CompareDirection::lt, least, zero), known, one);
  b.requireAtMost(DimExpr(1), b.readScalar(row), leastRow);
  Value rest = b.binary<graph::DivOp>(b.scalar(b.product(from)), known);
  dims = b.select(isOpen, rest, dims);
  DimVector result;
  for (auto [index, dim] : llvm::enumerate(request)) {
    bool isPlain = !readsData(dim) && !dim.isConstant(-1) &&
                   !(zeroCopies && dim.isConstant(0));
    result.push_back(
        isPlain ? dim
                : b.nameCount(b.reshape(
                      b.sliceDim(dims, 0, DimExpr(index), DimExpr(1)), {})));
  }
  return result;
}

static void importReshape(NodeReading &n) {
  SmallVector<DimExpr> request;
  if (n.version < 5) {
    for (int64_t dim : n.intsAttribute("shape"))
      request.push_back(DimExpr(dim));
  } else if (!n.has(1)) {
    return n.fail(invalid("input 1 (shape) is absent"));
  } else {
    request = n.elements(1, "the shape");
  }
  if (n.failed())
    return;
  bool zeroCopies = n.intAttribute("allowzero", 0) == 0;
  if (llvm::any_of(request, readsData))
    return giveShape(n, dataDims(n, request, zeroCopies));
  if (auto dims = requestedDims(n, request, zeroCopies))
    giveShape(n, *dims);
}

static void importFlatten(NodeReading &n) {
  int64_t rank = n.rank(0), axis = n.intAttribute("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    return n.fail(
        invalid(fmt::format("axis is out of range for rank {}", rank)));
  DimVector dims = n.dims(0);
  giveShape(n, {n.b.product(ArrayRef(dims).take_front(axis)),
                n.b.product(ArrayRef(dims).drop_front(axis))});
}

/// Ends the run where a dimension is 1 that the result's rank does not allow.
static void requireNotOne(NodeReading &n, const DimExpr &size) {
  ImportBuilder &b = n.b;
  Value given = b.scalar(size);
  Value holds =
      b.compare(graph::CompareDirection::ne, given, b.scalar(DimExpr(1)));
  if (!n.failed())
    b.builder.create<graph::AssertOp>(
        b.loc, holds,
        n.node.op + ": a dimension of unknown size is {0} at run time, which "
                    "would change the rank of the result",
        given);
}

/// All dimensions of size 1 go. Which of the dynamic ones are 1 follows from
/// the declared rank, where it leaves all or none of them; without one they
/// stay.
static void squeezeOnes(NodeReading &n) {
  DimVector dims = n.dims(0), kept;
  int64_t open = 0, known = 0;
  for (const DimExpr &dim : dims) {
    open += !dim.constant();
    known += dim.constant() && !isConstant(dim, 1);
  }
  auto rank = n.declaredRank(0);
  bool keepsOpen = open == 0 || !rank || rank == known + open;
  if (!keepsOpen && rank != known)
    return n.fail(unsupported(
        "dimensions that may be 1, of which the result's rank does not say "
        "which"));
  for (const DimExpr &dim : dims) {
    bool keeps = dim.constant() ? !isConstant(dim, 1) : keepsOpen;
    if (keeps)
      kept.push_back(dim);
    if (!keeps)
      n.b.requireEqual(dim, DimExpr(1));
    else if (!dim.constant())
      requireNotOne(n, dim);
  }
  giveShape(n, kept);
}

static void importSqueeze(NodeReading &n) {
  DimVector dims = n.dims(0), kept;
  if (importByAxes(
          n, 1, [&](int64_t) { return n.rank(0); }, importSqueeze, dims))
    return;
  auto given = n.constantInts("axes", 1);
  if (!given && !n.failed())
    return squeezeOnes(n);
  SmallVector<int64_t> axes =
      given ? n.axes(*given, dims.size()) : SmallVector<int64_t>();
  for (auto [index, dim] : llvm::enumerate(dims)) {
    bool named = llvm::is_contained(axes, int64_t(index));
    if (named && dim.constant() && !isConstant(dim, 1))
      return n.fail(invalid(
          fmt::format("dimension {} has size {}, not 1", index, dim.str())));
    if (named)
      n.b.requireEqual(dim, DimExpr(1));
    if (!named)
      kept.push_back(dim);
  }
  giveShape(n, kept);
}

static void importUnsqueeze(NodeReading &n) {
  if (importByAxes(
          n, 1, [&](int64_t count) { return n.rank(0) + count; },
          importUnsqueeze))
    return;
  auto given = n.constantInts("axes", 1);
  if (!given)
    return n.fail(invalid("Unsqueeze needs axes"));
  DimVector dims = n.dims(0), result;
  int64_t rank = dims.size() + given->size();
  SmallVector<int64_t> axes = n.axes(*given, rank);
  if (n.failed())
    return;
  for (int64_t index = 0, from = 0; index < rank; ++index)
    result.push_back(llvm::is_contained(axes, index) ? DimExpr(1)
                                                     : dims[from++]);
  giveShape(n, result);
}

//===----------------------------------------------------------------------===//
// Permuting, repeating, joining
//===----------------------------------------------------------------------===//

static void importTranspose(NodeReading &n) {
  int64_t rank = n.rank(0);
  SmallVector<int64_t> reversed;
  for (int64_t i = rank; i-- > 0;)
    reversed.push_back(i);
  SmallVector<int64_t> permutation = n.intsAttribute("perm", reversed);
  for (int64_t &index : permutation)
    index = n.axis(index, rank);
  if (int64_t(permutation.size()) != rank ||
      n.axes(permutation, rank).size() != size_t(rank))
    n.fail(invalid("attribute 'perm' is no permutation of the dimensions"));
  if (n.failed())
    return;
  if (auto known = n.knownElements(0))
    return n.result(0, transposeKnown(*known, permutation), n.elementType(0));
  n.result(n.b.transpose(n.input(0), permutation));
}

static void importExpand(NodeReading &n) {
  DimVector wanted = n.elements(1, "the shape");
  if (n.failed())
    return;
  DimVector dims = n.b.broadcastDims(n.dims(0), wanted);
  if (n.failed())
    return;
  for (auto [size, dim] :
       llvm::zip(wanted, ArrayRef(dims).take_back(wanted.size())))
    n.b.requireOneOrEqual(size, dim);
  auto shape = staticShape(dims);
  if (auto known = n.knownElements(0); known && shape && smallCount(*shape)) {
    Elements result{*shape, {}};
    for (int64_t index : broadcastIndices(known->shape, *shape))
      result.values.push_back(known->values[index]);
    return n.result(0, std::move(result), n.elementType(0));
  }
  n.result(n.b.broadcastTo(n.input(0), dims));
}

/// Each dimension as (repeats, size): [a, b] -> [1, a, 1, b] -> [r, a, s, b] ->
/// [r a, s b].
static void importTile(NodeReading &n) {
  DimVector dims = n.dims(0), repeats = n.elements(1, "the number of repeats"),
            result, wide;
  if (n.failed())
    return;
  if (repeats.size() != dims.size())
    return n.fail(invalid(
        fmt::format("{} repeats for rank {}", repeats.size(), dims.size())));
  SmallVector<int64_t> mapping;
  for (auto [dim, count] : llvm::zip_equal(dims, repeats)) {
    wide.push_back(count);
    mapping.push_back(wide.size());
    wide.push_back(dim);
    result.push_back(count * dim);
  }
  n.result(n.b.reshape(n.b.broadcast(n.input(0), mapping, wide), result));
}

/// Joins short integer vectors as elements: data is read element by element,
/// since the result is most likely a shape.
static bool foldConcat(NodeReading &n) {
  bool anyKnown = false;
  int64_t count = 0;
  constexpr int64_t longestShape = 16;
  for (size_t i = 0; i < n.inputCount(); ++i) {
    if (!n.has(i) || n.rank(i) != 1 || !n.type(i).hasStaticShape() ||
        n.elementType(i) != n.elementType(0))
      return false;
    anyKnown |= n.knownElements(i).has_value();
    count += n.type(i).getNumElements();
  }
  if (!anyKnown || !n.elementType(0).isSignlessInteger(64))
    return false;
  if (count > (n.allElementsKnown() ? maxKnownElements : longestShape))
    return false;
  Elements joined{{count}, {}};
  for (size_t i = 0; i < n.inputCount(); ++i)
    joined.values.append(n.elements(i, "a dimension"));
  n.result(0, std::move(joined), n.elementType(0));
  return true;
}

static void importConcat(NodeReading &n) {
  SmallVector<Value> values = n.allInputs();
  if (n.failed())
    return;
  int64_t axis = n.axisAttribute("axis", 1, n.rank(0));
  if (!n.failed())
    n.result(n.b.concat(axis, values));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// Elements start, start + step, ... of a dimension; `count` of them.
struct Part {
  DimExpr start, count;
  int64_t step;
};
} // namespace

/// True for integers read from data: nothing says that they are not negative. A
/// sum of sizes that might be negative is taken to count from the start.
static bool mayBeNegative(const DimExpr &expr) {
  return readsData(expr) && !provablyNatural(expr);
}

/// A bound of a Slice: counts from the end if it is negative and never leaves
/// [low, high].
static DimExpr clampedBound(const DimExpr &bound, const DimExpr &size,
                            const DimExpr &low, const DimExpr &high) {
  auto constant = bound.constant();
  // Exporters write the largest integers for "to the end"; sums with them would
  // overflow 64 bits.
  constexpr int64_t farAway = int64_t(1) << 30;
  bool beyond = !size.constant() || *size.constant() < farAway;
  if (constant && *constant >= farAway && beyond)
    return high;
  if (constant && *constant <= -farAway && beyond)
    return low;
  // Sizes are hardly ever 0, so -seq counts from the end.
  bool fromEnd =
      (bound + DimExpr(1)).provablyAtMost(DimExpr(0), /*atLeastOne=*/true);
  DimExpr position = fromEnd ? bound + size : bound;
  // Whether the bound counts from the end is known at run time only.
  if (mayBeNegative(bound) && !fromEnd)
    position = bound +
               size * DimExpr::min(DimExpr::max(DimExpr(0) - bound, DimExpr(0)),
                                   DimExpr(1));
  return DimExpr::max(low, DimExpr::min(position, high));
}

static Part slicePart(const DimExpr &start, const DimExpr &end, int64_t step,
                      const DimExpr &size) {
  if (step > 0) {
    DimExpr first = clampedBound(start, size, DimExpr(0), size),
            last = clampedBound(end, size, DimExpr(0), size);
    DimExpr count = DimExpr::ceilDiv(last - first, DimExpr(step));
    return {first, DimExpr::max(count, DimExpr(0)), step};
  }
  DimExpr top = size - DimExpr(1);
  DimExpr first = clampedBound(start, size, DimExpr(-1), top),
          last = clampedBound(end, size, DimExpr(-1), top);
  DimExpr count = DimExpr::ceilDiv(first - last, DimExpr(-step));
  return {first, DimExpr::max(count, DimExpr(0)), step};
}

static Value takePart(ImportBuilder &b, Value value, int64_t axis,
                      const DimExpr &size, const Part &part) {
  if (part.step > 0)
    return b.sliceDim(value, axis,
                      part.count.isConstant(0) ? DimExpr(0) : part.start,
                      part.count, part.step);
  DimExpr start =
      part.count.isConstant(0) ? DimExpr(0) : size - DimExpr(1) - part.start;
  return b.sliceDim(b.reverse(value, axis), axis, start, part.count,
                    -part.step);
}

/// Known elements of a part of a dimension; nothing if positions are not
/// integer constants.
static std::optional<Elements> takeKnown(const Elements &from, int64_t axis,
                                         const Part &part) {
  auto start = part.start.constant(), count = part.count.constant();
  int64_t outer = 1, inner = 1, size = from.shape[axis];
  auto isInside = [&](int64_t position) {
    return position >= 0 && position < size;
  };
  if (!start || !count ||
      (*count > 0 &&
       !(isInside(*start) && isInside(*start + (*count - 1) * part.step))))
    return std::nullopt;
  for (auto [dim, extent] : llvm::enumerate(from.shape))
    if (int64_t(dim) != axis)
      (int64_t(dim) < axis ? outer : inner) *= extent;
  Elements result{from.shape, {}};
  result.shape[axis] = *count;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < *count; ++i)
      for (int64_t k = 0; k < inner; ++k)
        result.values.push_back(
            from.values[(o * size + *start + i * part.step) * inner + k]);
  return result;
}

/// A part whose step only the run knows: positions are computed.
static Value takeOpenPart(ImportBuilder &b, Value value, int64_t axis,
                          const DimExpr &start, const DimExpr &end,
                          const DimExpr &step, const DimExpr &size) {
  DimExpr width = DimExpr::max(step, DimExpr(0) - step),
          top = size - DimExpr(1);
  b.requireAtMost(DimExpr(1), width, "the least step");
  auto bound = [&](const DimExpr &given, const DimExpr &low,
                   const DimExpr &high) {
    return b.scalar(clampedBound(given, size, low, high));
  };
  Value isForward = b.compare(graph::CompareDirection::gt, b.scalar(step),
                              b.scalar(DimExpr(0)));
  auto choose = [&](const DimExpr &given) {
    return b.select(isForward, bound(given, DimExpr(0), size),
                    bound(given, DimExpr(-1), top));
  };
  DimExpr first = b.readScalar(choose(start)), last = b.readScalar(choose(end));
  Value distance =
      b.select(isForward, b.scalar(last - first), b.scalar(first - last));
  DimExpr steps = DimExpr::ceilDiv(b.readScalar(distance), width);
  DimExpr count = b.nameCount(b.scalar(DimExpr::max(steps, DimExpr(0))));
  Value at = b.binary<graph::MulOp>(b.iota(0, {count}, b.builder.getI64Type()),
                                    b.scalar(step));
  return gatherAlong(b, value, axis,
                     b.binary<graph::AddOp>(at, b.scalar(first)));
}

/// Axes or steps that are not known before running: every dimension that an
/// axis may be gets its own bounds.
static void importOpenSlice(NodeReading &n, ArrayRef<DimExpr> starts,
                            ArrayRef<DimExpr> ends) {
  DimVector dims = n.dims(0);
  SmallVector<DimExpr> steps(starts.size(), DimExpr(1));
  if (n.has(4))
    steps = n.elements(4, "a step");
  bool hasSteps = isOpen(n, 4) || !llvm::all_of(steps, [](const DimExpr &step) {
                    return step.isConstant(1);
                  });
  std::optional<OpenAxes> open;
  SmallVector<int64_t> axes;
  if (isOpen(n, 3))
    open.emplace(n, 3, int64_t(dims.size()));
  else
    for (auto [i, start] : llvm::enumerate(starts))
      axes.push_back(i);
  if (!open && n.has(3))
    axes = n.constantInts("axes", 3).value_or(axes);
  size_t count = open ? open->size() : axes.size();
  if (n.failed() || count != starts.size() || count != ends.size() ||
      count != steps.size())
    return n.fail(invalid("starts, ends, axes and steps do not fit together"));
  Value value = n.input(0);
  auto take = [&](int64_t axis, const DimExpr &start, const DimExpr &end,
                  const DimExpr &step) {
    const DimExpr &size = dims[axis];
    value = hasSteps ? takeOpenPart(n.b, value, axis, start, end, step, size)
                     : takePart(n.b, value, axis, size,
                                slicePart(start, end, 1, size));
  };
  if (!open)
    for (auto [i, axis] : llvm::enumerate(axes))
      take(n.axis(axis, dims.size()), starts[i], ends[i], steps[i]);
  for (size_t axis = 0; open && axis < dims.size(); ++axis)
    take(axis, open->valueFor(axis, starts, DimExpr(0)),
         open->valueFor(axis, ends, dims[axis]),
         open->valueFor(axis, steps, DimExpr(1)));
  n.result(value);
}

static void importSlice(NodeReading &n) {
  DimVector dims = n.dims(0);
  SmallVector<DimExpr> starts, ends;
  auto asElements = [](ArrayRef<int64_t> values) {
    return SmallVector<DimExpr>(values.begin(), values.end());
  };
  bool old = n.version < 10;
  if (!old && !(n.has(1) && n.has(2)))
    return n.fail(invalid("Slice needs starts and ends"));
  starts =
      old ? asElements(n.intsAttribute("starts")) : n.elements(1, "a start");
  ends = old ? asElements(n.intsAttribute("ends")) : n.elements(2, "an end");
  if (!n.failed() && !old && (isOpen(n, 3) || isOpen(n, 4)))
    return importOpenSlice(n, starts, ends);
  SmallVector<int64_t> all(starts.size());
  std::iota(all.begin(), all.end(), 0);
  SmallVector<int64_t> axes = n.constantInts("axes", 3).value_or(all);
  SmallVector<int64_t> steps =
      n.constantInts("steps", 4)
          .value_or(SmallVector<int64_t>(starts.size(), 1));
  for (int64_t &axis : axes)
    axis = n.axis(axis, dims.size());
  n.axes(axes, dims.size()); // refuses repeated ones
  bool fits = ends.size() == starts.size() && axes.size() == starts.size() &&
              steps.size() == starts.size();
  if (!fits || llvm::is_contained(steps, 0) ||
      llvm::is_contained(steps, INT64_MIN))
    n.fail(invalid("starts, ends, axes and steps do not fit together"));
  if (n.failed())
    return;
  auto known = n.knownElements(0);
  for (size_t i = 0; known && i < axes.size(); ++i)
    known = takeKnown(*known, axes[i],
                      slicePart(starts[i], ends[i], steps[i], dims[axes[i]]));
  if (known)
    return n.result(0, std::move(*known), n.elementType(0));
  Value value = n.input(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const DimExpr &size = dims[axes[i]];
    value = takePart(n.b, value, axes[i], size,
                     slicePart(starts[i], ends[i], steps[i], size));
  }
  n.result(value);
}

/// Sizes of a Split's parts: given, or equal ones with a smaller last one.
static SmallVector<DimExpr> splitSizes(NodeReading &n, const DimExpr &size) {
  if (n.hasAttribute("split"))
    return llvm::map_to_vector(n.intsAttribute("split"),
                               [](int64_t value) { return DimExpr(value); });
  if (n.has(1))
    return n.elements(1, "the size of a part");
  int64_t count = n.intAttribute("num_outputs", n.node.outputs.size());
  if (count != int64_t(n.node.outputs.size())) {
    n.fail(
        invalid(fmt::format("num_outputs is {} where the node has {} results",
                            count, n.node.outputs.size())));
    return {};
  }
  DimExpr each = DimExpr::ceilDiv(size, DimExpr(count));
  SmallVector<DimExpr> sizes(count, each);
  sizes.back() = size - each * DimExpr(count - 1);
  return sizes;
}

static void importSplit(NodeReading &n) {
  int64_t axis = n.axisAttribute("axis", 0, n.rank(0));
  if (n.failed())
    return;
  DimVector dims = n.dims(0);
  SmallVector<DimExpr> sizes = splitSizes(n, dims[axis]);
  if (n.failed())
    return;
  DimExpr total(0);
  for (const DimExpr &size : sizes)
    total = total + size;
  if (sizes.size() != n.node.outputs.size() ||
      (total.constant() && dims[axis].constant() && total != dims[axis]))
    return n.fail(invalid(
        fmt::format("{} parts of together {} elements from a dimension of {}",
                    sizes.size(), total.str(), dims[axis].str())));
  n.b.requireEqual(total, dims[axis],
                   "the sum of the parts and the dimension,");
  auto known = n.knownElements(0);
  DimExpr start(0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::optional<Elements> part =
        known ? takeKnown(*known, axis, {start, sizes[i], 1}) : std::nullopt;
    if (part)
      n.result(i, std::move(*part), n.elementType(0));
    else
      n.result(i, n.b.sliceDim(n.input(0), axis, start, sizes[i]));
    start = start + sizes[i];
  }
}

llvm::ArrayRef<OpRow> zenith::onnx::movementRows() {
  static constexpr OpRow rows[] = {
      {"Concat", 4, newest, 1, anyNumber, importConcat, foldConcat, false,
       Emulated::Moved},
      {"Expand", 8, newest, 2, 2, importExpand, nullptr, false,
       Emulated::Moved},
      {"Flatten", 1, newest, 1, 1, importFlatten, nullptr, false,
       Emulated::Moved},
      {"Reshape", 1, newest, 1, 2, importReshape, nullptr, false,
       Emulated::Moved},
      {"Slice", 1, newest, 1, 5, importSlice, nullptr, false, Emulated::Moved},
      {"Split", 2, newest, 1, 2, importSplit, nullptr, false, Emulated::Moved},
      {"Squeeze", 1, newest, 1, 2, importSqueeze, nullptr, false,
       Emulated::Moved},
      {"Tile", 6, newest, 2, 2, importTile, nullptr, false, Emulated::Moved},
      {"Transpose", 1, newest, 1, 1, importTranspose, nullptr, false,
       Emulated::Moved},
      {"Unsqueeze", 1, newest, 1, 2, importUnsqueeze, nullptr, false,
       Emulated::Moved},
  };
  return rows;
}
