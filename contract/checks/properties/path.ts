import { isSafe } from '../../conformance/safe-method.ts';
import { operationsOfPath } from '../../document/index.ts';
import type { Check, Need, Source } from '../../run/model.ts';
import type { Baseline, Changes } from '../baseline.ts';
import { expectStatus } from '../expect.ts';
import { pathVariants, unknownPaths } from '../path-variants.ts';

/** Checks that paths that resemble a documented one get 404, with each of its methods and without a credential. */
export function pathChecks(baselinesOfPath: readonly Baseline[]): Check[] {
  const [first] = baselinesOfPath;
  if (!first?.isOwn) return [];
  const template = first.operation.path;
  const names = Object.entries(pathVariants(template, template))
    .filter(([, path]) => path !== template && operationsOfPath(first.document, path).length === 0)
    .map(([name]) => name);
  return names.flatMap((name) => [
    ...baselinesOfPath.map((baseline) => variantCheck(baseline, name, '', {})),
    variantCheck(first, name, '.anonymous', { credential: [] }),
  ]);
}

/**
 * Checks paths that resemble none, sent with the first operation's method and headers, if the document describes their
 * response.
 */
export function unknownPathChecks([first]: readonly Baseline[]): Check[] {
  if (!first || (!first.isOwn && !first.document.serviceResponses['404'])) return [];
  return Object.entries(unknownPaths).flatMap(([name, path]) => [
    defineCheck(
      'document',
      `unknown-${name}`,
      `an unknown path (${name})`,
      first.needs,
      first.operation.method,
      async (context) => {
        expectStatus(await context.call(first.request(context, { path })), 404);
      },
    ),
    defineCheck(
      'document',
      `unknown-${name}.anonymous`,
      `an unknown path (${name}), without a credential,`,
      [],
      'get',
      async (context) => {
        expectStatus(await context.call({ method: 'GET', path }), 404);
      },
    ),
  ]);
}

function variantCheck(baseline: Baseline, variant: string, suffix: string, changes: Changes): Check {
  const { operation, needs, anonymousNeeds } = baseline;
  const name = `${variant}.${operation.operationId}${suffix}`;
  const what = `a path with ${variant} in place of ${operation.path}`;
  const needed = suffix === '' ? needs : anonymousNeeds;
  return defineCheck('decision', name, what, needed, operation.method, async (context) => {
    const [path = '', query] = baseline.path(context).split(/\?(.*)/s);
    const changed = pathVariants(operation.path, path)[variant] ?? '';
    const sent = query === undefined ? changed : `${changed}?${query}`;
    expectStatus(await context.call(baseline.request(context, { ...changes, path: sent })), 404);
  });
}

function defineCheck(
  source: Source,
  name: string,
  what: string,
  needs: readonly Need[],
  method: string,
  run: Check['run'],
): Check {
  return {
    id: `generated.paths.${name}`,
    layer: 'generated',
    source,
    title: `${what} gets 404`,
    rules: [],
    needs,
    readsOnly: isSafe(method),
    run,
  };
}
