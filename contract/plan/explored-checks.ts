/** The rows of the plan as checks: one for each operation, promise and source. */
import { isSafe } from '../conformance/safe-method.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { type Expected, expectedOf } from '../oracle/expected.ts';
import { worldOf } from '../oracle/world.ts';
import { rulesShown } from '../own-api/rules-shown.ts';
import type { Check, CredentialName, Credentials, Source } from '../run/model.ts';
import { Exploration } from './explore.ts';
import { walkChecks } from './walks.ts';
import { type Row, rowsOf } from './rows.ts';

interface Group {
  readonly operation: string;
  readonly promise: Expected['promise'];
  readonly source: Source;
  readonly rows: Row[];
}

const titles: Record<Expected['promise'], string> = {
  path: 'a path that the document does not have gets 404',
  method: 'a method that the path does not have gets 405',
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

/** @param thorough sends several times as many requests */
export function exploredChecks(document: ApiDocument, seed: number, thorough = false): Check[] {
  const groups = new Map<string, Group>();
  const world = worldOf(document, placeholders);
  for (const row of rowsOf(document, seed, thorough)) {
    const { operation, promise } = expectedOf(row.situation.request(placeholderContext), world);
    // Of another API, only choices that change nothing of any API are made, and its document promises the rest.
    const isDecision = world.isOwn && [row.situation, ...row.choices].some((each) => each.source === 'decision');
    const source = isDecision ? 'decision' : row.situation.source;
    const name = operation?.operationId ?? 'service';
    // The details of a plain refusal are a decision, too.
    const isAlsoDecided = isOwnApi(document) && source !== 'decision' && row.choices.length === 0;
    for (const each of isAlsoDecided ? [source, 'decision' as const] : [source]) {
      const key = `${name}.${promise}${each === 'decision' ? '.decided' : ''}`;
      const group = groups.get(key) ?? { operation: name, promise, source: sourceOf(name, promise, each), rows: [] };
      group.rows.push(row);
      groups.set(key, group);
    }
  }
  return [...[...groups].map(([key, group]) => checkOf(key, group, document)), ...walkChecks(document, seed, thorough)];
}

/** The interface document promises refusals of the organisation operations; of other APIs, the document promises all. */
function sourceOf(operation: string, promise: Expected['promise'], source: Source): Source {
  if (source === 'decision') return source;
  return rulesShown(operation, promise, false).length > 0 ? 'interface' : 'document';
}

function checkOf(key: string, { operation, promise, source, rows }: Group, document: ApiDocument): Check {
  const described = document.operations.find(({ operationId }) => operationId === operation);
  return {
    id: `explored.${key}`,
    layer: 'explored',
    ...(described && { operation }),
    source,
    title: `${operation}: ${titles[promise]}, however it is asked`,
    rules: isOwnApi(document) && source !== 'document' ? rulesShown(operation, promise, source === 'decision') : [],
    needs: [],
    readsOnly: described !== undefined && isSafe(described.method),
    usesSpares: true,
    ...(promise === 'credential' && { failsToAuthenticate: 'variants' as const }),
    run: async (context) => {
      const world = worldOf(document, context.allCredentials ?? context.credentials);
      const writes = described !== undefined && !isSafe(described.method);
      const exploration = new Exploration(context, world, {
        details: source === 'decision',
        company: document.operations.filter(
          ({ path, method }) => method === 'get' && !(writes && path === described.path),
        ),
        follow: writes
          ? document.operations.find(({ path, method }) => method === 'get' && path === described.path)
          : undefined,
      });
      await exploration.run(rows);
    },
  };
}

/** Credentials of the usual form, by which the rows are grouped before those of the target are known. */
const placeholders = new Proxy({} as Credentials, {
  get: (_target, name) => (/^(spares|connection)$/.test(String(name)) ? undefined : placeholder(String(name))),
});
const placeholderContext = { credential: (name: CredentialName) => placeholder(name) };

function placeholder(name: string): string {
  if (name.endsWith('case_id'))
    return `${Buffer.from(name).toString('hex').padEnd(12, '0').slice(0, 8)}-5a7e-4d0b-9c38-1f4e8a7b2d10`;
  return `da_uk_${name.replaceAll('_', '')}1aB2cD3eF4`;
}
