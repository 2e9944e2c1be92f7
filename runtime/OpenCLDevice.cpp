// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the OpenCL objects of a device and gives the ABI's functions over them.

#include "runtime/OpenCLDevice.h"

#include "runtime/SystemResources.h"
#include "runtime/opencl/OpenCLQueries.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace zenith::runtime {

struct LoadedKernel {
  OpenCLKernel description;
  cl_kernel kernel = nullptr;
};

struct OpenCLDevice::State {
  OpenCLDeviceInfo info;
  int64_t maxMemoryBytes = 0;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  std::vector<LoadedKernel> kernels;
  std::unordered_map<cl_mem, int64_t> bytesOf; ///< every buffer that is ours
  std::map<std::pair<int32_t, int64_t>, cl_mem> kept; ///< by class and index
  std::unordered_set<cl_mem> taken;         ///< by the run in progress
  std::multimap<int64_t, cl_mem> available; ///< dropped ones, by bytes
  OpenCLMemoryUse use;
  zenith_device abi = {};

  ~State();
  void unload();
  StatusOr<cl_mem> create(int64_t bytes, cl_mem_flags flags, void *host);
  Status checkHostMemory(const std::string &what, int64_t bytes) const;
  void destroy(cl_mem buffer);
  StatusOr<cl_mem> keptBuffer(int32_t deviceClass, int64_t index,
                              int64_t bytes);
  StatusOr<cl_mem> take(int64_t bytes);
  void drop(cl_mem buffer);
  void trimAvailable();
  Status checkRange(zenith_buffer_ref ref, int64_t bytes) const;
  Status launch(int64_t index, const zenith_buffer_ref *pointers,
                int64_t npointers, const int64_t *sizes, int64_t nsizes,
                int64_t tasks);
  void fillABI();
};

OpenCLDevice::State::~State() {
  if (queue)
    openCL().clFinish(queue);
  unload();
  for (auto &entry : bytesOf)
    openCL().clReleaseMemObject(entry.first);
  if (queue)
    openCL().clReleaseCommandQueue(queue);
  if (context)
    openCL().clReleaseContext(context);
}

void OpenCLDevice::State::unload() {
  for (LoadedKernel &loaded : kernels)
    openCL().clReleaseKernel(loaded.kernel);
  kernels.clear();
  if (program)
    openCL().clReleaseProgram(program);
  program = nullptr;
}

// ---- Buffers ----

/// A device without memory of its own takes it from the system, which would
/// give addresses and kill the process where they are touched.
Status OpenCLDevice::State::checkHostMemory(const std::string &what,
                                            int64_t bytes) const {
  constexpr int64_t askedBytes = 1 << 26;
  if (maxMemoryBytes || !info.unifiedMemory || bytes < askedBytes)
    return Status();
  int64_t untouched = std::max<int64_t>(use.bytes - residentMemory(), 0);
  int64_t has = std::max<int64_t>(availableMemory() - untouched, 0);
  if (bytes <= has)
    return Status();
  return Status::error(ZENITH_OUT_OF_MEMORY,
                       what + " does not fit: " + std::to_string(has) +
                           " bytes of memory are available");
}

StatusOr<cl_mem> OpenCLDevice::State::create(int64_t bytes, cl_mem_flags flags,
                                             void *host) {
  bytes = std::max<int64_t>(bytes, 1);
  std::string what = "a device buffer of " + std::to_string(bytes) + " bytes";
  if (maxMemoryBytes && bytes > maxMemoryBytes - use.bytes)
    trimAvailable();
  if (maxMemoryBytes && bytes > maxMemoryBytes - use.bytes)
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         what + " does not fit: " + std::to_string(use.bytes) +
                             " bytes are in use of a budget of " +
                             std::to_string(maxMemoryBytes));
  if (bytes > info.maxAllocBytes)
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         what + " does not fit: the device allows " +
                             std::to_string(info.maxAllocBytes));
  if (Status status = checkHostMemory(what, bytes); !status)
    return status;
  cl_int error = CL_SUCCESS;
  cl_mem buffer = openCL().clCreateBuffer(context, flags, bytes, host, &error);
  if (error != CL_SUCCESS)
    return openCLStatus(error, what);
  bytesOf.emplace(buffer, bytes);
  use.bytes += bytes;
  use.peakBytes = std::max(use.peakBytes, use.bytes);
  return buffer;
}

