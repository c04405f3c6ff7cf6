{#- Handlers of XLA's foreign function interface: one for programs on a processor, one for those on a GPU of CUDA.
    header   the path of XLA's c_api.h
    version  of the package that has it
-#}
// Runs programs of tadc for XLA {{ version }}: which one, the attribute `program` says, a number under which it was added.
#include "{{ header }}"
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int (*Launcher)(void* const* tensors, void* workspace, const long long* sizes, int threads,
                        const volatile int* ended, void* blas);

// A kernel of CUDA. An argument is a tensor or a temporary, by its number, or behind these a number in memory.
typedef struct Kernel {
  void* function;
  unsigned blocks, threads;
  int count;
  const int* arguments;
} Kernel;

typedef struct Program {
  int64_t number;
  int device;  // of CUDA, or -1: the processor
  int inputs, outputs;
  size_t workspace;  // bytes
  // On the processor:
  Launcher launcher;
  void* blas;
  int threads;
  const long long* sizes;
  // On a GPU:
  int kernel_count, temporary_count;
  const Kernel* kernels;
  const long long* temporaries;  // where each begins in the workspace
  void* const* numbers;
  struct Program* next;
} Program;

// XLA takes no request for more than 16; its allocator's memory begins at multiples of 256 all the same.
enum { CHAINS = 4096, ALIGNMENT = 256, ASKED_ALIGNMENT = 16, FEW = 64, PROCESSOR = -1 };
static _Atomic(Program*) programs[CHAINS];

static _Atomic(Program*)* chain(int64_t number) { return &programs[(uint64_t)number % CHAINS]; }

static const Program* found(int64_t number, int device) {
  const Program* p = atomic_load(chain(number));
  while (p && (p->number != number || p->device != device)) p = p->next;
  return p;
}

// Adds a program, which must stay.
void tadc_add(Program* p) {
  p->next = atomic_load(chain(p->number));
  while (!atomic_compare_exchange_weak(chain(p->number), &p->next, p)) {}
}

typedef int (*LaunchKernel)(void* function, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y,
                            unsigned threads_z, unsigned shared, void* stream, void** arguments, void** extra);
static _Atomic(LaunchKernel) launch_kernel;  // the driver's
void tadc_use_driver(LaunchKernel f) { atomic_store(&launch_kernel, f); }

// Asked for a program that is not there: on another GPU, or in a process that reads what another one has compiled.
typedef int (*Missing)(int64_t number, int device, const char* text, size_t length);
static _Atomic(Missing) missing;
void tadc_when_missing(Missing f) { atomic_store(&missing, f); }

static XLA_FFI_Error* error(XLA_FFI_CallFrame* frame, const char* message) {
  XLA_FFI_Error_Create_Args args = {sizeof args, NULL, message, XLA_FFI_Error_Code_INTERNAL};
  return frame->api->XLA_FFI_Error_Create(&args);
}

static const void* attribute(XLA_FFI_CallFrame* frame, const char* name) {
  for (int64_t k = 0; k < frame->attrs.size; k++) {
    const XLA_FFI_ByteSpan* own = frame->attrs.names[k];
    if (own->len == strlen(name) && !memcmp(own->ptr, name, own->len)) return frame->attrs.attrs[k];
  }
  return NULL;
}

static XLA_FFI_Error* no_memory(XLA_FFI_CallFrame* frame) {
  return error(frame, "tadc: there is not enough memory for this call");
}

static XLA_FFI_Error* on_processor(XLA_FFI_CallFrame* frame, const Program* program, void** tensors) {
  void* workspace = NULL;
  if (program->workspace) {
    workspace = aligned_alloc(ALIGNMENT, (program->workspace + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!workspace) return no_memory(frame);
  }
  static const volatile int never = 0;
  const int status = program->launcher(tensors, workspace, program->sizes, program->threads, &never, program->blas);
  free(workspace);
  return status ? error(frame, "tadc: the sizes are not those of the program") : NULL;
}

// Launches on XLA's stream, and does not wait. The workspace is XLA's: what is launched later on the stream may have it.
static XLA_FFI_Error* on_gpu(XLA_FFI_CallFrame* frame, const Program* program, void** tensors) {
  XLA_FFI_Stream_Get_Args stream = {sizeof stream, NULL, frame->ctx, NULL};
  XLA_FFI_Error* failed = frame->api->XLA_FFI_Stream_Get(&stream);
  if (failed) return failed;
  XLA_FFI_DeviceMemory_Allocate_Args memory = {sizeof memory, NULL, frame->ctx, program->workspace, ASKED_ALIGNMENT, NULL};
  if (program->workspace && (failed = frame->api->XLA_FFI_DeviceMemory_Allocate(&memory))) return failed;
  const int count = program->inputs + program->outputs;
  for (int k = 0; k < program->temporary_count; k++) tensors[count + k] = (char*)memory.data + program->temporaries[k];
  const int addresses = count + program->temporary_count;
  const LaunchKernel launch = atomic_load(&launch_kernel);
  int status = launch ? 0 : 1;
  for (int k = 0; k < program->kernel_count && !status; k++) {
    const Kernel* kernel = &program->kernels[k];
    void** arguments = malloc((size_t)(kernel->count + 1) * sizeof *arguments);
    if (!arguments) return no_memory(frame);
    for (int a = 0; a < kernel->count; a++) {
      const int n = kernel->arguments[a];
      arguments[a] = n < addresses ? (void*)&tensors[n] : program->numbers[n - addresses];
    }
    status = launch(kernel->function, kernel->blocks, 1, 1, kernel->threads, 1, 1, 0, stream.stream, arguments, NULL);
    free(arguments);
  }
  if (program->workspace) {
    XLA_FFI_DeviceMemory_Free_Args freed = {sizeof freed, NULL, frame->ctx, program->workspace, memory.data};
    if ((failed = frame->api->XLA_FFI_DeviceMemory_Free(&freed))) return failed;
  }
  return status ? error(frame, "tadc: the driver does not launch a kernel") : NULL;
}

static XLA_FFI_Error* run(XLA_FFI_CallFrame* frame, const Program* program) {
  if (frame->args.size != program->inputs || frame->rets.size != program->outputs)
    return error(frame, "tadc: the call has not the operands of the program");
  const int count = program->inputs + program->outputs + program->temporary_count;
  void* few[FEW];
  void** tensors = count <= FEW ? few : malloc((size_t)count * sizeof *tensors);
  if (!tensors) return no_memory(frame);
  int n = 0;
  for (int k = 0; k < program->inputs; k++) tensors[n++] = ((XLA_FFI_Buffer*)frame->args.args[k])->data;
  for (int k = 0; k < program->outputs; k++) tensors[n++] = ((XLA_FFI_Buffer*)frame->rets.rets[k])->data;
  XLA_FFI_Error* result = program->device == PROCESSOR ? on_processor(frame, program, tensors) : on_gpu(frame, program, tensors);
  if (tensors != few) free(tensors);
  return result;
}

static XLA_FFI_Error* handled(XLA_FFI_CallFrame* frame, int device) {
  const XLA_FFI_Scalar* scalar = attribute(frame, "program");
  if (!scalar) return error(frame, "tadc: the call names no program");
  const int64_t number = *(const int64_t*)scalar->value;
  const Program* program = found(number, device);
  if (!program) {
    const XLA_FFI_ByteSpan* text = attribute(frame, "text");
    const Missing ask = atomic_load(&missing);
    if (!text || !ask || ask(number, device, text->ptr, text->len))
      return error(frame, "tadc: the program is not there, and could not be compiled");
    program = found(number, device);
  }
  return run(frame, program);
}

#if XLA_FFI_API_MINOR < 4
#define XLA_FFI_InternalExtension XLA_FFI_Extension_Base  // its name before JAX 0.11
#endif

// Whether the frame is there to be executed, and not to say of which version the handler is.
static int is_call(XLA_FFI_CallFrame* frame) {
  for (XLA_FFI_InternalExtension* e = frame->extension_start; e; e = e->next)
    if (e->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)e)->metadata;
      metadata->api_version.major_version = XLA_FFI_API_MAJOR;
      metadata->api_version.minor_version = XLA_FFI_API_MINOR;
      return 0;
    }
  return frame->stage == XLA_FFI_ExecutionStage_EXECUTE;
}

XLA_FFI_Error* tadc_handler(XLA_FFI_CallFrame* frame) { return is_call(frame) ? handled(frame, PROCESSOR) : NULL; }

XLA_FFI_Error* tadc_gpu_handler(XLA_FFI_CallFrame* frame) {
  if (!is_call(frame)) return NULL;
  XLA_FFI_DeviceOrdinal_Get_Args device = {sizeof device, NULL, frame->ctx, 0};
  XLA_FFI_Error* failed = frame->api->XLA_FFI_DeviceOrdinal_Get(&device);
  return failed ? failed : handled(frame, device.device_ordinal);
}
