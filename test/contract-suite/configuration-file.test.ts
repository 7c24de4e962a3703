import { describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { checkOptions, optionsOf } from '../../contract/cli/check.ts';
import { applyConfiguration } from '../../contract/cli/configuration.ts';
import { configurationSchema, credentialsSchema } from '../../contract/cli/validated-file.ts';
import { bikeHandler, bikeId, bikeKey } from '../support/bike-server.ts';
import { credentials, eachRun } from '../support/contract.ts';

const run = eachRun();
const bikes = fileURLToPath(new URL('./documents/bikes/openapi.yaml', import.meta.url));
const notConfigured = ['config', 'list', 'write-baseline'];
const notAnOption = ['security', 'other-security', 'lesser-security', 'values'];

async function optionsFrom(file: string, ...args: string[]) {
  const command = checkOptions('check', false)
    .exitOverride()
    .parse(['node', 'check', '--config', file, ...args]);
  await applyConfiguration(command);
  return optionsOf(command);
}

describe('the configuration file', () => {
  test('has a field for each option, described', () => {
    const options = checkOptions('check', false).options.map(({ long }) => long?.slice(2) ?? '');
    const properties = configurationSchema['properties'] as Record<string, { description?: string }>;
    const configured = options.filter((name) => !notConfigured.includes(name));
    expect(Object.keys(properties).sort()).toEqual([...configured, ...notAnOption].sort());
    for (const { description } of Object.values(properties)) expect(description).toMatch(/\.$/);
  });

  test('gives options, and those of the command line win', async () => {
    const text = [
      'url: https://a.example/v1',
      'credentials: secrets/credentials.json',
      'only: [replay.*]',
      'skip: ["*.429"]',
      'header: ["X-Team: blue"]',
      'insecure: true',
      'wait: 30',
      'seed: 7',
      'junit: /reports/contract.xml',
      'baseline: known.txt',
    ];
    const file = await run.write('contract.yaml', text.join('\n'));
    expect(await optionsFrom(file, '--seed', '8', '--skip', 'getCase', '--timeout-seconds', '3')).toMatchObject({
      remote: {
        url: 'https://a.example/v1',
        credentials: run.file('secrets/credentials.json'),
        header: ['X-Team: blue'],
        insecure: true,
      },
      selection: { only: ['replay.*'], skip: ['getCase'] },
      wait: 30,
      seed: 8,
      timeoutSeconds: 3,
      runTimeoutSeconds: 900,
      baseline: run.file('known.txt'),
      files: { junit: '/reports/contract.xml' },
    });
  });

  test('may be empty', async () => {
    expect(await optionsFrom(await run.write('empty.yaml', '# nothing\n'))).toMatchObject({ timeoutSeconds: 10 });
  });
});

test('what the configuration file gives for the document of another API is sent, and its credentials are masked', async () => {
  const seen: (string | undefined)[] = [];
  const handler = bikeHandler((right, { path, headers, query }) => {
    seen.push(path, headers['x-shop'] as string | undefined, query.get('api_key') ?? undefined);
    return right;
  });
  const lines = [
    `url: ${await run.serve(handler)}`,
    `openapi: ${bikes}`,
    'only: [getBike, listBikes]',
    'security: { key: { env: BIKE_KEY } }',
    'other-security: { key: key-of-another-shop }',
    `values: { '*': { path: { id: ${bikeId} } }, listBikes: { header: { X-Shop: south } } }`,
  ];
  const file = await run.write('bikes.yaml', lines.join('\n'));
  const { exitCode, stdout } = await run.inProcess(['--config', file], { environment: { BIKE_KEY: bikeKey } });
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\d+ passed, 0 failed, \d+ skipped\n$/)]);
  expect(stdout).toContain('The server conforms in all that was checked');
  expect(stdout).not.toContain('key-of-another-shop');
  expect(seen).toEqual(expect.arrayContaining([`/bikes/.${bikeId}`, 'south', bikeKey, 'key-of-another-shop']));
});

describe('a file is refused with its line, in one line with exit code 2:', () => {
  test.each([
    ['url: a\nonli: [b]', ':2 has a field onli that is unknown; known are url, '],
    ['url: a\n\ntimeout-seconds: soon', ':3 has a wrong timeout-seconds: it must be number'],
    ['only:\n  - a\n  - 3', ':3 has a wrong only.1: it must be string'],
    ['header: [hushhush]', ":1 needs a text such as 'Name: value' in header.0"],
    ['url: [a', ':1 is neither JSON nor YAML'],
    ['- url', ':1 must hold a mapping of options'],
    ['url: http://127.0.0.1:1\nsecurity: { key: a }\n', ':1 needs openapi for its security and values'],
  ])('a configuration of %j', (text, message) => refuses('configuration', text, message));

  test.each([
    ['security: { kee: hushhush }', ':2 security.kee is not a supported security scheme of the document'],
    ['other-security: { kee: hushhush }', ':2 other-security.kee is not a supported security scheme'],
    ['security: { key: { env: NO_SUCH } }', ':2 needs the environment variable NO_SUCH, which is not set'],
    ['security: { key: 12345678 }', ':2 needs a text, or env with the name of an environment variable in security.key'],
    ['values: { getBikes: {} }', ':2 values.getBikes is not an operation of the document; known are listBikes'],
    ['values: { getBike: { path: { bike: 1 } } }', ':2 values.getBike.path.bike is not a path parameter there'],
    ['values: { getBike: { paths: { id: 1 } } }', ':2 has a field paths that is unknown; known are path'],
    [
      'values: { getBike: { path: { id: 1 } } }',
      ':2 has a value that the document does not allow: values.getBike.path.id must be string',
    ],
    ['values: { getBike: { body: {} } }', ':2 values.getBike.body is for an operation without a body'],
    [
      'values:\n  addBike:\n    body: { name: Eva }',
      ':4 has a value that the document does not allow: values.addBike.body ',
    ],
  ])('a configuration for another API of %j', (text, message) =>
    refuses('configuration', `openapi: ${bikes}\n${text}\nurl: http://127.0.0.1:1\n`, message),
  );

  const { owner_key: key } = credentials;
  test.each([
    ['{\n  "owner_key": "a",\n  "member_kye": "b"\n}', ':3 has a field member_kye'],
    [`{\n  "owner_key": "${key}"`, ':2 is neither JSON nor YAML'],
    [`["${key}"]`, ':1 must hold one JSON object'],
    [`{"key": "${key}"}`, ':1 has a field key that is unknown; known are base_url, '],
    [`{"${key}": ""}`, ':1 has a field that is unknown; known are base_url, '],
    ['{"owner_key": 12345678901234567890}', ':1 needs a text of visible ASCII characters in owner_key'],
    [`{"owner_key": "${key}\\n"}`, ':1 needs a text of visible ASCII characters'],
  ])('credentials of %j', (text, message) => refuses('credentials', text, message));

  async function refuses(kind: 'configuration' | 'credentials', text: string, message: string): Promise<void> {
    const file = await run.write('wrong', text);
    const args = kind === 'credentials' ? ['--url', 'http://127.0.0.1:1', '--credentials', file] : ['--config', file];
    const { exitCode, stdout, stderr } = await run.inProcess(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error: the ${kind} file ${file}${message}`);
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(stderr).not.toMatch(/hush|dak_uk/);
  }
});

test('the schema of the credentials file describes each field', () => {
  for (const property of Object.values(credentialsSchema['properties'] as Record<string, { description?: string }>))
    expect(property.description).toMatch(/\.$/);
});
