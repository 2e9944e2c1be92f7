// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading, changing and writing modules.

#include "frontends/c/Array.h"
#include "frontends/c/FileReasons.h"
#include "frontends/c/Module.h"
#include "frontends/c/StructReading.h"
#include "frontends/models/BindInputs.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/WriteModel.h"
#include "frontends/models/WriteONNX.h"
#include "ir/LLVMError.h"
#include "ir/program/ParameterFiles.h"
#include "lowering/elements/ElementCodes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace zenith;
using namespace zenith::c;
using models::FileFormat;

void release(zenith_module *module) noexcept {
  if (module && drop(*module))
    destroy(module);
}

void zenith_module_free(zenith_module *module) noexcept { release(module); }

std::string zenith::c::absoluteFolder(const std::string &folder) {
  llvm::SmallString<256> path(folder);
  llvm::sys::fs::make_absolute(path);
  return path.str().str();
}

static zenith_status *readFormat(const char *text,
                                 std::optional<FileFormat> &format) {
  if (!text)
    return nullptr;
  format = options::valueOf<FileFormat>(text);
  if (format)
    return nullptr;
  return usage(ZENITH_REASON_UNKNOWN_NAME,
               "format: got '" + std::string(text) + "', expected one of " +
                   llvm::join(options::wordsOf<FileFormat>(), ", "));
}

static zenith_status *readDims(const zenith_load_options &options,
                               std::map<std::string, int64_t> &dims) {
  for (size_t i = 0; i < options.dim_count; ++i) {
    zenith_named_size size;
    if (!options.dims || !options.dims[i])
      return nullPointer("dims");
    if (zenith_status *status = readStruct(options.dims[i], size))
      return status;
    if (!size.name)
      return nullPointer("name of a dimension");
    if (size.size < 0)
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                     "got " + std::to_string(size.size) +
                         ", expected a size of at least 0",
                     size.name);
    dims[size.name] = size.size;
  }
  return nullptr;
}

static zenith_status *readBindings(zenith_context &context,
                                   const zenith_load_options &options,
                                   mlir::MLIRContext *types,
                                   std::vector<models::KeyedFile> &bindings) {
  for (size_t i = 0; i < options.bind_count; ++i) {
    zenith_named_array named;
    if (!options.bind || !options.bind[i])
      return nullPointer("bind");
    if (zenith_status *status = readStruct(options.bind[i], named))
      return status;
    if (!named.name || !named.array)
      return nullPointer("name or array of a bound input");
    if (named.array->context.get() != &context)
      return usage(ZENITH_REASON_WRONG_CONTEXT,
                   "the array of '" + std::string(named.name) +
                       "' belongs to another context");
    bindings.push_back({named.name, "", "", tensorOf(*named.array, types)});
  }
  return nullptr;
}

namespace {
/// One loading: options as the frontends take them, and what they say.
class Loading {
public:
  Loading(zenith_context &context)
      : context(context), program(std::make_shared<Program>()),
        diagnostics([this](const models::Message &message) { take(message); }) {
    program->mlir = models::makeContext();
  }

  zenith_status *read(const zenith_load_options *given) {
    if (zenith_status *status = readStruct(given, options))
      return status;
    if (zenith_status *status = readFormat(options.format, load.format))
      return status;
    if (zenith_status *status = readDims(options, load.dims))
      return status;
    if (zenith_status *status =
            readBindings(context, options, program->mlir.get(), load.bindings))
      return status;
    load.allEntries = true;
    load.dimsInTypes = true;
    load.allParameters = options.all_parameters != 0;
    load.baseDir = options.base_dir ? options.base_dir : "";
    load.remark = [this](const remarks::Emitted &remark, mlir::Location where) {
      recordRemark(context, {remark.entry->code, remark.text, remark.payload,
                             pipeline::locationText(where)});
    };
    return interruption(options.cancel, options.deadline);
  }

  /// `loadWith` reads the model by the options above.
  template <typename LoadWith>
  zenith_status *run(LoadWith loadWith, zenith_module **module) {
    llvm::Expected<models::LoadedModel> loaded =
        loadWith(program->mlir.get(), load, diagnostics);
    if (!loaded)
      return explain(errorOf(loaded.takeError()));
    if (zenith_status *status = interruption(options.cancel, options.deadline))
      return status;
    program->module = std::move(loaded->module);
    program->folder = absoluteFolder(loaded->folder);
    ++context.modules;
    *module = create<zenith_module>(context, context, program);
    return nullptr;
  }

private:
  void take(const models::Message &message) {
    if (message.severity == "error" && !first)
      first = message;
    recordMessage(context, message);
  }

  /// The first error that a parser reported says more than its summary.
  zenith_status *explain(const Error &error) {
    bool named = error.code == ErrorCode::Usage;
    zenith_reason reason = named ? ZENITH_REASON_UNKNOWN_NAME
                           : error.code == ErrorCode::Invalid
                               ? ZENITH_REASON_MALFORMED
                               : ZENITH_REASON_NONE;
    if (!first || !error.reported)
      return recorded(context, failure(zenith_code(error.code), reason,
                                       error.text, error.location));
    std::vector<Note> notes;
    for (const auto &[text, place] : first->notes)
      notes.push_back({text, place});
    return failure(zenith_code(error.code), reason, first->text, first->place,
                   notes);
  }

