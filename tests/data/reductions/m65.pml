chan g = [1] of { chan };
active proctype X() { chan d; g?d; d!1; assert(false) }
active proctype W() { chan q = [1] of { byte }; g!q }
