import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import type { Progress } from './model.ts';
import { Session, type SessionOptions } from './session.ts';

const path = '/organisations/features/verification';

/** Runs the work and puts the verification setting back to what it was before, also if the work fails or is stopped. */
export async function restoringSetting(
  options: Omit<SessionOptions, 'signal'>,
  { onNotice }: Pick<Progress, 'onNotice'>,
  problems: string[],
  work: () => Promise<void>,
): Promise<void> {
  const { document = ownDocument, target } = options;
  const key = target.credentials.owner_key;
  if (key === undefined || !matchOperation(document, 'PUT', path)) return work();
  const before = await readSetting(options, key);
  if (typeof before === 'string')
    onNotice(`the verification setting cannot be put back afterwards: it cannot be read with owner_key (${before})`);
  try {
    await work();
  } finally {
    const changed = typeof before === 'boolean' && (await readSetting(options, key)) !== before;
    const fault = changed ? await writeSetting(options, key, before) : undefined;
    if (fault !== undefined) problems.push(`the verification setting could not be put back to ${before}: ${fault}`);
  }
}

/** @returns the setting, or why it cannot be read */
async function readSetting(options: SessionOptions, key: string): Promise<boolean | string> {
  const response = await call(options, 'GET', [['x-api-key', key]]);
  if (typeof response === 'string') return response;
  try {
    const { enabled } = JSON.parse(response.text) as { enabled: unknown };
    return typeof enabled === 'boolean' ? enabled : 'its response is not as documented';
  } catch {
    return 'its response is not as documented';
  }
}

/** @returns why it cannot be written, if it cannot */
async function writeSetting(options: SessionOptions, key: string, enabled: boolean): Promise<string | undefined> {
  const headers = [
    ['x-api-key', key],
    ['Content-Type', 'application/json'],
  ] as const;
  const response = await call(options, 'PUT', headers, JSON.stringify({ enabled }));
  return typeof response === 'string' ? response : undefined;
}

async function call(
  options: SessionOptions,
  method: string,
  headers: readonly (readonly [string, string])[],
  body?: string,
) {
  try {
    const response = await new Session(options, { needs: [] }).call({ method, path, headers, ...(body && { body }) });
    return response.status === 200 ? response : `it responded ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
