// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the errors of all libraries into messages and exit codes.

#include "tools/model/Diagnostics.h"

#include "frontends/files/FileError.h"
#include "ir/LocationText.h"
#include "ir/interpreter/EvalError.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

char ToolError::ID = 0;

void ToolError::log(llvm::raw_ostream &os) const {
  os << (where.empty() ? "" : where + ": ") << text;
}

llvm::Error zenith::tools::failure(ExitCode code, std::string message,
                                   std::string place) {
  return llvm::make_error<ToolError>(code, std::move(message),
                                     std::move(place));
}

llvm::Error zenith::tools::printedFailure(ExitCode code, std::string message,
                                          std::string place) {
  auto error =
      std::make_unique<ToolError>(code, std::move(message), std::move(place));
  error->setPrinted();
  return llvm::Error(std::move(error));
}

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
  if (!asJSON) {
    os << (message.place.empty() ? tool : message.place) << ": "
       << message.severity << ": " << message.text << "\n";
    for (const auto &[text, place] : message.notes)
      os << (place.empty() ? tool : place) << ": note: " << text << "\n";
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
  os << llvm::json::Value(std::move(object)) << "\n";
}

int Diagnostics::report(llvm::Error error) {
  int code = 0;
  auto add = [&](int itsCode, const std::string &text,
                 const std::string &place) {
    print({"error", text, place, {}});
    code = code ? code : itsCode;
  };
  llvm::handleAllErrors(
      std::move(error),
      [&](const ToolError &e) {
        if (!e.printed())
          add(int(e.code()), e.reason(), e.place());
        else
          code = code ? code : int(e.code());
      },
      [&](const interpreter::EvalError &e) {
        add(int(e.kind()), e.reason(), e.place());
      },
      [&](const tensors::FileError &e) {
        add(int(e.kind()), e.reason(), e.path());
      },
      [&](const llvm::ErrorInfoBase &e) {
        add(int(ExitCode::Internal), e.message(), "");
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
