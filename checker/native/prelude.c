/* What the functions of a model share. Arithmetic is that of 32-bit integers that wrap; nothing in it is undefined. */

#include <string.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))
#define SHARED static __attribute__((noinline, unused))
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define EXPORTED __attribute__((visibility("default")))
#else
#define ALWAYS_INLINE static inline
#define SHARED static
#define UNLIKELY(condition) (condition)
#define EXPORTED
#endif

/* What code looks at. Constants are in the code, unless it is shared by statements that differ in some; these are then
 * in c. */
#define PARAMETERS struct CmcCall *call, uint8_t *state, uint8_t *frame, const int traced
#define HERE call, state, frame, traced
#define UNUSED (void)call, (void)state, (void)frame, (void)traced, (void)c
#define BEGIN                            \
  uint8_t* const state = call->state;    \
  uint8_t* const frame = call->frame;    \
  const int traced = call->traced;       \
  UNUSED;
#define TOUCH(at) \
  if (UNLIKELY(traced)) call->touch(call, at)

/* An edge of a location is selected if its test, with these constants, does not say that it is blocked. */
#define SELECT(test, constants, edge) \
  if (test(HERE, constants) != CMC_BLOCKED) edges |= (uint64_t)1 << (edge);

/* In a d_step that may be endless: that many statements more. */
#define COUNT(statements, block)                         \
  executed += statements;                                \
  if (UNLIKELY(executed > MOST_STATEMENTS)) {            \
    call->statement = block;                             \
    return fault(call, CMC_ENDLESS_ATOMIC_BLOCK, 0);     \
  }

ALWAYS_INLINE int fault(struct CmcCall* call, uint32_t kind, int32_t value) {
  call->fault(call, kind, value);
  return CMC_FAULT;
}

/* Scalars, at any alignment. */
ALWAYS_INLINE int32_t get_u8(const uint8_t* from) { return *from; }
ALWAYS_INLINE int32_t get_u16(const uint8_t* from) {
  uint16_t value;
  memcpy(&value, from, sizeof value);
  return value;
}
ALWAYS_INLINE int32_t get_s16(const uint8_t* from) {
  int16_t value;
  memcpy(&value, from, sizeof value);
  return value;
}
ALWAYS_INLINE int32_t get_s32(const uint8_t* from) {
  int32_t value;
  memcpy(&value, from, sizeof value);
  return value;
}
ALWAYS_INLINE void put_8(uint8_t* to, int32_t value) { *to = (uint8_t)value; }
ALWAYS_INLINE void put_16(uint8_t* to, int32_t value) {
  const uint16_t bits = (uint16_t)value;
  memcpy(to, &bits, sizeof bits);
}
ALWAYS_INLINE void put_32(uint8_t* to, int32_t value) { memcpy(to, &value, sizeof value); }

