// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command line of zenith-compile, and where its files go.

#include "tools/EmitModel.h"
#include "tools/EmitShardings.h"
#include "tools/ReportMemory.h"

#include "frontends/models/DeviceOptions.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/WriteModel.h"
#include "ir/target/OpenCLTarget.h"
#include "lowering/cpu/PrefixSymbols.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/Phases.h"
#include "passes/precision/KeptOps.h"
#include "passes/sharding/partition/ShardProgram.h"
#include "tools/model/CommandLine.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/DeriveModel.h"
#include "tools/model/Executor.h"
#include "tools/model/OptionEffects.h"
#include "tools/model/RunOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

static void addEmitOptions(CLI::App &app, ToolSet tool, EmitOptions &given) {
#define ZENITH_EMIT_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
}

/// True where what is written does not pass through a phase.
static bool endsBefore(StringRef phase, const EmitOptions &options) {
  StringRef last = options.run.compile.toPhase;
  return options.form == EmitForm::GraphIR &&
         pipeline::phaseIndex(last.empty() ? "fuse" : last) <
             pipeline::phaseIndex(phase);
}

/// True where standard output has reports, or nothing but a timeline was asked
/// for.
static bool reportsMemory(const EmitOptions &options) {
  return !options.run.reports.empty() || !options.run.memoryTimeline.empty();
}

static bool writesFiles(const EmitOptions &options) {
  return options.output != "-" || !reportsMemory(options);
}

static llvm::Error checkEmitEffects(const CLI::App &app,
                                    const EmitOptions &options) {
  using zenith::options::Condition;
  const std::string &target = options.run.compile.target;
  bool isDevice = target::OpenCLTarget::isTargetName(target);
  bool writes = writesFiles(options);
  bool writesObjects = writes && options.form == EmitForm::Object;
  const Fact facts[] = {
      {Condition::WritesFiles, writes},
      {Condition::Reports, !options.run.reports.empty()},
      {Condition::CompilesForProcessor, !isDevice},
      {Condition::WritesGraphIR, writes && options.form == EmitForm::GraphIR},
      {Condition::WritesCode,
       writesObjects || (writes && (options.form == EmitForm::LLVM ||
                                    options.form == EmitForm::Assembly))},
      {Condition::SchedulesKernels,
       reportsMemory(options) || !endsBefore("schedule", options)},
      {Condition::WritesObjects, writesObjects},
      {Condition::CachesObjects, writesObjects && !isDevice},
      {Condition::ChoosesDevice,
       options.form != EmitForm::OpenCL || isDevice || target == "cpu"}};
  return checkEffects(app, zenith::options::Compile, facts);
}

llvm::Expected<std::optional<EmitOptions>>
zenith::tools::parseEmitOptions(int argc, char **argv, CommonOptions &common) {
  CLI::App app("Compiles a model and writes a stage of it.", "zenith-compile");
  EmitOptions emit;
  addOptions(app, options::Compile, emit.run);
  addEmitOptions(app, options::Compile, emit);
  return finishCommandLine(
      app, options::Compile, argc, argv, common, emit,
      [&](const EmitOptions &given) { return checkEmitEffects(app, given); });
}

static bool isIdentifierByte(char byte) {
  return byte == '_' || llvm::isAlnum(byte);
}

/// `text` as an identifier of C: other bytes become '_', and one stands before
/// a leading digit.
static std::string identifierOf(StringRef text) {
  std::string name = text.str();
  for (char &byte : name)
    if (!isIdentifierByte(byte))
      byte = '_';
  return name.empty() || llvm::isDigit(name[0]) ? "_" + name : name;
}

/// What the symbols of objects begin with.
static llvm::Expected<std::string> symbolPrefix(const EmitOptions &options) {
  if (options.name.empty())
    return options.run.model == "-"
               ? "model"
               : identifierOf(llvm::sys::path::stem(options.run.model));
  if (identifierOf(options.name) != options.name)
    return makeError(ErrorCode::Usage,
                     "--name: '" + options.name + "' is no identifier of C");
  return options.name;
}

