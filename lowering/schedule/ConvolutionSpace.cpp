// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as GEMMs without im2col: rows are output positions, and the sum
// runs over the filter's taps and the channels of an input that is read where
// it lies, as long as its channels are contiguous.

#include "ir/encodings/PackedPanels.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/ContractionSpace.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Rows that read padding read a run of zeros, which must fit the first-level
/// cache beside everything else.
static int64_t maxZeroRow(const TargetModel &target) {
  return int64_t(target.l1Share(0.5)) / int64_t(sizeof(float));
}

namespace {

struct ConvolutionAxes {
  graph::ConvolutionOp op;
  graph::DimAnalysis &dims;
  const TargetModel &target;
  const sched::Operands &wanted;
  ContractionSpace space;
  SmallVector<int64_t> low, high; ///< padding that is left to clip
  SmallVector<int64_t> strides;   ///< over the input
  SmallVector<StridedDim> input;  ///< digits of [batch, spatial..., feature]
  SmallVector<DimExpr> extents;   ///< spatial sizes of the input
  bool overPositions =
      false; ///< the innermost sum runs over a row of positions
  /// Distances in A along the last spatial dimension.
  struct LineSteps {
    DimExpr result, tap;
  };
  /// Where a copy has a line for each result along that dimension.
  std::optional<LineSteps> lineSteps = std::nullopt;

  unsigned spatial() { return op.getStrides().size(); }
  bool clipped(unsigned i) { return low[i] > 0 || high[i] > 0; }
  void locateInput();
  bool isPointwise();
  bool sumsPositions();
  bool skipsPositions();
  bool joinsTaps(int64_t channels);
  bool clipsLine();
  bool needsCopy();
  bool supportsKInterleave(const LocatedOperand &kernel);
  void copyInput(Value value);
  bool multipliesPairsOfLine();
  void transposeLines();
  void addRows();
  void addTaps(const LocatedOperand &kernel);
  LocatedOperand locateFilter();
  void splitPanels(LocatedOperand &kernel, unsigned output);
  void addGroups(const StridedDim &digits, Stride &outputs);
  LogicalResult build();
};

} // namespace

void ConvolutionAxes::locateInput() {
  graph::ConvDimsAttr dimNumbers = op.getDims();
  DimExpr features =
      dims.dimOf(op.getKernel(), unsigned(dimNumbers.getKernelOutput()));
  LocatedOperand located =
      locateLhs(space, features, dims, target, wanted.a.form);
  SmallVector<unsigned> order{unsigned(dimNumbers.getInputBatch())};
  for (int64_t dim : dimNumbers.getInputSpatial()) {
    order.push_back(unsigned(dim));
    extents.push_back(dims.dimOf(op.getInput(), unsigned(dim)));
  }
  order.push_back(unsigned(dimNumbers.getInputFeature()));
  for (unsigned dim : order) {
    StridedDim digits = located.dims[dim];
    coalesce(digits);
    input.push_back(digits);
  }
  space.a = located.source;
}

bool ConvolutionAxes::isPointwise() {
  return llvm::none_of(llvm::seq(spatial()), [&](unsigned i) {
    return clipped(i) ||
           !dims.dimOf(op.getKernel(),
                       unsigned(op.getDims().getKernelSpatial()[i]))
                .isConstant(1);
  });
}

