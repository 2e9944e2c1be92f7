// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a fused region with symbolic indices until no reshape splits a
// dimension any more, then collapses dimensions.

#include "lowering/builder/IterationSpace.h"
#include "ir/matchers/IotaIndices.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// One walk: follows every value from the roots to the leaves, once per
/// distinct index.
class IterationSpace::Walk {
public:
  Walk(graph::DimAnalysis &dims, ArrayRef<Atom> atoms, unsigned shapeRank,
       ArrayRef<Value> stops, MLIRContext *context)
      : math(nullptr), dims(dims), context(context),
        stops(stops.begin(), stops.end()) {
    SmallVector<DimExpr> inner(shapeRank, DimExpr(1));
    index.assign(shapeRank, LaneIndex(0));
    variables.resize(atoms.size());
    for (unsigned a = atoms.size(); a-- > 0;) {
      LaneIndex x = fresh(atoms[a].size, &variables[a]);
      LaneIndex &at = index[atoms[a].dim];
      at = math.add(math.scale(x, inner[atoms[a].dim]), at);
      inner[atoms[a].dim] = inner[atoms[a].dim] * atoms[a].size;
    }
  }

  void follow(const SpaceRoot &root) {
    SmallVector<LaneIndex> at;
    for (unsigned d : root.dims)
      at.push_back(d == SpaceRoot::single ? LaneIndex(0) : index[d]);
    if (root.written)
      access(root.value, at, true, false, root.into);
    visit(root.value, at);
    // With a stack of its own: regions are deeper than the machine's.
    std::vector<Visit> stack;
    while (true) {
      stack.insert(stack.end(), std::make_move_iterator(next.rbegin()),
                   std::make_move_iterator(next.rend()));
      next.clear();
      if (stack.empty())
        return;
      Visit now = std::move(stack.back());
      stack.pop_back();
      enter(now.value, now.at);
    }
  }

  struct Found {
    Value value;
    LaneIndex linear;
    bool written, small;
  };
  struct Edge {
    Value variable;
    DimExpr at;
  };
  IndexMath math;
  SmallVector<Value> variables; ///< one per atom
  std::vector<Found> found;
  std::vector<Edge> edges;
  DenseSet<Value> fixed; ///< variables that must keep their meaning

private:
  LaneIndex fresh(DimExpr size, Value *variable = nullptr) {
    Value value =
        scratch.addArgument(IndexType::get(context), UnknownLoc::get(context));
    if (variable)
      *variable = value;
    return math.scalar(value, std::move(size));
  }

  void access(Value value, ArrayRef<LaneIndex> at, bool written, bool small,
              Value memory = {}) {
    LaneIndex linear(0);
    DimExpr stride = 1;
    const graph::DimVector &sizes = dims.dimsOf(memory ? memory : value);
    for (unsigned d = at.size(); d-- > 0;) {
      linear = math.add(linear, math.scale(at[d], stride));
      stride = stride * sizes[d];
    }
    for (const Found &known : found)
      if (known.value == value && known.written == written &&
          known.linear == linear)
        return;
    found.push_back({value, linear, written, small});
  }

  void keep(const LaneIndex &x) {
    for (Value variable : variables)
      if (!math.factorOf(x, variable).isConstant(0) || math.opaque(x, variable))
        fixed.insert(variable);
  }

  // The meaning of x changes where it reaches `at`.
  void edge(const LaneIndex &x, const DimExpr &at) {
    keep(x);
    LaneIndex only = x;
    only.offset = 0;
    if (Value variable = math.onlyVariable(only))
      edges.push_back({variable, at - x.offset});
  }

