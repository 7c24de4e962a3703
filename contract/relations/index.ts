/**
 * Relations between requests that hold for any API, derived from its document alone. A relation exists for each operation
 * whose document has what it needs; what is missing at run time is reported as the reason why it was not run.
 */
import type { Baseline } from '../plan/baseline.ts';
import { otherEntry } from '../dimensions/credential-scheme.ts';
import { unmetValue } from '../plan/baseline.ts';
import type { ApiDocument } from '../document/model.ts';
import type { Check, Need } from '../run/model.ts';
import { accessRelations, refusalRelations } from './access.ts';
import { Client, type Relation, type Run } from './client.ts';
import { conditionalRelation } from './conditional.ts';
import { edgeRelations, savedRelation } from './edges.ts';
import { listRelations } from './queries.ts';
import { isAtOrBelow, type Resource, resourcesOf } from './resources.ts';
import { stateRelations } from './state.ts';
import { uploadRelations } from './uploads.ts';
import { walkRelations } from './walk.ts';

/** The relations of a document, as checks. The seed determines the random walks. */
export function relationChecks(document: ApiDocument, seed: number): Check[] {
  const tag = (seed % 46_656).toString(36) + (Date.now() % 46_656).toString(36);
  const run: Run = {
    ...resourcesOf(document),
    tag,
    requests: 0,
    identifiers: 0,
    bodies: new Map(),
    freedoms: new Map(),
    created: new Map(),
  };
  const { resources, settings, uploads, baselines } = run;
  const ofResource = [stateRelations, edgeRelations, listRelations, accessRelations];
  return [
    ...resources.flatMap((resource) => ofResource.flatMap((relationsOf) => relationsOf(resource))),
    ...settings.map(savedRelation),
    ...uploads.flatMap(uploadRelations),
    ...baselines.flatMap((baseline) => [conditionalRelation(baseline), ...refusalRelations(baseline, run)]),
    ...walkRelations(resources),
  ].flatMap((relation) => checkOf(relation, run));
}

function checkOf({ id, title, about, uses = [], foreign = [], needs = [], run: check }: Relation, run: Run): Check[] {
  if (!about) return [];
  const { operationId } = about.operation;
  const others = foreign.flatMap((each) => each?.schemes.map(({ credential }) => otherEntry(credential)) ?? []);
  return [
    {
      id: `generated.${operationId}.relation.${id}`,
      layer: 'generated',
      operation: operationId,
      source: 'document',
      title: `${operationId}: ${title}`,
      rules: [],
      needs: [...new Set([...[about, ...uses].flatMap((each) => needsOf(each, run.resources)), ...others, ...needs])],
      run: async (context) => {
        const client = new Client(context, run);
        try {
          await check(client, context);
        } finally {
          await client.cleanUp();
        }
      },
    },
  ];
}

/** The needs of an operation and of what creates the items in its path, whose identifiers it does not need. */
function needsOf(baseline: Baseline | undefined, resources: readonly Resource[]): Need[] {
  if (!baseline) return [];
  const made = resources.filter((each) => each.create && isAtOrBelow(baseline.operation.path, each));
  const names = made.flatMap(({ path }) => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name));
  const supplied = names.map((name) => unmetValue(`an example of the parameter ${name}`));
  const others = resources.filter((each) => !made.includes(each));
  return [
    ...baseline.needs.filter((need) => !supplied.includes(need)),
    ...made.flatMap(({ create }) => (create === baseline ? [] : needsOf(create, others))),
  ];
}
