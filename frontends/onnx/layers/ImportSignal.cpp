// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of signals: Fourier transforms, windows, mel weights.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/import/ScalarValue.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::FourierKind;
using llvm::ArrayRef;
using llvm::SmallVector;

constexpr double pi = 3.14159265358979323846;
constexpr int64_t longestSignal = int64_t(1) << 31;

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

/// The constant value of a scalar input; nothing if the input is absent.
static std::optional<int64_t> constantScalar(NodeReading &n, size_t index,
                                             const char *what) {
  auto values = n.constantInts("", index);
  if (n.failed() || !values)
    return std::nullopt;
  if (values->size() == 1)
    return values->front();
  n.fail(invalid(fmt::format("{} is not a scalar", what)));
  return std::nullopt;
}

/// Cuts or fills the last dimension with zeros.
static Value withLength(NodeReading &n, Value x, int64_t length) {
  ImportBuilder &b = n.b;
  DimVector dims = b.dims(x);
  int64_t rank = dims.size();
  auto size = dims.back().constant();
  if (!size) {
    n.fail(unsupported("a Fourier transform over a dynamic dimension"));
    return x;
  }
  if (*size == length)
    return x;
  if (*size > length)
    return b.sliceDim(x, rank - 1, DimExpr(0), DimExpr(length));
  SmallVector<int64_t> zeros(rank, 0), high(rank, 0);
  high.back() = length - *size;
  dims.back() = DimExpr(length);
  Type element = getElementTypeOrSelf(x.getType());
  return b.emit<graph::PadOp>(b.typeOf(dims, element), x,
                              b.scalarConstant(element, 0), ValueRange(),
                              ValueRange(), zeros, high, zeros);
}

static Value fourier(ImportBuilder &b, FourierKind kind, Value x, Type element,
                     int64_t length, int64_t resultLength) {
  DimVector dims = b.dims(x);
  dims.back() = DimExpr(resultLength);
  return b.emit<graph::FourierOp>(b.typeOf(dims, element), kind, x,
                                  ArrayRef<int64_t>(length));
}

namespace {
/// A signal along the last dimension: its real and imaginary parts.
struct Signal {
  Value real, imaginary; // imaginary: null where the signal is real
};

struct Transform {
  int64_t length = 0;
  bool inverse = false, onesided = false;
};
} // namespace

static Value complexOf(ImportBuilder &b, const Signal &signal) {
  Type part = getElementTypeOrSelf(signal.real.getType());
  Value imaginary = signal.imaginary ? signal.imaginary
                                     : b.filled(b.dims(signal.real), part, 0);
  auto type = cast<RankedTensorType>(signal.real.getType());
  return b.emit<graph::ComplexOp>(type.clone(ComplexType::get(part)),
                                  signal.real, imaginary);
}

static Signal partsOf(ImportBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type part = cast<ComplexType>(type.getElementType()).getElementType();
  return {b.emit<graph::RealOp>(type.clone(part), value),
          b.emit<graph::ImagOp>(type.clone(part), value)};
}

static Signal transformed(NodeReading &n, Signal signal, const Transform &t) {
  ImportBuilder &b = n.b;
  int64_t half = t.length / 2 + 1;
  int64_t wanted = t.onesided && t.inverse ? half : t.length;
  signal.real = withLength(n, signal.real, wanted);
  if (signal.imaginary)
    signal.imaginary = withLength(n, signal.imaginary, wanted);
  if (n.failed())
    return signal;
  Type part = getElementTypeOrSelf(signal.real.getType());
  Type complex = ComplexType::get(part);
  if (t.onesided && t.inverse)
    return {fourier(b, FourierKind::c2r, complexOf(b, signal), part, t.length,
                    t.length),
            {}};
  if (t.onesided)
    return partsOf(
        b, fourier(b, FourierKind::r2c, signal.real, complex, t.length, half));
  return partsOf(
      b, fourier(b, t.inverse ? FourierKind::c2c_inverse : FourierKind::c2c,
                 complexOf(b, signal), complex, t.length, t.length));
}

/// The parts of a signal whose last dimension has one entry, or two for complex
/// numbers; the result lacks that dimension.
static std::optional<Signal> readSignal(NodeReading &n, Value x) {
  ImportBuilder &b = n.b;
  DimVector dims = b.dims(x), rest(dims.begin(), dims.end() - 1);
  int64_t rank = dims.size();
  auto parts = dims.back().constant();
  if ((parts != 1 && parts != 2) ||
      !isa<FloatType>(getElementTypeOrSelf(x.getType()))) {
    n.fail(invalid("a signal needs floats, and 1 or 2 of them in its last "
                   "dimension"));
    return std::nullopt;
  }
  auto part = [&](int64_t at) {
    return b.reshape(b.sliceDim(x, rank - 1, DimExpr(at), DimExpr(1)), rest);
  };
  Signal signal{part(0), {}};
  if (parts == 2)
    signal.imaginary = part(1);
  return signal;
}

