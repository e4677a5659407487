/* A channel sent through a channel, by way of a byte. */
chan c = [1] of { byte }; chan d = [1] of { byte };
active proctype p() { byte l; l = 1; d!7; assert(len(d) == 1) }
active proctype q() { byte b = d; c!b }
active proctype r() { byte b; chan k; c?b; k = b; k?b; assert(b != 7) }