/// Matches the gradient of the weights: filters as large as the feature map,
/// few output positions, and the batch (the channels of the forward
/// convolution) contiguous in memory. Then the batch makes the rows of a tile,
/// and the innermost sum runs along a row of the feature map, unless that is
/// too short to be worth a loop. Wide panels make up for the strided reads of
/// A, which take a cache line per k of a tile.
bool ConvolutionAxes::sumsPositions() {
  constexpr int64_t mostPositions = 32, fewestRows = 16, shortestLine = 12,
                    widePanel = 32;
  graph::ConvDimsAttr dimNumbers = op.getDims();
  if (!target.coreCaches || op.getGroups() != 1 || target.nr < widePanel ||
      llvm::any_of(
          input, [](const StridedDim &digits) { return digits.size() != 1; }))
    return false;
  auto rows = input.front()[0].size.constant(),
       line = dims.dimOf(op.getKernel(),
                         unsigned(dimNumbers.getKernelSpatial().back()))
                  .constant(),
       columns =
           dims.dimOf(op.getKernel(), unsigned(dimNumbers.getKernelOutput()))
               .constant();
  int64_t positions = 1;
  for (int64_t dim : dimNumbers.getOutputSpatial()) {
    auto size = dims.dimOf(op.getResult(), unsigned(dim)).constant();
    positions = size && positions <= mostPositions ? positions * *size
                                                   : mostPositions + 1;
  }
  return rows && *rows >= fewestRows && line && *line >= shortestLine &&
         columns && *columns >= int64_t(target.lanes) && positions > 0 &&
         positions <= mostPositions && input.front()[0].stride.isConstant(1) &&
         !input.back()[0].stride.isConstant(1);
}

/// Whether a copy with padding is worth it because neighbouring taps are one
/// run of memory there. To find the row of a tap takes longer than to multiply
/// few channels by a vector of outputs.
bool ConvolutionAxes::joinsTaps(int64_t channels) {
  unsigned last = spatial() - 1;
  auto columns =
           dims.dimOf(op.getKernel(), unsigned(op.getDims().getKernelOutput()))
               .constant(),
       taps = dims.dimOf(op.getKernel(),
                         unsigned(op.getDims().getKernelSpatial()[last]))
                  .constant();
  return target.coreCaches && channels * 4 <= int64_t(target.lanes) &&
         columns && *columns <= int64_t(target.lanes) && taps && *taps > 1 &&
         op.getKernelDilation()[last] == 1 && op.getGroups() == 1;
}

/// Whether to copy only the positions that a strided pointwise convolution
/// reads. In the input they form short rows, which fill tiles badly; they are
/// few, and many columns read them.
bool ConvolutionAxes::skipsPositions() {
  constexpr int64_t longLine = 24, fewestColumns = 64;
  graph::ConvDimsAttr dimNumbers = op.getDims();
  auto line = dims.dimOf(op.getResult(),
                         unsigned(dimNumbers.getOutputSpatial().back()))
                  .constant(),
       columns =
           dims.dimOf(op.getKernel(), unsigned(dimNumbers.getKernelOutput()))
               .constant();
  bool strided =
      llvm::any_of(strides, [](int64_t stride) { return stride != 1; }) &&
      llvm::all_of(low, [](int64_t before) { return before == 0; });
  bool run = input.back()[0].stride.isConstant(1);
  return strided && line && columns && (*line < longLine || !run) &&
         *columns >= fewestColumns * int64_t(op.getGroups()) &&
         target.coreCaches && isPointwise();
}

/// Whether a sum over a row of positions can leave out those in the padding:
/// for each output position, some others are left.
bool ConvolutionAxes::clipsLine() {
  unsigned last = spatial() - 1;
  graph::ConvDimsAttr dimNumbers = op.getDims();
  auto extent = extents[last].constant(),
       line = dims.dimOf(op.getKernel(),
                         unsigned(dimNumbers.getKernelSpatial().back()))
                  .constant(),
       outputs = dims.dimOf(op.getResult(),
                            unsigned(dimNumbers.getOutputSpatial().back()))
                     .constant();
  // Kernels of narrower types multiply several neighbouring k.
  if (!extent || !line || !outputs ||
      !isa<Float32Type, Float64Type>(space.a.element))
    return false;
  int64_t dilation = op.getKernelDilation()[last];
  for (int64_t output = 0; output < *outputs; ++output) {
    int64_t position = output * strides[last] - low[last],
            first = llvm::divideCeil(std::max<int64_t>(-position, 0), dilation),
            end = std::min(*line, int64_t(llvm::divideCeil(
                                      std::max<int64_t>(*extent - position, 0),
                                      dilation)));
    if (first >= end)
      return false;
  }
  return true;
}

