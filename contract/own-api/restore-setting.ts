import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../run/model.ts';
import { longestWaitSeconds } from '../run/limits.ts';
import { Session, type SessionOptions } from '../run/session.ts';

const path = '/organisations/features/verification';

/** Runs the work and puts the verification setting back to what it was before, also if the work fails or is stopped. */
export async function restoringSetting(
  options: Omit<SessionOptions, 'signal'>,
  { onNotice }: Pick<Progress, 'onNotice'>,
  problems: string[],
  work: () => Promise<void>,
): Promise<void> {
  const { document = ownDocument, target } = options;
  if (target.credentials.owner_key === undefined || !matchOperation(document, 'PUT', path)) return work();
  const before = await readSetting(options, 0);
  if (typeof before === 'string')
    onNotice(`the verification setting cannot be put back afterwards: it cannot be read with owner_key (${before})`);
  try {
    await work();
  } finally {
    const changed = typeof before === 'boolean' && (await readSetting(options, longestWaitSeconds)) !== before;
    const fault = changed ? await writeSetting(options, before) : undefined;
    if (fault !== undefined) problems.push(`the verification setting could not be put back to ${before}: ${fault}`);
  }
}

/** @returns the setting, or why it cannot be read */
async function readSetting(options: SessionOptions, waitSeconds: number): Promise<boolean | string> {
  const response = await call(options, 'GET', waitSeconds);
  if (typeof response === 'string') return response;
  try {
    const { enabled } = JSON.parse(response.text) as { enabled: unknown };
    return typeof enabled === 'boolean' ? enabled : 'its response is not as documented';
  } catch {
    return 'its response is not as documented';
  }
}

/** @returns why it cannot be written, if it cannot */
async function writeSetting(options: SessionOptions, enabled: boolean): Promise<string | undefined> {
  const response = await call(options, 'PUT', longestWaitSeconds, JSON.stringify({ enabled }));
  return typeof response === 'string' ? response : undefined;
}

async function call(options: SessionOptions, method: string, waitSeconds: number, body?: string) {
  const session = new Session(options, { needs: ['owner_key'] });
  const key = ['x-api-key', session.credential('owner_key')] as const;
  const content = body === undefined ? {} : { headers: [key, ['Content-Type', 'application/json']] as const, body };
  try {
    const request = { method, path, headers: [key], ...content };
    let response = await session.call(request);
    // The last checks have used the limit up, and not every target says when it is given anew.
    for (const until = Date.now() + waitSeconds * 1000; response.status === 429 && Date.now() < until;) {
      await sleep(1000);
      response = await session.call(request);
    }
    return response.status === 200 ? response : `it responded ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
