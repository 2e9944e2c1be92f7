// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target models as JSON: those with names, and files that say one.

#ifndef ZENITH_IR_TARGET_NAMEDMODELS_H
#define ZENITH_IR_TARGET_NAMEDMODELS_H

#include "ir/target/TargetModel.h"
#include "llvm/Support/JSON.h"
#include <vector>

namespace zenith::target {

/// A model that a user chose, and what code is generated for.
struct GivenModel {
  TargetModel model;
  /// LLVM's names of processors that have it, the one to generate code for
  /// first; none for devices.
  std::vector<std::string> processors;
  std::string triple; ///< empty: this machine's
};

/// All fields by their names.
llvm::json::Object toJSON(const TargetModel &model);

/// The fields that differ from the generic model: "lanes=16 registers=32".
std::string differencesOf(const TargetModel &model);

/// Why a text is no model, and the line that says so.
struct ModelFault {
  std::string text;
  size_t line = 1;
};
/// Reads an object of fields, "processors" and "triple"; what is left out is as
/// in `base`. Nullopt and a `fault`, which names the key, for text that is no
/// JSON, unknown keys (with the nearest), values of another type and broken
/// constraints of TargetAttr.
std::optional<GivenModel>
parseModel(llvm::StringRef text, const TargetModel &base, ModelFault &fault);

/// The model of a name of the table, "znver4" or "nvidia-sm90"; null for
/// others.
const GivenModel *namedModel(llvm::StringRef name);
/// The processor's model that the table has for LLVM's name of it; null where
/// it has none.
const GivenModel *modelOfProcessor(llvm::StringRef cpu);
/// All names, in the order of the table.
std::vector<llvm::StringRef> modelNames();
/// The name that is most like `text`.
llvm::StringRef nearestModelName(llvm::StringRef text);

} // namespace zenith::target

#endif // ZENITH_IR_TARGET_NAMEDMODELS_H
