/** A document of 500 operations, listed and run by the built command: its memory stays small. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startNode, told } from '../support/process.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const mostMegabytes = 300;
const command = join(import.meta.dirname, '../../contract/bin.js');
/** Prints the highest memory of a process when it ends. */
const measuring = `data:text/javascript,process.on('exit',()=>console.error('maxRSS',process.resourceUsage().maxRSS))`;

const text = { type: 'string', minLength: 1, maxLength: 100 };
const item = {
  type: 'object',
  required: ['id', 'name'],
  properties: Object.fromEntries(
    ['id', 'name', ...Array.from({ length: 20 }, (_none, index) => `field_${index}`)].map((name) => [name, text]),
  ),
};
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const responses = (schema: object) => ({ 200: { description: 'OK', ...json(schema) }, 404: { description: 'None.' } });
const parameters = [{ in: 'path', name: 'id', required: true, schema: text, example: 'a' }];

/** Two operations a path. */
function pathOf(index: number) {
  const schema = { $ref: `#/components/schemas/Item${index}` };
  return {
    parameters,
    get: { operationId: `getItem${index}`, responses: responses(schema) },
    put: { operationId: `putItem${index}`, requestBody: json(schema), responses: responses(schema) },
  };
}

const indices = Array.from({ length: 250 }, (_none, index) => index);
const document = {
  openapi: '3.0.3',
  info: { title: 'Large', version: '1' },
  paths: Object.fromEntries(indices.map((index) => [`/items${index}/{id}`, pathOf(index)])),
  components: { schemas: Object.fromEntries(indices.map((index) => [`Item${index}`, item])) },
};
const file = await (await TemporaryFolder.make()).write('openapi.json', JSON.stringify(document));
const url = await told(startNode([command, 'mock', '--openapi', file, '--port', '0']), /(http:\S+)/);

test.each([
  ['its listing', ['--list'], /putItem249/],
  ['a run that provokes each response', ['--url', url, '--only', 'replay*'], /[1-9]\d{3,} passed, 0 failed/],
])('%s takes less than 300 MB', async (_what, options, printed) => {
  const args = ['--import', measuring, command, 'check', '--openapi', file, ...options];
  const { ended, stdout, stderr } = startNode(args);
  await ended;
  expect(stdout()).toMatch(printed);
  const kilobytes = Number(/maxRSS (\d+)/.exec(stderr())?.[1]);
  expect(kilobytes).toBeGreaterThan(0);
  expect(kilobytes / 1024).toBeLessThan(mostMegabytes);
});