/// Whether the input is copied: strides cannot express it, or its channels are
/// not contiguous; and, where that is wanted or left open, where the zeros that
/// replace them in the padding would be too many, or positions are skipped.
bool ConvolutionAxes::needsCopy() {
  if (llvm::any_of(input,
                   [](const StridedDim &digits) { return digits.size() != 1; }))
    return true;
  if (llvm::any_of(op.getInputDilation(),
                   [](int64_t dilation) { return dilation != 1; }))
    return true;
  unsigned last = spatial() - 1;
  if (overPositions)
    return clipped(last) && !clipsLine();
  auto channels = input.back()[0].size.constant(),
       taken =
           dims.dimOf(op.getKernel(), unsigned(op.getDims().getKernelInput()))
               .constant();
  bool run = input.back()[0].stride.isConstant(1);
  // Padding is read through a pointer to zeros, in an array of the task.
  constexpr int64_t mostZeros = 1 << 16;
  if (clipped(last) && (!target.stackArrays || !run || !channels || !taken ||
                        *channels > mostZeros))
    return true;
  if (!run && !isPointwise())
    return true;
  bool paysOff = skipsPositions() ||
                 (clipped(last) &&
                  (*channels > maxZeroRow(target) || joinsTaps(*channels)));
  return paysOff && wanted.a.form != sched::Operand::Rows;
}

/// Whether the input's channels can be read in K-interleaved groups.
bool ConvolutionAxes::supportsKInterleave(const LocatedOperand &kernel) {
  unsigned group = kernel.kInterleave;
  if (group == 1)
    return true;
  auto channels = input.back()[0].size.constant();
  return readsKInterleave(kernel.source.element, target) &&
         kernels::supportsKInterleave(group, space.a.element,
                                      kernel.source.element) &&
         input.back()[0].stride.isConstant(1) && channels &&
         *channels % group == 0;
}

LocatedOperand padded(ContractionSpace &space, Value value,
                      SmallVector<PaddedDim> dims) {
  llvm::erase_if(space.preparations, [&](const Preparation &other) {
    return other.value == space.op->getOperand(0);
  });
  Preparation copy;
  copy.kind = Preparation::Pad;
  copy.value = value;
  copy.scratch = space.preparations.size();
  Type element = getElementTypeOrSelf(value.getType());
  LocatedOperand located;
  located.source = {true, copy.scratch, element, DimExpr(0)};
  located.dims.resize(dims.size());
  DimExpr elements = 1;
  for (unsigned i = dims.size(); i-- > 0;) {
    located.dims[i] = {{dims[i].size, elements}};
    elements = elements * dims[i].size;
  }
  copy.bytes = elements * DimExpr(int64_t(elementSize(element)));
  copy.padded = std::move(dims);
  space.preparations.push_back(std::move(copy));
  return located;
}

void ConvolutionAxes::copyInput(Value value) {
  graph::ConvDimsAttr dimNumbers = op.getDims();
  bool skips = !overPositions && skipsPositions();
  auto whole = [&](int64_t dim) {
    return PaddedDim{unsigned(dim), dims.dimOf(value, unsigned(dim))};
  };
  // The contiguous dimension stays contiguous.
  int64_t outermost = dimNumbers.getInputBatch(),
          innermost = dimNumbers.getInputFeature();
  if (overPositions)
    std::swap(outermost, innermost);
  SmallVector<PaddedDim> copied{whole(outermost)};
  for (unsigned i = 0; i < spatial(); ++i) {
    PaddedDim dim = whole(dimNumbers.getInputSpatial()[i]);
    dim.step = op.getInputDilation()[i];
    // The GEMM skips taps whose whole rows lie in the padding.
    bool inner = i + 1 == spatial();
    int64_t after = inner ? std::max<int64_t>(high[i], 0) : 0;
    dim.low = inner ? std::max<int64_t>(low[i], 0) : 0;
    if (dim.step != 1)
      dim.size = DimExpr::max(
          DimExpr(0), (dim.size - DimExpr(1)) * DimExpr(dim.step) + DimExpr(1));
    dim.size = dim.size + DimExpr(dim.low + after);
    if (skips) {
      dim.size = dims.dimOf(op.getResult(),
                            unsigned(dimNumbers.getOutputSpatial()[i]));
      dim.stride = std::exchange(strides[i], 1);
    }
    low[i] -= dim.low;
    high[i] -= after;
    extents[i] = dim.size;
    copied.push_back(std::move(dim));
  }
  copied.push_back(whole(innermost));
  LocatedOperand copy = padded(space, value, std::move(copied));
  space.formOfA = sched::Operand::Padded;
  input = std::move(copy.dims);
  if (overPositions)
    std::swap(input.front(), input.back());
  space.a = copy.source;
}

