// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An LLJIT of its own for each library; every symbol that code may use is bound
// by address, so nothing depends on what the process happens to export.

#include "lowering/cpu/JITLibrary.h"

#include "lowering/cpu/CPUMachine.h"
#include "lowering/cpu/CompileKernels.h"
#include "runtime/ABI.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <cstring>

using namespace llvm;

// Called by code for processors without half-precision instructions.
extern "C" {
void __extendhfsf2();
void __truncsfhf2();
void __truncdfhf2();
}

namespace zenith::cpu {

struct JITLibrary::State {
  std::unique_ptr<orc::LLJIT> jit;
};

JITLibrary::JITLibrary() : state(std::make_unique<State>()) {}
JITLibrary::~JITLibrary() = default;

#define LIBM_UNARY(name)                                                       \
  {#name, reinterpret_cast<void *>(static_cast<double (*)(double)>(::name))},  \
  {                                                                            \
    #name "f",                                                                 \
        reinterpret_cast<void *>(static_cast<float (*)(float)>(::name##f))     \
  }
#define LIBM_BINARY(name)                                                      \
  {#name,                                                                      \
   reinterpret_cast<void *>(static_cast<double (*)(double, double)>(::name))}, \
  {                                                                            \
    #name "f", reinterpret_cast<void *>(                                       \
                   static_cast<float (*)(float, float)>(::name##f))            \
  }

static ArrayRef<zenith_symbol> librarySymbols() {
  static const zenith_symbol symbols[] = {
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY) LIBM_UNARY(NAME),
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY) LIBM_BINARY(NAME),
#define ZENITH_FUNCTION_WITHOUT_OP(NAME) LIBM_UNARY(NAME),
#include "ir/ElementaryFunctions.def"
      LIBM_UNARY(ceil),
      LIBM_UNARY(floor),
      LIBM_UNARY(lgamma),
      LIBM_UNARY(nearbyint),
      LIBM_UNARY(rint),
      LIBM_UNARY(round),
      LIBM_UNARY(roundeven),
      LIBM_UNARY(sqrt),
      LIBM_UNARY(tgamma),
      LIBM_UNARY(trunc),
      LIBM_BINARY(fmax),
      LIBM_BINARY(fmin),
      LIBM_BINARY(fmod),
      LIBM_BINARY(remainder),
      {"fma", reinterpret_cast<void *>(
                  static_cast<double (*)(double, double, double)>(::fma))},
      {"fmaf", reinterpret_cast<void *>(
                   static_cast<float (*)(float, float, float)>(::fmaf))},
      {"ldexp",
       reinterpret_cast<void *>(static_cast<double (*)(double, int)>(::ldexp))},
      {"ldexpf",
       reinterpret_cast<void *>(static_cast<float (*)(float, int)>(::ldexpf))},
      {"memcpy", reinterpret_cast<void *>(::memcpy)},
      {"memmove", reinterpret_cast<void *>(::memmove)},
      {"memset", reinterpret_cast<void *>(::memset)},
      {"__extendhfsf2", reinterpret_cast<void *>(__extendhfsf2)},
      {"__truncsfhf2", reinterpret_cast<void *>(__truncsfhf2)},
      {"__truncdfhf2", reinterpret_cast<void *>(__truncdfhf2)},
  };
  return symbols;
}

static orc::SymbolMap bindSymbols(orc::LLJIT &jit,
                                  ArrayRef<zenith_symbol> runtime) {
  orc::SymbolMap bound;
  auto bind = [&](ArrayRef<zenith_symbol> symbols) {
    for (const zenith_symbol &symbol : symbols)
      bound[jit.mangleAndIntern(symbol.name)] = {
          orc::ExecutorAddr::fromPtr(symbol.address),
          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  };
  bind(librarySymbols());
  bind(runtime);
  return bound;
}

Expected<std::unique_ptr<JITLibrary>>
JITLibrary::create(ArrayRef<EmittedFile> objects,
                   const target::CPUTarget &target,
                   ArrayRef<zenith_symbol> symbols) {
  if (llvm::Error error = checkRunsHere(target))
    return error;
  // The JIT itself compiles nothing, but asks a code generator for the data
  // layout.
  Expected<std::unique_ptr<TargetMachine>> registered = createMachine(target);
  if (!registered)
    return registered.takeError();
  auto jit = orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(
                     orc::JITTargetMachineBuilder(Triple(target.triple)))
                 .create();
  if (!jit)
    return jit.takeError();
  std::unique_ptr<JITLibrary> library(new JITLibrary());
  library->state->jit = std::move(*jit);
  orc::LLJIT &linker = *library->state->jit;
  if (llvm::Error error = linker.getMainJITDylib().define(
          orc::absoluteSymbols(bindSymbols(linker, symbols))))
    return error;
  for (const EmittedFile &object : objects)
    if (llvm::Error error = linker.addObjectFile(
            MemoryBuffer::getMemBufferCopy(object.bytes, object.name)))
      return error;
  return library;
}

Expected<void *> JITLibrary::lookup(StringRef name) {
  Expected<orc::ExecutorAddr> address = state->jit->lookup(name);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

} // namespace zenith::cpu
