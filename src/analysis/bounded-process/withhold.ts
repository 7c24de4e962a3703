/**
 * Removes what Node's permission model leaves to a process: signals to other processes and, before Node.js 25, the
 * network. This stops only JavaScript, and a job without compiled code runs nothing else.
 */
import dgram from 'node:dgram';
import net from 'node:net';

const refuse = (): never => {
  throw Object.assign(new Error('A bounded job may not do this.'), { code: 'ERR_ACCESS_DENIED' });
};

/** Removes them permanently. */
export function withhold(): void {
  Object.assign(process, {
    // The shell that set the limits added variables of its own.
    env: {},
    kill: refuse,
    _kill: refuse,
    _debugProcess: refuse,
  });
  Object.assign(net.Socket.prototype, { connect: refuse });
  Object.assign(net.Server.prototype, { listen: refuse });
  Object.assign(dgram.Socket.prototype, { bind: refuse, connect: refuse, send: refuse, sendto: refuse });
}
