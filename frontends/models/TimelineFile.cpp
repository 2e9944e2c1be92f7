// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the form by the name of the file.

#include "frontends/models/TimelineFile.h"

#include "ir/LLVMError.h"
#include "lowering/memory/BufferNotes.h"
#include "llvm/Support/raw_ostream.h"

namespace zenith::models {

llvm::Error writeTimeline(llvm::StringRef path,
                          std::optional<llvm::json::Object> timeline) {
  if (!timeline)
    return makeError(ErrorCode::Unsupported,
                     "--memory-timeline: sizes in the arena depend on data");
  std::string text;
  if (path.ends_with(".svg"))
    text = memory::drawTimeline(*timeline);
  else
    llvm::raw_string_ostream(text)
        << llvm::json::Value(std::move(*timeline)) << "\n";
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (!code) {
    file << text;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (code)
    return makeError(ErrorCode::Invalid, "cannot write: " + code.message(),
                     path.str());
  return llvm::Error::success();
}

} // namespace zenith::models
