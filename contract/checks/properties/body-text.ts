import { notJson } from '../../dimensions/body-texts.ts';
import type { Check } from '../../run/model.ts';
import type { Baseline, Changes } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus, expectSuccess } from '../expect.ts';

/** What no server reads as JSON, even one that reads more than JSON (RFC 8259, section 9). */
const neverJson = ['truncated', 'first byte', 'word', 'xml', 'nested without end'];

/** Checks of the body as text: invalid JSON is refused; valid JSON is accepted however it is spelt and framed. */
export function bodyTextChecks(baseline: Baseline): Check[] {
  const { json, refusals } = baseline;
  if (!json) return [];
  const check = (name: string, isAccepted: boolean, changes: Changes) =>
    defineCheck(baseline, {
      name: `body.${name.replaceAll(' ', '-')}`,
      title: `a body that is ${name} is ${isAccepted ? 'accepted' : 'refused'}`,
      run: async (context) => {
        const response = await context.call(baseline.request(context, changes));
        if (isAccepted) expectSuccess(baseline, response);
        else expectStatus(response, ...refusals.invalid);
      },
    });
  const absent: Record<string, Changes> = json.required
    ? {
        absent: { content: [['Content-Length', '0']], body: undefined },
        empty: { content: [...json.content, ['Content-Length', '0']], body: undefined },
      }
    : {};
  const refused = Object.entries(notJson(json.text))
    .filter(([name, body]) => neverJson.includes(name) && json.fits(body))
    .map(([name, body]): [string, Changes] => [name, { body }]);
  return [
    ...(refusals.invalid.length === 0
      ? []
      : [...Object.entries(absent), ...refused].map(([name, changes]) => check(name, false, changes))),
    ...(json.isGuessed
      ? []
      : [
          check('escaped names', true, {
            body: json.text.replace(/"(\w)/g, (_all, letter: string) => `"\\u${hex(letter)}`),
          }),
          check('chunked', true, { content: [...json.content, ['Transfer-Encoding', 'chunked']] }),
        ]),
  ];
}

function hex(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(4, '0');
}
