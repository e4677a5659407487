/* An owner of an empty channel ends while another one is about to send to it. */
chan g = [1] of { chan };
byte done;
active proctype user() { chan c; g?c; c!5; assert(false) }
active proctype owner() { chan own = [1] of { byte }; g!own }
