/**
 * JSON:API (jsonapi.org/format/1.1) seen as plain resources, so that relations need not know it: attributes are fields of an item, and so
 * are the identifiers that its relationships have, as `author_id`.
 */
import type { ApiDocument, MediaType, Operation, Schema } from '../document/model.ts';
import { fieldsOf, mapValues, requiredFieldsOf } from '../document/schemas.ts';
import { isObject, parsed } from '../oracle/json.ts';
import type { HttpResponse } from '../run/model.ts';
import { type Fields, pick } from './values.ts';

export const jsonApi = 'application/vnd.api+json';

/** The document whose bodies of JSON:API are plain. */
export function plainDocument(document: ApiDocument): ApiDocument {
  return { ...document, operations: document.operations.map(plainOperation) };
}

function plainOperation(operation: Operation): Operation {
  const { requestBody, responses, path } = operation;
  // Of an item, the body has the identifier that the path has.
  const sentSchema = (schema: Schema) => {
    const { id, ...properties } = plainSchema(dataOf(schema)).properties ?? {};
    return { ...plainSchema(dataOf(schema)), properties: { ...(id && !path.endsWith('}') && { id }), ...properties } };
  };
  const plainMedia = (media: MediaType, isRequest: boolean): MediaType => ({
    ...media,
    schema: isRequest ? sentSchema(media.schema) : plainBody(media.schema),
    examples: mapValues(media.examples, ({ value, ...example }) => {
      return { ...example, value: isRequest && isObject(value) ? plainOf(value['data']) : plainValue(value) };
    }),
  });
  const plain = (content: Readonly<Record<string, MediaType>>, isRequest: boolean) =>
    Object.fromEntries(
      Object.entries(content).map(([type, media]) => [type, type === jsonApi ? plainMedia(media, isRequest) : media]),
    );
  return {
    ...operation,
    requestBody: requestBody && { ...requestBody, content: plain(requestBody.content, true) },
    responses: mapValues(responses, (response) => ({ ...response, content: plain(response.content, false) })),
  };
}

const dataOf = (schema: Schema): Schema => fieldsOf(schema)['data'] ?? {};

function plainBody(schema: Schema): Schema {
  const { data, ...others } = fieldsOf(schema);
  if (!data) return schema;
  const plain = data.items ? { ...data, items: plainSchema(data.items) } : plainSchema(data);
  return { ...schema, properties: { data: plain, ...others } };
}

function plainSchema(data: Schema): Schema {
  const { id, attributes = {}, relationships = {} } = fieldsOf(data);
  const [isRequired, related] = [requiredFieldsOf(relationships), fieldsOf(relationships)];
  const naming = Object.entries(related).map(([name, schema]): [name: string, of: string, schema: Schema] => {
    const to = dataOf(schema);
    const { id: own = {}, type = {} } = fieldsOf(to.items ?? to);
    const [kind = type['const']] = type.enum ?? [];
    // What it names is what a description would say of a field.
    const of = { ...own, description: `One of the ${String(kind)}.` };
    return [name, fieldOf(name, to.items !== undefined), to.items ? { type: 'array', items: of } : of];
  });
  const { additionalProperties, description } = attributes;
  return {
    ...(description !== undefined && { description }),
    ...(additionalProperties !== undefined && { additionalProperties }),
    type: 'object',
    properties: {
      ...(id && { id }),
      ...fieldsOf(attributes),
      ...Object.fromEntries(naming.map(([, name, schema]) => [name, schema])),
    },
    required: [
      ...requiredFieldsOf(attributes),
      ...naming.flatMap(([name, field]) => (isRequired.includes(name) ? [field] : [])),
    ],
  };
}

const fieldOf = (relationship: string, isOfSeveral: boolean) => `${relationship}_id${isOfSeveral ? 's' : ''}`;

/** A resource object as an item. */
function plainOf(resource: unknown): unknown {
  if (!isObject(resource)) return resource;
  const { id, attributes, relationships } = resource as Record<string, Fields | undefined>;
  const naming = Object.entries(relationships ?? {}).map(([name, relationship]): [string, unknown] => {
    const { data } = (relationship ?? {}) as { data?: { id?: unknown } | { id?: unknown }[] | null };
    return [fieldOf(name, Array.isArray(data)), Array.isArray(data) ? data.map((each) => each.id) : (data?.id ?? null)];
  });
  return { ...(id !== undefined && { id }), ...attributes, ...Object.fromEntries(naming) };
}

function plainValue(body: unknown): unknown {
  if (!isObject(body) || !('data' in body)) return body;
  const { data } = body;
  return { ...body, data: Array.isArray(data) ? data.map(plainOf) : plainOf(data) };
}

const originals = new WeakMap<object, HttpResponse>();

/** A response whose body of JSON:API is plain. */
export function plainResponse(response: HttpResponse): HttpResponse {
  const { headers, text } = response;
  if (headers['content-type']?.startsWith(jsonApi) !== true) return response;
  const plain = { ...response, text: JSON.stringify(plainValue(parsed(text))) };
  originals.set(plain, response);
  return plain;
}

/** The response as it came, which reports show. */
export function asItCame(response: HttpResponse): HttpResponse {
  return originals.get(response) ?? response;
}

/** The resource object of an item, as a document of JSON:API has it. @param operation as documented. @param place the identifier in its path */
export function sentAs({ path, requestBody }: Operation, item: unknown, place?: string): unknown {
  const { schema } = requestBody?.content[jsonApi] ?? {};
  if (!schema || !isObject(item)) return item;
  const data = fieldsOf(dataOf(schema));
  const related = fieldsOf(data['relationships']);
  const [kind = data['type']?.['const']] = data['type']?.enum ?? [];
  const id = path.endsWith('}') ? place : item['id'];
  const names = ['id'];
  const relationships: Fields = {};
  for (const [name, relationship] of Object.entries(related)) {
    const to = dataOf(relationship);
    const field = fieldOf(name, to.items !== undefined);
    const { type = {} } = fieldsOf(to.items ?? to);
    const [of = type['const']] = type.enum ?? [];
    const identifierOf = (value: unknown) => (value === null ? null : { type: of, id: value });
    const { [field]: value } = item;
    if (value !== undefined)
      relationships[name] = { data: Array.isArray(value) ? value.map(identifierOf) : identifierOf(value) };
    names.push(field);
  }
  return {
    data: {
      type: kind,
      ...(id !== undefined && { id }),
      attributes: pick(
        item,
        Object.keys(item).filter((name) => !names.includes(name)),
      ),
      ...(Object.keys(relationships).length > 0 && { relationships }),
    },
  };
}
