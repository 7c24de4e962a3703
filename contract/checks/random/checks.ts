import type { Check } from '../../run/model.ts';
import { type Baseline, withQuery } from '../baseline.ts';
import { presented } from '../credential-scheme.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus, expectSuccess } from '../expect.ts';
import { expectNotFound, identifierParametersOf } from '../expect-not-found.ts';
import { expectSameResponse } from '../deterministic-baseline.ts';
import { isHeeded } from '../properties/header.ts';
import { headerLists, jsonTexts, noCredentials, queries, segments } from './arbitraries.ts';
import { checkForAll } from './check-for-all.ts';

const runs = { bodies: 60, headers: 20, queries: 30, identifiers: 40 };
/** Low, because targets limit failed authentications. */
const credentialRuns = 3;

/** Checks of an operation with random inputs. */
export function randomChecks(baseline: Baseline): Check[] {
  // Most follow from this project's decisions, and effects on another API's server are not undone.
  if (!baseline.isOwn) return [];
  return [
    ...bodyProperty(baseline),
    headersProperty(baseline),
    queryProperty(baseline),
    ...identifierProperties(baseline),
    ...credentialProperty(baseline),
  ];
}

function bodyProperty(baseline: Baseline): Check[] {
  const { json } = baseline;
  if (!json) return [];
  return [
    defineCheck(baseline, {
      name: 'random.body',
      title: 'random JSON bodies are accepted if they match the schema, otherwise refused',
      run: (context) =>
        checkForAll(context, runs.bodies, jsonTexts(json.schema, json.valid).filter(json.fits), async (body) => {
          const response = await context.call(baseline.request(context, { body }));
          const faults = json.faultsOf(JSON.parse(body));
          if (faults.length === 0) expectSuccess(baseline, response);
          else expectStatus(response, 400);
        }),
    }),
  ];
}

function headersProperty(baseline: Baseline): Check {
  const unnamed = (headers: [name: string, value: string][]) => headers.filter(([name]) => !isHeeded(baseline, name));
  return defineCheck(baseline, {
    name: 'random.headers',
    title: 'random undocumented headers are ignored',
    source: 'decision',
    run: (context) =>
      checkForAll(context, runs.headers, headerLists.map(unnamed), (headers) =>
        expectSameResponse(baseline, () => context.call(baseline.request(context)), [
          () => context.call(baseline.request(context, { headers })),
        ]),
      ),
  });
}

function queryProperty(baseline: Baseline): Check {
  return defineCheck(baseline, {
    name: 'random.query',
    title: 'random undocumented query strings are ignored',
    source: 'decision',
    run: (context) =>
      checkForAll(context, runs.queries, queries, (query) =>
        expectSameResponse(baseline, () => context.call(baseline.request(context)), [
          () => context.call(baseline.request(context, { path: withQuery(baseline.path(context), query) })),
        ]),
      ),
  });
}

function identifierProperties(baseline: Baseline): Check[] {
  // If the operation has no 404, any value that the schema allows may be valid.
  if (baseline.operation.responses['404'] === undefined) return [];
  return identifierParametersOf(baseline.operation).map((parameter) =>
    defineCheck(baseline, {
      name: `random.parameter.${parameter.name}`,
      title: `random values of ${parameter.name} get the response to an unknown one`,
      source: 'decision',
      run: (context) =>
        checkForAll(context, runs.identifiers, segments, (segment) =>
          expectNotFound(baseline, parameter, segment, context),
        ),
    }),
  );
}

function credentialProperty(baseline: Baseline): Check[] {
  const [scheme, ...others] = baseline.schemes;
  if (!scheme) return [];
  return [
    defineCheck(baseline, {
      name: 'random.security',
      title: 'random credentials are refused with 401',
      needs: [...others.map(({ credential }) => credential), ...baseline.anonymousNeeds],
      failsToAuthenticate: 'variants',
      refuses: 'credential',
      run: (context) =>
        checkForAll(context, credentialRuns, noCredentials, async (text) => {
          const valid = others.flatMap((other) => presented(other, context.credential(other.credential)));
          expectStatus(
            await context.call(baseline.request(context, { credential: [...presented(scheme, text), ...valid] })),
            401,
          );
        }),
    }),
  ];
}
