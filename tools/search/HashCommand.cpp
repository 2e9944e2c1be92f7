// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith-search hash: hashes of the rows of a file, some rows at a time.

#include "frontends/cayley/BuildHashes.h"
#include "frontends/tensors/NpyFile.h"
#include "frontends/tensors/TensorIO.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/search/SearchCommands.h"
#include "tools/search/SearchRun.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

/// The rows of a file of integers.
static llvm::Expected<Tensor> readRows(SearchRun &search) {
  const std::string &path = search.options.rowsFile;
  auto rows = tensors::readTensor(path, std::nullopt, search.context.get());
  if (!rows)
    return rows.takeError();
  if (!rows->elementType().isInteger() || rows->elementType().isInteger(1) ||
      rows->shape().size() != 2 || rows->shape()[1] == 0)
    return makeError(ErrorCode::Invalid,
                     "states are rows of integers, [n, width] with a width of "
                     "1 or more",
                     path);
  return rows;
}

llvm::Error zenith::tools::runHash(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto rows = readRows(search);
  if (!rows)
    return rows.takeError();
  cayley::HashOptions hash{options.hashKind, options.lanes, options.seed};
  int64_t count = rows->shape()[0], width = rows->shape()[1];
  auto module = cayley::buildHashes(width, rows->elementType(), hash,
                                    search.context.get());
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto type = cast<RankedTensorType>(main.getResultTypes().front());
  auto runs = search.compile(std::move(module));
  if (!runs || !*runs)
    return runs.takeError();
  Tensor all(RankedTensorType::get({count, type.getDimSize(1)},
                                   type.getElementType()));
  const auto owner = std::make_shared<Tensor>(*rows);
  int64_t inBytes = width * elementBytes(rows->elementType()),
          outBytes = type.getDimSize(1) * elementBytes(type.getElementType()),
          chunks = 0;
  for (int64_t first = 0; first < count; first += options.chunkSize, ++chunks) {
    if (search.isStopped())
      return search.interrupted(llvm::Error::success(), search.report({}), {},
                                "chunk");
    int64_t size = std::min(options.chunkSize, count - first);
    // A view: the rows stay where they are.
    Tensor part(RankedTensorType::get({size, width}, rows->elementType()),
                rows->bytes() + first * inBytes, owner);
    auto values = search.run({part}, "main", /*continues=*/chunks > 0);
    if (!values)
      return values.takeError();
    std::copy_n(values->front().bytes(), size * outBytes,
                all.writable() + first * outBytes);
  }
  if (llvm::Error error = tensors::writeNpy(options.outputFile, all))
    return error;
  llvm::json::Object report = search.report({});
  for (const char *key :
       {"graph", "generators", "layers", "states", "path", "found"})
    report.erase(key);
  report["total_hashes"] = count;
  report["chunks"] = chunks;
  report["avg_batch_size"] = chunks ? double(count) / double(chunks) : 0.0;
  report["cache_hit_rate"] = 0;
  search.add(std::move(report));
  return search.write();
}
