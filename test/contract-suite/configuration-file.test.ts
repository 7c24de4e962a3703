import { describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { checkOptions } from '../../contract/cli/check-options.ts';
import { applyConfiguration } from '../../contract/cli/configuration.ts';
import { optionsOf } from '../../contract/cli/options-of.ts';
import { configurationSchema, credentialsSchema } from '../../contract/cli/schemas.ts';
import type { Credentials } from '../../contract/run/model.ts';
import { ContractRun } from '../support/contract.ts';

const notConfigured = ['config', 'list', 'write-baseline'];

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
    expect(Object.keys(properties).sort()).toEqual(options.filter((name) => !notConfigured.includes(name)).sort());
    for (const { description } of Object.values(properties)) expect(description).toMatch(/\.$/);
  });

  test('gives options, and those of the command line win', async () => {
    await ContractRun.in(async (run) => {
      const file = run.file('contract.yaml');
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
      await writeFile(file, text.join('\n'));
      expect(await optionsFrom(file, '--seed', '8', '--skip', 'getCase', '--timeout-seconds', '3')).toMatchObject({
        remote: {
          url: 'https://a.example/v1',
          credentialsFile: run.file('secrets/credentials.json'),
          headers: ['X-Team: blue'],
          insecure: true,
        },
        selection: { only: ['replay.*'], skip: ['getCase'] },
        waitSeconds: 30,
        seed: 8,
        timeoutSeconds: 3,
        runTimeoutSeconds: 900,
        baseline: { file: run.file('known.txt'), write: false },
        files: { junit: '/reports/contract.xml' },
      });
    });
  });

  test('may be empty', async () => {
    await ContractRun.in(async (run) => {
      await writeFile(run.file('empty.yaml'), '# nothing\n');
      expect(await optionsFrom(run.file('empty.yaml'))).toMatchObject({ waitSeconds: 0 });
    });
  });

  test.each([
    ['url: a\nonli: [b]', ':2 has a field onli that is unknown; known are url, '],
    ['url: a\n\ntimeout-seconds: soon', ':3 has a wrong timeout-seconds: it must be number'],
    ['only:\n  - a\n  - 3', ':3 has a wrong only.1: it must be string'],
    ['header: [hushhush]', ":1 needs a text such as 'Name: value' in header.0"],
    ['url: [a', ':1 is not YAML'],
    ['- url', ':1 must hold a mapping of options'],
  ])('is refused with its line: %j', async (text, message) => {
    await ContractRun.in(async (run) => {
      const file = run.file('wrong.yaml');
      await writeFile(file, text);
      const { exitCode, stdout, stderr } = await run.inProcess(['--config', file]);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`error: the configuration file ${file}${message}`);
      expect(stderr).not.toContain('hush');
    });
  });
});

describe('the credentials file', () => {
  test('is refused with its line', async () => {
    await ContractRun.in(async (run) => {
      const file = run.file('wrong.json');
      for (const [text, line] of [
        ['{\n  "owner_key": "a",\n  "member_kye": "b"\n}', ':3 has a field member_kye'],
        ['{\n  "owner_key": "a",\n}', ':3 is not JSON'],
      ] as const) {
        await writeFile(file, text);
        const { exitCode, stderr } = await run.inProcess(['--url', 'http://a.example', '--credentials', file]);
        expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error: the credentials file ${file}${line}`)]);
      }
    });
  });

  test('has a schema that describes each field, and no other', () => {
    const names: Record<keyof Omit<Credentials, 'connection'>, true> = {
      base_url: true,
      case_base_url: true,
      region: true,
      owner_key: true,
      member_key: true,
      viewer_key: true,
      revoked_key: true,
      feature_off_key: true,
      access_token: true,
      case_id: true,
      other_access_token: true,
      other_case_id: true,
      empty_case_id: true,
      spares: true,
    };
    expect(Object.keys(credentialsSchema['properties'] as object).sort()).toEqual(Object.keys(names).sort());
    for (const property of Object.values(credentialsSchema['properties'] as Record<string, { description?: string }>))
      expect(property.description).toMatch(/\.$/);
  });
});
