// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the errors of all libraries into messages and exit codes.

#include "frontends/models/Diagnostics.h"

#include "ir/LocationText.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

// {"file", "line", "column"} of a place of that form, else {"place"}.
static void addPlace(llvm::json::Object &object, StringRef place) {
  if (place.empty())
    return;
  auto [rest, columnText] = place.rsplit(':');
  auto [file, lineText] = rest.rsplit(':');
  int64_t line, column;
  if (lineText.getAsInteger(10, line) || columnText.getAsInteger(10, column)) {
    object["place"] = place;
    return;
  }
  object["file"] = file;
  object["line"] = line;
  object["column"] = column;
}

void Diagnostics::print(const Message &message) {
  if (message.severity == "error")
    ++errorCount;
  if (sink)
    return sink(message);
  if (!asJSON) {
    *os << (message.place.empty() ? tool : message.place) << ": "
        << message.severity << ": " << message.text << "\n";
    for (const auto &[text, place] : message.notes)
      *os << (place.empty() ? tool : place) << ": note: " << text << "\n";
    return;
  }
  llvm::json::Object object{{"severity", message.severity},
                            {"message", message.text}};
  addPlace(object, message.place);
  llvm::json::Array notes;
  for (const auto &[text, place] : message.notes) {
    llvm::json::Object note{{"message", text}};
    addPlace(note, place);
    notes.push_back(std::move(note));
  }
  if (!notes.empty())
    object["notes"] = std::move(notes);
  *os << llvm::json::Value(std::move(object)) << "\n";
}

int Diagnostics::report(llvm::Error error) {
  int code = 0;
  llvm::handleAllErrors(
      std::move(error),
      [&](const LLVMError &e) {
        const Error &error = e.error();
        if (!error.reported)
          print({"error", error.text, error.location, {}});
        code = code ? code : int(error.code);
      },
      [&](const llvm::ErrorInfoBase &e) {
        print({"error", e.message(), "", {}});
        code = code ? code : int(ErrorCode::Internal);
      });
  return code;
}

LogicalResult Diagnostics::handle(Diagnostic &diagnostic, StringRef file) {
  auto placeOf = [&](Location location) {
    std::string place = graph::placeOf(location);
    return place.empty() ? file.str() : place;
  };
  static constexpr const char *names[] = {"note", "warning", "error", "remark"};
  Message message{names[int(diagnostic.getSeverity())],
                  diagnostic.str(),
                  placeOf(diagnostic.getLocation()),
                  {}};
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.emplace_back(note.str(), placeOf(note.getLocation()));
  print(message);
  return success();
}
