/* A d_step that runs in the middle of a handshake is what _last tells the receiver, not the send.
 * expect: states=17 transitions=18 assertions=0 errors=1
 */
chan q = [0] of { byte };
byte x;
active proctype R() { q?eval(_last); x = 1 }
active proctype D() { d_step { assert(true); skip } }
active proctype S() { q!1; x = 2 }