/// Whether sums over rows of positions multiply pairs of neighbouring ones,
/// which a transposed copy has side by side.
bool ConvolutionAxes::multipliesPairsOfLine() {
  auto elementOf = [&](unsigned number) {
    return getElementTypeOrSelf(
        multipliedOperand(space, number, target).getType());
  };
  return overPositions &&
         hasBF16Pairs(elementOf(0), elementOf(1), space.sum, target) &&
         (wanted.a.form == sched::Operand::Open ||
          wanted.a.form == sched::Operand::Transposed);
}

/// Copies the copy of the input again, so that the positions of a line that are
/// summed over are contiguous: [feature][line...][batch][position], or, where
/// they lie apart, [feature][line...][result][batch][position], with a line for
/// each result along the last dimension.
void ConvolutionAxes::transposeLines() {
  graph::ConvDimsAttr dimNumbers = op.getDims();
  unsigned last = spatial() - 1;
  int64_t dilation = op.getKernelDilation()[last];
  bool isPerResult = dilation != 1;
  Stride &rows = input.front()[0], &line = input[spatial()][0];
  DimExpr ofLine = rows.size * line.size, positions = line.size, results = 1;
  if (isPerResult) {
    positions = dims.dimOf(op.getKernel(),
                           unsigned(dimNumbers.getKernelSpatial()[last]));
    results = dims.dimOf(op.getResult(),
                         unsigned(dimNumbers.getOutputSpatial()[last]));
    lineSteps = {rows.size * positions, DimExpr(1)};
  }
  Axis ofRows{rows.size, DimExpr(0), rows.stride},
      ofK{positions, DimExpr(0), line.stride * DimExpr(dilation)},
      ofResults{results, DimExpr(0), line.stride * DimExpr(strides[last])};
  line.stride = DimExpr(1);
  rows.stride = positions;
  DimExpr lines = 1;
  auto layOut = [&](Stride &dim) {
    dim.stride = rows.size * positions * results * lines;
    lines = lines * dim.size;
  };
  for (unsigned i = last; i > 0; --i)
    layOut(input[i][0]);
  layOut(input.back()[0]);
  SmallVector<Axis> outer{{lines, DimExpr(0), ofLine}};
  if (isPerResult)
    outer.push_back(ofResults);
  transposeA(space, std::move(outer), ofRows, ofK);
}

