/** The rows of the plan as checks: one for each operation, promise and source. */
import { isSafe } from '../oracle/request.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { expectedOf } from '../oracle/expected.ts';
import { worldOf } from '../oracle/world.ts';
import { outcomes } from '../own-api/outcomes.ts';
import { type Judgement, type PromiseName as Promised, rulesShown } from '../own-api/rules.ts';
import type { Check, CheckContext, Need, Source } from '../run/model.ts';
import type { Sent } from './asking.ts';
import { explore } from './explore.ts';
import { placeholderContext, placeholderWorld } from './placeholders.ts';
import { walkChecks } from './walks.ts';
import { randomOf, type Row, rowParts, shuffle } from './rows.ts';
import type { Situation } from './situations.ts';

interface Group {
  readonly operation: string;
  readonly promise: Promised;
  readonly judgement: Judgement;
  readonly rows: Row[];
  readonly plain: Map<Situation, Sent>;
}

const titles: Record<Promised, string> = {
  message: 'what is not HTTP, or has too large a header section, is refused',
  path: 'a path that the document does not have gets 404',
  method: 'a method that the path does not have gets 405',
  limit: 'a caller beyond its limit gets 429, whatever it asks for, and nobody else does',
  'address-limit': 'an address with too many failed authentications gets 429, but not for a valid credential',
  failure: 'an internal failure gets 500 or 503, and changes nothing',
  effects:
    'an update writes one audit entry and clears the cached results if it changes the value, and nothing else does',
  credential: 'a request without a valid credential is refused',
  permission: 'a caller without the permission is refused',
  feature: 'an organisation without the feature is refused',
  'media-type': 'a body of another media type is refused',
  'body-size': 'a body that is too large is refused',
  body: 'an invalid body is refused',
  parameters: 'invalid parameters are refused',
  'not-found': 'what does not exist, or belongs to somebody else, is not found',
  success: 'a valid request succeeds',
};

/** About how many requests the rows of another API come to: each operation has its share, and the seed chooses its rows. */
const mostRows = 20_000;

/** @param thorough sends several times as many requests */
export function exploredChecks(document: ApiDocument, seed: number, thorough = false): Check[] {
  const most = isOwnApi(document) || thorough ? Infinity : mostRows / document.operations.length;
  let last: { readonly part: () => Row[]; readonly groups: Map<string, Group> } | undefined;
  // The checks of an operation follow one another, so that it is enough to keep the rows of one.
  const groupsOf = (part: () => Row[]) => {
    if (last?.part !== part) last = { part, groups: groupsIn(part(), document) };
    return last.groups;
  };
  const checks = rowParts(document, seed, thorough).flatMap((part) => {
    const groups = groupsOf(part);
    const share = Math.min(1, most / [...groups.values()].flatMap(({ rows }) => rows).length);
    return Array.from(groups, ([key, group]) =>
      checkOf(key, group, document, (context) => {
        const { rows, plain } = groupsOf(part).get(key) as Group;
        const chosen = shareOf(rows, share, seed);
        const shown = `${chosen.length} of ${rows.length} requests of the plan`;
        if (chosen.length < rows.length) context.tell(`${shown}, chosen by the seed; --thorough sends all`);
        return { rows: chosen, plain };
      }),
    );
  });
  return [...checks, ...walkChecks(document, seed, thorough)];
}

function shareOf(rows: readonly Row[], share: number, seed: number): readonly Row[] {
  if (share === 1) return rows;
  const kept = new Set(shuffle(rows, randomOf(seed)).slice(0, Math.ceil(rows.length * share)));
  return rows.filter((row, index) => index === 0 || kept.has(row));
}

