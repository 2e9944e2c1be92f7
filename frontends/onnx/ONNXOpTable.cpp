// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks an operator up in the rows of all families.
#include "frontends/onnx/ONNXOpTable.h"

using namespace zenith::onnx;

const OpRow *zenith::onnx::findRow(llvm::StringRef op, int64_t version,
                                   bool &known) {
  known = false;
  for (llvm::ArrayRef<OpRow> rows :
       {elementwiseRows(), activationRows(), contractionRows(), reductionRows(),
        poolingRows(), movementRows(), shapeRows(), indexingRows(),
        compositeRows(), selectionRows(), normalizationRows(), lossRows(),
        spaceRows(), quantizationRows()})
    for (const OpRow &row : rows)
      if (row.op == op) {
        known = true;
        if (row.since <= version && version <= row.until)
          return &row;
      }
  return nullptr;
}
