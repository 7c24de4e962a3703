/** The scenario of each documented response: written by hand, or derived from the document. */
import { type Baseline, baselineOf } from '../plan/baseline.ts';
import { type Headers, presented } from '../dimensions/credential-scheme.ts';
import { identifiersOf } from '../plan/parameters.ts';
import type { ApiDocument } from '../document/model.ts';
import type { CredentialName, Credentials, LimitedBy, Need, Operator, RequestSpec } from '../run/model.ts';
import { notProvokable } from '../run/run-checks.ts';
import { scenarioOf } from './provoking.ts';
import type { ReplayCase } from './replay-case.ts';
import type { Scenario } from './scenario.ts';
import { writtenScenarios } from './written-scenarios.ts';

/** A documented response with the scenario that provokes it. */
export interface ProvokedResponse {
  readonly scenario: Scenario;
  readonly baseline: Baseline;
  /** What the target must provide for it. */
  readonly needs: readonly Need[];
  /** Whose limit it uses up. */
  readonly usesUp?: LimitedBy;
}

/** The scenario of a documented response, or a message why there is none. */
export function provoke(replayCase: ReplayCase, document: ApiDocument): ProvokedResponse | string {
  const { operation, status } = replayCase;
  const baseline = baselineOf(operation, document);
  const derived = scenarioOf(baseline, replayCase);
  const written = baseline.isOwn ? writtenScenarios[operation.operationId]?.[status] : undefined;
  if (derived && 'notProvokable' in derived && !written) return notProvokable + derived.notProvokable;
  if (!derived && !written)
    return `no scenario is known: write what provokes it into contract/replay/written-scenarios.ts`;
  const scenario = { ...(derived && 'notProvokable' in derived ? {} : derived), ...written };
  return {
    scenario,
    baseline,
    needs: needsOf(scenario, baseline),
    ...(scenario.given === 'exhausted-quota' && {
      usesUp: scenario.credential ?? baseline.schemes[0]?.credential ?? 'address',
    }),
  };
}

function needsOf(scenario: Scenario, baseline: Baseline): Need[] {
  const { credential, secret, given, identifiers = {}, path = {} } = scenario;
  const [scheme] = baseline.schemes;
  const others = baseline.schemes.slice(1).map((other) => other.credential);
  const own = secret === undefined && scheme ? [credential ?? scheme.credential] : [];
  const replaced = [...Object.keys(identifiers), ...Object.keys(path)];
  const kept = Object.entries(identifiersOf(baseline.operation, baseline.document)).filter(
    ([name]) => !replaced.includes(name),
  );
  const identifying = kept.map(([, entry]) => entry);
  const unmet = baseline.anonymousNeeds.filter(
    (need) => !(Object.values(identifiersOf(baseline.operation, baseline.document)) as Need[]).includes(need),
  );
  return [
    ...own,
    ...others,
    ...identifying,
    ...Object.values(identifiers),
    ...unmet,
    ...(given === 'exhausted-quota' ? (['exhausting-limits'] as const) : []),
    ...(given === 'broken-store' || given === 'disconnected-store' ? (['operator'] as const) : []),
  ];
}

/** The scenario's request, without headers that depend neither on the scenario nor on the credentials. */
export function requestOf({ scenario, baseline }: ProvokedResponse, credentials: Credentials): RequestSpec {
  const {
    credential,
    secret,
    identifiers = {},
    query,
    headers: given = {},
    without = [],
    contentType,
    body,
  } = scenario;
  const context = { credential: (name: CredentialName) => credentials[name] ?? '' };
  const inPath = Object.entries(identifiers).map(([name, entry]): [string, string] => [
    name,
    encodeURIComponent(credentials[entry] ?? ''),
  ]);
  const replaced: Record<string, string> = Object.fromEntries(inPath);
  const path = baseline.path(context, { ...replaced, ...scenario.path });
  const headers = baseline.schemes.flatMap((scheme, index): Headers => {
    const sent = index > 0 ? credentials[scheme.credential] : (secret ?? credentials[credential ?? scheme.credential]);
    return sent === undefined || sent === '' ? [] : presented(scheme, sent);
  });
  const request = baseline.request(context, {
    credential: headers,
    path: query === undefined ? path : path.replace(/\?.*/s, '') + (query === '' ? '' : `?${query}`),
    ...(contentType !== undefined && { content: [['Content-Type', contentType]] }),
    ...(contentType === undefined &&
      body !== undefined && { content: (baseline.json ?? baseline.form)?.content ?? [] }),
    ...(body !== undefined && { body }),
  });
  const replacing = [...Object.keys(given), ...without].map((name) => name.toLowerCase());
  const kept = (request.headers ?? []).filter(([name]) => !replacing.includes(name.toLowerCase()));
  return { ...request, headers: [...kept, ...Object.entries(given)] };
}

/** Breaks the server as the scenario requires. @returns a function that restores it, if anything was broken */
export async function failStore(
  { given }: Scenario,
  operator: Operator | undefined,
): Promise<(() => Promise<void>) | undefined> {
  if (given === 'broken-store') return operator?.breakStore();
  return given === 'disconnected-store' ? operator?.disconnectStore() : undefined;
}
