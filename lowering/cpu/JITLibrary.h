// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object files in memory, linked and callable.

#ifndef ZENITH_LOWERING_CPU_JITLIBRARY_H
#define ZENITH_LOWERING_CPU_JITLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

struct zenith_symbol;

namespace zenith::target {
struct CPUTarget;
}

namespace zenith::cpu {

struct EmittedFile;

/// Linked code. The code, and the addresses that lookup() returns, live as long
/// as this object. Example for a test of kernels:
class JITLibrary {
public:
  /// Links `objects` (EmitKind::Object) against each other, libm, and
  /// `symbols`: those of zenith_runtime_symbols() for a program with a host
  /// part, none for bare kernels. Refuses a target that this machine cannot
  /// run.
  static llvm::Expected<std::unique_ptr<JITLibrary>>
  create(llvm::ArrayRef<EmittedFile> objects, const target::CPUTarget &target,
         llvm::ArrayRef<zenith_symbol> symbols = {});
  ~JITLibrary();
  JITLibrary(const JITLibrary &) = delete;
  JITLibrary &operator=(const JITLibrary &) = delete;

  llvm::Expected<void *> lookup(llvm::StringRef name);
  template <typename Function>
  llvm::Expected<Function> lookupAs(llvm::StringRef name) {
    llvm::Expected<void *> address = lookup(name);
    if (!address)
      return address.takeError();
    return reinterpret_cast<Function>(*address);
  }

private:
  JITLibrary();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_JITLIBRARY_H