void OpenCLDevice::State::destroy(cl_mem buffer) {
  auto found = bytesOf.find(buffer);
  if (found == bytesOf.end())
    return;
  use.bytes -= found->second;
  bytesOf.erase(found);
  openCL().clReleaseMemObject(buffer);
}

StatusOr<cl_mem> OpenCLDevice::State::keptBuffer(int32_t deviceClass,
                                                 int64_t index, int64_t bytes) {
  if (bytes < 0)
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         "a device buffer of a negative size was asked for");
  cl_mem &slot = kept[{deviceClass, index}];
  if (slot && bytesOf[slot] >= bytes)
    return slot;
  if (slot)
    destroy(slot);
  slot = nullptr;
  StatusOr<cl_mem> buffer = create(bytes, CL_MEM_READ_WRITE, nullptr);
  if (buffer)
    slot = *buffer;
  return buffer;
}

/// A dropped buffer of at most twice the size, else a new one.
StatusOr<cl_mem> OpenCLDevice::State::take(int64_t bytes) {
  if (bytes < 0)
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         "a device buffer of a negative size was asked for");
  constexpr int64_t unit = 256;
  bytes = std::max<int64_t>((bytes + unit - 1) / unit * unit, unit);
  auto found = available.lower_bound(bytes);
  if (found != available.end() && found->first <= 2 * bytes) {
    cl_mem buffer = found->second;
    available.erase(found);
    taken.insert(buffer);
    return buffer;
  }
  StatusOr<cl_mem> buffer = create(bytes, CL_MEM_READ_WRITE, nullptr);
  if (buffer)
    taken.insert(*buffer);
  return buffer;
}

void OpenCLDevice::State::drop(cl_mem buffer) {
  // The queue runs in order: who gets the buffer next writes after its readers.
  if (taken.erase(buffer))
    available.emplace(bytesOf[buffer], buffer);
}

void OpenCLDevice::State::trimAvailable() {
  for (auto &entry : available)
    destroy(entry.second);
  available.clear();
}

Status OpenCLDevice::State::checkRange(zenith_buffer_ref ref,
                                       int64_t bytes) const {
  auto found = bytesOf.find(static_cast<cl_mem>(ref.handle));
  if (found == bytesOf.end())
    return Status::error(ZENITH_RUN_FAILED,
                         "a device copy names no buffer of this device");
  if (ref.offset < 0 || bytes < 0 || ref.offset > found->second ||
      bytes > found->second - ref.offset)
    return Status::error(ZENITH_RUN_FAILED,
                         "a device copy of " + std::to_string(bytes) +
                             " bytes at " + std::to_string(ref.offset) +
                             " leaves its buffer of " +
                             std::to_string(found->second) + " bytes");
  return Status();
}

// ---- Launches ----

Status OpenCLDevice::State::launch(int64_t index,
                                   const zenith_buffer_ref *pointers,
                                   int64_t npointers, const int64_t *sizes,
                                   int64_t nsizes, int64_t tasks) {
  if (index < 0 || index >= static_cast<int64_t>(kernels.size()))
    return Status::error(ZENITH_RUN_FAILED,
                         "the device program has no kernel " +
                             std::to_string(index));
  const LoadedKernel &loaded = kernels[index];
  const std::string &name = loaded.description.name;
  cl_uint position = 0;
  cl_int error = CL_SUCCESS;
  auto pass = [&](size_t bytes, const void *value) {
    if (error == CL_SUCCESS)
      error = openCL().clSetKernelArg(loaded.kernel, position++, bytes, value);
  };
  for (int64_t i = 0; i < npointers; ++i) {
    auto buffer = static_cast<cl_mem>(pointers[i].handle);
    cl_long offset = pointers[i].offset;
    pass(sizeof(buffer), buffer ? &buffer : nullptr);
    pass(sizeof(offset), &offset);
  }
  for (int64_t i = 0; i < nsizes; ++i) {
    cl_long size = sizes[i];
    pass(sizeof(size), &size);
  }
  cl_long begin = 0, count = tasks;
  pass(sizeof(begin), &begin);
  pass(sizeof(count), &count);
  if (error != CL_SUCCESS)
    return openCLStatus(error, "argument " + std::to_string(position - 1) +
                                   " of kernel " + name);
  size_t local = loaded.description.localSize;
  size_t items = static_cast<size_t>(tasks) * loaded.description.itemsPerTask;
  size_t global = (items + local - 1) / local * local;
  error = openCL().clEnqueueNDRangeKernel(queue, loaded.kernel, 1, nullptr,
                                          &global, &local, 0, nullptr, nullptr);
  // Without a flush a device may leave the work until the next blocking call.
  if (error == CL_SUCCESS)
    error = openCL().clFlush(queue);
  return openCLStatus(error, "launch of kernel " + name);
}

