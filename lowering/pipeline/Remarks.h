// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions that users ask about, as structured remarks instead of diagnostics.

#ifndef ZENITH_LOWERING_PIPELINE_REMARKS_H
#define ZENITH_LOWERING_PIPELINE_REMARKS_H

#include "ir/remarks/Remark.h"
#include <functional>
#include <string>

namespace zenith::pipeline {

/// One decision, with a row of RemarkCodes.def.
struct Remark {
  remarks::Code code;
  std::string text; ///< the sentence with its values
  remarks::Payload payload;
  std::string
      location; ///< "model.mlir:3:5", or the name that the source gave the op

  remarks::Topic topic() const { return remarks::entryOf(code).topic; }
};

/// A remark that no diagnostic carries.
Remark makeRemark(remarks::Code code, llvm::ArrayRef<remarks::Value> values,
                  std::string location = {});

/// "TOPIC CODE LOCATION: text".
std::string toText(const Remark &remark);
/// {"topic", "code", "text", "location", "payload"} on one line; "payload" has
/// the values of the sentence by name. Remarks on precision have these beside
/// the other keys too.
std::string toJSON(const Remark &remark);

/// Text of a location: files as FILE:LINE:COL, names in quotes; empty where
/// nothing is known.
std::string locationText(mlir::Location location);

/// While it lives, takes the diagnostics of a context: remarks of the table go
/// to `sink`, errors are kept.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context,
                      std::function<void(const Remark &)> sink);

  bool hasErrors() const { return !errors.empty(); }
  /// All errors with their notes; the first one's location is `firstLocation`.
  const std::string &errorText() const { return errors; }
  const std::string &firstLocation() const { return location; }

private:
  void takeError(mlir::Diagnostic &diagnostic);

  std::function<void(const Remark &)> sink;
  std::string errors, location;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_REMARKS_H
