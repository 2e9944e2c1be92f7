// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as products: rows are output positions, the sum runs over taps
// of the window and over channels of an input that is never copied, as long as
// its channels are neighbours.

#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/ContractionSpace.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Zeros that rows outside of the feature map read must fit the first-level
/// cache beside everything else.
static int64_t maxZeroRow(const TargetModel &target) {
  return int64_t(target.l1Share(0.5)) / int64_t(sizeof(float));
}

namespace {

struct ConvolutionAxes {
  graph::ConvolutionOp op;
  graph::DimAnalysis &dims;
  const TargetModel &target;
  ContractionSpace space;
  SmallVector<int64_t> low, high; ///< padding that is left to clip
  SmallVector<int64_t> strides;   ///< over what `input` describes
  SmallVector<StridedDim> input;  ///< digits of [batch, spatial..., feature]
  SmallVector<DimExpr> extents;   ///< spatial sizes of what `input` describes
  bool overPixels = false;        ///< the sum runs over pixels of a line first

  unsigned spatial() { return op.getStrides().size(); }
  bool clipped(unsigned i) { return low[i] > 0 || high[i] > 0; }
  void placeInput();
  bool isPointwise();
  bool sumsPixels();
  bool skipsPixels();
  bool needsCopy();
  bool takesGroups(const PlacedOperand &kernel);
  void copyInput(Value value);
  void addRows();
  void addTaps(const PlacedOperand &kernel);
  PlacedOperand placeKernel();
  void splitPanels(PlacedOperand &kernel, unsigned output);
  void addGroups(const StridedDim &digits, Stride &outputs);
  LogicalResult build();
};

} // namespace

void ConvolutionAxes::placeInput() {
  graph::ConvDimsAttr numbers = op.getDims();
  DimExpr features =
      dims.dimOf(op.getKernel(), unsigned(numbers.getKernelOutput()));
  PlacedOperand placed = placeLeft(space, features, dims, target);
  SmallVector<unsigned> order{unsigned(numbers.getInputBatch())};
  for (int64_t dim : numbers.getInputSpatial()) {
    order.push_back(unsigned(dim));
    extents.push_back(dims.dimOf(op.getInput(), unsigned(dim)));
  }
  order.push_back(unsigned(numbers.getInputFeature()));
  for (unsigned dim : order) {
    StridedDim digits = placed.dims[dim];
    coalesce(digits);
    input.push_back(digits);
  }
  space.a = placed.source;
}

bool ConvolutionAxes::isPointwise() {
  return llvm::none_of(llvm::seq(spatial()), [&](unsigned i) {
    return clipped(i) ||
           !dims.dimOf(op.getKernel(),
                       unsigned(op.getDims().getKernelSpatial()[i]))
                .isConstant(1);
  });
}

/// The gradient of weights: windows as large as images, few places for them,
/// and numbers of the batch (channels, once) side by side in memory. Those make
/// the rows of a tile then, and the sum runs along a line of the image, unless
/// it is too short to be worth a loop. Wide panels make up for what A takes
/// from afar: a cache line for each depth of a tile.
bool ConvolutionAxes::sumsPixels() {
  constexpr int64_t mostPlaces = 32, fewestRows = 16, shortestLine = 12,
                    widePanel = 32;
  graph::ConvDimsAttr numbers = op.getDims();
  if (target.printed || op.getGroups() != 1 || target.nr < widePanel ||
      llvm::any_of(
          input, [](const StridedDim &digits) { return digits.size() != 1; }))
    return false;
  auto rows = input.front()[0].size.constant(),
       line = dims.dimOf(op.getKernel(),
                         unsigned(numbers.getKernelSpatial().back()))
                  .constant(),
       columns = dims.dimOf(op.getKernel(), unsigned(numbers.getKernelOutput()))
                     .constant();
  int64_t places = 1;
  for (int64_t dim : numbers.getOutputSpatial()) {
    auto size = dims.dimOf(op.getResult(), unsigned(dim)).constant();
    places = size && places <= mostPlaces ? places * *size : mostPlaces + 1;
  }
  return rows && *rows >= fewestRows && line && *line >= shortestLine &&
         columns && *columns >= int64_t(target.lanes) && places > 0 &&
         places <= mostPlaces && input.front()[0].stride.isConstant(1) &&
         !input.back()[0].stride.isConstant(1);
}

