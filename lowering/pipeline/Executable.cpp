// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the description of an executable from its host programs, and links its
// code.

#include "lowering/pipeline/Executable.h"

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/program/ParameterFiles.h"
#include "ir/target/CPUTarget.h"
#include "ir/tensor/Tensor.h"
#include "lowering/elements/ElementCodes.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/BufferNotes.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/program/EntrySymbol.h"
#include "lowering/program/LowerHostProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace zenith::pipeline {

using graph::DimExpr;

const EntryInfo *Executable::find(StringRef name) const {
  auto found = llvm::find_if(
      entries, [&](const EntryInfo &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

const EntryInfo *Executable::defaultEntry() const {
  return entries.size() == 1 ? &entries.front() : find("main");
}

const EntryPlan &EntryInfo::planFor(const memory::DimValues &values,
                                    int64_t budget) const {
  auto fits = [&](const EntryPlan &plan) {
    std::optional<int64_t> bytes = plan.memory.certificate().evaluate(values);
    return bytes && *bytes <= budget;
  };
  if (budget <= 0 || thriftier.empty() || fits(*this))
    return *this;
  auto found = llvm::find_if(thriftier, fits);
  return found == thriftier.end() ? thriftier.back() : *found;
}

static std::vector<ValueInfo> describe(ArrayAttr values) {
  std::vector<ValueInfo> infos;
  for (auto value : values.getAsRange<host::ValueAttr>()) {
    ValueInfo info{value.getName().str(),
                   kernels::elementCode(value.getType().getElementType()),
                   {}};
    for (Attribute size : value.getDims())
      info.dims.push_back(graph::exprOf(size));
    infos.push_back(std::move(info));
  }
  return infos;
}

/// Calls `visit` with the programs that the branches and loops of `program`
/// run.
static void forEachInner(host::ProgramOp program, const SymbolTable &programs,
                         function_ref<void(host::ProgramOp)> visit) {
  for (Operation &op : program.getBody().front())
    if (isa<host::IfOp, host::WhileOp>(op))
      op.getAttrDictionary().walk([&](FlatSymbolRefAttr name) {
        visit(programs.lookup<host::ProgramOp>(name.getValue()));
      });
}

/// True where the program, or one that it runs, takes memory of a size that
/// depends on data.
static bool usesPool(host::ProgramOp program, const SymbolTable &programs) {
  bool found = !program.getBody().getOps<host::AllocOp>().empty();
  for (Operation &op : program.getBody().front())
    op.getAttrDictionary().walk(
        [&](host::OutcomeAttr outcome) { found |= outcome.getAllocated(); });
  forEachInner(program, programs, [&](host::ProgramOp inner) {
    found |= usesPool(inner, programs);
  });
  return found;
}

static memory::MemoryReport memoryReport(host::ProgramOp program,
                                         const SymbolTable &programs) {
  memory::MemoryReport report;
  report.entry = memory::planOf(program).value_or(program.getSymName()).str();
  auto read = [&](StringRef name) {
    DictionaryAttr classes = program.getClassesAttr();
    Attribute bytes = classes ? classes.get(name) : Attribute();
    return bytes ? graph::exprOf(bytes) : DimExpr(0);
  };
  report.parameters = read("parameters");
  report.derived = read("derived_parameters");
  report.inputs = read("inputs");
  report.results = read("results");
  report.activations = read("activations");
  report.temporaries = read("temporaries");
  report.resultBuffers = read("result_buffers");
  report.donatedBuffers = read("donated_buffers");
  auto textOf = [&](StringRef name) {
    auto text = program->getAttrOfType<StringAttr>(name);
    return text ? text.str() : "";
  };
  report.facts = textOf(memory::factsAttrName);
  report.buffers = textOf(memory::buffersAttrName);
  report.usesPool = usesPool(program, programs);
  return report;
}

static EntryInfo describe(host::ProgramOp program,
                          const SymbolTable &programs) {
  EntryInfo entry;
  entry.name = entry.program = program.getSymName().str();
  entry.arguments = describe(program.getArguments());
  entry.results = describe(program.getResults());
  if (std::optional<ArrayRef<int64_t>> pairs = program.getDonations())
    for (size_t i = 1; i < pairs->size(); i += 2)
      entry.arguments[size_t((*pairs)[i])].donatable = true;
  entry.memory = memoryReport(program, programs);
  return entry;
}

runtime::ParameterSource sourceOf(graph::ParamOp param) {
  runtime::ParameterSource source;
  if (auto external =
          dyn_cast_or_null<graph::ExternalAttr>(param.getSourceAttr())) {
    source.file = external.getFile().str();
    source.offset = external.getOffset();
    source.fileBytes = graph::fileRecordOf(param).fileBytes.value_or(-1);
  } else if (auto elements =
                 dyn_cast_or_null<ElementsAttr>(param.getSourceAttr())) {
    Tensor value = Tensor::fromElements(elements);
    source.inlineBytes.assign(value.bytes(), value.byteSize());
  }
  return source;
}

std::map<std::string, uint64_t> checksumsOf(ModuleOp module) {
  std::map<std::string, uint64_t> checksums;
  for (graph::ParamOp param : module.getOps<graph::ParamOp>())
    if (auto checksum = graph::fileRecordOf(param).checksum)
      checksums[param.getSymName().str()] = *checksum;
  return checksums;
}

static void readParameters(ModuleOp module, Executable &executable) {
  for (graph::ParamOp param : module.getOps<graph::ParamOp>()) {
    auto type = cast<RankedTensorType>(param.getType());
    runtime::ParameterSpec spec;
    spec.name = param.getSymName().str();
    spec.dtype = kernels::elementCode(type.getElementType());
    spec.dims = type.getShape().vec();
    spec.source = sourceOf(param);
    executable.parameters.push_back(std::move(spec));
    executable.parameterHasValue.push_back(bool(param.getSourceAttr()));
  }
  executable.checksums = checksumsOf(module);
  std::vector<bool> read = parametersOfEntries(module);
  for (size_t index = 0; index < read.size(); ++index)
    if (!read[index])
      executable.onlyForPrepare.push_back(index);
}

/// Appends the names that a location has; without names, its place.
static void addSources(Location location, std::vector<std::string> &sources) {
  std::vector<std::string> names;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.push_back(name.getName().str());
    else if (isa<FileLineColLoc>(part))
      names.push_back(graph::placeOf(part));
    // The place behind a name says less than the name.
    return isa<NameLoc>(part) ? WalkResult::skip() : WalkResult::advance();
  });
  for (std::string &name : names)
    if (!llvm::is_contained(sources, name))
      sources.push_back(std::move(name));
}

static std::vector<std::vector<std::string>>
sourcesOfKernels(ModuleOp module, ArrayRef<std::string> kernels) {
  llvm::StringMap<size_t> indices;
  for (auto [index, name] : llvm::enumerate(kernels))
    indices[name] = index;
  std::vector<std::vector<std::string>> sources(kernels.size());
  module.walk([&](host::LaunchOp launch) {
    auto found = indices.find(launch.getKernel().getLeafReference());
    if (found != indices.end())
      addSources(launch.getLoc(), sources[found->second]);
  });
  return sources;
}

std::shared_ptr<Executable> describeExecutable(ModuleOp module) {
  auto executable = std::make_shared<Executable>();
  executable->kernels = kernelNames(module);
  executable->kernelSources = sourcesOfKernels(module, executable->kernels);
  readParameters(module, *executable);
  if (auto bytes =
          module->getAttrOfType<IntegerAttr>(host::derivedBytesAttrName))
    executable->derivedBytes = bytes.getInt();
  const SymbolTable programs(module);
  for (host::ProgramOp program : module.getOps<host::ProgramOp>()) {
    if (program.getInner() || memory::planOf(program))
      continue;
    if (program.getSymName() == graph::prepareFunctionName)
      executable->hasPrepare = true;
    else
      executable->entries.push_back(describe(program, programs));
  }
  for (host::ProgramOp program : module.getOps<host::ProgramOp>())
    if (std::optional<StringRef> name = memory::planOf(program))
      for (EntryInfo &entry : executable->entries)
        if (entry.name == *name)
          entry.thriftier.push_back({program.getSymName().str(),
                                     memoryReport(program, programs), nullptr});
  return executable;
}

llvm::Error Executable::link(std::vector<cpu::EmittedFile> objects,
                             const target::CPUTarget &target) {
  code = std::move(objects);
  codeBytes = 0;
  for (const cpu::EmittedFile &object : code)
    codeBytes += object.bytes.size();
  size_t count = 0;
  const zenith_symbol *symbols = zenith_runtime_symbols(&count);
  auto linked = cpu::JITLibrary::create(code, target, {symbols, count});
  if (!linked)
    return makeError(ErrorCode::Unsupported,
                     llvm::toString(linked.takeError()));
  auto find = [&](StringRef name, zenith_entry_fn &function) -> llvm::Error {
    auto found = (*linked)->lookupAs<zenith_entry_fn>(entrySymbol(name));
    if (!found)
      return makeError(ErrorCode::Internal, llvm::toString(found.takeError()));
    function = *found;
    return llvm::Error::success();
  };
  for (EntryInfo &entry : entries) {
    if (llvm::Error error = find(entry.program, entry.function))
      return error;
    for (EntryPlan &plan : entry.thriftier)
      if (llvm::Error error = find(plan.program, plan.function))
        return error;
  }
  if (hasPrepare)
    if (llvm::Error error = find(graph::prepareFunctionName, prepare))
      return error;
  library = std::move(*linked);
  return llvm::Error::success();
}

} // namespace zenith::pipeline
