// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates LLVM's code generators, and compares what they count on with what
// this machine grants.

#include "lowering/cpu/CPUMachine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>

using namespace llvm;

namespace zenith::cpu {

/// LLVM keeps its targets in a registry of the process; filling it twice does
/// no harm, but not at once.
static void registerTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    // Of models whose code other machines run.
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

static llvm::Error failure(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

static Expected<const Target *> findTarget(const std::string &triple) {
  registerTargets();
  std::string reason;
  if (const Target *target = TargetRegistry::lookupTarget(triple, reason))
    return target;
  return failure("no code generator for " + triple + ": " + reason);
}

/// Features whose instructions no kernel has: code generation picks them for
/// calls by name alone, which are for system software, cryptography, tiles and
/// the like. A virtual machine may hide them.
static bool isNeverUsed(StringRef feature) {
  static constexpr StringLiteral names[] = {
      "aes",    "cldemote",   "clflushopt", "clwb",     "clzero",  "crc32",
      "enqcmd", "fsgsbase",   "fxsr",       "hreset",   "invpcid", "kl",
      "lwp",    "movdir64b",  "movdiri",    "mwaitx",   "pclmul",  "pconfig",
      "pku",    "prefetchi",  "ptwrite",    "rdpid",    "rdpru",   "rdrnd",
      "rdseed", "rtm",        "serialize",  "sgx",      "sha",     "sha512",
      "shstk",  "sm3",        "sm4",        "tsxldtrk", "uintr",   "usermsr",
      "vaes",   "vpclmulqdq", "waitpkg",    "wbnoinvd", "widekl",  "xsave",
      "xsavec", "xsaveopt",   "xsaves"};
  return is_contained(names, feature) || feature.starts_with("amx-");
}

llvm::Error checkRunsHere(const target::CPUTarget &target) {
  std::string here = sys::getProcessTriple();
  if (Triple(target.triple).getArch() != Triple(here).getArch())
    return failure("this machine cannot run code for " + target.triple);
  Expected<const Target *> found = findTarget(target.triple);
  if (!found)
    return found.takeError();
  std::unique_ptr<MCSubtargetInfo> wanted((*found)->createMCSubtargetInfo(
      target.triple, target.cpu, target.features));
  std::vector<std::string> missing;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (!feature.second && !isNeverUsed(feature.first()) &&
        wanted->checkFeatures("+" + feature.first().str()))
      missing.push_back(feature.first().str());
  llvm::sort(missing);
  if (missing.empty())
    return llvm::Error::success();
  return failure("this machine cannot run code for " + target.cpu +
                 ": it lacks " + join(missing, ", "));
}

Expected<std::unique_ptr<TargetMachine>>
createMachine(const target::CPUTarget &target) {
  Expected<const Target *> found = findTarget(target.triple);
  if (!found)
    return found.takeError();
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  // Less: the same code as Default for these kernels, earlier.
  std::unique_ptr<TargetMachine> machine((*found)->createTargetMachine(
      target.triple, target.cpu, target.features, options, Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Less));
  if (!machine)
    return failure("no code generator for " + target.triple);
  return machine;
}

} // namespace zenith::cpu