/// Pixels that strides leave out divide the others into short lines, which
/// fill tiles badly; those that count are few, and many columns read them.
bool ConvolutionAxes::skipsPixels() {
  constexpr int64_t longLine = 24, fewestColumns = 64;
  graph::ConvDimsAttr numbers = op.getDims();
  auto line = dims.dimOf(op.getResult(),
                         unsigned(numbers.getOutputSpatial().back()))
                  .constant(),
       columns = dims.dimOf(op.getKernel(), unsigned(numbers.getKernelOutput()))
                     .constant();
  bool strided =
      llvm::any_of(strides, [](int64_t stride) { return stride != 1; }) &&
      llvm::all_of(low, [](int64_t before) { return before == 0; });
  bool run = input.back()[0].stride.isConstant(1);
  return strided && line && columns && (*line < longLine || !run) &&
         *columns >= fewestColumns * int64_t(op.getGroups()) &&
         !target.printed && isPointwise();
}

/// Where strides can't express the input, its channels are no run of memory, or
/// zeros to read instead of them would be too many.
bool ConvolutionAxes::needsCopy() {
  if (llvm::any_of(input,
                   [](const StridedDim &digits) { return digits.size() != 1; }))
    return true;
  if (llvm::any_of(op.getInputDilation(),
                   [](int64_t dilation) { return dilation != 1; }))
    return true;
  unsigned last = spatial() - 1;
  if (overPixels)
    return clipped(last);
  auto channels = input.back()[0].size.constant();
  bool run = input.back()[0].stride.isConstant(1);
  // Rows of zeros are chosen by pointer, which printed kernels have none of.
  if (clipped(last) &&
      (target.printed || !run || !channels || *channels > maxZeroRow(target)))
    return true;
  return skipsPixels() || (!run && !isPointwise());
}

/// Channels of the input can be read a group at a time.
bool ConvolutionAxes::takesGroups(const PlacedOperand &kernel) {
  unsigned group = kernel.group;
  if (group == 1)
    return true;
  auto channels = input.back()[0].size.constant();
  return !target.printed &&
         kernels::takesGroups(group, space.a.element, kernel.source.element) &&
         input.back()[0].stride.isConstant(1) && channels &&
         *channels % group == 0;
}

PlacedOperand padded(ContractionSpace &space, Value value,
                     SmallVector<PaddedDim> dims) {
  llvm::erase_if(space.preparations, [&](const Preparation &other) {
    return other.value == space.op->getOperand(0);
  });
  Preparation copy;
  copy.kind = Preparation::Pad;
  copy.value = value;
  copy.scratch = space.preparations.size();
  Type element = getElementTypeOrSelf(value.getType());
  PlacedOperand placed;
  placed.source = {true, copy.scratch, element, DimExpr(0)};
  placed.dims.resize(dims.size());
  DimExpr elements = 1;
  for (unsigned i = dims.size(); i-- > 0;) {
    placed.dims[i] = {{dims[i].size, elements}};
    elements = elements * dims[i].size;
  }
  copy.bytes = elements * DimExpr(int64_t(elementSize(element)));
  copy.padded = std::move(dims);
  space.preparations.push_back(std::move(copy));
  return placed;
}

void ConvolutionAxes::copyInput(Value value) {
  graph::ConvDimsAttr numbers = op.getDims();
  bool skips = !overPixels && skipsPixels();
  auto whole = [&](int64_t dim) {
    return PaddedDim{unsigned(dim), dims.dimOf(value, unsigned(dim))};
  };
  // What is side by side stays so.
  int64_t outermost = numbers.getInputBatch(),
          innermost = numbers.getInputFeature();
  if (overPixels)
    std::swap(outermost, innermost);
  SmallVector<PaddedDim> copied{whole(outermost)};
  for (unsigned i = 0; i < spatial(); ++i) {
    PaddedDim dim = whole(numbers.getInputSpatial()[i]);
    dim.step = op.getInputDilation()[i];
    // Lines outside of the image are left out where they are multiplied.
    bool inner = i + 1 == spatial();
    int64_t after = inner ? std::max<int64_t>(high[i], 0) : 0;
    dim.low = inner ? std::max<int64_t>(low[i], 0) : 0;
    if (dim.step != 1)
      dim.size = DimExpr::max(
          DimExpr(0), (dim.size - DimExpr(1)) * DimExpr(dim.step) + DimExpr(1));
    dim.size = dim.size + DimExpr(dim.low + after);
    if (skips) {
      dim.size =
          dims.dimOf(op.getResult(), unsigned(numbers.getOutputSpatial()[i]));
      dim.stride = std::exchange(strides[i], 1);
    }
    low[i] -= dim.low;
    high[i] -= after;
    extents[i] = dim.size;
    copied.push_back(std::move(dim));
  }
  copied.push_back(whole(innermost));
  PlacedOperand copy = padded(space, value, std::move(copied));
  input = std::move(copy.dims);
  if (overPixels)
    std::swap(input.front(), input.back());
  space.a = copy.source;
}

