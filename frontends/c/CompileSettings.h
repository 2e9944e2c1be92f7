// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a compilation from the API's struct and from settings by the
// tools' names.

#ifndef ZENITH_FRONTENDS_C_COMPILESETTINGS_H
#define ZENITH_FRONTENDS_C_COMPILESETTINGS_H

#include "frontends/c/Context.h"
#include "lowering/pipeline/CompileOptions.h"

namespace zenith::c {

/// Null, or what is wrong with the options.
zenith_status *readCompileOptions(const zenith_context &context,
                                  const zenith_compile_options &given,
                                  pipeline::CompileOptions &options);

/// JSON of the settings: name, type, default and help of each.
std::string settingsJSON();

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_COMPILESETTINGS_H
