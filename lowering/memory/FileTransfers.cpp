// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From marked barriers to gaps, and from planned transfers to ops.

#include "lowering/memory/FileTransfers.h"

#include "ir/LocationText.h"
#include "ir/remarks/Remark.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/MemoryFacts.h"
#include "lowering/memory/PlanBuffers.h"
#include "lowering/memory/arena/ArenaLayout.h"
#include "lowering/schedule/ContractionSpace.h"

using namespace mlir;

namespace zenith::memory {

using graph::MemoryPlace;

remat::FileModel fileModelOf(int64_t bytesPerSecond) {
  constexpr double microsecondsPerTransfer = 20; // a queue and system calls
  return {1e6 / double(bytesPerSecond), microsecondsPerTransfer};
}

namespace {

class TransferWriter {
public:
  TransferWriter(func::FuncOp function, const target::TargetModel &target,
                 const SymbolTable &symbols, bool explain)
      : function(function), target(target), explain(explain),
        graph(function, dims, target, symbols),
        order(graph.graph().steps.size()) {
    countCallees(graph, symbols, target);
    for (unsigned step = 0; step < order.size(); ++step)
      order[step] = step;
    remat::simulate(graph.graph(), order, timeline);
  }

  FileUse write(ArrayRef<graph::BarrierOp> marked,
                const remat::FileModel &model);

private:
  std::optional<remat::ReadGap> gapOf(graph::BarrierOp barrier);
  unsigned firstReader(Value value) const;
  void insert(const remat::OffloadTimeline &planned);
  void start(const remat::Offload &offload);
  void read(const remat::Offload &offload);
  void take(const remat::Offload &offload);
  void await(Operation *before, Value value);
  int64_t layOut(const remat::OffloadTimeline &planned);

