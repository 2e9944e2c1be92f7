// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the host dialect.

#include "lowering/pipeline/HostDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "lowering/pipeline/HostDialect.cpp.inc"
#include "lowering/pipeline/HostEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lowering/pipeline/HostAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "lowering/pipeline/HostOps.cpp.inc"

namespace zenith::host {

void HostDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "lowering/pipeline/HostOps.cpp.inc"
      >();
}

void HostDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lowering/pipeline/HostAttrs.cpp.inc"
      >();
}

} // namespace zenith::host
