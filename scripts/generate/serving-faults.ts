/** The server's requirements on the document: who may call, the size of a body, which error a response is. */
import {
  entriesOf,
  type Fault,
  placedOperations,
  type PlacedOperation,
  repeated,
} from '../../contract/document/faults.ts';
import { referencesOf } from '../../contract/document/references.ts';
import type { RawDocument } from '../../contract/document/raw.ts';
import { isJson } from '../../contract/oracle/body.ts';
import { errorFaults } from './error-faults.ts';
import { fileNameOf } from './file-name-of.ts';
import { requestFaults, responseFaults } from './request-faults.ts';
import { schemaKeywordFaults } from './schema-faults.ts';

/** Finds the faults that prevent a document from being served. */
export function* servingFaults(document: RawDocument, asWritten: object): Iterable<Fault> {
  const operations = placedOperations(document);
  for (const placed of operations) {
    yield* accessFaults(placed, document);
    yield* bodyFaults(placed);
    yield* statusFaults(placed);
    yield* schemaFaults(placed);
    yield* nameFaults(placed);
    yield* requestFaults(placed, document);
    yield* responseFaults(placed, document);
  }
  const named = operations.filter(({ operation }) => typeof (operation.operationId as unknown) === 'string');
  for (const [first, ...others] of repeated(named, ({ operation }) => fileNameOf(operation.operationId)))
    for (const { place, name } of others)
      if (name !== first.name)
        yield {
          place: [...place, 'operationId'],
          message: `${name} and ${first.name} have the same file, ${fileNameOf(name)}.ts; give one another operationId`,
        };
  yield* errorFaults(document);
  yield* schemaKeywordFaults(asWritten);
  for (const { place, reference } of referencesOf(asWritten))
    if (reference.startsWith('#') && !/^#\/components\/\w+\/[^/]+$/.test(reference))
      yield {
        place,
        message: `${reference} refers to a part of a component, which Dredd and the validator cannot follow; refer to a whole one, as in #/components/schemas/Case`,
      };
}

/** Every operation must state who may call it, so that none is public by omission. */
function* accessFaults({ place, name, operation }: PlacedOperation, document: RawDocument): Iterable<Fault> {
  const security = operation.security ?? document.security;
  if (security === undefined) {
    yield {
      place,
      message: `${name} has no security; write who may call it, such as security: [{ apiKey: [] }], or security: [] for everybody`,
    };
    return;
  }
  if (security.some((requirement) => Object.keys(requirement).length === 0))
    yield {
      place: [...place, 'security'],
      message: `${name} has a credential that may be left out, which is not supported; write security: [] for everybody, or remove {}`,
    };
  const permission = operation['x-required-permission'] as unknown;
  const missing = security.findIndex((each) => beginsWithToken(each, document));
  if (typeof permission === 'string' && missing >= 0)
    yield {
      place: [...(operation.security ? place : []), 'security', missing],
      message: `${name} requires a permission, and a caller with ${Object.keys(security[missing] ?? {}).join(' and ')} has none: each would get 403; remove this alternative, write an API key as its first credential, or write x-required-permission: null`,
    };
  for (const key of ['x-required-permission', 'x-required-feature'] as const) {
    const value = operation[key] as unknown;
    const word = key.replace('x-required-', '');
    if (security.length === 0 && value !== undefined && value !== null)
      yield {
        place: [...place, key],
        message: `${name} is public, so nobody's ${word} is known; write ${key}: null, or a security`,
      };
    if (security.length > 0 && value === undefined)
      yield { place, message: `${name} has no ${key}; write the ${word} that it requires, or ${key}: null if none` };
    if (value !== undefined && value !== null && (typeof value !== 'string' || value === ''))
      yield {
        place: [...place, key],
        message: `${key} of ${name} is not a text; write the name of one ${word}, or null`,
      };
  }
}

/** Only an API key has a role and so permissions; of several credentials, those of the first count. */
function beginsWithToken(requirement: object, { components }: RawDocument): boolean {
  const [first] = Object.keys(requirement);
  return first !== undefined && components?.securitySchemes?.[first]?.type !== 'apiKey';
}

function* bodyFaults({ place, name, operation: { requestBody } }: PlacedOperation): Iterable<Fault> {
  if (!requestBody) return;
  const limit = requestBody['x-max-body-bytes'] as unknown;
  if (!Number.isInteger(limit) || Number(limit) < 1)
    yield {
      place: [...place, 'requestBody', ...(limit === undefined ? [] : ['x-max-body-bytes'])],
      message: `the request body of ${name} has no size in x-max-body-bytes; write the largest number of bytes, such as x-max-body-bytes: 16384`,
    };
}

/** Each status must be listed: behind `default` or a range, an undocumented status would go unnoticed. */
function* statusFaults({ place, name, operation }: PlacedOperation): Iterable<Fault> {
  for (const [status] of entriesOf(operation.responses))
    if (/^(default|\dXX)$/i.test(status))
      yield {
        place: [...place, 'responses', status],
        message: `${name} has the response ${status}, which names no status; write each status that it responds with, such as '500' and '503'`,
      };
}

/** Without a schema, no JSON can be refused as invalid. */
function* schemaFaults({ place, name, operation }: PlacedOperation): Iterable<Fault> {
  const bodies = [
    { at: ['requestBody'], what: 'the request body', body: operation.requestBody },
    ...entriesOf(operation.responses).map(([status, body]) => ({
      at: ['responses', status],
      what: `the response ${status}`,
      body,
    })),
  ];
  for (const { at, what, body } of bodies)
    for (const [mediaType, media] of entriesOf(body?.content))
      if (isJson(mediaType) && (media as typeof media | null)?.schema === undefined)
        yield {
          place: [...place, ...at, 'content', mediaType],
          message: `${what} of ${name} has no schema; write one, such as $ref: '#/components/schemas/Case'`,
        };
}

/** An operationId becomes the name of a function. */
function* nameFaults({ place, operation: { operationId } }: PlacedOperation): Iterable<Fault> {
  if (typeof (operationId as unknown) === 'string' && !/^[a-z][A-Za-z0-9]*$/.test(operationId))
    yield {
      place: [...place, 'operationId'],
      message: `the operationId ${operationId} is not a function name; write it in camel case, such as getCase`,
    };
}
