import { connect } from 'node:net';
import type { ApiDocument } from '../document/model.ts';
import type { HttpClient } from './http-client.ts';
import type { Credentials } from './model.ts';
import { limitStatedBy } from './pacing.ts';
import { plainUrls } from './reach-target.ts';

const addresses = Array.from({ length: 60 }, (_none, index) => `127.0.0.${index + 2}`);
const probeMilliseconds = 500;

/**
 * The addresses from which this machine can send to a target. On Linux a target on the same machine can be reached from all
 * of 127.0.0.0/8; each has a limit of failed authentications of its own, unless there is a proxy between them.
 */
export async function ownAddresses(
  credentials: Credentials,
  client: HttpClient,
  document: ApiDocument,
): Promise<(string | undefined)[]> {
  const { base_url: base, case_base_url: caseBase } = credentials;
  const [first = ''] = addresses;
  const reached = await Promise.all([base, caseBase].map((url) => reaches(url, first)));
  if (!reached.every(Boolean)) return [undefined];
  const [url] = plainUrls(credentials, document).flat();
  return url !== undefined && (await shareLimit(url, client)) ? [undefined] : [undefined, ...addresses];
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

/**
 * Whether a request from one address takes from the limit of another, as far as `RateLimit` shows. Which two are asked with
 * differs between processes, so that runs at the same time seldom take each other's requests for it.
 */
async function shareLimit(url: string, client: HttpClient): Promise<boolean> {
  const [one, another] = [0, addresses.length / 2].map(
    (offset) => addresses[(process.pid + offset) % addresses.length],
  );
  const left = async (from?: string) => {
    const response = await client.send(url, { method: 'GET', path: '' }, from).catch(() => undefined);
    return (response && limitStatedBy(response))?.left ?? NaN;
  };
  const before = await left(one);
  if (Number.isNaN(before)) return false;
  const other = await left(another);
  const after = await left(one);
  return before < 2 ? other <= before : before - after > 1;
}