  void visitAll(Operation *op, ArrayRef<LaneIndex> at) {
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      if (graph::familyOf(op) != graph::Family::Elementwise && number > 0)
        return;
      if (auto inner = operandIndex(math, dims, op, at)) {
        visit(operand, *inner);
      } else {
        // A data-dependent start shifts all positions alike; the map is
        // otherwise unchanged.
        SmallVector<LaneIndex> moved(at);
        if (auto slice = dyn_cast<graph::SliceOp>(op))
          for (auto [d, x] : llvm::enumerate(moved))
            x = math.scale(x, slice.getStrides()[d]);
        visit(operand, moved);
      }
    }
  }

  /// A value to be entered after those before it and what they lead to.
  struct Visit {
    Value value;
    SmallVector<LaneIndex> at;
  };

  void visit(Value value, ArrayRef<LaneIndex> at) {
    next.push_back({value, SmallVector<LaneIndex>(at)});
  }

  void enter(Value value, ArrayRef<LaneIndex> at) {
    if (llvm::is_contained(stops, value))
      return;
    auto &seen = visited[value];
    for (const auto &known : seen)
      if (ArrayRef<LaneIndex>(known) == at)
        return;
    seen.emplace_back(at.begin(), at.end());
    if (isa<BlockArgument>(value)) {
      if (!knownScalar(dims, value))
        access(value, at, false, at.empty());
      return;
    }
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
          elements && !elements.isSplat())
        access(value, at, false, true);
    } else if (auto iota = dyn_cast<graph::IotaOp>(op)) {
      keep(at[iota.getDim()]);
    } else if (auto pad = dyn_cast<graph::PadOp>(op)) {
      visitPad(pad, at);
    } else if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
      visitConcat(concat, at);
    } else if (auto gather = dyn_cast<graph::GatherOp>(op)) {
      visitGather(gather, at);
    } else if (auto slice = dyn_cast<graph::DynamicSliceOp>(op)) {
      visitSlice(slice, at);
    } else if (auto update = dyn_cast<graph::DynamicUpdateSliceOp>(op)) {
      visitUpdate(update, at);
    } else if (isa<graph::ReduceOp, graph::ArgReduceOp, graph::ReduceWindowOp,
                   graph::ConvolutionOp>(op)) {
      visitReduction(op, at);
    } else if (!isa<graph::DimOp>(op)) {
      visitAll(op, at);
    }
  }

  // A start is the same for all elements, but unknown: a reshape below divides
  // positions that begin anywhere.
  void visitSlice(graph::DynamicSliceOp op, ArrayRef<LaneIndex> at) {
    const graph::DimVector sizes = dims.dimsOf(op.getOperand()),
                           own = dims.dimsOf(op.getResult());
    SmallVector<LaneIndex> moved(at);
    for (auto [d, x] : llvm::enumerate(moved))
      if (sizes[d] != own[d])
        x = math.add(x, fresh(sizes[d] - own[d] + 1));
    visit(op.getOperand(), moved);
    for (Value start : op.getStarts())
      visit(start, {});
  }

  void visitPad(graph::PadOp op, ArrayRef<LaneIndex> at) {
    auto low = mixedEntries(dims, op.getStaticLow(), op.getLow());
    const graph::DimVector sizes = dims.dimsOf(op.getOperand()),
                           resultSizes = dims.dimsOf(op.getResult());
    SmallVector<LaneIndex> inner;
    for (auto [d, x] : llvm::enumerate(at)) {
      bool same = low[d].isConstant(0) && sizes[d] == resultSizes[d] &&
                  op.getInterior()[d] == 0;
      if (op.getInterior()[d] > 0) {
        keep(x);
        inner.push_back(math.opaqueOf(x, sizes[d]));
        continue;
      }
      if (!same) {
        edge(x, low[d]);
        edge(x, low[d] + sizes[d]);
      }
      inner.push_back(math.shift(x, DimExpr(0) - low[d]));
    }
    visit(op.getOperand(), inner);
    visit(op.getValue(), {});
  }

  void visitConcat(graph::ConcatOp op, ArrayRef<LaneIndex> at) {
    DimExpr begin = 0;
    for (Value piece : op.getOperands()) {
      SmallVector<LaneIndex> inner(at);
      inner[op.getDim()] = math.shift(at[op.getDim()], DimExpr(0) - begin);
      if (!begin.isConstant(0))
        edge(at[op.getDim()], begin);
      visit(piece, inner);
      begin = begin + dims.dimOf(piece, op.getDim());
    }
    keep(at[op.getDim()]);
  }

  void visitGather(graph::GatherOp op, ArrayRef<LaneIndex> at) {
    auto numbers = op.getDims();
    const graph::DimVector sizes = dims.dimsOf(op.getOperand());
    SmallVector<LaneIndex> batch, offsets;
    for (auto [d, x] : llvm::enumerate(at))
      (llvm::is_contained(numbers.getOffsetDims(), int64_t(d)) ? offsets
                                                               : batch)
          .push_back(x);
    SmallVector<LaneIndex> starts(batch);
    int64_t vectorDim = numbers.getIndexVectorDim();
    if (vectorDim <
        cast<RankedTensorType>(op.getStartIndices().getType()).getRank())
      starts.insert(starts.begin() + vectorDim, LaneIndex(0));
    visit(op.getStartIndices(), starts);
    SmallVector<LaneIndex> inner;
    unsigned next = 0;
    for (int64_t d = 0; d < int64_t(sizes.size()); ++d) {
      if (auto *known = llvm::find(numbers.getOperandBatchingDims(), d);
          known != numbers.getOperandBatchingDims().end()) {
        int64_t source = numbers.getStartIndicesBatchingDims()
                             [known - numbers.getOperandBatchingDims().begin()];
        inner.push_back(batch[source > vectorDim ? source - 1 : source]);
        continue;
      }
      LaneIndex x = llvm::is_contained(numbers.getCollapsedSliceDims(), d)
                        ? LaneIndex(0)
                        : offsets[next++];
      auto *mapped = llvm::find(numbers.getStartIndexMap(), d);
      if (mapped != numbers.getStartIndexMap().end() &&
          op.getSliceSizes()[d] >= 0) {
        auto counted = graph::iotaStart(
            op, mapped - numbers.getStartIndexMap().begin(), dims);
        x = math.add(x, counted ? batch[*counted]
                                : math.opaqueOf(batch, sizes[d]));
      }
      inner.push_back(x);
    }
    visit(op.getOperand(), inner);
  }

  void visitUpdate(graph::DynamicUpdateSliceOp op, ArrayRef<LaneIndex> at) {
    const graph::DimVector sizes = dims.dimsOf(op.getOperand()),
                           updates = dims.dimsOf(op.getUpdate());
    for (auto [d, x] : llvm::enumerate(at))
      if (sizes[d] != updates[d])
        keep(x);
    visit(op.getOperand(), at);
    visit(op.getUpdate(), at);
    for (Value start : op.getStarts())
      visit(start, {});
  }

  // A reduction within the element: every dimension of its result keeps its
  // meaning. The reduced positions are opaque, except along features.
  void visitReduction(Operation *op, ArrayRef<LaneIndex> at) {
    for (const LaneIndex &x : at)
      keep(x);
    SmallVector<LaneIndex> inner;
    if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      for (unsigned d = 0, next = 0;
           d < dims.dimsOf(reduce.getOperand()).size(); ++d)
        inner.push_back(llvm::is_contained(reduce.getDims(), int64_t(d))
                            ? LaneIndex(0)
                            : at[next++]);
    } else if (auto reduce = dyn_cast<graph::ArgReduceOp>(op)) {
      inner.assign(at.begin(), at.end());
      inner.insert(inner.begin() + reduce.getDim(), LaneIndex(0));
    } else if (auto window = dyn_cast<graph::ReduceWindowOp>(op)) {
      for (auto [d, x] : llvm::enumerate(at))
        inner.push_back(math.scale(x, window.getStrides()[d]));
    } else {
      visitConvolution(cast<graph::ConvolutionOp>(op), at);
      return;
    }
    visit(op->getOperand(0), inner);
  }

  void visitConvolution(graph::ConvolutionOp op, ArrayRef<LaneIndex> at) {
    auto numbers = op.getDims();
    SmallVector<LaneIndex> input(at.size()), kernel(at.size(), LaneIndex(0));
    LaneIndex feature = at[numbers.getOutputFeature()];
    input[numbers.getInputBatch()] = at[numbers.getOutputBatch()];
    auto type = cast<RankedTensorType>(op.getKernel().getType());
    // Groups with as many outputs as inputs are read whole, by neighbouring
    // lanes.
    bool alike =
        type.getDimSize(numbers.getKernelOutput()) ==
        int64_t(op.getGroups()) * type.getDimSize(numbers.getKernelInput());
    input[numbers.getInputFeature()] = alike ? feature : LaneIndex(0);
    kernel[numbers.getKernelOutput()] = feature;
    for (auto [s, d] : llvm::enumerate(numbers.getInputSpatial()))
      input[d] =
          math.scale(at[numbers.getOutputSpatial()[s]], op.getStrides()[s]);
    visit(op.getInput(), input);
    visit(op.getKernel(), kernel);
  }

  Block scratch;
  graph::DimAnalysis &dims;
  MLIRContext *context;
  SmallVector<Value> stops;
  SmallVector<LaneIndex> index; ///< of the shape
  std::vector<Visit> next;
  DenseMap<Value, std::vector<SmallVector<LaneIndex, 4>>> visited;
};