/// The parts side by side in a new last dimension.
static Value joinedParts(ImportBuilder &b, const Signal &signal) {
  DimVector dims = b.dims(signal.real);
  int64_t rank = dims.size();
  dims.push_back(DimExpr(1));
  SmallVector<Value> parts = {b.reshape(signal.real, dims)};
  if (signal.imaginary)
    parts.push_back(b.reshape(signal.imaginary, dims));
  return b.concat(rank, parts);
}

static Value moveDim(ImportBuilder &b, Value x, int64_t from, int64_t to) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < int64_t(b.dims(x).size()); ++i)
    if (i != from)
      order.push_back(i);
  order.insert(order.begin() + to, from);
  return b.transpose(x, order);
}

static void importDFT(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t rank = n.rank(0), axis = n.version < 20 ? 1 : -2;
  if (n.version < 20)
    axis = n.intAttribute("axis", axis);
  else if (auto given = constantScalar(n, 2, "the axis"))
    axis = *given;
  axis = n.axis(axis, rank);
  Transform t;
  t.inverse = n.intAttribute("inverse", 0) != 0;
  t.onesided = n.intAttribute("onesided", 0) != 0;
  auto length = constantScalar(n, 1, "the length");
  if (n.failed())
    return;
  if (rank < 2 || axis == rank - 1)
    return n.fail(invalid("the last dimension cannot be transformed"));
  Value x = b.convert(n.input(0), wideFloat(b, n.elementType(0)));
  auto signal = readSignal(n, x);
  if (!signal)
    return;
  if (t.onesided && bool(signal->imaginary) != t.inverse)
    return n.fail(unsupported(
        "a onesided Fourier transform of complex, or to complex numbers"));
  auto size = n.dims(0)[axis].constant();
  if (!length && !size)
    return n.fail(unsupported("a Fourier transform over a dynamic dimension"));
  t.length = length                    ? *length
             : t.onesided && t.inverse ? 2 * (*size - 1)
                                       : *size;
  if (t.length < 1 || t.length >= longestSignal)
    return n.fail(invalid(fmt::format("a length of {}", t.length)));
  signal->real = moveDim(b, signal->real, axis, rank - 2);
  if (signal->imaginary)
    signal->imaginary = moveDim(b, signal->imaginary, axis, rank - 2);
  Signal result = transformed(n, *signal, t);
  if (n.failed())
    return;
  result.real = moveDim(b, result.real, rank - 2, axis);
  if (result.imaginary)
    result.imaginary = moveDim(b, result.imaginary, rank - 2, axis);
  n.result(b.convert(joinedParts(b, result), n.elementType(0)));
}

/// Overlapping frames of [batch, length]: [batch, frames, size].
static Value framesOf(ImportBuilder &b, Value signal, int64_t step,
                      int64_t size, const DimExpr &pieces) {
  Type i64 = b.builder.getI64Type();
  DimVector at = {pieces, DimExpr(size)};
  ScalarValue start(b, b.iota(0, at, i64)), offset(b, b.iota(1, at, i64));
  return gatherAlong(b, signal, 1, start * double(step) + offset);
}

