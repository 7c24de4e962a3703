import { Gauge, type Registry } from 'prom-client';
import type { Store } from '../../store/store.ts';
import { withinResponseTime } from './response-time.ts';

/** Later than any credential expires. */
const endOfTime = '9999-12-31T23:59:59.999Z';

/** Tells when the next credential expires. */
export function watchCredentials(
  { store, now }: { store: Pick<Store, 'listExpiringCredentials'>; now: () => Date },
  registry: Registry,
): void {
  new Gauge({
    name: 'credential_next_expiry_timestamp_seconds',
    help: 'When the next credential expires, as Unix time.',
    registers: [registry],
    async collect() {
      const period = { from: now().toISOString(), until: endOfTime, limit: 1 };
      const [next] = (await withinResponseTime(store.listExpiringCredentials(period))) ?? [];
      if (next) this.set(Date.parse(String(next.expires_at)) / 1000);
      else this.remove();
    },
  });
}
