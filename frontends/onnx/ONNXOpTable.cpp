// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks an operator up in the rows of all families of its domain.
#include "frontends/onnx/ONNXOpTable.h"

using namespace zenith;
using namespace zenith::onnx;

llvm::ArrayRef<OpRow> zenith::onnx::subgraphRows() {
  static constexpr OpRow rows[] = {
      {"If", 1, newest, 1, 1, nullptr},
      {"Loop", 1, newest, 2, anyNumber, nullptr},
      {"Scan", 8, newest, 1, anyNumber, nullptr},
      {"SequenceMap", 17, newest, 1, anyNumber, nullptr},
  };
  return rows;
}

llvm::ArrayRef<OpFamily> zenith::onnx::opFamilies() {
  static constexpr OpFamily families[] = {
      {"Activations", "", activationRows},
      {"Attention", "", attentionRows},
      {"Composite", "", compositeRows},
      {"Contraction", "", contractionRows},
      {"Contraction, transposed", "", convTransposeRows},
      {"Einsum", "", einsumRows},
      {"Elementwise", "", elementwiseRows},
      {"Indexing", "", indexingRows},
      {"Losses", "", lossRows},
      {"Matrices", "", matrixRows},
      {"Max pooling", "", maxPoolRows},
      {"Movement", "", movementRows},
      {"Normalization", "", normalizationRows},
      {"Ordering", "", orderingRows},
      {"Pooling", "", poolingRows},
      {"Quantization", "", quantizationRows},
      {"Quantized products", "", quantizedProductRows},
      {"Random", "", randomRows},
      {"Recurrent", "", recurrentRows},
      {"Reduction", "", reductionRows},
      {"Regions of images", "", regionRows},
      {"Resize", "", resizeRows},
      {"Sampling", "", samplingRows},
      {"Scatter", "", scatterRows},
      {"Selection", "", selectionRows},
      {"Sequence models", "", sequenceModelRows},
      {"Sequences", "", sequenceRows},
      {"Shapes", "", shapeRows},
      {"Signal", "", signalRows},
      {"Space", "", spaceRows},
      {"Subgraphs", "", subgraphRows},
      {"Classical learning", "ai.onnx.ml", learningRows},
      {"Encoders", "ai.onnx.ml", encoderRows},
      {"Support vectors", "ai.onnx.ml", supportVectorRows},
      {"Trees", "ai.onnx.ml", treeRows},
      {"Attention with subgraphs", "ai.onnx.preview", flexRows},
      {"Optimizers", "ai.onnx.preview.training", optimizerRows},
      {"Fused layers", "com.microsoft", fusedRows},
      {"Fused attention", "com.microsoft", fusedAttentionRows},
      {"Blockwise products", "com.microsoft", blockwiseProductRows},
      {"Quantized layers", "com.microsoft", quantizedLayerRows},
      {"Quantized recurrent layers", "com.microsoft", quantizedRecurrentRows},
  };
  return families;
}

const OpRow *zenith::onnx::findRow(llvm::StringRef domain, llvm::StringRef op,
                                   int64_t version, bool &known) {
  known = false;
  for (const OpFamily &family : opFamilies()) {
    if (family.domain != domain)
      continue;
    for (const OpRow &row : family.rows())
      if (row.op == op) {
        known = true;
        if (row.since <= version && version <= row.until)
          return &row;
      }
  }
  return nullptr;
}
