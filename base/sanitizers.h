#pragma once

// CMC_ADDRESS_SANITIZER, CMC_THREAD_SANITIZER: 1 in what is compiled with -fsanitize=address or thread, otherwise 0.
// gcc says so by macros, clang by features.
#if defined(__has_feature)
#define CMC_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#define CMC_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#if defined(__SANITIZE_ADDRESS__)
#define CMC_ADDRESS_SANITIZER 1
#else
#define CMC_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__)
#define CMC_THREAD_SANITIZER 1
#else
#define CMC_THREAD_SANITIZER 0
#endif
#endif