// ---- The ABI's functions ----

static int32_t answer(const Status &status, zenith_error *error) {
  status.record(*error);
  return status.code();
}

void OpenCLDevice::State::fillABI() {
  abi.struct_size = sizeof(abi);
  abi.user = this;
  abi.buffer = [](void *user, int32_t deviceClass, int64_t index, int64_t bytes,
                  void **handle, zenith_error *error) {
    StatusOr<cl_mem> buffer =
        static_cast<State *>(user)->keptBuffer(deviceClass, index, bytes);
    *handle = buffer ? *buffer : nullptr;
    return answer(buffer.status(), error);
  };
  abi.upload = [](void *user, zenith_buffer_ref to, const void *host,
                  int64_t bytes, zenith_error *error) {
    State &self = *static_cast<State *>(user);
    Status status = self.checkRange(to, bytes);
    if (status && bytes > 0)
      status =
          openCLStatus(openCL().clEnqueueWriteBuffer(
                           self.queue, static_cast<cl_mem>(to.handle), CL_TRUE,
                           to.offset, bytes, host, 0, nullptr, nullptr),
                       "upload");
    return answer(status, error);
  };
  abi.download = [](void *user, void *host, zenith_buffer_ref from,
                    int64_t bytes, zenith_error *error) {
    State &self = *static_cast<State *>(user);
    Status status = self.checkRange(from, bytes);
    if (status && bytes > 0)
      status = openCLStatus(openCL().clEnqueueReadBuffer(
                                self.queue, static_cast<cl_mem>(from.handle),
                                CL_TRUE, from.offset, bytes, host, 0, nullptr,
                                nullptr),
                            "download");
    return answer(status, error);
  };
  abi.copy = [](void *user, zenith_buffer_ref to, zenith_buffer_ref from,
                int64_t bytes, zenith_error *error) {
    State &self = *static_cast<State *>(user);
    Status status = self.checkRange(to, bytes);
    if (status)
      status = self.checkRange(from, bytes);
    if (status && bytes > 0)
      status = openCLStatus(openCL().clEnqueueCopyBuffer(
                                self.queue, static_cast<cl_mem>(from.handle),
                                static_cast<cl_mem>(to.handle), from.offset,
                                to.offset, bytes, 0, nullptr, nullptr),
                            "device copy");
    return answer(status, error);
  };
  abi.launch = [](void *user, int64_t index, const zenith_buffer_ref *pointers,
                  int64_t npointers, const int64_t *sizes, int64_t nsizes,
                  int64_t tasks, zenith_error *error) {
    if (tasks <= 0)
      return static_cast<int32_t>(ZENITH_OK);
    return answer(static_cast<State *>(user)->launch(index, pointers, npointers,
                                                     sizes, nsizes, tasks),
                  error);
  };
  abi.finish = [](void *user, zenith_error *error) {
    return answer(
        openCLStatus(openCL().clFinish(static_cast<State *>(user)->queue),
                     "finish"),
        error);
  };
  abi.take = [](void *user, int64_t bytes, void **handle, zenith_error *error) {
    StatusOr<cl_mem> buffer = static_cast<State *>(user)->take(bytes);
    *handle = buffer ? *buffer : nullptr;
    return answer(buffer.status(), error);
  };
  abi.drop = [](void *user, void *handle) {
    static_cast<State *>(user)->drop(static_cast<cl_mem>(handle));
  };
  abi.reclaim = [](void *user) {
    State &self = *static_cast<State *>(user);
    while (!self.taken.empty())
      self.drop(*self.taken.begin());
  };
}

// ---- Opening and loading ----

static Status noSuchDevice(int index, const std::vector<cl_device_id> &ids) {
  std::string text = "there is no OpenCL device " + std::to_string(index);
  if (ids.empty())
    return Status::error(ZENITH_USAGE, text + ": none is installed");
  text += "; there are";
  for (size_t i = 0; i < ids.size(); ++i)
    text += std::string(i ? "," : "") + " " + std::to_string(i) + " (" +
            describeOpenCLDevice(ids[i], static_cast<int>(i)).name + ")";
  return Status::error(ZENITH_USAGE, text);
}

OpenCLDevice::OpenCLDevice(std::unique_ptr<State> state)
    : state(std::move(state)) {}

OpenCLDevice::~OpenCLDevice() = default;