void ConvolutionAxes::addRows() {
  graph::ConvDimsAttr numbers = op.getDims();
  SmallVector<Axis> rows{{input[0][0].size, input[0][0].stride, DimExpr(0)}};
  space.rowDims.push_back(unsigned(numbers.getOutputBatch()));
  bool anyClip = false;
  for (unsigned i = 0; i < spatial(); ++i) {
    unsigned dim = unsigned(numbers.getOutputSpatial()[i]);
    DimExpr step = input[i + 1][0].stride;
    rows.push_back({dims.dimOf(op.getResult(), dim), step * DimExpr(strides[i]),
                    DimExpr(0)});
    space.rowDims.push_back(dim);
    space.a.offset = space.a.offset - step * DimExpr(low[i]);
    anyClip |= clipped(i);
  }
  space.columnDims.push_back(unsigned(numbers.getOutputFeature()));
  if (overPixels) {
    space.tileIsOutermost = true;
    space.tile = rows.front();
    space.lines.assign(rows.begin() + 1, rows.end());
    return;
  }
  if (!anyClip) {
    StridedDim digits;
    for (const Axis &row : rows)
      digits.push_back({row.size, row.strideA});
    coalesce(digits);
    rows.clear();
    for (const Stride &digit : digits)
      rows.push_back({digit.size, digit.stride, DimExpr(0)});
  }
  space.tile = rows.pop_back_val();
  space.lines.assign(rows.begin(), rows.end());
}

void ConvolutionAxes::addTaps(const PlacedOperand &kernel) {
  graph::ConvDimsAttr numbers = op.getDims();
  unsigned last = spatial() - 1;
  for (unsigned i = 0; i < spatial(); ++i) {
    const Stride &digit =
        kernel.dims[unsigned(numbers.getKernelSpatial()[i])][0];
    TapAxis tap;
    tap.axis = {digit.size,
                input[i + 1][0].stride * DimExpr(op.getKernelDilation()[i]),
                digit.stride};
    tap.clipped = clipped(i);
    tap.clip = {strides[i], op.getKernelDilation()[i], low[i], extents[i],
                i == last ? -1 : int(i) + 1};
    if (overPixels)
      tap.clip.line = int(i);
    if (tap.clipped || overPixels || !digit.size.isConstant(1))
      space.taps.push_back(tap);
  }
  const Stride &channels = kernel.dims[unsigned(numbers.getKernelInput())][0];
  space.depth = {channels.size, input.back()[0].stride, channels.stride};
  if (overPixels) {
    std::swap(space.taps.back().axis, space.depth);
    space.taps.back().clipped = false;
    return;
  }
  // Taps beside each other whose channels are one run of memory.
  while (!space.taps.empty() && !space.taps.back().clipped) {
    const Axis &tap = space.taps.back().axis;
    if (tap.strideA != space.depth.size * space.depth.strideA ||
        tap.strideB != space.depth.size * space.depth.strideB)
      break;
    space.depth.size = space.depth.size * tap.size;
    space.taps.pop_back();
  }
}

/// Behind the values of a transformed window lies the window itself.
PlacedOperand ConvolutionAxes::placeKernel() {
  Value kernel = op.getKernel();
  auto window = graph::matchTransformedFilter(op);
  if (!window)
    return placeOperand(space, kernel, dims);
  PlacedOperand placed = placeOperand(space, window->matrix, dims);
  StridedDim rows = placed.dims[0];
  coalesce(rows);
  if (placed.source.scratch || rows.size() != 1)
    return placeOperand(space, kernel, dims);
  StridedDim columns = placed.dims[1];
  graph::DimVector sizes = dims.dimsOf(kernel);
  unsigned depths = sizes.size() - 1;
  DimExpr depth = 1, stride = rows[0].stride;
  placed.dims.assign(sizes.size(), {});
  placed.dims.back() = columns;
  for (unsigned dim = depths; dim-- > 0;) {
    placed.dims[dim] = {{sizes[dim], depth * stride}};
    depth = depth * sizes[dim];
  }
  placed.source.offset = placed.source.offset + (rows[0].size - depth) * stride;
  if (placed.panel)
    space.panelRows = rows[0].size;
  return placed;
}

