import { baselineOf } from '../plan/baseline.ts';
import { containedEntry, containerOf, valueNamed } from '../plan/parameters.ts';
import { ownDocument } from '../document/own-document.ts';
import { missingNeeds } from './run-checks.ts';
import { Session, type SessionOptions } from './session.ts';

/** Adds to the credentials what path parameters identify within what they name already. What cannot be read stays absent. */
export async function withContainedIdentifiers<Options extends SessionOptions>(options: Options): Promise<Options> {
  const { document = ownDocument, target } = options;
  const found: Record<string, string> = {};
  for (const operation of document.operations)
    for (const { name, in: place } of operation.parameters) {
      const container = place === 'path' ? containerOf(operation, name, document) : undefined;
      if (!container || containedEntry(name) in { ...target.credentials, ...found }) continue;
      const known = { ...options, target: { ...target, credentials: { ...target.credentials, ...found } } };
      const value = await valueIn(container, name, known).catch(() => undefined);
      if (value !== undefined) found[containedEntry(name)] = value;
    }
  return { ...options, target: { ...target, credentials: { ...target.credentials, ...found } } };
}

async function valueIn(container: Parameters<typeof baselineOf>[0], name: string, options: SessionOptions) {
  const baseline = baselineOf(container, options.document ?? ownDocument);
  if (missingNeeds(baseline, options).length > 0) return undefined;
  const session = new Session(options, baseline);
  const { text } = await session.call(baseline.request(session));
  return valueNamed(JSON.parse(text), name);
}
