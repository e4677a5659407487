// ZeroMQ's functions as far as this module calls them, from a library that is loaded when the first context is made:
// most searches ask no solver, and libzmq with the eleven libraries behind it takes 2 MB and 3 ms. Without the
// library, zmq_ctx_new fails with ELIBACC, and without a context nothing else is called but the two functions that
// explain the failure.

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <zmq.h>

namespace {

void* library() {
  static void* const handle = ::dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <typename Function>
Function* find(const char* name) {
  return library() == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library(), name));
}

}  // namespace

#define FORWARD(result, name, parameters, arguments)           \
  result name parameters {                                     \
    static auto* const function = find<decltype(name)>(#name); \
    return function arguments;                                 \
  }

extern "C" {

void* zmq_ctx_new() {
  static auto* const function = find<decltype(zmq_ctx_new)>("zmq_ctx_new");
  if (function != nullptr) return function();
  errno = ELIBACC;
  return nullptr;
}

int zmq_errno() {
  static auto* const function = find<decltype(zmq_errno)>("zmq_errno");
  return function != nullptr ? function() : errno;
}

const char* zmq_strerror(int error) {
  static auto* const function = find<decltype(zmq_strerror)>("zmq_strerror");
  return function != nullptr ? function(error) : std::strerror(error);
}

FORWARD(int, zmq_ctx_set, (void* context, int option, int value), (context, option, value))
FORWARD(int, zmq_ctx_term, (void* context), (context))
FORWARD(void*, zmq_socket, (void* context, int type), (context, type))
FORWARD(int, zmq_close, (void* socket), (socket))
FORWARD(int, zmq_bind, (void* socket, const char* address), (socket, address))
FORWARD(int, zmq_connect, (void* socket, const char* address), (socket, address))
FORWARD(int, zmq_setsockopt, (void* socket, int option, const void* value, size_t size),
        (socket, option, value, size))
FORWARD(int, zmq_getsockopt, (void* socket, int option, void* value, size_t* size), (socket, option, value, size))
FORWARD(int, zmq_send, (void* socket, const void* bytes, size_t size, int flags), (socket, bytes, size, flags))
FORWARD(int, zmq_poll, (zmq_pollitem_t * items, int count, long timeout), (items, count, timeout))
FORWARD(int, zmq_msg_init, (zmq_msg_t * message), (message))
FORWARD(int, zmq_msg_init_size, (zmq_msg_t * message, size_t size), (message, size))
FORWARD(int, zmq_msg_close, (zmq_msg_t * message), (message))
FORWARD(int, zmq_msg_copy, (zmq_msg_t * to, zmq_msg_t* from), (to, from))
FORWARD(void*, zmq_msg_data, (zmq_msg_t * message), (message))
FORWARD(size_t, zmq_msg_size, (const zmq_msg_t* message), (message))
FORWARD(int, zmq_msg_more, (const zmq_msg_t* message), (message))
FORWARD(int, zmq_msg_send, (zmq_msg_t * message, void* socket, int flags), (message, socket, flags))
FORWARD(int, zmq_msg_recv, (zmq_msg_t * message, void* socket, int flags), (message, socket, flags))
FORWARD(int, zmq_curve_keypair, (char* public_key, char* secret_key), (public_key, secret_key))
FORWARD(char*, zmq_z85_encode, (char* text, const uint8_t* bytes, size_t size), (text, bytes, size))

}  // extern "C"
