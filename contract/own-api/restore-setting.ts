import { setTimeout as sleep } from 'node:timers/promises';
import { matchOperation } from '../document/index.ts';
import { ownDocument } from '../document/own-document.ts';
import { messageOf } from '../cli/run-command.ts';
import { parsed } from '../oracle/json.ts';
import type { Progress, RequestSpec } from '../run/model.ts';
import { longestWaitSeconds } from '../run/limits.ts';
import { Session, type SessionOptions } from '../run/session.ts';
import { apiKey, enabledBody, type Header, readSetting, settingIn, settingPath, updateSetting } from './requests.ts';

/** Runs the work and puts the verification setting back to what it was before, also if the work fails or is stopped. */
export async function restoringSetting(
  options: Omit<SessionOptions, 'signal'>,
  { onNotice }: Pick<Progress, 'onNotice'>,
  problems: string[],
  work: () => Promise<void>,
): Promise<void> {
  const { document = ownDocument, target } = options;
  if (target.credentials.owner_key === undefined || !matchOperation(document, 'PUT', settingPath)) return work();
  const before = await readOf(options, 0);
  if (typeof before === 'string')
    onNotice(`the verification setting cannot be put back afterwards: it cannot be read with owner_key (${before})`);
  try {
    await work();
  } finally {
    const changed = typeof before === 'boolean' && (await readOf(options, longestWaitSeconds)) !== before;
    const saved = changed ? await call(options, (key) => updateSetting(enabledBody(before), key)) : {};
    if (typeof saved === 'string')
      problems.push(`the verification setting could not be put back to ${before}: ${saved}`);
  }
}

/** @returns the setting, or why it cannot be read */
async function readOf(options: SessionOptions, waitSeconds: number): Promise<boolean | string> {
  const response = await call(options, readSetting, waitSeconds);
  if (typeof response === 'string') return response;
  return settingIn(parsed(response.text)) ?? 'its response is not as documented';
}

/** @returns the response, or why there is none of a success */
async function call(
  options: SessionOptions,
  requestBy: (key: Header) => RequestSpec,
  waitSeconds = longestWaitSeconds,
) {
  const session = new Session(options, { needs: ['owner_key'] });
  const request = requestBy(apiKey(session.credential('owner_key')));
  try {
    let response = await session.call(request);
    // The last checks have used the limit up, and not every target says when it is given anew.
    for (const until = Date.now() + waitSeconds * 1000; response.status === 429 && Date.now() < until;) {
      await sleep(1000);
      response = await session.call(request);
    }
    return response.status === 200 ? response : `it responded ${response.status}`;
  } catch (error) {
    return messageOf(error);
  }
}
