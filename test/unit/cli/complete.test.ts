import { expect, test } from '@jest/globals';
import { CliHarness } from '../../support/cli.ts';

const cli = await CliHarness.start();

const filesFor = (words: string): [string, string] => [words, ':files'];
test.each<[words: string, offered: string]>([
  ['ser', 'serve'],
  ['mo', ''],
  ['organisation ', 'create list feature help'],
  ['--region ca organisation l', 'list'],
  ['--region ', 'uk ca'],
  ['case list --region c', 'ca'],
  ['case list --region = c', 'ca'],
  ['credential issue any --kind api', 'api-key'],
  ['credential issue --role ', ''],
  ['organisation feature any verification ', 'on off'],
  ['completion ', 'bash zsh fish'],
  ['serve --no', '--no-analysis'],
  ['role list --', '--json --help --region --data-dir'],
  ['unknown x', ''],
  ['case list any ', ''],
  // No file where an identifier belongs.
  ['file add ', ''],
  ['analysis show ', ''],
  ['case show ', ''],
  ...['file add any inv', 'file add any one.pdf two.pdf ', 'file add --for any any ', 'case import '].map(filesFor),
  ...['registry import --json ', 'restore /bac', '--data-dir '].map(filesFor),
])('behind "%s" a shell is offered "%s"', async (words, offered) => {
  const text = await cli.text(`complete -- ${words}`);
  expect(text === ':files\n' ? ':files' : [...text.matchAll(/^.+(?=\t)/gm)].join(' ')).toBe(offered);
});

test.each(['bash', 'zsh', 'fish'])('the script of %s asks the program', async (shell) => {
  expect(await cli.text(`completion ${shell}`)).toContain('document-analysis complete -- ');
});
