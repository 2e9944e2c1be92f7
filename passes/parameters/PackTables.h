// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables whose gathered rows are summed.

#ifndef ZENITH_PASSES_PARAMETERS_PACKTABLES_H
#define ZENITH_PASSES_PARAMETERS_PACKTABLES_H

#include "ir/GraphOps.h"

namespace zenith::parameters {

/// Whether whole rows of a static table are gathered and only reduced.
bool readsSummedRows(graph::GatherOp op);

} // namespace zenith::parameters

#endif // ZENITH_PASSES_PARAMETERS_PACKTABLES_H