/// Panels that groups share none of are columns that lie apart.
void ConvolutionAxes::splitPanels(PlacedOperand &kernel, unsigned output) {
  DimExpr perGroup = DimExpr::floorDiv(dims.dimOf(op.getKernel(), output),
                                       DimExpr(int64_t(op.getGroups())));
  if (!kernel.panel || kernel.group != 1 || output + 1 != kernel.dims.size() ||
      !perGroup.exactDiv(int64_t(kernel.panel)))
    return;
  DimExpr panel = int64_t(kernel.panel), stride = panel;
  for (unsigned dim = 0; dim < output; ++dim)
    stride = stride * dims.dimOf(op.getKernel(), dim);
  DimExpr count = DimExpr::floorDiv(dims.dimOf(op.getKernel(), output), panel);
  kernel.dims[output] = {{count, stride}, {panel, DimExpr(1)}};
  kernel.panel = 0;
}

/// Groups, then panels of their columns; `outputs` becomes the columns of one.
void ConvolutionAxes::addGroups(const StridedDim &digits, Stride &outputs) {
  DimExpr groups = int64_t(op.getGroups());
  DimExpr inputs =
      dims.dimOf(op.getKernel(), unsigned(op.getDims().getKernelInput()));
  DimExpr stride = space.depth.strideA * inputs;
  if (digits.size() == 1) {
    outputs.size = DimExpr::floorDiv(outputs.size, groups);
    space.outer.push_back(
        {{groups, stride, outputs.stride * outputs.size}, -1});
    return;
  }
  DimExpr panels = DimExpr::floorDiv(digits[0].size, groups);
  space.outer.push_back({{groups, stride, digits[0].stride * panels}, -1});
  if (!panels.isConstant(1))
    space.outer.push_back({{panels, DimExpr(0), digits[0].stride}, -1});
}

LogicalResult ConvolutionAxes::build() {
  graph::ConvDimsAttr numbers = op.getDims();
  if (spatial() == 0 || spatial() > 3)
    return op.emitError("unsupported: a convolution over ")
           << spatial() << " spatial dimensions";
  low.assign(op.getLow().begin(), op.getLow().end());
  high.assign(op.getHigh().begin(), op.getHigh().end());
  strides.assign(op.getStrides().begin(), op.getStrides().end());
  placeInput();
  overPixels = sumsPixels();
  Value kernelValue = op.getKernel();
  auto weights = graph::matchUnpackedPanels(kernelValue);
  // Groups of channels are read as one, and bytes as they are.
  bool grouped = weights && weights->group > 1;
  if (needsCopy() || (grouped && !input.back()[0].stride.isConstant(1)))
    copyInput(grouped ? graph::beforeWidening(op.getInput()) : op.getInput());
  unsigned output = unsigned(numbers.getKernelOutput());
  PlacedOperand kernel = placeKernel();
  int64_t groups = int64_t(op.getGroups());
  unsigned columns = tileColumns(space.sum, target);
  bool panels = kernel.panel && output + 1 == kernel.dims.size() &&
                groups == 1 && kernel.panel % columns == 0 &&
                takesGroups(kernel);
  if (groups > 1)
    splitPanels(kernel, output);
  for (StridedDim &digits : kernel.dims)
    coalesce(digits);
  bool simple = llvm::all_of(llvm::enumerate(kernel.dims), [&](auto dim) {
    const StridedDim &digits = dim.value();
    // Panels of groups may lie apart.
    return digits.size() == 1 ||
           (dim.index() == output && digits.size() == 2 && groups > 1 &&
            digits[0].size.exactDiv(groups));
  });
  if ((kernel.panel && !panels) || !simple)
    kernel = materialise(space, kernelValue, dims);
  space.b = kernel.source;
  space.panel = kernel.panel;
  space.group = kernel.panel ? kernel.group : 1;
  addRows();
  addTaps(kernel);
  Stride outputs = kernel.dims[output].back();
  if (groups > 1)
    addGroups(kernel.dims[output], outputs);
  space.columns = {outputs.size, DimExpr(0), outputs.stride};
  chooseForm(space, target);
  return success();
}

FailureOr<ContractionSpace> convolutionSpace(graph::ConvolutionOp op,
                                             graph::DimAnalysis &dims,
                                             const TargetModel &target) {
  ConvolutionAxes axes{op, dims, target, {}, {}, {}, {}, {}, {}};
  axes.space.op = op;
  axes.space.sum = sumType(getElementTypeOrSelf(op.getInput().getType()),
                           getElementTypeOrSelf(op.getType()));
  if (failed(axes.build()))
    return failure();
  return std::move(axes.space);
}

} // namespace zenith::kernels
