// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphIR's matmuls, convolutions, linear algebra and random bits as StableHLO
// ops.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// JAX's compiler accumulates matmuls of small floats in f32 too, and rounds
// once.
static bool setProduct(HLOExport &out, Operation *op, llvm::StringRef name,
                       ArrayRef<NamedAttribute> attributes) {
  out.set(op, out.make(name, op->getResult(0).getType(),
                       {out.operand(op, 0), out.operand(op, 1)}, attributes));
  return true;
}

static NamedAttribute highestPrecision(HLOExport &out) {
  Attribute precision =
      PrecisionAttr::get(out.builder.getContext(), Precision::HIGHEST);
  return out.named("precision_config",
                   out.builder.getArrayAttr({precision, precision}));
}

static bool exportDotGeneral(HLOExport &out, Operation *op) {
  graph::DotDimsAttr dims = cast<graph::DotGeneralOp>(op).getDims();
  auto hloDims = DotDimensionNumbersAttr::get(
      op->getContext(), dims.getLhsBatching(), dims.getRhsBatching(),
      dims.getLhsContracting(), dims.getRhsContracting());
  return setProduct(
      out, op, "stablehlo.dot_general",
      {out.named("dot_dimension_numbers", hloDims), highestPrecision(out)});
}

static bool exportConvolution(HLOExport &out, Operation *op) {
  auto convolution = cast<graph::ConvolutionOp>(op);
  graph::ConvDimsAttr dims = convolution.getDims();
  auto hloDims = ConvDimensionNumbersAttr::get(
      op->getContext(), dims.getInputBatch(), dims.getInputFeature(),
      dims.getInputSpatial(), dims.getKernelInput(), dims.getKernelOutput(),
      dims.getKernelSpatial(), dims.getOutputBatch(), dims.getOutputFeature(),
      dims.getOutputSpatial());
  return setProduct(
      out, op, "stablehlo.convolution",
      {out.dims("window_strides", convolution.getStrides()),
       out.padding(convolution.getLow(), convolution.getHigh()),
       out.dims("lhs_dilation", convolution.getInputDilation()),
       out.dims("rhs_dilation", convolution.getKernelDilation()),
       out.named("dimension_numbers", hloDims),
       out.intAttribute("feature_group_count", convolution.getGroups()),
       out.intAttribute("batch_group_count", 1), highestPrecision(out)});
}

// The triangle that the factor leaves undefined becomes zero.
static bool exportCholesky(HLOExport &out, Operation *op) {
  bool lower = cast<graph::CholeskyOp>(op).getLower();
  RankedTensorType type = tensorType(op->getResult(0));
  Value factor = out.make("stablehlo.cholesky", type, out.operand(op),
                          out.named("lower", out.builder.getBoolAttr(lower)));
  RankedTensorType indices = withElement(type, out.builder.getI64Type());
  Value row = out.iota(indices, type.getRank() - 2);
  Value column = out.iota(indices, type.getRank() - 1);
  Value inside = out.compare(
      lower ? ComparisonDirection::GE : ComparisonDirection::LE, row, column);
  out.set(op, out.make("stablehlo.select", type,
                       {inside, factor, out.splat(type, 0)}));
  return true;
}

static bool exportTriangularSolve(HLOExport &out, Operation *op) {
  auto solve = cast<graph::TriangularSolveOp>(op);
  Transpose transpose = Transpose::NO_TRANSPOSE;
  if (solve.getForm() == graph::MatrixForm::transposed)
    transpose = Transpose::TRANSPOSE;
  if (solve.getForm() == graph::MatrixForm::adjoint)
    transpose = Transpose::ADJOINT;
  Builder &b = out.builder;
  out.set(
      op,
      out.make(
          "stablehlo.triangular_solve", op->getResult(0).getType(),
          {out.operand(op, 0), out.operand(op, 1)},
          {out.named("left_side", b.getBoolAttr(solve.getLeft())),
           out.named("lower", b.getBoolAttr(solve.getLower())),
           out.named("unit_diagonal", b.getBoolAttr(solve.getUnitDiagonal())),
           out.named("transpose_a",
                     TransposeAttr::get(op->getContext(), transpose))}));
  return true;
}

static bool exportFourier(HLOExport &out, Operation *op) {
  auto fourier = cast<graph::FourierOp>(op);
  FftType kind = FftType::FFT;
  switch (fourier.getKind()) {
  case graph::FourierKind::c2c:
    break;
  case graph::FourierKind::c2c_inverse:
    kind = FftType::IFFT;
    break;
  case graph::FourierKind::r2c:
    kind = FftType::RFFT;
    break;
  case graph::FourierKind::c2r:
    kind = FftType::IRFFT;
    break;
  }
  out.set(
      op,
      out.make("stablehlo.fft", op->getResult(0).getType(), out.operand(op),
               {out.named("fft_type", FftTypeAttr::get(op->getContext(), kind)),
                out.dims("fft_length", fourier.getLength())}));
  return true;
}

static bool exportRandomBits(HLOExport &out, Operation *op) {
  auto random = cast<graph::RandomBitsOp>(op);
  RngAlgorithm algorithm = random.getAlgorithm() == graph::RandomKind::threefry
                               ? RngAlgorithm::THREE_FRY
                               : RngAlgorithm::PHILOX;
  Operation *made = out.makeOp(
      "stablehlo.rng_bit_generator", op->getResultTypes(), out.operand(op),
      out.named("rng_algorithm",
                RngAlgorithmAttr::get(op->getContext(), algorithm)));
  out.set(op, made->getResults());
  return true;
}

void zenith::stablehlo::addContractionExports(ExportRules &rules) {
  rules["graph.dot_general"] = exportDotGeneral;
  rules["graph.convolution"] = exportConvolution;
  rules["graph.cholesky"] = exportCholesky;
  rules["graph.triangular_solve"] = exportTriangularSolve;
  rules["graph.fourier"] = exportFourier;
  rules["graph.random_bits"] = exportRandomBits;
}
