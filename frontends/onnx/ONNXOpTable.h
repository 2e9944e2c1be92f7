// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per operator and opset range: which rule reads it. Rows are sorted
// into families; a new opset version that only moves an attribute to an input
// needs no row, since rules ask for "attribute or input".
#ifndef ZENITH_FRONTENDS_ONNX_ONNXOPTABLE_H
#define ZENITH_FRONTENDS_ONNX_ONNXOPTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <climits>

namespace zenith::onnx {

class NodeReading;

/// What an operator does with inputs of emulated types, which GraphIR does not
/// have: strings and small numbers.
enum class Emulated {
  Refused,
  Read,     // the rule asks for the type
  Moved,    // results have elements of the inputs and their type
  Compared, // strings and integers are compared as they are stored
};

struct OpRow {
  llvm::StringLiteral op;
  int since, until; // opset versions, inclusive
  int minInputs, maxInputs;
  /// Emits GraphIR for the node and sets its results.
  void (*import)(NodeReading &);
  /// Computes results from inputs whose elements are all known; false if it
  /// cannot. Tried first.
  bool (*fold)(NodeReading &) = nullptr;
  /// Inputs may be sequences and optionals.
  bool takesLists = false;
  Emulated emulated = Emulated::Refused;
};

constexpr int newest = INT_MAX;
constexpr int anyNumber = INT_MAX;

llvm::ArrayRef<OpRow> elementwiseRows();
llvm::ArrayRef<OpRow> activationRows();
llvm::ArrayRef<OpRow> contractionRows();
llvm::ArrayRef<OpRow> reductionRows();
llvm::ArrayRef<OpRow> poolingRows();
llvm::ArrayRef<OpRow> movementRows();
llvm::ArrayRef<OpRow> shapeRows();
llvm::ArrayRef<OpRow> indexingRows();
llvm::ArrayRef<OpRow> compositeRows();
llvm::ArrayRef<OpRow> selectionRows();
llvm::ArrayRef<OpRow> normalizationRows();
llvm::ArrayRef<OpRow> lossRows();
llvm::ArrayRef<OpRow> spaceRows();
llvm::ArrayRef<OpRow> quantizationRows();
llvm::ArrayRef<OpRow> orderingRows();
llvm::ArrayRef<OpRow> scatterRows();
llvm::ArrayRef<OpRow> sequenceRows();
llvm::ArrayRef<OpRow> recurrentRows();
llvm::ArrayRef<OpRow> randomRows();
llvm::ArrayRef<OpRow> attentionRows();
llvm::ArrayRef<OpRow> convTransposeRows();
llvm::ArrayRef<OpRow> einsumRows();
llvm::ArrayRef<OpRow> matrixRows();
llvm::ArrayRef<OpRow> maxPoolRows();
llvm::ArrayRef<OpRow> quantizedProductRows();
llvm::ArrayRef<OpRow> regionRows();
llvm::ArrayRef<OpRow> resizeRows();
llvm::ArrayRef<OpRow> samplingRows();
llvm::ArrayRef<OpRow> sequenceModelRows();
llvm::ArrayRef<OpRow> signalRows();
// Of other domains.
llvm::ArrayRef<OpRow> flexRows();               // ai.onnx.preview
llvm::ArrayRef<OpRow> learningRows();           // ai.onnx.ml
llvm::ArrayRef<OpRow> supportVectorRows();      // ai.onnx.ml
llvm::ArrayRef<OpRow> treeRows();               // ai.onnx.ml
llvm::ArrayRef<OpRow> encoderRows();            // ai.onnx.ml
llvm::ArrayRef<OpRow> fusedRows();              // com.microsoft
llvm::ArrayRef<OpRow> fusedAttentionRows();     // com.microsoft
llvm::ArrayRef<OpRow> blockwiseProductRows();   // com.microsoft
llvm::ArrayRef<OpRow> quantizedLayerRows();     // com.microsoft
llvm::ArrayRef<OpRow> quantizedRecurrentRows(); // com.microsoft
llvm::ArrayRef<OpRow> optimizerRows();          // ai.onnx.preview.training

/// Operators with subgraphs, for the coverage page: the import handles them
/// itself.
llvm::ArrayRef<OpRow> subgraphRows();

struct OpFamily {
  llvm::StringLiteral name, domain; // "" is the default domain
  llvm::ArrayRef<OpRow> (*rows)();
};
llvm::ArrayRef<OpFamily> opFamilies();

/// The row for an operator of a domain ("" is the default one) at an opset
/// version; null if there is none. `known` tells whether another version of the
/// operator has a row.
const OpRow *findRow(llvm::StringRef domain, llvm::StringRef op,
                     int64_t version, bool &known);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_ONNXOPTABLE_H
