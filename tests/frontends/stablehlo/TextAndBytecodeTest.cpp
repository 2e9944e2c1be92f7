// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text and portable artifact of one program must become the same GraphIR.
// Skips where the programs beside the repository are absent.

#include "frontends/stablehlo/ImportStableHLO.h"
#include "frontends/stablehlo/bytecode/NewerText.h"
#include "frontends/stablehlo/bytecode/PortableArtifact.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "ir/GraphDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <filesystem>

using namespace mlir;
using namespace zenith;
namespace fs = std::filesystem;

namespace {

class TextAndBytecode : public testing::Test {
protected:
  TextAndBytecode() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
  }
  static DialectRegistry registry() {
    DialectRegistry dialects;
    dialects.insert<graph::GraphDialect>();
    stablehlo::registerStableHLODialects(dialects);
    return dialects;
  }
  /// Pairs of files in one folder, for all folders below `root`.
  static std::vector<std::pair<fs::path, fs::path>>
  pairs(const fs::path &root, const char *text, const char *artifact) {
    std::vector<std::pair<fs::path, fs::path>> found;
    if (!fs::exists(root))
      return found;
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(root))
      if (entry.path().filename() == artifact &&
          fs::exists(entry.path().parent_path() / text))
        found.push_back({entry.path().parent_path() / text, entry.path()});
    std::sort(found.begin(), found.end());
    return found;
  }
  /// GraphIR without locations, or the reason why there is none.
  std::string imported(const fs::path &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path.string());
    if (!buffer)
      return "cannot be opened";
    llvm::StringRef bytes = (*buffer)->getBuffer();
    OwningOpRef<ModuleOp> module;
    if (stablehlo::isPortableArtifact(bytes)) {
      auto read = stablehlo::readPortableArtifact(bytes, &context);
      if (!read)
        return "error: " + read.error().message();
      module = std::move(*read);
      if (failed(verify(*module)))
        return "error: " + message;
    } else {
      std::optional<std::string> newer = stablehlo::rewriteNewerText(bytes);
      module = parseSourceString<ModuleOp>(newer ? *newer : bytes,
                                           ParserConfig(&context));
      if (!module)
        return "error: " + message;
    }
    auto program = stablehlo::importStableHLO(*module);
    if (!program)
      return "error: " + llvm::toString(program.takeError());
    std::string text;
    llvm::raw_string_ostream os(text);
    program->module->print(os);
    return os.str();
  }
  /// Where both forms are refused, it is for the same reason.
  void compare(const std::vector<std::pair<fs::path, fs::path>> &programs) {
    if (programs.empty())
      GTEST_SKIP() << "no programs beside the repository";
    unsigned refused = 0;
    for (const auto &[text, artifact] : programs) {
      std::string fromText = imported(text), fromBytes = imported(artifact);
      refused += fromText.rfind("error: ", 0) == 0;
      EXPECT_EQ(fromText, fromBytes) << artifact;
    }
    EXPECT_LT(refused, programs.size() / 2);
  }
  MLIRContext context;
  std::string message;
};

TEST_F(TextAndBytecode, conformance_programs_are_equal) {
  compare(pairs(fs::path(ZENITH_SHARED_DATA) / "conformance/stablehlo-args",
                "program.mlir", "program.mlir.bc"));
}

// Exported programs are dynamic; their text is exported.mlir.
TEST_F(TextAndBytecode, exported_programs_are_equal) {
  compare(pairs(fs::path(ZENITH_SHARED_DATA) / "jax/exported", "exported.mlir",
                "program.bc"));
}

TEST_F(TextAndBytecode, artifacts_of_every_version_are_read) {
  fs::path root =
      fs::path(ZENITH_SHARED_DATA) / "conformance/stablehlo-bytecode";
  if (!fs::exists(root))
    GTEST_SKIP() << "no programs beside the repository";
  unsigned readWhole = 0;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".bc")
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(entry.path().string());
    ASSERT_TRUE(bool(buffer));
    auto module =
        stablehlo::readPortableArtifact((*buffer)->getBuffer(), &context);
    if (!module) {
      // A program that touches every type holds one that MLIR 19 lacks.
      EXPECT_EQ(module.error().code, ErrorCode::Unsupported)
          << entry.path() << module.error().message();
      continue;
    }
    ++readWhole;
    EXPECT_TRUE(succeeded(verify(**module))) << entry.path() << message;
  }
  EXPECT_GE(readWhole, 8u);
}

} // namespace
