// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and windows along dealt dimensions: each device reads the rows
// of its neighbours that its windows reach into, at any stride and dilation.

#include "ir/matchers/ValueBuilders.h"
#include "passes/sharding/partition/Partitioner.h"
#include "passes/sharding/partition/WindowRows.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// A convolution whose places, or whose window's elements, are dealt.
struct DealtConvolution {
  Partitioner &p;
  graph::ConvolutionOp op;
  RankedTensorType input, kernel, result;
  ArrayRef<int64_t> inputs, kernels, outputs; ///< spatial dimensions

  DealtConvolution(Partitioner &p, graph::ConvolutionOp op)
      : p(p), op(op), input(tensorTypeOf(op.getInput())),
        kernel(tensorTypeOf(op.getKernel())),
        result(tensorTypeOf(op.getResult())),
        inputs(op.getDims().getInputSpatial()),
        kernels(op.getDims().getKernelSpatial()),
        outputs(op.getDims().getOutputSpatial()) {}

  bool byPlaces();
  bool byElements();

private:
  Atoms sharedFeatures(const Layout &to);
  /// Builds it with `places[i]` of spatial dimension i, nothing where it is
  /// whole, and the layout `to` with terms over `terms`.
  void build(const Layout &from, const Layout &filters, const Layout &to,
             ArrayRef<std::optional<WindowPlaces>> places);
  WindowPlaces placesAlong(size_t i, const Atoms &atoms) {
    WindowPlaces places;
    places.dim = inputs[i];
    places.atoms = atoms;
    places.size = input.getDimSize(inputs[i]);
    places.low = op.getLow()[i];
    places.dilation = op.getInputDilation()[i];
    return places;
  }
  int64_t reach(size_t i, int64_t elements) {
    return (elements - 1) * op.getKernelDilation()[i] + 1;
  }
};
} // namespace

// Axes that deal the input's features and the filters' alike, evenly, and that
// `to` leaves: along these the device's sums are terms.
Atoms DealtConvolution::sharedFeatures(const Layout &to) {
  graph::ConvDimsAttr dims = op.getDims();
  if (op.getGroups() != 1)
    return {};
  Layout given = p.layoutOf(op.getInput()), own = p.layoutOf(op.getKernel());
  const Atoms &atoms = given.dims[dims.getInputFeature()];
  bool isShared =
      atoms == own.dims[dims.getKernelInput()] &&
      input.getDimSize(dims.getInputFeature()) % p.axes.size(atoms) == 0 &&
      llvm::none_of(atoms, [&](unsigned atom) { return to.uses(atom); });
  return isShared ? atoms : Atoms();
}

void DealtConvolution::build(const Layout &from, const Layout &filters,
                             const Layout &to,
                             ArrayRef<std::optional<WindowPlaces>> places) {
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getInput(), from);
  Value weights = p.request(op.getKernel(), filters);
  Value zero = x.scalar(input.getElementType(), 0);
  SmallVector<int64_t> low(op.getLow()), high(op.getHigh()),
      dilation(op.getInputDilation());
  for (auto [i, along] : llvm::enumerate(places)) {
    if (!along)
      continue;
    WindowRows rows = windowRows(x, source, *along, zero);
    source = rows.rows;
    low[i] = rows.low;
    high[i] = rows.high;
    dilation[i] = rows.dilation;
  }
  auto built = cast<graph::ConvolutionOp>(p.b.clone(*op));
  built->setOperands({source, weights});
  built.setLow(low);
  built.setHigh(high);
  built.setInputDilation(dilation);
  built.getResult().setType(p.axes.blockType(result, to));
  p.set(op.getResult(), to, built.getResult());
}

// Each device computes its part of the result's spatial dimensions.
bool DealtConvolution::byPlaces() {
  graph::ConvDimsAttr dims = op.getDims();
  Layout to = p.targetLayout(*op);
  if (llvm::all_of(outputs, [&](int64_t dim) { return to.dims[dim].empty(); }))
    return false;
  if (op.getGroups() != 1 && !to.dims[dims.getOutputFeature()].empty())
    return false;
  Layout from = Layout::whole(input.getRank());
  Layout filters = Layout::whole(kernel.getRank());
  from.dims[dims.getInputBatch()] = to.dims[dims.getOutputBatch()];
  filters.dims[dims.getKernelOutput()] = to.dims[dims.getOutputFeature()];
  to.partial = sharedFeatures(to);
  from.dims[dims.getInputFeature()] = to.partial;
  filters.dims[dims.getKernelInput()] = to.partial;
  to.partial = p.axes.inMeshOrder(to.partial);
  SmallVector<std::optional<WindowPlaces>> places(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Atoms &atoms = to.dims[outputs[i]];
    if (atoms.empty())
      continue;
    from.dims[inputs[i]] = atoms;
    int64_t all = result.getDimSize(outputs[i]),
            own = p.axes.blockSize(all, atoms), stride = op.getStrides()[i],
            reached = reach(i, kernel.getDimSize(kernels[i]));
    WindowPlaces along = placesAlong(i, atoms);
    along.step = own * stride;
    along.places = (own - 1) * stride + reached;
    along.total = (all - 1) * stride + reached;
    places[i] = along;
  }
  build(from, filters, to, places);
  return true;
}

