/** What a service does for those who look after credentials: it saves when each was used last, and warns of their expiry. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { daysOfExpiryWarning } from '../domain/credential.ts';
import { millisecondsOfDay } from '../domain/time.ts';
import type { Store } from '../store/store.ts';

const saveMilliseconds = 60_000;
/** So few at once that the writes of requests, with which they may share a commit, do not wait for them. */
const usesOfWrite = 200;
/** How long the end of the service waits for a store that does not respond. */
const endMilliseconds = 2000;

/**
 * Uses are noted in memory and saved together once a minute and on shutdown, so a killed process loses the uses of its last
 * minute. No request waits for a save, or fails because of one.
 */
export class CredentialUses {
  readonly #store: Pick<Store, 'noteCredentialUses'>;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #noted = new Map<string, Date>();
  #saving: Promise<void> | undefined;
  #failing = false;

  constructor(store: Pick<Store, 'noteCredentialUses'>, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.#save(), saveMilliseconds).unref();
  }

  readonly note = (credentialId: string, at: Date): void => {
    this.#noted.set(credentialId, at);
  };

  /** Saves what is noted, also since a save began that is still in flight, if the store responds within two seconds. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const saved = this.#save().then(() => this.#save());
    await Promise.race([saved, sleep(endMilliseconds, undefined, { ref: false })]);
  }

  #save(): Promise<void> {
    return (this.#saving ??= this.#saveAll().finally(() => (this.#saving = undefined)));
  }

  async #saveAll(): Promise<void> {
    const uses = [...this.#noted];
    this.#noted = new Map();
    for (let start = 0; start < uses.length; start += usesOfWrite) {
      const part = uses.slice(start, start + usesOfWrite);
      try {
        const saved = part.map(([id, at]) => ({ credential_id: id, last_used_at: at.toISOString() }));
        await this.#store.noteCredentialUses(saved);
        this.#failing = false;
      } catch (error) {
        // But for credentials that were used again.
        this.#noted = new Map([...uses.slice(start), ...this.#noted]);
        if (!this.#failing) this.#logger.error({ err: error }, 'the last uses of credentials cannot be saved for now');
        this.#failing = true;
        return;
      }
    }
  }
}

const urgentDays = 7;
const mostLines = 100;

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
    const period = { from: at.toISOString(), until: within(daysOfExpiryWarning), limit: mostLines + 1 };
    const expiring = await store.listExpiringCredentials(period);
    for (const { credential_id, organisation_id, expires_at } of expiring.slice(0, mostLines)) {
      const level = String(expires_at) <= within(urgentDays) ? 'warn' : 'info';
      const told = { credentialId: credential_id, organisationId: organisation_id, expiresAt: expires_at };
      logger[level](told, 'a credential expires soon');
    }
    if (expiring.length > mostLines) logger.warn('more credentials expire soon: credential list shows them all');
  } catch (error) {
    logger.error({ err: error }, 'credentials that expire soon cannot be listed for now');
  }
}
