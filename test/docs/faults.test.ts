/** What `npm run generate` refuses, in one document with every fault: the rules are in scripts/generate/served.yaml and rules.ts. */
import { glob, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { ownErrors } from '../../scripts/generate/rules.ts';
import { redocly } from '../../scripts/redocly.ts';

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly start?: { readonly line: number } }[];
}

test('each fault is refused in its line by its rule, and nothing else is; the message says what to write instead', async () => {
  const file = 'test/docs/faults.yaml';
  const served = 'scripts/generate/served.yaml';
  const output = await redocly('lint', file, '--config', served, '--format', 'json', '--max-problems', '1000');
  const { problems } = JSON.parse(output) as { problems: Problem[] };
  const lines = (await readFile(file, 'utf8')).split('\n').entries();
  const expected = [...lines].flatMap(([index, line]) =>
    [...(/# <- (.*)/.exec(line)?.[1] ?? '').matchAll(/\S+/g)].map(([rule]) => `${index + 1} ${rule}`),
  );
  expect(new Set(problems.map(({ ruleId, location }) => `${location[0]?.start?.line} ${ruleId}`))).toEqual(
    new Set(expected),
  );
  for (const { message } of problems.filter(({ ruleId }) => /^(rule|served)\//.test(ruleId)))
    expect(message).toMatch(/; (write|remove|describe|give|refer|add|begin)\b/);
});

test('every rule of the project is broken by the document', async () => {
  const rules = (await readFile('scripts/generate/served.yaml', 'utf8')).matchAll(/^ {2}((?:rule|served)\/\S+):/gm);
  const faults = await readFile('test/docs/faults.yaml', 'utf8');
  const unbroken = [...rules].filter(([, rule = '']) => !new RegExp(`# <- .*\\b${rule}(?= |$)`, 'm').test(faults));
  // Another test breaks it: see test/docs/generate.test.ts.
  expect(unbroken.map(([, rule]) => rule)).toEqual(['rule/media-type']);
});

test('the errors with which the server responds on its own are those that its code names', async () => {
  const named = new Set<string>();
  for await (const file of glob('src/api/{*,steps/*,connections/*}.ts'))
    for (const [, code = ''] of (await readFile(file, 'utf8')).matchAll(/'((?:request|service)\.[a-z.-]+)'/g))
      named.add(code);
  expect([...named].sort()).toEqual(Object.keys(ownErrors));
});