ALWAYS_INLINE int32_t add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
ALWAYS_INLINE int32_t subtract(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
ALWAYS_INLINE int32_t multiply(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
ALWAYS_INLINE int32_t negate(int32_t a) { return (int32_t)(0u - (uint32_t)a); }
ALWAYS_INLINE int32_t shift_left(int32_t a, int32_t b) { return (int32_t)((uint32_t)a << (b & 31)); }
ALWAYS_INLINE int32_t shift_right(int32_t a, int32_t b) { return a >> (b & 31); }
ALWAYS_INLINE int divides(int32_t a, int32_t b) { return b != 0 && (b != -1 || a != INT32_MIN); }

/* Channels. */
struct Field {
  uint8_t bytes;
  uint8_t bits;
  uint8_t is_signed;
  uint32_t offset; /* in the message */
};
struct ChannelType {
  uint32_t capacity; /* 0: rendezvous */
  uint32_t message_bytes;
  uint32_t field_count;
  const struct Field* fields;
};
struct Channel {
  const struct ChannelType* type;
  uint8_t* contents; /* the number of messages (2 bytes), then the messages */
};
static const struct ChannelType channel_types[CHANNEL_TYPES];

ALWAYS_INLINE uint32_t length(const struct Channel* channel) { return (uint32_t)get_u16(channel->contents); }
ALWAYS_INLINE int is_full(const struct Channel* channel) {
  return channel->type->capacity != 0 && length(channel) >= channel->type->capacity;
}
ALWAYS_INLINE uint8_t* slot_of(const struct Channel* channel, uint32_t slot) {
  return channel->contents + 2 + slot * channel->type->message_bytes;
}

/* CMC_FAULT: there is no such channel. */
SHARED int find_channel(PARAMETERS, int32_t id, struct Channel* channel) {
  (void)frame;
  if (UNLIKELY((uint32_t)id - 1u >= call->channel_count)) return fault(call, CMC_UNINITIALIZED_CHANNEL, id);
  channel->type = &channel_types[call->channels[id].type];
  channel->contents = state + call->channels[id].offset;
  TOUCH(channel->contents);
  return CMC_EXECUTABLE;
}

/* The same for a channel that is known to exist. */
ALWAYS_INLINE int is_channel(const struct CmcCall* call, int32_t id) { return (uint32_t)id - 1u < call->channel_count; }

ALWAYS_INLINE int32_t truncated(const struct Field* field, int32_t value) {
  const uint32_t mask = field->bits >= 32 ? 0xffffffffu : ((uint32_t)1 << field->bits) - 1u;
  const uint32_t low = (uint32_t)value & mask;
  const uint32_t sign = field->is_signed ? (uint32_t)1 << (field->bits - 1) : 0u;
  return (int32_t)((low ^ sign) - sign);
}
/* A field of a message in the channel, or of the one under way if it is a rendezvous channel; 0 if there is none. */
SHARED int32_t field_of(const struct CmcCall* call, const struct Channel* channel, uint32_t slot,
                               uint32_t number) {
  const struct Field* field;
  const uint8_t* at;
  if (channel->type->capacity == 0) return number < call->message_count ? call->message[number] : 0;
  if (number >= channel->type->field_count) return 0;
  field = &channel->type->fields[number];
  at = slot_of(channel, slot) + field->offset;
  return truncated(field, field->bytes == 1 ? get_u8(at) : field->bytes == 2 ? get_u16(at) : get_s32(at));
}
/* Whether a receive finds a message there. */
ALWAYS_INLINE int has_message(const struct CmcCall* call, const struct Channel* channel, int32_t id) {
  if (channel->type->capacity == 0) return call->rendezvous == (uint32_t)id;
  return length(channel) != 0 && call->rendezvous == 0;
}
ALWAYS_INLINE int has_slot(const struct Channel* channel, uint32_t slot) {
  return slot < (channel->type->capacity == 0 ? 1u : length(channel));
}
ALWAYS_INLINE void check_fields(struct CmcCall* call, const struct Channel* channel, uint32_t count) {
  if (UNLIKELY(channel->type->field_count != count))
    call->fault(call, CMC_MESSAGE_FIELDS, (int32_t)channel->type->field_count);
}
ALWAYS_INLINE void check_polled(struct CmcCall* call, const struct Channel* channel, uint32_t count) {
  if (UNLIKELY(channel->type->field_count < count))
    call->fault(call, CMC_MESSAGE_FIELDS, (int32_t)channel->type->field_count);
}

/* The slot in front of the first message that is greater than these values. */
SHARED uint32_t sorted_slot(const struct CmcCall* call, const struct Channel* channel, const int32_t* values,
                                   uint32_t count) {
  uint32_t slot;
  uint32_t i;
  for (slot = 0; slot < length(channel); ++slot) {
    for (i = 0; i < channel->type->field_count; ++i) {
      const int32_t there = field_of(call, channel, slot, i);
      const int32_t given = i < count ? values[i] : 0;
      if (given < there) return slot;
      if (given > there) break;
    }
  }
  return slot;
}
/* Missing values are 0. REQUIRES: the channel is not full. */
SHARED void insert_message(const struct Channel* channel, uint32_t slot, const int32_t* values, uint32_t count) {
  const uint32_t messages = length(channel);
  uint8_t* const at = slot_of(channel, slot);
  uint32_t i;
  if (slot < messages)
    memmove(at + channel->type->message_bytes, at, (size_t)(messages - slot) * channel->type->message_bytes);
  for (i = 0; i < channel->type->field_count; ++i) {
    const struct Field* const field = &channel->type->fields[i];
    const int32_t value = i < count ? truncated(field, values[i]) : 0;
    if (field->bytes == 1) {
      put_8(at + field->offset, value);
    } else if (field->bytes == 2) {
      put_16(at + field->offset, value);
    } else {
      put_32(at + field->offset, value);
    }
  }
  put_16(channel->contents, (int32_t)(messages + 1));
}
/* REQUIRES: there is a message in that slot. */
SHARED void remove_message(const struct Channel* channel, uint32_t slot) {
  const uint32_t messages = length(channel);
  const uint32_t bytes = channel->type->message_bytes;
  uint8_t* const at = slot_of(channel, slot);
  memmove(at, at + bytes, (size_t)(messages - slot - 1) * bytes);
  memset(slot_of(channel, messages - 1), 0, bytes);
  put_16(channel->contents, (int32_t)(messages - 1));
}
SHARED void offer_message(struct CmcCall* call, const struct Channel* channel, int32_t id, const int32_t* values,
                                 uint32_t count) {
  uint32_t i;
  call->sent_channel = (uint32_t)id;
  call->sent_count = channel->type->field_count;
  for (i = 0; i < channel->type->field_count; ++i)
    call->sent[i] = i < count ? truncated(&channel->type->fields[i], values[i]) : 0;
}

/* Processes. */
SHARED int32_t first_of(const struct CmcCall* call, uint32_t proctype) {
  uint32_t pid;
  for (pid = 0; pid < call->process_count; ++pid) {
    if (call->state[call->frames[pid]] == proctype) return (int32_t)pid;
  }
  return -1;
}
ALWAYS_INLINE int is_process(const struct CmcCall* call, int32_t pid) { return (uint32_t)pid < call->process_count; }
ALWAYS_INLINE int is_of(const struct CmcCall* call, int32_t pid, uint32_t proctype) {
  return is_process(call, pid) && call->state[call->frames[pid]] == proctype;
}
/* The byte at that place of the header of a process, or its location; 0 if there is none. */
SHARED int32_t priority_of(PARAMETERS, int32_t pid) {
  (void)frame;
  if (!is_process(call, pid)) return 0;
  TOUCH(state + call->frames[pid]);
  return get_u8(state + call->frames[pid] + 1);
}
SHARED int32_t location_of(PARAMETERS, int32_t pid) {
  (void)frame;
  if (!is_process(call, pid)) return 0;
  TOUCH(state + call->frames[pid]);
  return get_u16(state + call->frames[pid] + 2);
}