void ConvolutionAxes::addRows() {
  graph::ConvDimsAttr dimNumbers = op.getDims();
  SmallVector<Axis> rows{{input[0][0].size, input[0][0].stride, DimExpr(0)}};
  space.rowDims.push_back(unsigned(dimNumbers.getOutputBatch()));
  bool anyClip = false;
  for (unsigned i = 0; i < spatial(); ++i) {
    unsigned dim = unsigned(dimNumbers.getOutputSpatial()[i]);
    DimExpr step = input[i + 1][0].stride;
    bool isCopied = lineSteps && i + 1 == spatial();
    rows.push_back({dims.dimOf(op.getResult(), dim),
                    isCopied ? lineSteps->result : step * DimExpr(strides[i]),
                    DimExpr(0)});
    space.rowDims.push_back(dim);
    space.a.offset = space.a.offset - step * DimExpr(low[i]);
    anyClip |= clipped(i);
  }
  space.columnDims.push_back(unsigned(dimNumbers.getOutputFeature()));
  if (overPositions) {
    space.rowAxisIsOutermost = true;
    space.rowAxis = rows.front();
    space.outerRows.assign(rows.begin() + 1, rows.end());
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
  space.rowAxis = rows.pop_back_val();
  space.outerRows.assign(rows.begin(), rows.end());
}

void ConvolutionAxes::addTaps(const LocatedOperand &kernel) {
  graph::ConvDimsAttr dimNumbers = op.getDims();
  unsigned last = spatial() - 1;
  for (unsigned i = 0; i < spatial(); ++i) {
    const Stride &digit =
        kernel.dims[unsigned(dimNumbers.getKernelSpatial()[i])][0];
    TapAxis tap;
    tap.axis = {digit.size,
                lineSteps && i == last ? lineSteps->tap
                                       : input[i + 1][0].stride *
                                             DimExpr(op.getKernelDilation()[i]),
                digit.stride};
    tap.clipped = clipped(i);
    tap.clip = {strides[i], op.getKernelDilation()[i], low[i], extents[i],
                i == last ? -1 : int(i) + 1};
    if (overPositions)
      tap.clip.outerRow = int(i);
    if (tap.clipped || overPositions || !digit.size.isConstant(1))
      space.taps.push_back(tap);
  }
  const Stride &channels =
      kernel.dims[unsigned(dimNumbers.getKernelInput())][0];
  space.kAxis = {channels.size, input.back()[0].stride, channels.stride};
  // The clip of the last tap is then that of the K axis.
  if (overPositions) {
    std::swap(space.taps.back().axis, space.kAxis);
    return;
  }
  // Neighbouring taps whose channels are one run of memory become one axis.
  while (!space.taps.empty() && !space.taps.back().clipped) {
    const Axis &tap = space.taps.back().axis;
    if (tap.strideA != space.kAxis.size * space.kAxis.strideA ||
        tap.strideB != space.kAxis.size * space.kAxis.strideB)
      break;
    space.kAxis.size = space.kAxis.size * tap.size;
    space.taps.pop_back();
  }
}

/// A Winograd-transformed filter is followed by the filter itself, which this
/// GEMM reads.
LocatedOperand ConvolutionAxes::locateFilter() {
  Value kernel = multipliedOperand(space, 1, target);
  auto encoded = encodedB(op);
  if (!encoded || !encoded->filter)
    return locateB(space, kernel, dims);
  LocatedOperand located = encoded->transformed(op);
  StridedDim rows = located.dims[0];
  StridedDim columns = located.dims[1];
  graph::DimVector sizes = dims.dimsOf(kernel);
  unsigned kDims = sizes.size() - 1;
  DimExpr elements = 1, stride = rows[0].stride;
  located.dims.assign(sizes.size(), {});
  located.dims.back() = columns;
  for (unsigned dim = kDims; dim-- > 0;) {
    located.dims[dim] = {{sizes[dim], elements * stride}};
    elements = elements * sizes[dim];
  }
  located.source.offset =
      located.source.offset + (rows[0].size - elements) * stride;
  if (located.panel)
    space.panelK = rows[0].size;
  return located;
}

/// Panels that belong to one group each are columns that lie apart.
void ConvolutionAxes::splitPanels(LocatedOperand &kernel, unsigned output) {
  DimExpr perGroup = DimExpr::floorDiv(dims.dimOf(op.getKernel(), output),
                                       DimExpr(int64_t(op.getGroups())));
  if (!kernel.panel || kernel.kInterleave != 1 ||
      output + 1 != kernel.dims.size() ||
      !perGroup.exactDiv(int64_t(kernel.panel)))
    return;
  DimExpr panel = int64_t(kernel.panel), stride = panel;
  for (unsigned dim = 0; dim < output; ++dim)
    stride = stride * dims.dimOf(op.getKernel(), dim);
  DimExpr count = DimExpr::floorDiv(dims.dimOf(op.getKernel(), output), panel);
  kernel.dims[output] = {{count, stride}, {panel, DimExpr(1)}};
  kernel.panel = 0;
}

/// Adds an outer axis of groups, and one of the panels of a group; `outputs`
/// becomes the columns of one of them.
void ConvolutionAxes::addGroups(const StridedDim &digits, Stride &outputs) {
  DimExpr groups = int64_t(op.getGroups());
  DimExpr inputs =
      dims.dimOf(op.getKernel(), unsigned(op.getDims().getKernelInput()));
  DimExpr stride = space.kAxis.strideA * inputs;
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
  graph::ConvDimsAttr dimNumbers = op.getDims();
  if (spatial() == 0 || spatial() > 3)
    return op.emitError("unsupported: a convolution over ")
           << spatial() << " spatial dimensions";
  low.assign(op.getLow().begin(), op.getLow().end());
  high.assign(op.getHigh().begin(), op.getHigh().end());
  strides.assign(op.getStrides().begin(), op.getStrides().end());
  locateInput();
  overPositions = sumsPositions();
  Value kernelValue = multipliedOperand(space, 1, target),
        inputValue = multipliedOperand(space, 0, target);
  auto weights = encodedB(op);
  // K-interleaved channels are read as one value, int8 ones without widening.
  bool grouped = weights && weights->group > 1;
  if (needsCopy() || (grouped && !input.back()[0].stride.isConstant(1)))
    copyInput(grouped ? graph::beforeWidening(op.getInput()) : inputValue);
  if (multipliesPairsOfLine()) {
    if (!space.a.scratch)
      copyInput(inputValue);
    transposeLines();
  }
  unsigned output = unsigned(dimNumbers.getKernelOutput());
  LocatedOperand kernel = locateFilter();
  int64_t groups = int64_t(op.getGroups());
  unsigned columns = nrOf(space.sum, target);
  bool panels = kernel.panel && output + 1 == kernel.dims.size() &&
                groups == 1 && kernel.panel % columns == 0 &&
                supportsKInterleave(kernel);
  if (groups > 1)
    splitPanels(kernel, output);
  for (StridedDim &digits : kernel.dims)
    coalesce(digits);
  bool simple = llvm::all_of(llvm::enumerate(kernel.dims), [&](auto dim) {
    const StridedDim &digits = dim.value();
    // The panels of a group may lie apart.
    return digits.size() == 1 ||
           (dim.index() == output && digits.size() == 2 && groups > 1 &&
            digits[0].size.exactDiv(groups));
  });
  if ((kernel.panel && !panels) || !simple) {
    kernel = materialise(space, kernelValue, dims);
    // The copy has the filter alone.
    space.panelK.reset();
  }
  space.b = kernel.source;
  space.panel = kernel.panel;
  space.kInterleave = kernel.panel ? kernel.kInterleave : 1;
  addRows();
  addTaps(kernel);
  Stride outputs = kernel.dims[output].back();
  if (groups > 1)
    addGroups(kernel.dims[output], outputs);
  space.columns = {outputs.size, DimExpr(0), outputs.stride};
  chooseForm(space, target, wanted.b.form);
  return success();
}

FailureOr<ContractionSpace> convolutionSpace(graph::ConvolutionOp op,
                                             graph::DimAnalysis &dims,
                                             const TargetModel &target,
                                             const sched::Operands &wanted) {
  ConvolutionAxes axes{op, dims, target, wanted, {}, {}, {}, {}, {}, {}};
  axes.space.op = op;
  axes.space.sum = sumType(getElementTypeOrSelf(op.getInput().getType()),
                           getElementTypeOrSelf(op.getType()));
  if (failed(axes.build()))
    return failure();
  return std::move(axes.space);
}

} // namespace zenith::kernels
