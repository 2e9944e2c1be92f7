// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the names of ops with patterns.

#include "passes/precision/KeptOps.h"

#include "ir/LocationText.h"
#include "passes/precision/PrecisionPolicy.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::precision {

std::string sourceName(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return graph::placeOf(op->getLoc());
}

std::vector<std::string> splitPatterns(ArrayRef<std::string> texts) {
  std::vector<std::string> patterns;
  for (const std::string &text : texts)
    for (StringRef pattern : llvm::split(text, ','))
      patterns.push_back(pattern.str());
  return patterns;
}

/// Whether `text` is `pattern` with a text for each *.
static bool matches(StringRef pattern, StringRef text) {
  auto [head, rest] = pattern.split('*');
  if (!text.consume_front(head))
    return false;
  if (!pattern.contains('*'))
    return text.empty();
  for (size_t skipped = 0; skipped <= text.size(); ++skipped)
    if (matches(rest, text.drop_front(skipped)) || rest.empty())
      return true;
  return false;
}

/// The names of the source's ops that `op` was made of.
static SmallVector<std::string> sourceNames(Operation *op) {
  SmallVector<std::string> names;
  op->getLoc()->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name)
      return WalkResult::advance();
    names.push_back(name.getName().str());
    return WalkResult::skip();
  });
  if (names.empty())
    names.push_back(sourceName(op));
  return names;
}

static bool names(StringRef pattern, Operation *op) {
  if (pattern.consume_front("op:"))
    return pattern == op->getName().stripDialect() || pattern == policyName(op);
  return llvm::any_of(sourceNames(op), [&](const std::string &name) {
    return matches(pattern, name);
  });
}

const std::string *keepPattern(Operation *op, ArrayRef<std::string> patterns) {
  for (const std::string &pattern : patterns)
    if (names(pattern, op))
      return &pattern;
  return nullptr;
}

/// The names that a pattern may have: of kinds of ops all, since a model need
/// not have each; else those of the module's ops.
static std::vector<std::string> knownNames(ModuleOp module, bool ofKinds) {
  std::vector<std::string> names;
  if (ofKinds) {
    for (const std::string &name : policyNames(module.getContext()))
      names.push_back("op:" + name);
    return names;
  }
  module.walk([&](Operation *op) {
    if (listOf(op) != List::None)
      llvm::append_range(names, sourceNames(op));
  });
  return names;
}

std::optional<Error> checkKeepPatterns(ModuleOp module,
                                       ArrayRef<std::string> patterns) {
  for (const std::string &pattern : patterns) {
    bool ofKinds = StringRef(pattern).starts_with("op:");
    std::vector<std::string> names = knownNames(module, ofKinds);
    if (llvm::any_of(names, [&](const std::string &name) {
          return ofKinds ? name == pattern : matches(pattern, name);
        }))
      continue;
    return Error{ErrorCode::Usage,
                 "--keep-f32: '" + pattern + "' names no op" +
                     nearest(pattern, names),
                 ""};
  }
  return std::nullopt;
}

} // namespace zenith::precision
