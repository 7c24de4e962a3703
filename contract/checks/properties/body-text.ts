import type { Check } from '../../run/model.ts';
import { type Baseline, type Changes, jsonContent } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectNoFailure, expectStatus } from '../expect.ts';
import type { JsonBody } from '../json-body.ts';

const depth = 1000;

/** Checks of the body as text: what is no JSON is refused, what is JSON in another spelling is accepted. */
export function bodyTextChecks(baseline: Baseline): Check[] {
  const { json } = baseline;
  if (!json) return [];
  const check = (name: string, status: number | undefined, changes: Changes) =>
    defineCheck(baseline, {
      name: `body.${name}`,
      title: titleOf(name, status),
      run: async (context) => {
        const response = await context.call(baseline.request(context, changes));
        if (status === undefined) expectNoFailure(response);
        else expectStatus(response, status, baseline.conflict);
      },
    });
  const checks = (status: number | undefined, bodies: Record<string, string | Buffer>) =>
    Object.entries(bodies)
      .filter(([, body]) => json.fits(body))
      .map(([name, body]) => check(name, status, { body }));
  const withoutBody = json.required ? 400 : baseline.success;
  return [
    check('absent', withoutBody, { content: [['Content-Length', '0']], body: undefined }),
    check('empty', withoutBody, { content: [...jsonContent, ['Content-Length', '0']], body: undefined }),
    check('empty-chunked', withoutBody, { content: [...jsonContent, ['Transfer-Encoding', 'chunked']], body: '' }),
    ...checks(400, notJson(json)),
    ...checks(baseline.success, otherSpellings(json)),
    check('chunked', baseline.success, { content: [...jsonContent, ['Transfer-Encoding', 'chunked']] }),
    ...checks(undefined, undecided(json)),
  ];
}

function notJson({ text }: JsonBody): Record<string, string> {
  return {
    blank: ' ',
    truncated: text.slice(0, -1),
    'first-byte': text.slice(0, 1),
    word: 'text',
    'single-quotes': text.replaceAll('"', "'") === text ? "'text'" : text.replaceAll('"', "'"),
    comment: `${text} // comment`,
    'trailing-comma': `${text.slice(0, -1)},${text.slice(-1)}`,
    'not-a-number': '{"value":NaN}',
    'content-after': `${text} x`,
    repeated: text + text,
    lines: `${text}\n${text}`,
    xml: '<enabled>true</enabled>',
    form: 'enabled=true',
    'nested-unclosed': '['.repeat(depth),
  };
}

function otherSpellings({ text }: JsonBody): Record<string, string> {
  return {
    indented: JSON.stringify(JSON.parse(text), undefined, 2),
    'blank-around': ` \t\r\n${text}\r\n`,
    'escaped-names': text.replace(/"(\w)/g, (_all, letter: string) => `"\\u${hex(letter)}`),
  };
}

/** The JSON standard leaves open what a parser makes of these. */
function undecided({ text }: JsonBody): Record<string, string | Buffer> {
  return {
    'byte-order-mark': `\u{FEFF}${text}`,
    'invalid-utf-8': Buffer.concat([Buffer.from('{"'), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('":1}')]),
    'lone-surrogate': '{"\\ud800":1}',
    'repeated-name': `${text.slice(0, -1)},${text.slice(1)}`,
    'nul-byte': `\0${text}`,
    'huge-number': '{"value":1e400}',
  };
}

function hex(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(4, '0');
}

function titleOf(name: string, status: number | undefined): string {
  if (status === undefined) return `a body with ${name} is returned without a failure of the server`;
  return `a body that is ${name} is ${status === 400 ? 'refused with 400' : `accepted with ${status}`}`;
}
