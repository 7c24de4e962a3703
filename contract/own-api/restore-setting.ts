import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../cli/run-command.ts';
import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import { longestWaitSeconds } from '../run/limits.ts';
import type { Progress } from '../run/model.ts';
import { Session, type SessionOptions } from '../run/session.ts';
import { save, savedSetting, settingPath } from './requests.ts';

/** Runs the work and puts the verification setting back to what it was before, also if the work fails or is stopped. */
export async function restoringSetting(
  options: Omit<SessionOptions, 'signal'>,
  { onNotice }: Pick<Progress, 'onNotice'>,
  problems: string[],
  work: () => Promise<void>,
): Promise<void> {
  const { document = ownDocument, target } = options;
  if (target.credentials.owner_key === undefined || !matchOperation(document, 'PUT', settingPath)) return work();
  const before = await attempt(options, 0, savedSetting);
  if (typeof before === 'string')
    onNotice(`the verification setting cannot be put back afterwards: it cannot be read with owner_key (${before})`);
  try {
    await work();
  } finally {
    if (typeof before === 'boolean' && (await attempt(options, longestWaitSeconds, savedSetting)) !== before) {
      const saved = await attempt(options, longestWaitSeconds, (session) => save(session, before));
      if (typeof saved === 'string')
        problems.push(`the verification setting could not be put back to ${before}: ${saved}`);
    }
  }
}

/** @returns what the exchange gives, or why it fails */
async function attempt<Result>(
  options: SessionOptions,
  waitSeconds: number,
  exchange: (session: Session) => Promise<Result>,
): Promise<Result | string> {
  const session = new Session(options, { needs: ['owner_key'] });
  for (const until = Date.now() + waitSeconds * 1000; ;)
    try {
      return await exchange(session);
    } catch (error) {
      // The last checks have used the limit up, and not every target says when it is given anew.
      if (session.exchanges.at(-1)?.response?.status !== 429 || Date.now() >= until) return messageOf(error);
      await sleep(1000);
    }
}