static void importSTFT(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto step = constantScalar(n, 1, "the step"),
       length = constantScalar(n, 3, "the frame length");
  bool onesided = n.intAttribute("onesided", 1) != 0;
  if (n.failed())
    return;
  if (n.rank(0) != 3 || (n.has(2) && n.rank(2) != 1))
    return n.fail(invalid("STFT needs a signal of rank 3 and a window of rank "
                          "1"));
  DimExpr samples = n.dims(0)[1];
  std::optional<int64_t> size = length;
  if (n.has(2)) {
    auto window = n.dims(2)[0].constant();
    if (size && window && *size != *window)
      return n.fail(invalid("the window has another length than the frames"));
    size = size ? size : window;
  }
  if (!size)
    size = samples.constant();
  if (!size)
    return n.fail(unsupported("frames of dynamic length"));
  if (*step < 1 || *size < 1 || *size >= longestSignal ||
      *step >= longestSignal)
    return n.fail(invalid("a step or a length is not positive"));
  DimExpr pieces =
      DimExpr::floorDiv(samples - DimExpr(*size), DimExpr(*step)) + DimExpr(1);
  if (pieces.constant() && *pieces.constant() < 1)
    return n.fail(invalid("the signal is shorter than a frame"));
  Type wide = wideFloat(b, n.elementType(0));
  auto signal = readSignal(n, b.convert(n.input(0), wide));
  if (!signal)
    return;
  if (signal->imaginary && onesided)
    return n.fail(unsupported("a onesided STFT of complex numbers"));
  auto piecesOf = [&](Value part) {
    Value frames = framesOf(b, part, *step, *size, pieces);
    return n.has(2)
               ? b.binary<graph::MulOp>(frames, b.convert(n.input(2), wide))
               : frames;
  };
  Signal frames{piecesOf(signal->real), {}};
  if (signal->imaginary)
    frames.imaginary = piecesOf(signal->imaginary);
  Signal result = transformed(n, frames, {*size, false, onesided});
  if (!n.failed())
    n.result(b.convert(joinedParts(b, result), n.elementType(0)));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static Type outputType(NodeReading &n) {
  Type element =
      elementTypeOf(static_cast<DataType>(n.intAttribute("output_datatype", 1)),
                    n.b.builder.getContext());
  if (!element || isa<ComplexType>(element) || element.isInteger(1))
    n.fail(unsupported("this output_datatype"));
  return element;
}

/// Sum over k of coefficients[k] * cos(2 pi k i / period).
static void cosineWindow(NodeReading &n, ArrayRef<double> coefficients) {
  ImportBuilder &b = n.b;
  SmallVector<DimExpr> size = n.elements(0, "the size");
  Type element = outputType(n);
  if (!n.failed() && size.size() != 1)
    n.fail(invalid("the size is not a scalar"));
  if (n.failed())
    return;
  bool periodic = n.intAttribute("periodic", 1) != 0;
  constexpr int64_t longestConstant = 1 << 20;
  auto count = size[0].constant();
  if (count && *count >= 0 && *count <= longestConstant) {
    SmallVector<double> values;
    double period = std::max<double>(double(*count) - (periodic ? 0 : 1), 1);
    for (int64_t i = 0; i < *count; ++i) {
      double sum = 0;
      for (auto [k, coefficient] : llvm::enumerate(coefficients))
        sum += coefficient * std::cos(2 * pi * double(k) * double(i) / period);
      values.push_back(sum);
    }
    return n.result(
        b.convert(b.constant(DenseElementsAttr::get(
                      RankedTensorType::get({*count}, b.builder.getF64Type()),
                      ArrayRef<double>(values))),
                  element));
  }
  Type f32 = b.builder.getF32Type();
  ScalarValue period =
      (floatSize(b, size[0], f32) - (periodic ? 0.0 : 1.0)).max(1.0);
  ScalarValue angle = ScalarValue(b, b.iota(0, size, f32)) / period;
  ScalarValue sum = angle.constant(coefficients[0]);
  for (size_t k = 1; k < coefficients.size(); ++k)
    sum = sum + (angle * (2 * pi * double(k))).apply<graph::CosOp>() *
                    coefficients[k];
  n.result(b.convert(sum, element));
}

static void importHannWindow(NodeReading &n) { cosineWindow(n, {0.5, -0.5}); }

static void importHammingWindow(NodeReading &n) {
  cosineWindow(n, {25.0 / 46, -21.0 / 46});
}

static void importBlackmanWindow(NodeReading &n) {
  cosineWindow(n, {0.42, -0.5, 0.08});
}

/// Triangles that are evenly spaced on the mel scale.
static void importMelWeightMatrix(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type element = outputType(n);
  auto bands = constantScalar(n, 0, "the number of bands"),
       length = constantScalar(n, 1, "the length"),
       rate = constantScalar(n, 2, "the sample rate");
  auto low = n.constantScalar(3), high = n.constantScalar(4);
  if (!n.failed() && (!low || !high))
    n.fail(unsupported("edges that are not constants; bind the inputs that "
                       "give them"));
  if (n.failed())
    return;
  constexpr int64_t most = 1 << 16;
  if (*bands < 1 || *bands > most || *length < 1 || *length > most ||
      *rate < 1 || !(*low >= 0) || !(*high >= *low) || *high > double(*rate))
    return n.fail(invalid("a size or an edge is out of its range"));
  auto toMel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  double first = toMel(*low),
         step = (toMel(*high) - first) / double(*bands + 2);
  SmallVector<int64_t> bins;
  for (int64_t i = 0; i < *bands + 2; ++i) {
    double hertz = 700 * (std::pow(10, (double(i) * step + first) / 2595) - 1);
    bins.push_back(
        int64_t(std::floor(double(*length + 1) * hertz / double(*rate))));
  }
  int64_t rows = *length / 2 + 1;
  std::vector<double> matrix(rows * *bands, 0);
  auto set = [&](int64_t row, int64_t band, double value) {
    if (row < rows)
      matrix[row * *bands + band] = value;
  };
  for (int64_t i = 0; i < *bands; ++i) {
    int64_t from = bins[i], middle = bins[i + 1], to = bins[i + 2];
    if (from == middle)
      set(middle, i, 1);
    for (int64_t j = from; from < middle && j <= middle; ++j)
      set(j, i, double(j - from) / double(middle - from));
    for (int64_t j = middle; middle < to && j < to; ++j)
      set(j, i, double(to - j) / double(to - middle));
  }
  n.result(b.convert(
      b.constant(DenseElementsAttr::get(
          RankedTensorType::get({rows, *bands}, b.builder.getF64Type()),
          ArrayRef<double>(matrix))),
      element));
}

llvm::ArrayRef<OpRow> zenith::onnx::signalRows() {
  static constexpr OpRow rows[] = {
      {"BlackmanWindow", 17, newest, 1, 1, importBlackmanWindow},
      {"DFT", 17, newest, 1, 3, importDFT},
      {"HammingWindow", 17, newest, 1, 1, importHammingWindow},
      {"HannWindow", 17, newest, 1, 1, importHannWindow},
      {"MelWeightMatrix", 17, newest, 5, 5, importMelWeightMatrix},
      {"STFT", 17, newest, 2, 4, importSTFT},
  };
  return rows;
}