  zenith_context &context;
  std::shared_ptr<Program> program;
  zenith_load_options options = {};
  models::LoadOptions load;
  models::Diagnostics diagnostics;
  std::optional<models::Message> first;
};
} // namespace

zenith_status *zenith_module_load_file(zenith_context *context,
                                       const char *path,
                                       const zenith_load_options *options,
                                       zenith_module **module) noexcept {
  return guarded([&]() -> zenith_status * {
    if (module)
      *module = nullptr;
    if (!context || !path || !module)
      return nullPointer(!context ? "context" : path ? "module" : "path");
    Loading loading(*context);
    if (zenith_status *status = loading.read(options))
      return status;
    if (zenith_status *status = checkReadable(path))
      return recorded(*context, status);
    // "-" is a file here, not standard input.
    std::string file = path == std::string("-") ? "./-" : path;
    return loading.run(
        [&](mlir::MLIRContext *mlir, const models::LoadOptions &load,
            models::Diagnostics &diagnostics) {
          return models::loadModel(file, mlir, load, diagnostics);
        },
        module);
  });
}

zenith_status *zenith_module_load_memory(zenith_context *context,
                                         const void *bytes, size_t size,
                                         const zenith_load_options *options,
                                         zenith_module **module) noexcept {
  return guarded([&]() -> zenith_status * {
    if (module)
      *module = nullptr;
    if (!context || (!bytes && size) || !module)
      return nullPointer(!context ? "context" : module ? "bytes" : "module");
    Loading loading(*context);
    if (zenith_status *status = loading.read(options))
      return status;
    llvm::StringRef text(static_cast<const char *>(bytes), size);
    return loading.run(
        [&](mlir::MLIRContext *mlir, const models::LoadOptions &load,
            models::Diagnostics &diagnostics) {
          return models::loadModelFrom(text, mlir, load, diagnostics);
        },
        module);
  });
}

//===- writing
//-------------------------------------------------------------===//

/// The contents of a file of this format, of which relative paths start at
/// `folder`.
static llvm::Expected<std::string> bytesOf(Program &program, FileFormat format,
                                           const models::ONNXWriteOptions &onnx,
                                           const std::string &folder,
                                           models::Diagnostics &diagnostics) {
  if (format == FileFormat::ONNX)
    return models::onnxBytes(*program.module, onnx, diagnostics);
  if (format == FileFormat::StableHLO)
    return models::stableHLOText(*program.module, "", program.folder, true);
  // Paths in the module itself stay as they are.
  mlir::OwningOpRef<mlir::ModuleOp> copy(program.module->clone());
  return models::graphIRBytes(*copy, program.folder, folder,
                              format == FileFormat::Bytecode);
}

static llvm::Error writeFile(Program &program, FileFormat format,
                             const models::ONNXWriteOptions &onnx,
                             const std::string &path,
                             models::Diagnostics &diagnostics) {
  if (format == FileFormat::ONNX)
    return models::writeAsONNX(*program.module, path, onnx, diagnostics)
        .takeError();
  llvm::Expected<std::string> bytes =
      bytesOf(program, format, onnx, absoluteFolder(models::folderOf(path)),
              diagnostics);
  if (!bytes)
    return bytes.takeError();
  return models::writeFile(path, *bytes);
}

zenith_status *zenith_module_write(zenith_module *module, const char *format,
                                   const zenith_write_options *given,
                                   const char *path,
                                   zenith_blob **bytes) noexcept {
  return guarded([&]() -> zenith_status * {
    if (bytes)
      *bytes = nullptr;
    if (!module || !format || (!path && !bytes))
      return nullPointer(!module ? "module" : format ? "bytes" : "format");
    std::optional<FileFormat> chosen;
    if (zenith_status *status = readFormat(format, chosen))
      return status;
    zenith_write_options options;
    if (zenith_status *status = readStruct(given, options))
      return status;
    Program &program = *module->program;
    models::ONNXWriteOptions onnx;
    if (options.opset)
      onnx.opset = options.opset;
    onnx.externalData = options.external_data && path;
    onnx.folder = program.folder;
    std::string said;
    models::Diagnostics diagnostics([&](const models::Message &message) {
      if (message.severity == "error" && said.empty())
        said = message.text;
      recordMessage(*module->context, message);
    });
    std::lock_guard<std::mutex> lock(program.mutex);
    if (path) {
      if (llvm::Error error =
              writeFile(program, *chosen, onnx, path, diagnostics))
        return failure(std::move(error), ZENITH_REASON_NO_FILE);
      return nullptr;
    }
    llvm::Expected<std::string> text =
        bytesOf(program, *chosen, onnx, absoluteFolder(""), diagnostics);
    if (!text)
      return failure(text.takeError());
    return makeBlob(*text, bytes);
  });
}
