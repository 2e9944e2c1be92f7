// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits remark diagnostics into topic, code and text, and prints them.

#include "lowering/pipeline/Remarks.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zenith::pipeline {

std::string locationText(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto name = dyn_cast<NameLoc>(location)) {
    std::string child = locationText(name.getChildLoc());
    std::string quoted = "\"" + name.getName().str() + "\"";
    return child.empty() ? quoted : quoted + " at " + child;
  }
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (std::string text = locationText(part); !text.empty())
        return text;
    return "";
  }
  if (auto site = dyn_cast<CallSiteLoc>(location))
    return locationText(site.getCallee());
  return "";
}

std::string toText(const Remark &remark) {
  std::string text = remark.topic;
  if (!remark.code.empty())
    text += " " + remark.code;
  if (!remark.location.empty())
    text += " " + remark.location;
  return text + ": " + remark.text;
}

std::string toJSON(const Remark &remark) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(
      llvm::json::Object{{"topic", remark.topic},
                         {"code", remark.code},
                         {"text", llvm::json::fixUTF8(remark.text)},
                         {"location", llvm::json::fixUTF8(remark.location)}});
  return text;
}

/// MLIR attaches the whole op to a diagnostic; a remark names it by its place.
static bool showsOp(Diagnostic &note) {
  return StringRef(note.str()).starts_with("see current operation: ");
}

/// "topic: CODE: text"; the code may be missing.
static Remark parseRemark(Diagnostic &diagnostic) {
  std::string whole = diagnostic.str();
  auto [topic, rest] = StringRef(whole).split(": ");
  auto [code, text] = rest.split(": ");
  bool isCode = !text.empty() && llvm::all_of(code, [](char c) {
    return llvm::isUpper(c) || llvm::isDigit(c);
  });
  Remark remark{topic.str(), isCode ? code.str() : "",
                (isCode ? text : rest).str(),
                locationText(diagnostic.getLocation())};
  for (Diagnostic &note : diagnostic.getNotes())
    if (!showsOp(note))
      remark.text += "; " + note.str();
  return remark;
}

DiagnosticCollector::DiagnosticCollector(
    MLIRContext *context, std::function<void(const Remark &)> sink)
    : sink(std::move(sink)), handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          takeError(diagnostic);
        else if (diagnostic.getSeverity() == DiagnosticSeverity::Remark &&
                 this->sink)
          this->sink(parseRemark(diagnostic));
        return success();
      }) {}

void DiagnosticCollector::takeError(Diagnostic &diagnostic) {
  if (errors.empty())
    place = locationText(diagnostic.getLocation());
  else
    errors += "\n";
  errors += diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    errors += "\nnote: " + note.str();
}

} // namespace zenith::pipeline
