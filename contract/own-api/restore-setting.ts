import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../cli/run-command.ts';
import { matchOperation } from '../document/index.ts';
import { longestWaitSeconds } from '../run/limits.ts';
import type { Progress } from '../run/model.ts';
import { Session, type SessionOptions } from '../run/session.ts';
import { save, savedSetting, settingPath } from './requests.ts';

const keys = ['owner_key', 'other_owner_key'] as const;
type OwnerKey = (typeof keys)[number];

/** Runs the work and puts the verification settings back to what they were before, also if the work fails or is stopped. */
export async function restoringSetting(
  options: Omit<SessionOptions, 'signal'>,
  { onNotice }: Pick<Progress, 'onNotice'>,
  problems: string[],
  work: () => Promise<void>,
): Promise<void> {
  const { document, target } = options;
  const known = matchOperation(document, 'PUT', settingPath) ? keys : [];
  const saved: (readonly [name: OwnerKey, before: boolean])[] = [];
  for (const name of known.filter((key) => target.credentials[key] !== undefined)) {
    const before = await attempt(options, 0, name, savedSetting);
    if (typeof before === 'boolean') saved.push([name, before]);
    else if (name === 'owner_key')
      onNotice(`the verification setting cannot be put back afterwards: it cannot be read with ${name} (${before})`);
  }
  try {
    await work();
  } finally {
    for (const [name, before] of saved) {
      const now = await attempt(options, longestWaitSeconds, name, savedSetting);
      const restored =
        now === before ||
        (await attempt(options, longestWaitSeconds, name, (session, key) => save(session, before, key)));
      if (typeof restored === 'string')
        problems.push(`the verification setting could not be put back to ${before}: ${restored}`);
    }
  }
}

/** @returns what the exchange gives, with a key whose limit is not used up if there is one, or why it fails */
async function attempt<Result>(
  options: SessionOptions,
  waitSeconds: number,
  name: OwnerKey,
  exchange: (session: Session, key: string) => Promise<Result>,
): Promise<Result | string> {
  const session = new Session(options, { needs: [name] });
  for (const until = Date.now() + waitSeconds * 1000; ;)
    try {
      return await exchange(session, session.credential(name));
    } catch (error) {
      // The last checks have used the limit up, and not every target says when it is given anew.
      if (session.exchanges.at(-1)?.response?.status !== 429 || Date.now() >= until) return messageOf(error);
      await sleep(1000);
    }
}
