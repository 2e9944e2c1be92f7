// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target models as JSON: those with names, and files that say one.

#ifndef ZENITH_IR_TARGET_NAMEDMODELS_H
#define ZENITH_IR_TARGET_NAMEDMODELS_H

#include "ir/target/TargetModel.h"
#include "llvm/Support/Error.h"
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

/// Reads an object of fields, "processors" (or "processor") and "triple"; what
/// is left out is as in `base`. Errors name the key and its line in `file`:
/// unknown keys (with the nearest), values of another type, constraints of
/// TargetAttr.
llvm::Expected<GivenModel>
parseModel(llvm::StringRef text, llvm::StringRef file, const TargetModel &base);

/// The model of a name of the table, "znver4" or "nvidia-sm90"; null for
/// others.
const GivenModel *namedModel(llvm::StringRef name);
/// The processor's model that the table has for LLVM's name of it; null where
/// it has none.
const GivenModel *modelOfProcessor(llvm::StringRef cpu);
/// All names, in the order of the table.
std::vector<llvm::StringRef> modelNames();

} // namespace zenith::target

#endif // ZENITH_IR_TARGET_NAMEDMODELS_H
