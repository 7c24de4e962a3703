import type { Check } from '../../run/model.ts';
import { type Baseline, withQuery } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectSameResponse } from '../deterministic-baseline.ts';

const queries: Record<string, string> = {
  unknown: 'unknown=1',
  repeated: 'unknown=1&unknown=2',
  empty: '',
  'without-value': 'unknown',
  'without-name': '=1',
  brackets: 'a[b]=1&a[]=2&a[c][d]=3',
  prototype: '__proto__[x]=1&constructor[prototype][x]=1',
  'percent-malformed': 'a=%zz&%=%',
  'nul-byte': 'a=%00',
  'second-question-mark': 'a=b?c=d',
  slash: 'a=/../x',
  method: '_method=DELETE&method=DELETE',
  format: 'format=xml&callback=f&pretty=1&fields=none',
  long: `a=${'x'.repeat(4000)}`,
  many: Array.from({ length: 500 }, (_none, index) => `p${index}=${index}`).join('&'),
};

/** Checks that undocumented query parameters have no effect. */
export function queryChecks(baseline: Baseline): Check[] {
  const documented = baseline.operation.parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : []));
  const inputs = inputNamesOf(baseline).filter((name) => !documented.includes(name));
  const namedAfterInputs = inputs.map((name) => `${encodeURIComponent(name)}=false`).join('&');
  return Object.entries({ ...queries, ...(inputs.length > 0 && { 'named-after-inputs': namedAfterInputs }) })
    .filter(([, query]) => !documented.some((parameter) => new URLSearchParams(query).has(parameter)))
    .map(([name, query]) =>
      defineCheck(baseline, {
        name: `query.${name}`,
        title: `the query ${name} is ignored`,
        source: 'decision',
        run: (context) =>
          expectSameResponse(baseline, () => context.call(baseline.request(context)), [
            () => context.call(baseline.request(context, { path: withQuery(baseline.path(context), query) })),
          ]),
      }),
    );
}

/** Names that the operation reads from elsewhere, and must not read from the query. */
function inputNamesOf({ operation: { parameters }, json }: Baseline): string[] {
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  return [...inPath, ...Object.keys(json?.schema.properties ?? {})];
}
