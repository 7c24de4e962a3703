import type { Progress } from './run.js';
import { Session, type SessionOptions } from './session.js';

const path = '/organisations/features/verification';

/** Runs the work and puts the verification setting back to what it was before, also if the work fails. */
export async function restoringSetting(
  options: SessionOptions,
  progress: Pick<Progress, 'onNotice'>,
  problems: string[],
  work: () => Promise<void>,
): Promise<void> {
  const key = options.target.credentials.owner_key;
  const before = key === undefined ? undefined : await readSetting(options, key);
  if (key !== undefined && before === undefined)
    progress.onNotice('the verification setting cannot be read with owner_key, so it cannot be put back afterwards');
  try {
    await work();
  } finally {
    if (key !== undefined && before !== undefined && !(await writeSetting(options, key, before)))
      problems.push(`the verification setting could not be put back to ${before}`);
  }
}

async function readSetting(options: SessionOptions, key: string): Promise<boolean | undefined> {
  const answer = await new Session(options, { needs: [] }).call({ method: 'GET', path, headers: [['x-api-key', key]] });
  if (answer.status !== 200) return undefined;
  try {
    const { enabled } = JSON.parse(answer.text) as { enabled: unknown };
    return typeof enabled === 'boolean' ? enabled : undefined;
  } catch {
    return undefined;
  }
}

async function writeSetting(options: SessionOptions, key: string, enabled: boolean): Promise<boolean> {
  try {
    const headers = [
      ['x-api-key', key],
      ['Content-Type', 'application/json'],
    ] as const;
    const body = JSON.stringify({ enabled });
    const { status } = await new Session(options, { needs: [] }).call({ method: 'PUT', path, headers, body });
    return status === 200;
  } catch {
    return false;
  }
}
