// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-run.

#ifndef ZENITH_TOOLS_MODEL_RUNOPTIONS_H
#define ZENITH_TOOLS_MODEL_RUNOPTIONS_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zenith::tools {

/// A tensor file that belongs to an input or result.
struct KeyedFile {
  std::string key, typeText, file; ///< typeText: of .raw files, "f32[2x3]"
};

/// Differences that are taken as equal; without any, a default per type.
struct Tolerance {
  std::optional<double> relative, absolute;
  std::optional<int64_t> ulps;
  bool given() const { return relative || absolute || ulps; }
};

struct RunOptions {
  std::string model, entry, target = "cpu";
  std::string mixedPrecision; ///< bf16, fp16; empty: as the model says
  unsigned threads = 0;
  std::vector<KeyedFile> inputs, bindings, expected;
  std::map<std::string, int64_t> dims;
  std::optional<uint64_t> randomSeed;
  std::string params, outDir, outFormat = "npy";
  Tolerance tolerance;
  bool compareInterp = false, perOp = false;
  unsigned bench = 0;
  std::string benchJSON;
  bool benchServer = false;
  std::vector<std::string> reports; ///< memory, time, roofline
  bool reportText = false;          ///< of the roofline: a table, not JSON
  std::string cache;                ///< folder, defaultCache, or empty: none
  int64_t printElements = 0;        ///< of each result, as text
  std::optional<int64_t> maxMemory;
  std::string spillFolder; ///< for memory above maxMemory; empty: none
  std::optional<int64_t> maxSpill;
  /// Representations of states that searches must not choose.
  std::vector<std::string> withoutSearchForms;
  unsigned meshDevices = 1; ///< logical devices of a program with shardings
  std::vector<std::string> explain;
  bool explainJSON = false, jsonDiagnostics = false, listTargets = false;
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<RunOptions>>
parseRunOptions(int argc, char **argv, bool &jsonDiagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_RUNOPTIONS_H