// Standard output gets the files one after the other; in a folder each file has
// a name of its own.
static llvm::Error writeFiles(ArrayRef<cpu::EmittedFile> files, EmitForm form,
                              const std::string &output) {
  bool isText = form == EmitForm::GraphIR || form == EmitForm::Kernels ||
                form == EmitForm::OpenCL || form == EmitForm::MemoryGraph;
  if (output == "-" || isText) {
    if (form == EmitForm::Object)
      return makeError(ErrorCode::Usage, "--emit=obj needs -o FOLDER");
    std::string all;
    for (const cpu::EmittedFile &file : files)
      all += file.bytes;
    return writeFile(output, all);
  }
  if (std::error_code code = llvm::sys::fs::create_directories(output))
    return makeError(ErrorCode::Invalid,
                     "cannot create the folder: " + code.message(), output);
  const char *suffix = form == EmitForm::LLVM       ? ".ll"
                       : form == EmitForm::Assembly ? ".s"
                                                    : ".o";
  for (const cpu::EmittedFile &file : files)
    if (llvm::Error error =
            writeFile(output + "/" + file.name + suffix, file.bytes))
      return error;
  return llvm::Error::success();
}

llvm::Error zenith::tools::emitModel(const EmitOptions &given,
                                     Diagnostics &diagnostics) {
  EmitOptions options = given;
  for (Report report : options.run.reports)
    if (report != Report::Memory)
      return makeError(ErrorCode::Usage,
                       "--report: zenith-compile has a report of memory alone");
  if (llvm::Error error = checkMemoryOptions(options.run))
    return error;
  const std::string &target = options.run.compile.target;
  if (!isTarget(target) || options.run.isInterpreted())
    return makeError(
        ErrorCode::Usage,
        "'" + target +
            "' is no target; known are cpu, cpu:ARCH, opencl, opencl:N");
  std::unique_ptr<MLIRContext> context = makeContext();
  LoadOptions load;
  load.dims = options.run.dims.sizes;
  load.dimBounds = options.run.dims.bounds;
  load.stablehlo.keepsValues = options.form == EmitForm::Shardings ||
                               options.form == EmitForm::ShardingRules;
  load.remark = [&](const remarks::Emitted &remark, Location location) {
    printRemark(remark, location, options.run, diagnostics);
  };
  llvm::Expected<LoadedModel> model =
      loadModel(options.run.model, context.get(), load, diagnostics);
  if (!model)
    return model.takeError();
  if (auto entry = deriveModel(*model, options.run.transforms, "", diagnostics);
      !entry)
    return entry.takeError();
  if (options.form == EmitForm::Shardings ||
      options.form == EmitForm::ShardingRules) {
    llvm::Expected<std::string> text =
        shardingText(*model->module, options.form, options.run.compile);
    return text ? writeFile(options.output, *text) : text.takeError();
  }
  llvm::Expected<Operation *> entry =
      models::findEntry(*model->module, options.run.entry);
  StringRef name;
  if (entry)
    name = SymbolTable::getSymbolName(*entry);
  else
    llvm::consumeError(entry.takeError());
  sharding::ShardOptions dealt =
      models::shardOptions(options.run.compile, name);
  dealt.keepPartitioned = options.form == EmitForm::Partitioned;
  dealt.explain = options.run.explains(remarks::Topic::Sharding);
  {
    RemarkPrinter printer(context.get(), options.run, diagnostics);
    if (llvm::Error error = sharding::shardProgram(*model->module, dealt))
      return error;
  }
  if (options.form == EmitForm::Partitioned) {
    std::string text;
    llvm::raw_string_ostream(text) << *model->module;
    return writeFile(options.output, text);
  }
  llvm::Expected<std::string> prefix = symbolPrefix(options);
  if (!prefix)
    return prefix.takeError();
  pipeline::CompileOptions compile = compileOptions(options.run, diagnostics);
  compile.folder = model->folder;
  compile.keptOps = precision::splitPatterns(options.run.precision.keepF32);
  auto own =
      (*model->module)->getAttrOfType<StringAttr>(graph::precisionAttrName);
  if (llvm::Error error = checkKeepEffect(
          options.run.precision, own ? own.str() : compile.mixedPrecision))
    return error;
  compile.outputFolder = folderOf(options.output);
  if (reportsMemory(options) || options.run.maxMemory) {
    DimSizes dims = model->dimsApplied ? DimSizes() : options.run.dims.sizes;
    if (llvm::Error error = reportMemory(model->module->clone(), compile,
                                         options.run, dims, diagnostics))
      return error;
    if (!writesFiles(options))
      return llvm::Error::success();
    compile.explain = false; // said already
  }
  auto files = pipeline::emit(std::move(model->module), options.form, compile);
  if (!files)
    return files.takeError();
  if (options.form == EmitForm::Object)
    if (llvm::Error error = cpu::prefixSymbols(*files, *prefix))
      return makeError(ErrorCode::Internal, llvm::toString(std::move(error)));
  return writeFiles(*files, options.form, options.output);
}
