// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation depends on: the one struct from the command lines to the
// passes and the cache key.

#ifndef ZENITH_LOWERING_PIPELINE_COMPILEOPTIONS_H
#define ZENITH_LOWERING_PIPELINE_COMPILEOPTIONS_H

#include "ir/Error.h"
#include "lowering/pipeline/OptionTable.h"
#include <functional>

namespace zenith::pipeline {

struct Remark;

/// What may be computed a second time; Default: Auto under a budget, else
/// Policy.
enum class RematMode { Default, Off, Policy, Auto };

/// Representations of search states, as zenith-choose-state-keys and
/// zenith-score-first name them.
enum class SearchForm {
  Keys,
  BackBits,
  GeneratorTable,
  DenseIndex,
  BitRows,
  Marks,
  KeyRanges,
  Symmetry,
  SymmetryGroup,
  Pieces,
  LastCount,
  KnownIndex,
  ScoreFirst
};

/// Types that a target may lack, as zenith-legalize-types names them.
enum class LackingType { I64, UI64, F64, F16, BF16, F8 };

/// What computes f64 on a target that lacks it.
enum class DoubleForm { Refused, F32 };

/// How far the hierarchy of propagation goes; each word includes the former.
enum class Propagation { Basic, Aggressive, OpPriority, UserPriority, Full };

/// The forms that emit() is asked for; those from static libraries on have no
/// emitter here.
enum class EmitForm {
  GraphIR,
  Kernels,
  LLVM,
  Assembly,
  Object,
  OpenCL,
  StaticLibrary,
  SharedLibrary,
  Header,
  MemoryGraph,   ///< what the planner of memory sees
  Shardings,     ///< of the program as imported, after propagation; a tool's
  ShardingRules, ///< of its ops; a tool's
  Partitioned    ///< the program of one device; a tool's
};

/// Fields are the rows of CompileOptions.def. In zenith-phases{...} and in
/// passes they have the same meaning.
struct CompileOptions {
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  std::string folder; ///< where relative paths of parameters start
  /// Folder of the file that emit()'s text is written to.
  std::string outputFolder;
  std::function<void(const Remark &)> remark; ///< gets the remarks
  /// Gets the name and the milliseconds of each phase that runPhases() ran.
  std::function<void(llvm::StringRef, double)> timed;
  /// Asked before each phase and each module of kernels, from any thread: the
  /// error with which the compilation ends.
  std::function<std::optional<Error>()> interrupted;
};

} // namespace zenith::pipeline

namespace zenith::options {

template <> struct Words<pipeline::RematMode> {
  static constexpr Word<pipeline::RematMode> all[] = {
      {"off", pipeline::RematMode::Off},
      {"policy", pipeline::RematMode::Policy},
      {"auto", pipeline::RematMode::Auto}};
};

template <> struct Words<pipeline::SearchForm> {
  using Form = pipeline::SearchForm;
  static constexpr Word<Form> all[] = {
      {"keys", Form::Keys},
      {"back-bits", Form::BackBits},
      {"generator-table", Form::GeneratorTable},
      {"dense-index", Form::DenseIndex},
      {"bit-rows", Form::BitRows},
      {"marks", Form::Marks},
      {"key-ranges", Form::KeyRanges},
      {"symmetry", Form::Symmetry},
      {"symmetry-group", Form::SymmetryGroup},
      {"pieces", Form::Pieces},
      {"last-count", Form::LastCount},
      {"known-index", Form::KnownIndex},
      {"score-first", Form::ScoreFirst}};
};

template <> struct Words<pipeline::LackingType> {
  using Type = pipeline::LackingType;
  static constexpr Word<Type> all[] = {
      {"i64", Type::I64}, {"ui64", Type::UI64}, {"f64", Type::F64},
      {"f16", Type::F16}, {"bf16", Type::BF16}, {"f8", Type::F8}};
};

template <> struct Words<pipeline::DoubleForm> {
  static constexpr Word<pipeline::DoubleForm> all[] = {
      {"f32", pipeline::DoubleForm::F32}};
};

template <> struct Words<pipeline::EmitForm> {
  using Form = pipeline::EmitForm;
  static constexpr Word<Form> all[] = {{"graphir", Form::GraphIR},
                                       {"kernels", Form::Kernels},
                                       {"llvm", Form::LLVM},
                                       {"asm", Form::Assembly},
                                       {"obj", Form::Object},
                                       {"static-lib", Form::StaticLibrary},
                                       {"shared-lib", Form::SharedLibrary},
                                       {"header", Form::Header},
                                       {"memory-graph", Form::MemoryGraph},
                                       {"shardings", Form::Shardings},
                                       {"sharding-rules", Form::ShardingRules},
                                       {"partitioned", Form::Partitioned},
                                       {"opencl", Form::OpenCL}};
};

template <> struct Words<pipeline::Propagation> {
  using Form = pipeline::Propagation;
  static constexpr Word<Form> all[] = {{"basic", Form::Basic},
                                       {"aggressive", Form::Aggressive},
                                       {"op-priority", Form::OpPriority},
                                       {"user-priority", Form::UserPriority},
                                       {"full", Form::Full}};
};

} // namespace zenith::options

#endif // ZENITH_LOWERING_PIPELINE_COMPILEOPTIONS_H
