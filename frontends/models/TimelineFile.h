// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines of the arena as files.

#ifndef ZENITH_FRONTENDS_MODELS_TIMELINEFILE_H
#define ZENITH_FRONTENDS_MODELS_TIMELINEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace zenith::models {

/// Writes what memory::timelineOf gave: a picture where the name ends in .svg,
/// else JSON. Unsupported without a timeline: sizes depend on data then.
/// Invalid where the file cannot be written.
llvm::Error writeTimeline(llvm::StringRef path,
                          std::optional<llvm::json::Object> timeline);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_TIMELINEFILE_H
