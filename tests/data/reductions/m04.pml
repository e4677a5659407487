/* The same; the user only looks at its length. */
chan g = [1] of { chan };
active proctype user() { chan c; g?c; if :: len(c) == 0 -> assert(false) fi }
active proctype owner() { chan own = [1] of { byte }; g!own }
