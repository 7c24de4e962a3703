import { connect } from 'node:net';
import type { Credentials } from './model.ts';

const addresses = Array.from({ length: 60 }, (_none, index) => `127.0.0.${index + 2}`);
const probeMilliseconds = 500;

/**
 * The addresses from which this machine can send to a target. On Linux a target on the same machine can be reached from all
 * of 127.0.0.0/8; each has a limit of failed authentications of its own.
 */
export async function ownAddresses({
  base_url: base,
  case_base_url: caseBase,
}: Credentials): Promise<(string | undefined)[]> {
  const [first = ''] = addresses;
  const reached = await Promise.all([base, caseBase].map((url) => reaches(url, first)));
  return [undefined, ...(reached.every(Boolean) ? addresses : [])];
}

async function reaches(url: string, localAddress: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  if (!/^(127\.\d+\.\d+\.\d+|localhost)$/.test(hostname)) return false;
  return new Promise((resolve) => {
    const number = Number(port) || (protocol === 'https:' ? 443 : 80);
    const socket = connect({ host: hostname, port: number, localAddress, family: 4, timeout: probeMilliseconds });
    const end = (reached: boolean) => () => {
      socket.destroy();
      resolve(reached);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });
}