// Each device has some elements of the windows, as where the gradient of a
// kernel folds the places of the result: its sums are terms.
bool DealtConvolution::byElements() {
  graph::ConvDimsAttr dims = op.getDims();
  if (op.getGroups() != 1)
    return false;
  Layout filters = p.layoutOf(op.getKernel());
  filters.partial.clear();
  Layout to = p.targetLayout(*op);
  if (llvm::any_of(outputs, [&](int64_t dim) { return !to.dims[dim].empty(); }))
    return false;
  SmallVector<std::optional<WindowPlaces>> places(inputs.size());
  Layout from = Layout::whole(input.getRank());
  Atoms terms;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Atoms &atoms = filters.dims[kernels[i]];
    if (atoms.empty())
      continue;
    int64_t all = kernel.getDimSize(kernels[i]), shards = p.axes.size(atoms);
    if (all % shards != 0)
      return false;
    from.dims[inputs[i]] = atoms;
    int64_t own = all / shards, stride = op.getStrides()[i],
            results = result.getDimSize(outputs[i]);
    WindowPlaces along = placesAlong(i, atoms);
    along.step = own * op.getKernelDilation()[i];
    along.places = (results - 1) * stride + reach(i, own);
    along.total = (results - 1) * stride + reach(i, all);
    places[i] = along;
    llvm::append_range(terms, atoms);
  }
  if (terms.empty())
    return false;
  auto isTerm = [&](unsigned atom) { return llvm::is_contained(terms, atom); };
  // What the terms' axes deal of the result is dealt when they are joined.
  for (Atoms &dim : to.dims)
    if (llvm::any_of(dim, isTerm))
      dim.clear();
  Atoms features = sharedFeatures(to);
  if (llvm::any_of(features, isTerm))
    features.clear();
  llvm::append_range(terms, features);
  to.partial = p.axes.inMeshOrder(terms);
  from.dims[dims.getInputFeature()] = features;
  from.dims[dims.getInputBatch()] = to.dims[dims.getOutputBatch()];
  filters.dims[dims.getKernelInput()] = features;
  filters.dims[dims.getKernelOutput()] = to.dims[dims.getOutputFeature()];
  build(from, filters, to, places);
  return true;
}

//===----------------------------------------------------------------------===//
// Folds of windows
//===----------------------------------------------------------------------===//

static bool reduceWindow(Partitioner &p, graph::ReduceWindowOp op) {
  Layout to = p.targetLayout(*op);
  RankedTensorType input = tensorTypeOf(op.getOperand()),
                   result = tensorTypeOf(op.getResult());
  auto isDealt = [&](size_t dim) {
    return !to.dims[dim].empty() &&
           (op.getWindow()[dim] != 1 || op.getStrides()[dim] != 1 ||
            op.getLow()[dim] != 0 || op.getHigh()[dim] != 0 ||
            op.getBaseDilation()[dim] != 1);
  };
  if (llvm::none_of(llvm::seq<size_t>(0, to.dims.size()), isDealt))
    return false;
  LocalBuilder x = p.local(op.getLoc());
  Value source = p.request(op.getOperand(), to);
  Value neutral = p.b.create<graph::ConstantOp>(
      op.getLoc(), cast<ElementsAttr>(graph::neutralElement(
                       op.getKind(), input.getElementType())));
  SmallVector<int64_t> low(op.getLow()), high(op.getHigh()),
      dilation(op.getBaseDilation());
  for (size_t dim = 0; dim < to.dims.size(); ++dim) {
    if (!isDealt(dim))
      continue;
    int64_t all = result.getDimSize(dim),
            own = p.axes.blockSize(all, to.dims[dim]),
            stride = op.getStrides()[dim],
            reach = (op.getWindow()[dim] - 1) * op.getDilation()[dim] + 1;
    WindowPlaces along;
    along.dim = int64_t(dim);
    along.atoms = to.dims[dim];
    along.size = input.getDimSize(dim);
    along.low = low[dim];
    along.dilation = dilation[dim];
    along.step = own * stride;
    along.places = (own - 1) * stride + reach;
    along.total = (all - 1) * stride + reach;
    WindowRows rows = windowRows(x, source, along, neutral);
    source = rows.rows;
    low[dim] = rows.low;
    high[dim] = rows.high;
    dilation[dim] = rows.dilation;
  }
  auto built = cast<graph::ReduceWindowOp>(p.b.clone(*op));
  built->setOperands(source);
  built.setLow(low);
  built.setHigh(high);
  built.setBaseDilation(dilation);
  built.getResult().setType(p.axes.blockType(result, to));
  p.set(op.getResult(), to, built.getResult());
  return true;
}

bool Partitioner::byWindows(Operation &op) {
  if (auto folds = dyn_cast<graph::ReduceWindowOp>(op))
    return reduceWindow(*this, folds);
  DealtConvolution dealt(*this, cast<graph::ConvolutionOp>(op));
  return dealt.byPlaces() || dealt.byElements();
}