  func::FuncOp function;
  const target::TargetModel &target;
  bool explain;
  graph::DimAnalysis dims;
  FunctionGraph graph;
  std::vector<unsigned> order;
  remat::MemoryTimeline timeline;
  /// By value and place that makes it: the graph.place that writes it.
  std::map<std::pair<unsigned, unsigned>, graph::PlaceOp> written;
  /// By value and place of the reader: what comes back.
  std::map<std::pair<unsigned, unsigned>, Value> returned;
  /// By value and place that makes it: what came back last.
  std::map<std::pair<unsigned, unsigned>, Value> current;
};

} // namespace

/// The first step that reads the bytes of a value.
unsigned TransferWriter::firstReader(Value value) const {
  unsigned first = order.size();
  for (Operation *user : value.getUsers())
    if (std::optional<unsigned> step = graph.stepOf(user))
      first = std::min(first, *step);
    else
      for (Value result : user->getResults())
        first = std::min(first, firstReader(result));
  return first;
}

/// Where a barrier's value is not read; none, with a remark, where it stays.
std::optional<remat::ReadGap> TransferWriter::gapOf(graph::BarrierOp barrier) {
  auto stays = [&](const char *reason) {
    if (explain)
      remarks::emit(barrier, remarks::Code::REM002, {reason});
    return std::nullopt;
  };
  std::optional<unsigned> value = graph.valueIndex(barrier->getOperand(0));
  if (!value || !graph.mayLeave()[*value])
    return stays("it is not in the arena, or its size is not known");
  unsigned next = firstReader(barrier->getResult(0));
  auto made = graph.stepOf(graph.rootAt(*value).getDefiningOp());
  remat::ReadGap gap{*value, *made, *made, next};
  if (next == order.size())
    return stays("nothing reads it again");
  for (unsigned place = *made; place < next; ++place)
    if (llvm::is_contained(graph.graph().steps[place].reads, *value))
      gap.last = place;
  if (gap.last + 1 >= next)
    return stays("its readers follow each other");
  return gap;
}

/// Starts to write a value behind the step that makes it.
void TransferWriter::start(const remat::Offload &offload) {
  Value value = graph.rootAt(offload.gap.value);
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(value.getDefiningOp());
  written[{offload.gap.value, offload.gap.made}] =
      builder.create<graph::PlaceOp>(value.getLoc(), value, MemoryPlace::host);
}

void TransferWriter::await(Operation *before, Value value) {
  OpBuilder builder(before);
  auto barrier =
      builder.create<graph::BarrierOp>(value.getLoc(), value.getType(), value);
  barrier->setAttr(host::awaitsAttrName, builder.getUnitAttr());
}

void TransferWriter::read(const remat::Offload &offload) {
  OpBuilder builder(graph.opOf(offload.begun));
  graph::PlaceOp file = written[{offload.gap.value, offload.gap.made}];
  returned[{offload.gap.value, offload.gap.next}] =
      builder.create<graph::PlaceOp>(file.getLoc(), file.getResult(),
                                     MemoryPlace::device);
}

/// Readers from the end of the gap on get what comes back.
void TransferWriter::take(const remat::Offload &offload) {
  Operation *next = graph.opOf(offload.gap.next);
  Value value = returned[{offload.gap.value, offload.gap.next}];
  await(next, value);
  Value arrived = next->getPrevNode()->getResult(0);
  Value &latest = current[{offload.gap.value, offload.gap.made}];
  graph.replaceFrom(latest ? latest : graph.rootAt(offload.gap.value), arrived,
                    next);
  latest = arrived;
  if (explain)
    remarks::emit(value.getDefiningOp(), remarks::Code::REM003,
                  {graph.graph().values[offload.gap.value],
                   next->getName().getStringRef(),
                   graph::placeOf(next->getLoc())});
}

/// In the order that remat::planTransfers() counts on: at each place waits for
/// writes, starts of reads, waits for reads.
void TransferWriter::insert(const remat::OffloadTimeline &planned) {
  for (const remat::Offload &offload : planned.offloads)
    if (offload.isWritten)
      start(offload);
  for (unsigned place = 0; place < order.size(); ++place) {
    for (const remat::Offload &offload : planned.offloads)
      if (offload.isWritten && offload.written == place)
        await(graph.opOf(place), graph.rootAt(offload.gap.value));
    for (const remat::Offload &offload : planned.offloads)
      if (offload.begun == place)
        read(offload);
    for (const remat::Offload &offload : planned.offloads)
      if (offload.gap.next == place)
        take(offload);
  }
}

/// Bytes of the file; each value lies in it until it is read for the last time,
/// behind what the function keeps there already.
int64_t TransferWriter::layOut(const remat::OffloadTimeline &planned) {
  std::vector<BufferRequest> requests;
  std::vector<graph::PlaceOp> owners;
  for (auto &[key, place] : written) {
    unsigned last = key.second;
    for (const remat::Offload &offload : planned.offloads)
      if (offload.gap.value == key.first)
        last = std::max(last, offload.gap.next);
    requests.push_back({bytesOf(place.getResult(), dims), {key.second, last}});
    owners.push_back(place);
  }
  ArenaLayout layout = layOutArena(requests, target);
  Builder builder(function.getContext());
  int64_t first = 0;
  if (auto bytes =
          function->getAttrOfType<IntegerAttr>(host::fileBytesAttrName))
    first = int64_t(llvm::alignTo(uint64_t(bytes.getInt()), lineBytes));
  for (auto [place, offset] : llvm::zip(owners, layout.offsets)) {
    auto attr = builder.getI64IntegerAttr(first + *offset.constant());
    place->setAttr(host::fileOffsetAttrName, attr);
    for (Operation *reader : place->getUsers())
      reader->setAttr(host::fileOffsetAttrName, attr);
  }
  return first + *layout.bytes.constant();
}

FileUse TransferWriter::write(ArrayRef<graph::BarrierOp> marked,
                              const remat::FileModel &model) {
  std::vector<remat::ReadGap> gaps;
  std::set<std::pair<unsigned, unsigned>> seen;
  for (graph::BarrierOp barrier : marked)
    if (std::optional<remat::ReadGap> gap = gapOf(barrier))
      if (seen.insert({gap->value, gap->next}).second)
        gaps.push_back(*gap);
  // What is read again behind a gap has the next gap from there on.
  for (remat::ReadGap &gap : gaps)
    for (const remat::ReadGap &other : gaps)
      if (other.value == gap.value && other.next < gap.next)
        gap.last = std::max(gap.last, other.next);
  llvm::erase_if(
      gaps, [](const remat::ReadGap &gap) { return gap.last + 1 >= gap.next; });
  for (graph::BarrierOp barrier : marked) {
    barrier->replaceAllUsesWith(barrier.getInputs());
    barrier.erase();
  }
  FileUse use;
  if (gaps.empty())
    return use;
  remat::OffloadTimeline planned =
      remat::planTransfers(graph.graph(), order, timeline, gaps, model);
  insert(planned);
  use.fileBytes = layOut(planned);
  use.values = written.size();
  for (auto &[key, place] : written)
    use.bytes += graph.graph().values[key.first];
  function->setAttr(
      host::fileBytesAttrName,
      Builder(function.getContext()).getI64IntegerAttr(use.fileBytes));
  return use;
}

FileUse writeTransfers(func::FuncOp function, const target::TargetModel &target,
                       const SymbolTable &symbols,
                       const remat::FileModel &model, bool explain) {
  SmallVector<graph::BarrierOp> marked;
  for (auto barrier : function.getOps<graph::BarrierOp>())
    if (barrier->hasAttr(remat::offloadAttrName))
      marked.push_back(barrier);
  if (marked.empty())
    return {};
  return TransferWriter(function, target, symbols, explain)
      .write(marked, model);
}

} // namespace zenith::memory
