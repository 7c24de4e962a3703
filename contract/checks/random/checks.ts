import type { Check } from '../../run/model.ts';
import { type Baseline, withQuery } from '../baseline.ts';
import { presented } from '../credential-scheme.ts';
import { defineCheck } from '../define-check.ts';
import { expectFieldsNamed, expectStatus } from '../expect.ts';
import { expectIdentifiesNothing, identifierParametersOf } from '../expect-not-found.ts';
import { expectUnchanged } from '../deterministic-baseline.ts';
import { headerLists, jsonTexts, noCredentials, queries, segments } from './arbitraries.ts';
import { holdForAll } from './hold-for-all.ts';

const runs = { bodies: 60, headers: 20, queries: 30, identifiers: 40 };
/** Few, because targets limit failed authentications. */
const credentialRuns = 3;

/** The properties of an operation that hold for random inputs. */
export function randomChecks(baseline: Baseline): Check[] {
  return [
    ...bodyProperty(baseline),
    headersProperty(baseline),
    queryProperty(baseline),
    ...identifierProperties(baseline),
    ...credentialProperty(baseline),
  ];
}

function bodyProperty(baseline: Baseline): Check[] {
  const { json, success } = baseline;
  if (!json) return [];
  return [
    defineCheck(baseline, {
      name: 'random.body',
      title: 'random JSON bodies are accepted if the schema is kept, and else refused',
      status: 400,
      run: (context) =>
        holdForAll(context, runs.bodies, jsonTexts(json.schema, json.valid), async (body, call) => {
          const answer = await call(baseline.request(context, { body }));
          const faults = json.faultsOf(JSON.parse(body));
          expectStatus(answer, faults.length === 0 ? success : 400);
          expectFieldsNamed(answer, faults);
        }),
    }),
  ];
}

function headersProperty(baseline: Baseline): Check {
  return defineCheck(baseline, {
    name: 'random.headers',
    title: 'random headers that the document does not name change nothing',
    run: (context) =>
      holdForAll(context, runs.headers, headerLists, (headers, call) =>
        expectUnchanged(baseline.success, () => call(baseline.request(context)), [
          () => call(baseline.request(context, { headers })),
        ]),
      ),
  });
}

function queryProperty(baseline: Baseline): Check {
  return defineCheck(baseline, {
    name: 'random.query',
    title: 'random query strings change nothing',
    run: (context) =>
      holdForAll(context, runs.queries, queries, (query, call) =>
        expectUnchanged(baseline.success, () => call(baseline.request(context)), [
          () => call(baseline.request(context, { path: withQuery(baseline.path(context), query) })),
        ]),
      ),
  });
}

function identifierProperties(baseline: Baseline): Check[] {
  return identifierParametersOf(baseline.operation).map((parameter) =>
    defineCheck(baseline, {
      name: `random.parameter.${parameter.name}`,
      title: `random values of ${parameter.name} identify nothing`,
      run: (context) =>
        holdForAll(context, runs.identifiers, segments, (segment, call) =>
          expectIdentifiesNothing(baseline, parameter, segment, context, call),
        ),
    }),
  );
}

function credentialProperty(baseline: Baseline): Check[] {
  const { scheme } = baseline;
  if (!scheme) return [];
  return [
    defineCheck(baseline, {
      name: 'random.security',
      title: 'random credentials are refused with 401',
      needs: baseline.anonymousNeeds,
      status: 401,
      run: (context) =>
        holdForAll(context, credentialRuns, noCredentials, async (text, call) => {
          expectStatus(await call(baseline.request(context, { credential: presented(scheme, text) })), 401);
        }),
    }),
  ];
}
