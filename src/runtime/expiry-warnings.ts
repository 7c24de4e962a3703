import type { Logger } from 'pino';
import { daysOfExpiryWarning } from '../domain/credential.ts';
import { millisecondsOfDay } from '../domain/time.ts';
import type { Store } from '../store/store.ts';

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