IterationSpace::IterationSpace(graph::DimAnalysis &dims,
                               ArrayRef<DimExpr> shape,
                               ArrayRef<SpaceRoot> roots,
                               ArrayRef<unsigned> groups, ArrayRef<Value> stops)
    : shapeRank(shape.size()) {
  MLIRContext *context = roots.front().value.getContext();
  for (auto [d, size] : llvm::enumerate(shape))
    if (!size.isConstant(1))
      atoms.push_back({size, unsigned(d)});
  // Each round splits an atom of finite size, so this ends.
  while (true) {
    Walk walk(dims, atoms, shapeRank, stops, context);
    for (const SpaceRoot &root : roots)
      walk.follow(root);
    if (atoms.size() < 24 && splitAtoms(walk))
      continue;
    collapseAtoms(walk, groups);
    addEdges(walk);
    return;
  }
}

IterationSpace::~IterationSpace() = default;

bool IterationSpace::splitAtoms(const Walk &walk) {
  for (const IndexMath::Split &split : walk.math.splits) {
    auto *at = llvm::find(walk.variables, split.variable);
    if (at == walk.variables.end())
      continue;
    unsigned a = at - walk.variables.begin();
    Atom outer{*atoms[a].size.exactDiv(split.inner), atoms[a].dim};
    atoms[a].size = split.inner;
    atoms.insert(atoms.begin() + a, outer);
    return true;
  }
  return false;
}

