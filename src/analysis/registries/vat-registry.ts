/** HMRC's register of VAT numbers, whose API allows each application three requests a second. */
import type { Logger } from 'pino';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { AccessTokens } from './access-tokens.ts';
import { type Exchange, type Pace, pacedRegistry } from './paced-registry.ts';
import type { Registry } from './registry.ts';
import { RefusedTokenError, requestToken, requestVatRegistration, type VatRegistryAccess } from './vat-request.ts';

/** How the register is asked. */
export const vatRegistryPace: Pace = {
  totalMilliseconds: 20_000,
  attemptMilliseconds: 5000,
  attempts: 4,
  firstBackoffMilliseconds: 500,
  concurrency: 4,
  /** Any second overlaps at most three windows. */
  requestsOfWindow: 1,
  windowSeconds: 0.5,
  failuresUntilLeftAlone: 5,
  leftAloneMilliseconds: 30_000,
};

/** The register behind HMRC's API. All callers share its access token. */
export function vatRegistry(access: VatRegistryAccess, logger: Logger, pace: Pace = vatRegistryPace): Registry {
  const tokens = new AccessTokens();

  async function look(vatNumber: string, exchange: Exchange): Promise<RegistryRecord | undefined> {
    const token = await tokens.get(() => exchange((signal) => requestToken(access, signal), { shared: true }));
    try {
      return await exchange((signal) => requestVatRegistration(access, { vatNumber, token }, signal));
    } catch (error) {
      if (error instanceof RefusedTokenError) tokens.discard(token);
      throw error;
    }
  }

  return pacedRegistry(
    {
      name: `UK VAT register (${access.url.host})`,
      kinds: ['uk-vat-number'],
      description: 'the VAT register',
      // Replaces a token once if it expired early or was revoked.
      ask: (vatNumber, exchange) =>
        look(vatNumber, exchange).catch((error: unknown) => {
          if (error instanceof RefusedTokenError) return look(vatNumber, exchange);
          throw error;
        }),
    },
    logger,
    pace,
  );
}
