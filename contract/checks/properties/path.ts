import type { Check } from '../../run/model.ts';
import type { Baseline } from '../baseline.ts';
import { expectStatus } from '../expect.ts';
import { unknownPaths } from '../path-variants.ts';

/** Checks that unknown paths get 404, if the document describes their response. */
export function unknownPathChecks([first]: readonly Baseline[]): Check[] {
  if (!first?.document.serviceResponses['404']) return [];
  return Object.entries(unknownPaths).map(([name, path]) => ({
    id: `generated.paths.unknown-${name}`,
    layer: 'generated',
    source: 'document',
    title: `an unknown path (${name}) gets 404`,
    rules: [],
    needs: [],
    readsOnly: true,
    run: async (context) => {
      expectStatus(await context.call({ method: 'GET', path }), 404);
    },
  }));
}
