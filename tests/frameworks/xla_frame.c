// A call of a handler as XLA makes it, for tests: on the stream 7 of a device, with memory of the host.
#include "HEADER"
#include <stdlib.h>
#include <string.h>

static int device, allocated;

static XLA_FFI_Error* stream_get(XLA_FFI_Stream_Get_Args* args) { args->stream = (void*)7; return NULL; }
static XLA_FFI_Error* ordinal_get(XLA_FFI_DeviceOrdinal_Get_Args* args) { args->device_ordinal = device; return NULL; }
static XLA_FFI_Error* error_create(XLA_FFI_Error_Create_Args* args) {
  static char message[256];
  strncpy(message, args->message, sizeof message - 1);
  return (XLA_FFI_Error*)message;
}
static XLA_FFI_Error* allocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  if (args->alignment > 16) return (XLA_FFI_Error*)"Unsupported alignment";  // as XLA has it
  args->data = aligned_alloc(256, (args->size + 255) / 256 * 256);
  allocated++;
  return NULL;
}
static XLA_FFI_Error* release(XLA_FFI_DeviceMemory_Free_Args* args) {
  free(args->data);
  allocated--;
  return NULL;
}

int still_allocated(void) { return allocated; }

// The message of the handler's error; NULL where there is none.
char* run_frame(XLA_FFI_Handler* handler, int on, void** inputs, int input_count, void** outputs, int output_count,
                int64_t number, const char* text) {
  device = on;
  XLA_FFI_Api api = {sizeof api};
  api.XLA_FFI_Stream_Get = stream_get;
  api.XLA_FFI_DeviceOrdinal_Get = ordinal_get;
  api.XLA_FFI_Error_Create = error_create;
  api.XLA_FFI_DeviceMemory_Allocate = allocate;
  api.XLA_FFI_DeviceMemory_Free = release;
  XLA_FFI_Buffer buffers[32] = {0};
  void *args[32], *rets[32];
  for (int k = 0; k < input_count; k++) args[k] = &buffers[k], buffers[k].data = inputs[k];
  for (int k = 0; k < output_count; k++) rets[k] = &buffers[input_count + k], buffers[input_count + k].data = outputs[k];
  XLA_FFI_Scalar scalar = {XLA_FFI_DataType_S64, &number};
  XLA_FFI_ByteSpan span = {text, strlen(text)}, names[2] = {{"program", 7}, {"text", 4}};
  XLA_FFI_ByteSpan* name[2] = {&names[0], &names[1]};
  XLA_FFI_AttrType types[2] = {XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_STRING};
  void* attributes[2] = {&scalar, &span};
  XLA_FFI_CallFrame frame = {sizeof frame};
  frame.api = &api;
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  frame.args.size = input_count, frame.args.args = args;
  frame.rets.size = output_count, frame.rets.rets = rets;
  frame.attrs.size = 2, frame.attrs.types = types, frame.attrs.names = name, frame.attrs.attrs = attributes;
  return (char*)handler(&frame);
}
