import { secretsOf } from './mask.ts';
import type { Credentials, Progress } from './model.ts';
import { Pacing } from './pacing.ts';

/** Shorter waits for a rate limit are not worth a line. */
const noticedWaitSeconds = 5;

/** The pacing of a run that reports its waits, and the credentials that another client uses at the same time. */
export interface AnnouncedLimits {
  readonly pacing: Pacing;
  readonly shared: readonly string[];
}

/** Limits by the names of the credentials that they belong to. */
export function announcedLimits(credentials: Credentials, { onNotice }: Pick<Progress, 'onNotice'>): AnnouncedLimits {
  const nameOf = (limit: string) => secretsOf(credentials).find(([, secret]) => secret === limit)?.[0];
  const shared: string[] = [];
  const pacing = new Pacing(
    (seconds, limit) => {
      const of = nameOf(limit) ?? 'failed authentications';
      if (seconds >= noticedWaitSeconds) onNotice(`waiting ${seconds} s for the target's rate limit of ${of}`);
    },
    (limit) => {
      const name = nameOf(limit);
      if (name === undefined || shared.includes(name)) return;
      shared.push(name);
      if (shared.length === 1) onNotice(sharedBy(shared));
    },
  );
  return { pacing, shared };
}

export function sharedBy(names: readonly string[]): string {
  return `somebody else uses ${names.join(', ')} meanwhile; two runs on one organisation disturb each other`;
}
