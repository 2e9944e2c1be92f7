// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions that users ask about, as structured remarks instead of diagnostics.

#ifndef ZENITH_LOWERING_PIPELINE_REMARKS_H
#define ZENITH_LOWERING_PIPELINE_REMARKS_H

#include "mlir/IR/Diagnostics.h"
#include <functional>
#include <string>
#include <vector>

namespace zenith::pipeline {

/// One decision. Passes emit it as the diagnostic `remark: TOPIC: CODE: text`.
struct Remark {
  std::string topic; ///< "fusion", "remat", ...; what --explain= selects
  std::string code;  ///< stable: "FUS101"
  std::string text;  ///< one sentence, with its numbers
  std::string
      location; ///< "model.mlir:3:5", or the name that the source gave the op
};

/// "TOPIC CODE LOCATION: text".
std::string toText(const Remark &remark);
/// {"topic", "code", "text", "location"} on one line.
std::string toJSON(const Remark &remark);

/// Text of a location: files as FILE:LINE:COL, names in quotes; empty where
/// nothing is known.
std::string locationText(mlir::Location location);

/// While it lives, takes the diagnostics of a context: remarks go to `sink`,
/// errors are kept.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context,
                      std::function<void(const Remark &)> sink);

  bool hasErrors() const { return !errors.empty(); }
  /// All errors with their notes; the first one's place is `firstLocation`.
  const std::string &errorText() const { return errors; }
  const std::string &firstLocation() const { return place; }

private:
  void takeError(mlir::Diagnostic &diagnostic);

  std::function<void(const Remark &)> sink;
  std::string errors, place;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_REMARKS_H
