import type { Check } from '../../run/model.ts';
import type { Baseline, Changes } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectNoFailure, expectStatus, expectSuccess } from '../expect.ts';
import type { JsonBody } from '../json-body.ts';

const depth = 1000;

type Expected = 'refused' | 'accepted' | 'either';

/** A server may read more than JSON (RFC 8259, section 9), but no server reads these as JSON. */
const neverJson = ['absent', 'empty', 'truncated', 'first-byte', 'word', 'xml', 'nested-unclosed'];

/** For another API these spellings are enough, because an accepted body may have effects. */
const plainSpellings = ['escaped-names', 'chunked'];

/** Checks of the body as text: invalid JSON is refused; valid JSON is accepted in any spelling. */
export function bodyTextChecks(baseline: Baseline): Check[] {
  const all = textChecks(baseline);
  if (baseline.isOwn) return all.map(({ check }) => check);
  const { json, refusals } = baseline;
  const isPromised = (name: string, expected: Expected): boolean => {
    if (expected === 'refused') return refusals.invalid.length > 0 && neverJson.includes(name);
    return expected === 'accepted' && json?.isGuessed === false && plainSpellings.includes(name);
  };
  return all.filter(({ name, expected }) => isPromised(name, expected)).map(({ check }) => check);
}

function textChecks(baseline: Baseline): { name: string; expected: Expected; check: Check }[] {
  const { json } = baseline;
  if (!json) return [];
  const jsonContent = json.content;
  const check = (name: string, expected: Expected, changes: Changes) => ({
    name,
    expected,
    check: defineCheck(baseline, {
      name: `body.${name}`,
      title: titleOf(name, expected),
      ...(expected === 'either' && { source: 'decision' as const }),
      run: async (context) => {
        const response = await context.call(baseline.request(context, changes));
        if (expected === 'either') expectNoFailure(response);
        else if (expected === 'accepted') expectSuccess(baseline, response);
        else expectStatus(response, ...baseline.refusals.invalid);
      },
    }),
  });
  const checks = (expected: Expected, bodies: Record<string, string | Buffer>) =>
    Object.entries(bodies)
      .filter(([, body]) => json.fits(body))
      .map(([name, body]) => check(name, expected, { body }));
  const withoutBody = json.required ? 'refused' : 'accepted';
  return [
    check('absent', withoutBody, { content: [['Content-Length', '0']], body: undefined }),
    check('empty', withoutBody, { content: [...jsonContent, ['Content-Length', '0']], body: undefined }),
    check('empty-chunked', withoutBody, { content: [...jsonContent, ['Transfer-Encoding', 'chunked']], body: '' }),
    ...checks('refused', notJson(json)),
    ...checks('accepted', otherSpellings(json)),
    check('chunked', 'accepted', { content: [...jsonContent, ['Transfer-Encoding', 'chunked']] }),
    ...checks('either', undecided(json)),
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

/** The JSON standard does not say how a parser treats these. */
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

function titleOf(name: string, expected: Expected): string {
  if (expected === 'either') return `a body with ${name} is returned without a failure of the server`;
  return `a body that is ${name} is ${expected}`;
}
