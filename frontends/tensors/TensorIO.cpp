// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the reader and the writer of a tensor file by its suffix.

#include "frontends/tensors/TensorIO.h"

#include "frontends/files/ElementNames.h"
#include "frontends/tensors/NpyFile.h"
#include "frontends/tensors/PbFile.h"
#include "frontends/tensors/RawFile.h"
#include "ir/LLVMError.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;

llvm::Expected<Tensor>
zenith::tensors::readTensor(const std::string &path,
                            std::optional<RankedTensorType> wanted,
                            MLIRContext *context) {
  StringRef name = path;
  Type element = wanted ? wanted->getElementType() : Type();
  if (name.ends_with(".pb")) {
    llvm::Expected<Tensor> tensor = readPb(path, context);
    return tensor && element ? asWanted(std::move(*tensor), element)
                             : std::move(tensor);
  }
  bool raw = name.ends_with(".raw");
  if (!raw && !name.ends_with(".npy"))
    return makeError(ErrorCode::Unsupported,
                     "has an unknown suffix; known are .npy, .pb and .raw",
                     path);
  if (raw && !wanted)
    return makeError(ErrorCode::Invalid, "needs its type: KEY=f32[2x3]:FILE",
                     path);
  auto source = files::ByteSource::open(path);
  if (!source)
    return makeError(source.error().ofFile(path));
  return raw ? readRaw(**source, *wanted) : readNpy(**source, element, context);
}

llvm::Error zenith::tensors::writeTensor(const std::string &path,
                                         const Tensor &tensor, StringRef name,
                                         StringRef storedType) {
  StringRef file = path;
  if (file.ends_with(".npy"))
    return writeNpy(path, tensor);
  if (file.ends_with(".pb"))
    return writePb(path, tensor, name, storedType);
  return makeError(ErrorCode::Unsupported,
                   "has an unknown suffix; written are .npy and .pb", path);
}
