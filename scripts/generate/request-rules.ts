/** The document in the form in which express-openapi-validator enforces the rules of requests. */
import type { Operation, Parameter } from '../../contract/document/index.ts';
import { isReference, keysOfPointer } from '../../contract/document/references.ts';
import { bytesMediaType, isJson } from '../../src/api/api-description.ts';
import { isAnySegment } from './rules.ts';

type Node = Readonly<Record<string, unknown>>;

/** Whether a request can break a rule of the operation. */
export function hasRequestRules({ parameters, requestBody }: Operation): boolean {
  return requestBody !== undefined || !parameters.every(isAnySegment);
}

/**
 * The parts of the bundled document that are rules of requests: the validator would compile each schema of a response
 * too. The style of each parameter is explicit, because the validator has no default for headers.
 */
export function requestRulesOf(bundle: object, operations: readonly Operation[]): object {
  const { openapi, info, components } = bundle as Node & { components?: { schemas?: Record<string, object> } };
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations.filter(hasRequestRules)) {
    const { operationId, path, method, parameters, requestBody } = operation;
    const rules = { operationId, parameters: parameters.map(ruleOf) };
    const content = Object.keys(requestBody?.content ?? {}).map((mediaType) =>
      isJson(mediaType)
        ? [mediaType, { schema: at(bundle, 'paths', path, method, 'requestBody', 'content', mediaType, 'schema') }]
        : [bytesMediaType, { schema: {} }],
    );
    const body = requestBody && { required: requestBody.required, content: Object.fromEntries(content) as object };
    (paths[path] ??= {})[method] = { ...rules, ...(body && { requestBody: body }) };
  }
  const schemas = referredBy(paths, components?.schemas);
  return withConditions({ openapi, info, paths, components: { schemas } }) as object;
}

/** Characters that a query need not encode (RFC 3986, section 3.4) are accepted as they are. */
function ruleOf({ name, in: place, required, style, explode, schema }: Parameter): object {
  return { name, in: place, required, style, explode, schema, ...(place === 'query' && { allowReserved: true }) };
}

/** What stands at a place of a bundled document, whose references are followed on the way there. */
function at(bundle: object, ...keys: string[]): object {
  return keys.reduce<unknown>((node, key) => {
    const child = (node as Node | undefined)?.[key];
    return isReference(child) && key !== 'schema' ? at(bundle, ...keysOfPointer(child.$ref)) : child;
  }, bundle) as object;
}

/** The schemas to which a part of the document refers, and those to which these refer in turn. */
function referredBy(part: unknown, schemas: Readonly<Record<string, object>> = {}, found: Record<string, object> = {}) {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"/]+)/g)) {
    if (!schemas[name] || found[name]) continue;
    found[name] = schemas[name];
    referredBy(schemas[name], schemas, found);
  }
  return found;
}

interface Union {
  readonly discriminator: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> };
  readonly oneOf?: readonly { readonly $ref?: string }[];
  readonly anyOf?: Union['oneOf'];
  readonly allOf?: readonly object[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
}

/**
 * A copy of the document in which `if` and `then` of JSON Schema replace discriminators. The validator supports them
 * only at the top of a body, throws a TypeError for null, and does not name the field of an unknown value.
 */
function withConditions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withConditions);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withConditions(value)]));
  return isUnion(copy) ? conditionsOf(copy) : copy;
}

function isUnion(node: Partial<Union>): node is Union {
  return typeof node.discriminator?.propertyName === 'string' && Array.isArray(node.oneOf ?? node.anyOf);
}

function conditionsOf({ discriminator, oneOf, anyOf, ...union }: Union): object {
  const { propertyName: name, mapping = {} } = discriminator;
  const { allOf = [], required = [], properties = {} } = union;
  const choices = (oneOf ?? anyOf ?? []).flatMap(({ $ref = '' }) => {
    const schemaName = $ref.replace(/^.*\//, '');
    const mapped = Object.keys(mapping).filter((value) => [$ref, schemaName].includes(mapping[value] ?? ''));
    return (mapped.length === 0 ? [schemaName] : mapped).map((value) => ({ value, $ref }));
  });
  const conditions = choices.map(({ value, $ref }) => ({
    if: { type: 'object', required: [name], properties: { [name]: { enum: [value] } } },
    then: { $ref },
  }));
  return {
    type: 'object',
    ...union,
    required: [...new Set([...required, name])],
    properties: { ...properties, [name]: { ...properties[name], enum: choices.map(({ value }) => value) } },
    allOf: [...allOf, ...conditions],
  };
}
