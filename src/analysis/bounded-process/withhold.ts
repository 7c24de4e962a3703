/**
 * Takes from a process what Node's permission model leaves to it: signals to other processes, and before Node.js 25 the
 * network. This stops JavaScript alone, which is all there is in a job without compiled code.
 */
import dgram from 'node:dgram';
import net from 'node:net';

const refuse = (): never => {
  throw Object.assign(new Error('A bounded job may not do this.'), { code: 'ERR_ACCESS_DENIED' });
};

/** Withholds it for good. */
export function withhold(): void {
  Object.assign(process, {
    // The shell that set the limits has put its own there.
    env: {},
    kill: refuse,
    _kill: refuse,
    _debugProcess: refuse,
  });
  Object.assign(net.Socket.prototype, { connect: refuse });
  Object.assign(net.Server.prototype, { listen: refuse });
  Object.assign(dgram.Socket.prototype, { bind: refuse, connect: refuse, send: refuse, sendto: refuse });
}
