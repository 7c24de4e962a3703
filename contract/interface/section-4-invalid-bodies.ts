import { expectFieldsNamed } from '../checks/expect.ts';
import type { Check, HttpResponse } from '../run/model.ts';
import { expectResponse, shown } from './expect.ts';
import { apiKey, jsonType, settingPath, type Header } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { leavingSettingAlone } from './setting.ts';

interface InvalidBody {
  readonly name: string;
  /** The body, for the value that would change the setting. */
  readonly body: (change: boolean) => string;
  /** As `error_details.errors` names them. */
  readonly faultyFields: readonly string[];
  readonly type?: readonly Header[];
}

const field = (name: string, value: (change: boolean) => unknown): InvalidBody => ({
  name,
  body: (change) => JSON.stringify({ enabled: value(change) }),
  faultyFields: ['enabled'],
});

const whole = (name: string, body: (change: boolean) => string): InvalidBody => ({ name, body, faultyFields: [] });

const invalidBodies: readonly InvalidBody[] = [
  { name: 'enabled-missing', body: () => '{}', faultyFields: ['enabled'] },
  field('enabled-text', String),
  field('enabled-number', Number),
  field('enabled-null', () => null),
  field('enabled-list', (change) => [change]),
  field('enabled-object', (change) => ({ enabled: change })),
  field('enabled-empty-text', () => ''),
  {
    name: 'enabled-in-capitals',
    body: (change) => JSON.stringify({ ENABLED: change }),
    faultyFields: ['enabled', 'ENABLED'],
  },
  ...['force', 'organisation_id', '__proto__', 'constructor', 'toString', ''].map((extra) => ({
    name: `extra-field-${extra === '' ? 'without-name' : extra.replaceAll('_', '')}`,
    body: (change: boolean) => `{"enabled":${change},${JSON.stringify(extra)}:{}}`,
    faultyFields: [extra || '/'],
  })),
  {
    name: 'extra-field-null',
    body: (change) => JSON.stringify({ enabled: change, comment: null }),
    faultyFields: ['comment'],
  },
  {
    name: 'several-faults',
    body: () => '{"first_extra":1,"enabled":"x","second/~extra":2}',
    faultyFields: ['enabled', 'first_extra', 'second~1~0extra'],
  },
  { name: 'absent-and-extra', body: () => '{"first_extra":1}', faultyFields: ['enabled', 'first_extra'] },
  whole('list', (change) => `[{"enabled":${change}}]`),
  whole('text', () => '"enabled"'),
  whole('boolean', String),
  whole('null', () => 'null'),
  whole('cut-off', (change) => `{"enabled":${change}`),
  whole('two-objects', (change) => `{"enabled":${change}}{}`),
  whole('single-quotes', (change) => `{'enabled':${change}}`),
  whole('form', (change) => `enabled=${change}`),
  whole('blank', () => ' '),
  whole('absent', () => ''),
  { ...whole('absent-without-type', () => ''), type: [] },
];

type Finding = (response: HttpResponse, invalid: InvalidBody) => void;

/** Rule 1 of section 4.2 for objects, and decision D12. */
export const invalidBodyChecks: readonly Check[] = invalidBodies.flatMap((invalid) => [
  ...(isObject(invalid) ? [refusalOf('4.2-R1', ['2.2-F1', '2.2-F2', '7.1-E400'], invalid, () => undefined)] : []),
  refusalOf('D12', [], invalid, expectNamedFaults),
]);

function refusalOf(rule: string, rules: string[], invalid: InvalidBody, expectFinding: Finding): Check {
  const { name, body, type = [jsonType] } = invalid;
  return ruleCheck({
    id: `${rule}.${name}`,
    title: `an update with the body ${shown(body(true))} is refused${rule === 'D12' ? ', and the error lists all fields' : ''}`,
    rules: [rule, ...rules],
    needs: ['owner_key'],
    run: (context) =>
      leavingSettingAlone(context, async (saved) => {
        const headers = [apiKey(context.credential('owner_key')), ...type];
        const response = await context.call({ method: 'PUT', path: settingPath, headers, body: body(!saved) });
        expectResponse(response, `an update with the body ${shown(body(!saved))}`, 400);
        expectFinding(response, invalid);
      }),
  });
}

function expectNamedFaults(response: HttpResponse, { name, faultyFields }: InvalidBody): void {
  expectResponse(response, name, 400, 'request.validation.failed');
  expectFieldsNamed(response, faultyFields);
}

/** The interface document does not cover bodies that are not objects. */
function isObject({ faultyFields }: InvalidBody): boolean {
  return faultyFields.length > 0;
}
