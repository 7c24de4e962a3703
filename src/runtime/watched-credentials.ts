/** What a service does for those who look after credentials: it saves when each was used last, and warns of their expiry. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { daysOfExpiryWarning } from '../domain/credential.ts';
import { millisecondsOfDay } from '../domain/time.ts';
import type { Store } from '../store/store.ts';

const saveMilliseconds = 60_000;
/** So few at once that the writes of requests, with which they may share a commit, do not wait for them. */
const usesOfWrite = 200;
/** How long a shutdown waits for a store that does not respond. */
const endMilliseconds = 2000;

/**
 * Collects uses in memory and saves them once a minute and on shutdown, so that a killed process loses at most the last
 * minute. No request waits for a save, or fails because of one.
 */
export function saveCredentialUses(store: Pick<Store, 'noteCredentialUses'>, logger: Logger) {
  let noted = new Map<string, Date>();
  let saving: Promise<void> | undefined;
  let failing = false;
  const timer = setInterval(() => void save(), saveMilliseconds).unref();

  function save(): Promise<void> {
    return (saving ??= saveAll().finally(() => (saving = undefined)));
  }

  async function saveAll(): Promise<void> {
    const uses = [...noted];
    noted = new Map();
    for (let start = 0; start < uses.length; start += usesOfWrite) {
      const part = uses.slice(start, start + usesOfWrite);
      try {
        await store.noteCredentialUses(part.map(([id, at]) => ({ credential_id: id, last_used_at: at.toISOString() })));
        failing = false;
      } catch (error) {
        // A later use replaces an earlier one.
        noted = new Map([...uses.slice(start), ...noted]);
        if (!failing) logger.error({ err: error }, 'the last uses of credentials cannot be saved');
        failing = true;
        return;
      }
    }
  }

  return {
    note: (credentialId: string, at: Date): void => {
      noted.set(credentialId, at);
    },
    /** Saves what is noted, also since a save began that is still in flight, if the store responds within two seconds. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      const saved = save().then(save);
      await Promise.race([saved, sleep(endMilliseconds, undefined, { ref: false })]);
    },
  };
}

const urgentDays = 7;
const maxLines = 100;

interface Parts {
  readonly store: Pick<Store, 'listExpiringCredentials'>;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Logs now and daily which credentials expire in 30 days, or 7 as warnings, until the returned function is called. */
export function warnOfExpiry(parts: Parts): () => void {
  void logExpiring(parts);
  const timer = setInterval(() => void logExpiring(parts), millisecondsOfDay).unref();
  return () => {
    clearInterval(timer);
  };
}

async function logExpiring({ store, logger, now }: Parts): Promise<void> {
  const at = now();
  const within = (days: number) => new Date(at.getTime() + days * millisecondsOfDay).toISOString();
  try {
    const period = { from: at.toISOString(), until: within(daysOfExpiryWarning), limit: maxLines + 1 };
    const expiring = await store.listExpiringCredentials(period);
    for (const { credential_id, organisation_id, expires_at } of expiring.slice(0, maxLines)) {
      const level = String(expires_at) <= within(urgentDays) ? 'warn' : 'info';
      const detail = { credentialId: credential_id, organisationId: organisation_id, expiresAt: expires_at };
      logger[level](detail, 'a credential expires soon');
    }
    if (expiring.length > maxLines) logger.warn('more credentials expire soon: credential list shows them all');
  } catch (error) {
    logger.error({ err: error }, 'credentials that expire soon cannot be listed');
  }
}