void IterationSpace::collapseAtoms(const Walk &walk,
                                   ArrayRef<unsigned> groups) {
  auto groupOf = [&](unsigned atom) {
    return groups.empty() ? 0 : groups[atoms[atom].dim];
  };
  auto agree = [&](unsigned outer, const DimExpr &innerSize, unsigned inner) {
    if (walk.fixed.contains(walk.variables[outer]) ||
        walk.fixed.contains(walk.variables[inner]) ||
        groupOf(outer) != groupOf(inner))
      return false;
    return llvm::all_of(walk.found, [&](const Walk::Found &access) {
      Value far = walk.variables[outer], near = walk.variables[inner];
      return walk.math.opaque(access.linear, far) ==
                 walk.math.opaque(access.linear, near) &&
             !walk.math.opaque(access.linear, far) &&
             walk.math.factorOf(access.linear, far) ==
                 walk.math.factorOf(access.linear, near) * innerSize;
    });
  };
  for (unsigned a = atoms.size(); a-- > 0;) {
    // The loop being built is the first one of `loops`; its innermost atom has
    // the strides.
    if (!loops.empty()) {
      Loop &loop = loops.front();
      if (agree(a, loop.size, loop.first + loop.count - 1)) {
        loop.size = loop.size * atoms[a].size;
        loop.first = a;
        ++loop.count;
        continue;
      }
    }
    loops.insert(loops.begin(), {atoms[a].size,
                                 a,
                                 1,
                                 groupOf(a),
                                 {},
                                 !walk.fixed.contains(walk.variables[a])});
  }
  for (const Walk::Found &access : walk.found) {
    Access described{access.value, access.written, {}, {}, access.small};
    for (const Loop &loop : loops) {
      Value variable = walk.variables[loop.first + loop.count - 1];
      described.factors.push_back(walk.math.factorOf(access.linear, variable));
      described.opaque.push_back(walk.math.opaque(access.linear, variable));
    }
    found.push_back(std::move(described));
  }
}

void IterationSpace::addEdges(const Walk &walk) {
  for (Loop &loop : loops) {
    if (loop.count != 1)
      continue;
    for (const Walk::Edge &edge : walk.edges) {
      if (edge.variable != walk.variables[loop.first] ||
          llvm::is_contained(loop.edges, edge.at))
        continue;
      // Only if its order among the other edges is known.
      bool inside = DimExpr(1).provablyAtMost(edge.at) &&
                    edge.at.provablyAtMost(loop.size - 1);
      bool ordered = llvm::all_of(loop.edges, [&](const DimExpr &other) {
        return other.provablyAtMost(edge.at) || edge.at.provablyAtMost(other);
      });
      if (!(inside || !edge.at.constant()) || !ordered ||
          loop.edges.size() >= 8)
        continue;
      auto *place = llvm::find_if(loop.edges, [&](const DimExpr &other) {
        return !other.provablyAtMost(edge.at);
      });
      loop.edges.insert(place, edge.at);
    }
  }
}

DimExpr IterationSpace::rows(ArrayRef<unsigned> without) const {
  DimExpr product = 1;
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (!llvm::is_contained(without, loop))
      product = product * loops[loop].size;
  return product;
}

SmallVector<LaneIndex>
IterationSpace::shapeIndex(IndexMath &math,
                           ArrayRef<LaneIndex> loopIndex) const {
  SmallVector<LaneIndex> atomIndex(atoms.size(), LaneIndex(0));
  for (auto [number, loop] : llvm::enumerate(loops)) {
    SmallVector<DimExpr> boundaries;
    DimExpr inner = 1;
    for (unsigned a = loop.first + loop.count - 1; a > loop.first; --a) {
      inner = inner * atoms[a].size;
      boundaries.push_back(inner);
    }
    if (!boundaries.empty())
      math.collapse(loopIndex[number], boundaries);
    atomIndex[loop.first + loop.count - 1] = loopIndex[number];
  }
  SmallVector<LaneIndex> index(shapeRank, LaneIndex(0));
  SmallVector<DimExpr> inner(shapeRank, DimExpr(1));
  for (unsigned a = atoms.size(); a-- > 0;) {
    unsigned d = atoms[a].dim;
    index[d] = math.add(math.scale(atomIndex[a], inner[d]), index[d]);
    inner[d] = inner[d] * atoms[a].size;
  }
  return index;
}

} // namespace zenith::kernels
