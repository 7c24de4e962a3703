import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig, secretVariables } from '../../src/runtime/config.ts';
import { CliHarness } from '../support/cli.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const folder = await TemporaryFolder.make();
afterAll(() => folder.remove());

const fileWith = (content: string) => folder.write('secret', content);
const mistakesOf = (environment: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n');
  }
};

/** A value for each secret, beside what it needs. */
const values: Record<(typeof secretVariables)[number], string> = {
  DATABASE_URL: 'postgres://server:s3cret@db.example/cases',
  DATABASE_READ_URL: 'postgres://server:s3cret@replica.example/cases',
  REDIS_URL: 'redis://server:s3cret@redis.example:6379/0',
  COMPANY_REGISTRY_KEY: 's3cret-key',
  VAT_REGISTRY_CLIENT_SECRET: 's3cret-client',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret',
};
const beside = {
  DATABASE_URL: 'postgres://h/d',
  COMPANY_REGISTRY: 'http',
  COMPANY_REGISTRY_KEY: 'key',
  VAT_REGISTRY: 'http',
  VAT_REGISTRY_CLIENT_ID: 'client',
  VAT_REGISTRY_CLIENT_SECRET: 'secret',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
};

describe.each(secretVariables)('the secret %s', (name) => {
  const variable = `${name}_FILE`;
  const given = { ...beside, [name]: undefined };

  test.each(['', '\n', '\r\n'])('is read from a file that ends in %j', async (ending) => {
    const path = await fileWith(values[name] + ending);
    expect(readConfig({ ...given, [variable]: path })).toEqual(readConfig({ ...given, [name]: values[name] }));
  });

  test('is refused if it is given twice, or in a file that is missing, empty, a folder or wrong, with its path', async () => {
    const path = await fileWith('not what it should be: s3cret');
    const fileMistakes = (file: string, more: NodeJS.ProcessEnv = {}) =>
      mistakesOf({ ...given, [variable]: file, ...more });
    const [wrong, ...others] = fileMistakes(path);
    expect(wrong).toMatch(new RegExp(`^${variable} names ${path}, which (must|has) `));
    expect([wrong, ...others].join()).not.toContain('s3cret');
    expect(others).toEqual([]);
    expect(fileMistakes(path, { [name]: values[name] })).toEqual([
      `${name} contradicts ${variable}: unset the one or the other`,
    ]);
    expect(fileMistakes('/no/such/file')).toEqual([
      expect.stringMatching(`^${variable} names a file that cannot be read: ENOENT.*'/no/such/file'`),
    ]);
    expect(fileMistakes(folder.path)).toEqual([expect.stringMatching(`^${variable} names a file that cannot be read`)]);
    expect(fileMistakes(await fileWith('\n'))).toEqual([`${variable} names ${path}, which is empty`]);
  });
});

test('store copy finds a URL in the file that a variable names', async () => {
  const cli = await CliHarness.start();
  await cli.addOrganisation();
  const copy = (environment: NodeJS.ProcessEnv) =>
    cli.run(['store', 'copy', '--from', 'env:FROM', '--to', `sqlite:${join(folder.path, 'uk.sqlite')}`], {
      environment,
    });
  const FROM = 'postgres://somebody:s3cret@127.0.0.1:1/cases';
  const { stderr } = await copy({ FROM_FILE: await fileWith(`${FROM}\n`) });
  expect(stderr).toMatch(/^error: The database cases on 127\.0\.0\.1:1 cannot be opened/);
  expect(stderr).not.toContain('s3cret');
  expect((await copy({ FROM, FROM_FILE: '/no/such/file' })).stderr).toMatch(/^error: FROM contradicts FROM_FILE/);
  expect((await copy({ FROM_FILE: '/no/such/file' })).stderr).toMatch(/^error: FROM_FILE names a file .*ENOENT/);
  await cli.stop();
});
