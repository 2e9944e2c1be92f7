// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the facts knows of its ops: pages, tests, and an instance of each op
// taken from the round-trip tests.

#ifndef ZENITH_TESTS_PROJECT_PROJECTFACTS_H
#define ZENITH_TESTS_PROJECT_PROJECTFACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace zenith::project {

struct ProjectFacts {
  mlir::MLIRContext context;
  /// Ops of GraphIR, by name.
  std::vector<mlir::RegisteredOperationName> ops;
  /// Section of docs/generated/ops.md by op name without dialect.
  std::map<std::string, std::string> sections;
  std::string invalidTests; ///< text of tests/ir/*-invalid.mlir
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> roundTrips;
  /// Ops in the round-trip tests, by full name.
  std::map<std::string, std::vector<mlir::Operation *>> instances;
  std::string errors; ///< what could not be read

  explicit ProjectFacts(const std::filesystem::path &sourceDir);

private:
  void readSections(const std::filesystem::path &page);
  void readRoundTrips(const std::filesystem::path &folder);
};

/// What a room does with an op that stands alone in a program.
struct DirectoryAnswer {
  bool refused = true;
  std::string error;           ///< why, where refused
  std::set<std::string> words; ///< fusion kinds, or operators of ONNX
  bool onHost = false;         ///< some kernel runs on the host only
};

/// A module with one function that takes the op's operands, and what its
/// regions use from outside, and gives its results.
mlir::OwningOpRef<mlir::ModuleOp> isolate(mlir::Operation *op);
/// Phases from fuse to kernels; words are the kinds of its fusions.
DirectoryAnswer lowered(mlir::Operation *op);
/// Words are the operators that the op becomes.
DirectoryAnswer exported(mlir::Operation *op, int opset = 17);

/// docs/generated/coverage.md.
std::string coveragePage(ProjectFacts &facts);
/// docs/generated/support.md.
std::string supportPage(ProjectFacts &facts);
/// docs/generated/options.md, remarks.md and phases.md.
std::string optionsPage();
std::string remarksPage();
std::string phasesPage();

} // namespace zenith::project

#endif // ZENITH_TESTS_PROJECT_PROJECTFACTS_H