function groupsIn(rows: readonly Row[], document: ApiDocument): Map<string, Group> {
  const groups = new Map<string, Group>();
  const plain = new Map<Situation, Sent>();
  const world = placeholderWorld(document);
  const add = (operation: string, promise: Promised, judgement: Judgement, row: Row) => {
    const key = `${operation}.${promise}${suffixes[judgement]}`;
    // Effects are looked at after each request, so that each is sent for them anew.
    const seen = promise === 'effects' ? new Map<Situation, Sent>() : plain;
    const group = groups.get(key) ?? { operation, promise, judgement, rows: [], plain: seen };
    group.rows.push(row);
    groups.set(key, group);
  };
  for (const [situation, ways] of Map.groupBy(rows, (row) => row.situation)) {
    const { state, documented } = situation;
    const expected = documented ?? expectedOf(situation.request(placeholderContext), world);
    const name = (state ? situation.operation : expected.operation)?.operationId ?? 'service';
    const promise: Promised = state?.id ?? expected.promise;
    for (const row of ways) {
      // Of another API, only choices that change nothing of any API are made, and its document promises the rest.
      const isDecision = world.isOwn && [situation, ...row.choices].some((each) => each.source === 'decision');
      const isPlain = world.isOwn && row.choices.length === 0;
      const judgements: Judgement[] = isDecision ? ['decision'] : ['document'];
      // The details of a plain refusal are a decision, too.
      if (isPlain && !isDecision && !documented) judgements.push('decision');
      if (!state && 'saves' in expected) for (const judgement of judgements) add(name, 'effects', judgement, row);
      const isTypical = promise === 'not-found' ? situation.isTypical : !isDecision;
      if (isPlain && isTypical && rulesShown(name, promise, 'refusal').length > 0) judgements.push('refusal');
      for (const judgement of judgements) add(name, promise, judgement, row);
    }
  }
  return groups;
}

const suffixes: Record<Judgement, string> = { document: '', decision: '.decided', refusal: '.refused' };

/** @param made makes what the check sends, once it runs */
function checkOf(
  key: string,
  { operation, promise, judgement, rows }: Group,
  document: ApiDocument,
  made: (context: CheckContext) => { rows: readonly Row[]; plain: Map<Situation, Sent> },
): Check {
  const isOwn = isOwnApi(document);
  const rules = isOwn ? rulesShown(operation, promise, judgement) : [];
  // The interface document promises refusals of the organisation operations; of other APIs, the document promises all.
  const source: Source = judgement === 'decision' ? judgement : rules.length > 0 ? 'interface' : 'document';
  const described = document.operations.find(({ operationId }) => operationId === operation);
  const reads = document.operations.filter(({ method }) => method === 'get');
  // What no operation gets may still be taken for an update of this API.
  const reading = isOwn && !described ? reads[0] : reads.find(({ path }) => path === described?.path);
  const writes = described !== undefined && !isSafe(described.method);
  const [{ situation }] = rows as [Row];
  const { state } = situation;
  const usesOperator = state?.id === 'failure' || promise === 'effects';
  const isRead = described !== undefined && !writes && !state;
  // The setting is read while it is off and while it is on.
  const isOfSetting = isRead && promise === 'success' && operation === 'getVerificationSetting';
  const readsOnly = isRead && !(isOwn && isOfSetting);
  const changesNothing = isRead || (!state && promise !== 'effects' && promise !== 'success');
  return {
    id: `explored.${key}`,
    layer: 'explored',
    ...(described && { operation }),
    source,
    title: `${operation}: ${titles[promise]}, however it is asked`,
    rules,
    needs: usesOperator
      ? [...new Set<Need>(['operator', ...situation.needs])]
      : isOwn && !state
        ? []
        : commonNeeds(rows),
    ...(described?.method === 'delete' && { removes: described.path }),
    readsOnly,
    usesSpares: !state,
    ...(state?.usesUp && { usesUp: state.usesUp }),
    ...(promise === 'credential' && { failsToAuthenticate: 'variants' as const }),
    run: async (context) => {
      const world = worldOf(document, context.allCredentials ?? context.credentials);
      const { rows: chosen, plain } = made(context);
      await explore(chosen, context, world, {
        judgement,
        company: reads.filter(({ path }) => !writes || path !== described.path),
        // Of another API, a refused write is known to change nothing only if nobody was let in.
        follow:
          !described || isOfSetting || (writes && (world.isOwn || promise === 'credential')) ? reading : undefined,
        readsOnly,
        looksAtEach: promise === 'effects',
        changesNothing,
        inAnyOrder: changesNothing || (isOwn && !state && promise === 'success' && !outcomes[operation]),
        plain,
      });
    },
  };
}

/** What every row needs. Rows that need more are left out if it is missing. */
function commonNeeds(rows: readonly Row[]): Need[] {
  const [first = [], ...others] = rows.map(({ situation }) => situation.needs);
  return first.filter((need) => others.every((needs) => needs.includes(need)));
}
