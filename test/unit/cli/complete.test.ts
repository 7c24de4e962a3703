import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CliHarness } from '../../support/cli.ts';

let cli: CliHarness;
beforeAll(async () => {
  cli = await CliHarness.start();
});
afterAll(() => cli.stop());

/** What a shell is offered behind these words, and what it may add by itself. */
async function complete(...words: string[]): Promise<{ offered: string[]; files: boolean }> {
  const { exitCode, stdout, stderr } = await cli.run(['complete', '--', ...words]);
  expect([exitCode, stderr]).toEqual([0, '']);
  if (stdout === ':files\n') return { offered: [], files: true };
  return { offered: [...stdout.matchAll(/^.+(?=\t)/gm)].map(([value]) => value), files: false };
}

describe('a shell is offered', () => {
  test.each<[words: string[], offered: string[]]>([
    [['ser'], ['serve']],
    [['mo'], []],
    [
      ['organisation', ''],
      ['create', 'list', 'feature', 'help'],
    ],
    [['--region', 'ca', 'organisation', 'l'], ['list']],
    [
      ['--region', ''],
      ['uk', 'ca'],
    ],
    [['case', 'list', '--region', 'c'], ['ca']],
    [['case', 'list', '--region', '=', 'c'], ['ca']],
    [['credential', 'issue', 'any', '--kind', 'api'], ['api-key']],
    [['credential', 'issue', '--role', ''], []],
    [
      ['organisation', 'feature', 'any', 'verification', ''],
      ['on', 'off'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['serve', '--w'], ['--workers']],
    [
      ['role', 'list', '--'],
      ['--json', '--help', '--region', '--data-dir'],
    ],
    [['unknown', 'x'], []],
    [['case', 'list', 'any', ''], []],
  ])('%j: %j', async (words, offered) => {
    expect(await complete(...words)).toEqual({ offered, files: false });
  });

  test.each([
    [['file', 'add', 'any', 'inv']],
    [['file', 'add', 'any', 'one.pdf', 'two.pdf', '']],
    [['file', 'add', '--for', 'any', 'any', '']],
    [['case', 'import', '']],
    [['registry', 'import', '--json', '']],
    [['restore', '/bac']],
    [['--data-dir', '']],
  ])('files: %j', async (words) => {
    expect(await complete(...words)).toEqual({ offered: [], files: true });
  });

  test('no file where an identifier belongs', async () => {
    for (const words of [
      ['file', 'add', ''],
      ['analysis', 'show', ''],
      ['case', 'show', ''],
    ])
      expect(await complete(...words)).toEqual({ offered: [], files: false });
  });
});

test.each(['bash', 'zsh', 'fish'])('the script of %s asks the program', async (shell) => {
  expect(await cli.run(['completion', shell])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('document-analysis complete -- '),
  });
});

test('an unknown shell is refused', async () => {
  const { exitCode, stderr } = await cli.run(['completion', 'csh']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("argument 'shell' is invalid: 'csh'")]);
});
