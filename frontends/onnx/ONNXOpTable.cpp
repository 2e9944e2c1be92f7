// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks an operator up in the rows of all families of its domain.
#include "frontends/onnx/ONNXOpTable.h"

using namespace zenith::onnx;

using Families = llvm::ArrayRef<llvm::ArrayRef<OpRow> (*)()>;

static Families familiesOf(llvm::StringRef domain) {
  static constexpr llvm::ArrayRef<OpRow> (*standard[])() = {
      activationRows,    attentionRows,     compositeRows,
      contractionRows,   convTransposeRows, einsumRows,
      elementwiseRows,   indexingRows,      lossRows,
      matrixRows,        maxPoolRows,       movementRows,
      normalizationRows, orderingRows,      randomRows,
      recurrentRows,     scatterRows,       sequenceRows,
      poolingRows,       quantizationRows,  quantizedProductRows,
      reductionRows,     regionRows,        resizeRows,
      samplingRows,      selectionRows,     sequenceModelRows,
      shapeRows,         signalRows,        spaceRows};
  static constexpr llvm::ArrayRef<OpRow> (*training[])() = {optimizerRows};
  if (domain.empty())
    return standard;
  if (domain == "ai.onnx.preview.training")
    return training;
  return {};
}

const OpRow *zenith::onnx::findRow(llvm::StringRef domain, llvm::StringRef op,
                                   int64_t version, bool &known) {
  known = false;
  for (auto rows : familiesOf(domain))
    for (const OpRow &row : rows())
      if (row.op == op) {
        known = true;
        if (row.since <= version && version <= row.until)
          return &row;
      }
  return nullptr;
}
