import { isSafe } from '../../conformance/safe-method.ts';
import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';

/** A server may support methods that are not documented. One of them is tried if the document has a 405. */
export function methodChecks(baselinesOfPath: readonly Baseline[]): Check[] {
  const promising = baselinesOfPath.find(({ refusals }) => refusals.method.length > 0);
  const documented = baselinesOfPath.map(({ operation }) => operation.method.toUpperCase());
  const method = ['PATCH', 'POST', 'PUT', 'DELETE'].find((each) => !documented.includes(each));
  if (!promising || method === undefined) return [];
  return [
    defineCheck(promising, {
      name: `method.${method}`,
      title: `${method} is undocumented for the path and gets 405`,
      readsOnly: isSafe(method),
      run: async (context) => {
        const request = promising.request(context, { method, body: undefined, content: [['Content-Length', '0']] });
        expectStatus(await context.call(request), ...promising.refusals.method);
      },
    }),
  ];
}
