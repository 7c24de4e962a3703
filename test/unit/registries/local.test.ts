import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openRegistries } from '../../../src/analysis/registries/open.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { bulkFile, bulkFileLine } from '../../support/bulk-file.ts';
import { CliHarness } from '../../support/cli.ts';

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

const withRegistry = <T>(work: (registry: Registry) => Promise<T>): Promise<T> =>
  cli.withStore(async (store) => {
    const [registry] = await openRegistries(
      { companyRegistry: { kind: 'local' }, vatRegistry: { kind: 'none' } },
      store,
      pino({ level: 'silent' }),
    );
    if (!registry) throw new Error('there is no registry');
    return work(registry);
  });

describe('the imported register', () => {
  test('responds with what the bulk file says of a company, and nothing for a number that it does not have', async () => {
    const file = await cli.write('companies.csv', bulkFile(bulkFileLine('SC123456', 'ACME LTD', 'Liquidation')));
    await cli.json(['registry', 'import', file]);
    await withRegistry(async (registry) => {
      expect(registry.kinds).toEqual(['uk-company-number']);
      expect(await registry.find('uk-company-number', 'SC123456')).toEqual({
        value: 'SC123456',
        name: 'ACME LTD',
        status: 'Liquidation',
      });
      expect(await registry.find('uk-company-number', '01234567')).toBeUndefined();
    });
  });

  test('is unavailable before the first import, which is all that it says', async () => {
    await withRegistry(async (registry) => {
      const asked = registry.find('uk-company-number', '01234567');
      await expect(asked).rejects.toThrow(new RegistryUnavailableError('no register was imported'));
    });
  });

  test('does not respond to a caller who has given up', async () => {
    await withRegistry(async (registry) => {
      const asked = registry.find('uk-company-number', '01234567', AbortSignal.abort(new Error('ended')));
      await expect(asked).rejects.toThrow('ended');
    });
  });
});
