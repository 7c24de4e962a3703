/** The document in the form in which express-openapi-validator enforces the rules of requests. */
import type { MatchedOperation } from './api-description.ts';
import type { Parameter } from './document-parts.ts';
import { bytesMediaType, isJson } from './media-types.ts';

/**
 * The document without all that is no rule of a request: the validator would compile each schema of a response, though it
 * checks none. The style of each parameter is written out, since the validator knows no default for a header.
 */
export function requestRules(document: object, operations: readonly MatchedOperation[]): object {
  const { components, ...rest } = document as { components?: { schemas?: Record<string, object> } };
  const paths: Record<string, Record<string, object>> = {};
  for (const { operationId, path, method, parameters, isBodyRequired, requestContent } of operations) {
    const rules = { operationId, parameters: parameters.map(ruleOf) };
    const content = Object.entries(requestContent).map(([mediaType, schema]) =>
      isJson(mediaType) ? [mediaType, { schema }] : [bytesMediaType, { schema: {} }],
    );
    (paths[path] ??= {})[method] =
      content.length === 0
        ? rules
        : { ...rules, requestBody: { required: isBodyRequired, content: Object.fromEntries(content) as object } };
  }
  return withConditions({ ...rest, paths, components: { schemas: referredBy(paths, components?.schemas) } }) as object;
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

/** Characters that a query need not encode (RFC 3986, section 3.4) are accepted as they are. */
function ruleOf(parameter: Parameter): object {
  return parameter.in === 'query' ? { ...parameter, allowReserved: true } : parameter;
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
 * A copy of the document in which conditions of JSON Schema choose a schema by its discriminator. The validator's own way
 * does so at the top of a body alone, ends in a TypeError for null, and does not name the field of an unknown value.
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
