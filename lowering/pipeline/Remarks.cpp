// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes remarks from diagnostics and prints them.

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

Remark makeRemark(remarks::Code code, ArrayRef<remarks::Value> values,
                  std::string location) {
  return {code, remarks::sentenceOf(code, values),
          remarks::payloadOf(code, values), std::move(location)};
}

std::string toText(const Remark &remark) {
  const remarks::Entry &entry = remarks::entryOf(remark.code);
  std::string text = (remarks::topicWord(entry.topic) + " " + entry.name).str();
  if (!remark.location.empty())
    text += " " + remark.location;
  return text + ": " + remark.text;
}

static llvm::json::Value jsonOf(const remarks::Value &value) {
  if (const int64_t *integer = value.integer())
    return *integer;
  if (const double *number = value.number())
    return *number;
  return llvm::json::fixUTF8(value.text());
}

std::string toJSON(const Remark &remark) {
  const remarks::Entry &entry = remarks::entryOf(remark.code);
  llvm::json::Object payload;
  for (const auto &[name, value] : remark.payload)
    payload[name] = jsonOf(value);
  llvm::json::Object object;
  // Of precision there is a record for each op, whose fields readers compare.
  if (entry.topic == remarks::Topic::Precision)
    object = payload;
  object["topic"] = remarks::topicWord(entry.topic);
  object["code"] = entry.name;
  object["text"] = llvm::json::fixUTF8(remark.text);
  object["location"] = llvm::json::fixUTF8(remark.location);
  object["payload"] = std::move(payload);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}

DiagnosticCollector::DiagnosticCollector(
    MLIRContext *context, std::function<void(const Remark &)> sink)
    : sink(std::move(sink)), handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          takeError(diagnostic);
        else if (diagnostic.getSeverity() == DiagnosticSeverity::Remark &&
                 this->sink)
          if (auto remark = remarks::read(diagnostic))
            this->sink({remark->entry->code, remark->text, remark->payload,
                        locationText(diagnostic.getLocation())});
        return success();
      }) {}

void DiagnosticCollector::takeError(Diagnostic &diagnostic) {
  if (errors.empty())
    location = locationText(diagnostic.getLocation());
  else
    errors += "\n";
  errors += diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    errors += "\nnote: " + note.str();
}

} // namespace zenith::pipeline