StatusOr<std::unique_ptr<OpenCLDevice>>
OpenCLDevice::open(int index, int64_t maxMemoryBytes) {
  std::vector<cl_device_id> ids = openCLDeviceIds();
  if (index < 0 || index >= static_cast<int>(ids.size()))
    return noSuchDevice(index, ids);
  auto state = std::make_unique<State>();
  state->device = ids[index];
  state->info = describeOpenCLDevice(ids[index], index);
  state->maxMemoryBytes = maxMemoryBytes;
  cl_int error = CL_SUCCESS;
  state->context = openCL().clCreateContext(nullptr, 1, &state->device, nullptr,
                                            nullptr, &error);
  if (error != CL_SUCCESS)
    return openCLStatus(error, "opening " + state->info.name);
  state->queue =
      openCL().clCreateCommandQueue(state->context, state->device, 0, &error);
  if (error != CL_SUCCESS)
    return openCLStatus(error, "a queue on " + state->info.name);
  state->fillABI();
  return std::unique_ptr<OpenCLDevice>(new OpenCLDevice(std::move(state)));
}

const OpenCLDeviceInfo &OpenCLDevice::info() const { return state->info; }

const zenith_device *OpenCLDevice::abi() const { return &state->abi; }

static std::string buildLog(cl_program program, cl_device_id device) {
  size_t length = 0;
  openCL().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0,
                                 nullptr, &length);
  std::string log(length, '\0');
  if (length)
    openCL().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
                                   length, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n'))
    log.pop_back();
  return log;
}

Status OpenCLDevice::load(const std::string &source,
                          const std::vector<OpenCLKernel> &kernels,
                          const std::string &options) {
  state->unload();
  const char *text = source.c_str();
  size_t length = source.size();
  cl_int error = CL_SUCCESS;
  state->program = openCL().clCreateProgramWithSource(state->context, 1, &text,
                                                      &length, &error);
  if (error != CL_SUCCESS)
    return openCLStatus(error, "creating the device program");
  error = openCL().clBuildProgram(state->program, 1, &state->device,
                                  options.c_str(), nullptr, nullptr);
  if (error != CL_SUCCESS)
    return Status::error(ZENITH_INTERNAL,
                         "the device program does not build: " +
                             buildLog(state->program, state->device));
  for (const OpenCLKernel &description : kernels) {
    if (description.localSize < 1 ||
        description.localSize > state->info.maxWorkGroupSize)
      return Status::error(ZENITH_UNSUPPORTED,
                           "kernel " + description.name + " has " +
                               std::to_string(description.localSize) +
                               " work-items in a group, the device allows " +
                               std::to_string(state->info.maxWorkGroupSize));
    cl_kernel kernel = openCL().clCreateKernel(
        state->program, description.name.c_str(), &error);
    if (error != CL_SUCCESS)
      return Status::error(
          ZENITH_INTERNAL,
          openCLStatus(error, "kernel " + description.name).message());
    state->kernels.push_back({description, kernel});
  }
  return Status();
}

static StatusOr<void *> asHandle(const StatusOr<cl_mem> &buffer) {
  if (!buffer)
    return buffer.status();
  return static_cast<void *>(*buffer);
}

StatusOr<void *> OpenCLDevice::createBuffer(int64_t bytes) {
  return asHandle(state->create(bytes, CL_MEM_READ_WRITE, nullptr));
}

StatusOr<void *> OpenCLDevice::createParameter(const void *host,
                                               int64_t bytes) {
  if (bytes <= 0)
    return createBuffer(0);
  // OpenCL's memory is writable by type; the device only reads this buffer.
  void *contents = const_cast<void *>(host);
  bool inPlace = state->info.unifiedMemory &&
                 reinterpret_cast<uintptr_t>(host) %
                         std::max<int64_t>(state->info.baseAlignmentBytes, 1) ==
                     0;
  return asHandle(state->create(
      bytes,
      CL_MEM_READ_ONLY | (inPlace ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR),
      contents));
}

void OpenCLDevice::freeBuffer(void *handle) {
  if (handle)
    state->destroy(static_cast<cl_mem>(handle));
}

void OpenCLDevice::trimMemory() {
  for (auto &entry : state->kept)
    if (entry.second)
      state->destroy(entry.second);
  state->kept.clear();
  state->trimAvailable();
}

OpenCLMemoryUse OpenCLDevice::memoryUse() const { return state->use; }

void OpenCLDevice::resetPeak() { state->use.peakBytes = state->use.bytes; }

} // namespace zenith::runtime
