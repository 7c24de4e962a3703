/**
 * Redocly rules in addition to those in served.yaml: what OpenAPI allows, but the server or the client does not
 * support, and takes more than one node to detect. Each message says what is wrong, and what to write instead.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Parameter, Schema } from '../../contract/document/model.ts';
import type {
  RawDocument,
  RawOperation,
  RawParameter,
  RawPathItem,
  RawRequestBody,
  RawResponse,
  RawServer,
} from '../../contract/document/raw.ts';
import { statedValues } from '../../contract/document/schemas.ts';

interface Place {
  child(keys: string | readonly (string | number)[]): Place;
  /** The key that leads to the place. */
  key(): Place;
}

/** What Redocly passes to a visitor of a node. */
interface Context {
  readonly location: Place;
  readonly key: string | number;
  /** The node that a reference leads to, or the node itself. */
  readonly resolve: <Node>(node: Node) => { node: Node | undefined; location?: Place };
  readonly report: (problem: { message: string; location: Place }) => void;
}

/** The errors with which the server responds on its own, whatever the operations are, and their statuses. */
export const ownErrors: Readonly<Record<string, number>> = {
  'request.authentication.invalid-token': 401,
  'request.body.too-large': 413,
  'request.forbidden': 403,
  'request.header.too-large': 431,
  'request.malformed': 400,
  'request.media-type.unsupported': 415,
  'request.method-not-allowed': 405,
  'request.not-found': 404,
  'request.organisations.feature-flag.not-enabled': 403,
  'request.rate-limit.exceeded': 429,
  'request.timed-out': 408,
  'request.validation.failed': 400,
  'service.internal-error': 500,
  'service.unavailable': 503,
};

/** Every operation must state who may call it, so that none is public by omission. */
function access() {
  let document: RawDocument;
  return {
    Root: (root: RawDocument) => void (document = root),
    Operation(operation: RawOperation, { location, report }: Context) {
      const security = operation.security ?? document.security ?? [];
      const isPublic = security.length === 0;
      for (const requirement of security) {
        const [first] = Object.keys(requirement);
        if (first === undefined)
          report({
            message:
              'A credential that may be left out is not supported; write security: [] for everybody, or remove {}.',
            location: location.child('security').key(),
          });
        // Only an API key has a role and so permissions; of several credentials, those of the first count.
        else if (
          typeof operation['x-required-permission'] === 'string' &&
          document.components?.securitySchemes?.[first]?.type !== 'apiKey'
        )
          report({
            message: `A caller with ${Object.keys(requirement).join(' and ')} has no permission, and would get 403; remove this alternative, begin it with an API key, or write x-required-permission: null.`,
            location: location.child('security').key(),
          });
      }
      for (const key of ['x-required-permission', 'x-required-feature'] as const) {
        const value: unknown = operation[key];
        if (isPublic ? (value ?? null) !== null : value !== null && (typeof value !== 'string' || value === ''))
          report({
            message: isPublic
              ? `Nobody is identified, so ${key} cannot be met; write ${key}: null, or a security.`
              : `Who may call is not said; write ${key} as one name, or ${key}: null if none is required.`,
            location: location.child(key).key(),
          });
      }
    },
  };
}

/** Values that the server can read, and names that the client can tell apart. */
function parameters() {
  let ofPath: RawParameter[] = [];
  const follow = (list: RawParameter[] | undefined, { resolve }: Context) =>
    (list ?? []).flatMap((parameter) => resolve(parameter).node ?? []);
  return {
    PathItem: (item: RawPathItem, context: Context) => void (ofPath = follow(item.parameters, context)),
    Operation(operation: RawOperation, context: Context) {
      const { location, report } = context;
      const all = [...ofPath, ...follow(operation.parameters, context)];
      for (const { in: where, name } of all)
        if (where === 'header' && all.some((other) => other.in === 'query' && other.name === name))
          report({
            message: `The client cannot tell ${name} in the query from ${name} in a header; give one another name.`,
            location: location.child('parameters').key(),
          });
      const { '400': invalid, '404': unknown } = operation.responses ?? {};
      // A path that violates a rule is unknown, if the operation documents 404.
      if (!invalid && all.some((each) => !(each.in === 'path' && (unknown !== undefined || isAnySegment(each)))))
        report({
          message:
            "A parameter that breaks its rule is refused; write the response '400', as other operations have it.",
          location: location.child('responses').key(),
        });
    },
    Parameter({ schema }: RawParameter, { location, report, resolve }: Context) {
      const whole = resolve(schema).node;
      const { type = '' } = (whole?.type === 'array' ? resolve(whole.items).node : whole) ?? {};
      if (!['string', 'integer', 'number', 'boolean'].includes(type))
        report({
          message:
            'A text cannot be read as a value of this parameter; write type: string, integer, number or boolean in its schema, or in the items of its array, and a parameter for each field of an object.',
          location: location.child('schema').key(),
        });
    },
  };
}

/** Whether a parameter accepts any path segment: every segment is a valid string. */
export function isAnySegment({ in: place, schema }: Pick<Parameter, 'in'> & { schema?: Schema }): boolean {
  const rules = { ...schema, description: undefined, example: undefined };
  return place === 'path' && JSON.stringify(rules) === '{"type":"string"}';
}

/** Patterns and references that the request validator cannot follow. */
function validator() {
  return {
    Schema({ pattern }: { pattern?: string }, { location, report }: Context) {
      try {
        RegExp(pattern ?? '', 'u');
      } catch (error) {
        report({
          message: `${(error as Error).message}; write a pattern for Unicode mode, such as ^[\\w.-]+$.`,
          location: location.child('pattern'),
        });
      }
    },
    ref({ $ref: reference }: { $ref: string }, { location, report }: Context) {
      if (reference.startsWith('#') && !/^#\/components\/\w+\/[^/]+$/.test(reference))
        report({
          message: `Dredd and the validator cannot follow ${reference} to a part of a component; refer to a whole one, as in #/components/schemas/Case.`,
          location,
        });
    },
  };
}

interface Union {
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> };
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** Discriminators of requests whose values do not choose a schema, as the request validator needs them to. */
function discriminators() {
  const nameIn = (reference: unknown) => String(reference).replace(/^.*\//, '');
  const judge = ({ discriminator, oneOf, anyOf }: Union, place: Place, { report, resolve }: Context) => {
    if (!discriminator) return;
    const { propertyName: property, mapping = {} } = discriminator;
    const alternatives = oneOf ?? anyOf ?? [];
    const names = alternatives.map((each) => nameIn(each['$ref'] ?? ''));
    const whole = (schema: Schema): Schema => {
      const { properties, allOf = [], ...rest } = (resolve(schema).node ?? {}) as Schema & { allOf?: Schema[] };
      const field = resolve(properties?.[property]).node ?? {};
      return { ...rest, properties: { [property]: field }, allOf: allOf.map(whole) };
    };
    for (const [index, alternative] of alternatives.entries()) {
      const mapped = Object.keys(mapping).filter((value) => nameIn(mapping[value]) === names[index]);
      const values = mapped.length > 0 ? mapped : [names[index]];
      const stated = statedValues(whole(alternative), property);
      if (!isDeepStrictEqual(new Set(stated), new Set(values)))
        report({
          message: `${property} does not choose this schema; write it under components/schemas, with ${property} under required, and enum: [${values.join(', ')}] in the property.`,
          location: place.child([oneOf ? 'oneOf' : 'anyOf', index]),
        });
    }
    if (names.length === 0 || Object.values(mapping).some((target) => !names.includes(nameIn(target))))
      report({
        message: `${property} chooses a schema that is no alternative; write oneOf with a reference to each schema, or remove the value.`,
        location: place.child('discriminator').key(),
      });
  };
  // Redocly visits only the first schema of a request.
  const judgeAll = (schema: unknown, place: Place, context: Context, seen = new Set<unknown>()) => {
    const { node, location = place } = context.resolve(schema);
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const at = node === schema ? place : location;
    judge(node, at, context);
    for (const [key, child] of Object.entries(node))
      if (!/^(examples?|default|enum|x-.*)$/.test(key)) judgeAll(child, at.child(key), context, seen);
  };
  return {
    RequestBody({ content = {} }: RawRequestBody, context: Context) {
      for (const [mediaType, { schema }] of Object.entries(content))
        judgeAll(schema, context.location.child(['content', mediaType, 'schema']), context);
    },
  };
}

/** Errors that are not JSON or lack code or message; codes that contradict each other, are not listed or absent. */
function errors() {
  const shown = new Map<string, { code: string; status: number; message: string; at: Place }>();
  const show = (code: string, status: number, message: string, at: Place) =>
    void shown.set(`${code} ${status} ${message}`, { code, status, message, at });
  const lookAt = (status: string, response: RawResponse, at: Place, { report, resolve }: Context) => {
    const json = response.content?.['application/json'];
    if (!json)
      report({
        message: 'The server sends every error as JSON; write application/json, with an example of one.',
        location: at.key(),
      });
    const examples = json?.examples ?? (json?.example === undefined ? {} : { '': { value: json.example } });
    for (const [name, example] of Object.entries(examples)) {
      const { node, location = at } = resolve(example);
      const place = node === example ? at.child(['content', 'application/json', 'examples', name]) : location;
      const { error_code: code, error_message: message } = (node?.value ?? {}) as Record<string, unknown>;
      if (typeof code === 'string' && typeof message === 'string') show(code, Number(status), message, place);
      else
        report({ message: 'An error has a code and a message; write error_code and error_message.', location: place });
    }
  };
  return {
    Responses: {
      Response(response: RawResponse, context: Context) {
        if (/^[45]/.test(String(context.key))) lookAt(String(context.key), response, context.location, context);
      },
    },
    Root: {
      leave(document: RawDocument, context: Context) {
        const { location: root, report, resolve } = context;
        for (const [status, response] of Object.entries(document['x-service-responses'] ?? {})) {
          const { node, location = root } = resolve(response);
          const at = node === response ? root.child(['x-service-responses', status]) : location;
          if (node) lookAt(status, node, at, context);
        }
        for (const [code, { status, error_message: message }] of Object.entries(document['x-error-codes'] ?? {}))
          show(code, status, message, root.child(['x-error-codes', code]));
        const all = Map.groupBy(shown.values(), ({ code }) => code);
        for (const [code, [first, ...others]] of all)
          for (const { at } of others)
            report({
              message: `${code} has another status or message elsewhere (“${first?.message}”); write the same in all, or another code.`,
              location: at.key(),
            });
        const place = ['components', 'schemas', 'Error', 'properties', 'error_code', 'x-extensible-enum'];
        const list = root.child(place).key();
        const listed: string[] | undefined =
          document.components?.schemas?.['Error']?.properties?.['error_code']?.['x-extensible-enum'];
        for (const code of all.keys())
          if (listed?.includes(code) === false)
            report({
              message: `${code} is not listed; add it here, and to the table of the introduction.`,
              location: list,
            });
        for (const code of new Set([...(listed ?? []), ...Object.keys(ownErrors)])) {
          const [error] = all.get(code) ?? [];
          const status = ownErrors[code] ?? error?.status;
          if (!error || error.status !== status)
            report({
              message: `${code}${status === undefined ? '' : ` of ${status}`} is not shown; write an example of it in a response, or its status and error_message under x-error-codes.`,
              location: error?.at.key() ?? list,
            });
        }
      },
    },
  };
}

/** A client knows two addresses in its region: the document's, and that of paths with servers of their own. */
function servers() {
  const regionsOf = (list: readonly RawServer[]) => list.map(({ 'x-region': region }) => region).sort();
  let own: RawServer[] | undefined;
  let shared: RawServer[] = [];
  const compare = ({ servers: list }: { servers?: RawServer[] }, { location, report }: Context) => {
    if (!list) return;
    own ??= list;
    if (!isDeepStrictEqual(list, own) || !isDeepStrictEqual(regionsOf(list), regionsOf(shared)))
      report({
        message:
          'The client knows one set of servers beside those of the document; write the same here as at other paths, one for each x-region of the document.',
        location: location.child('servers').key(),
      });
  };
  return {
    Root: (document: RawDocument) => void (shared = document.servers ?? []),
    PathItem: compare,
    Operation: compare,
  };
}

export default () => ({
  id: 'served',
  rules: { oas3: { access, parameters, validator, discriminators, errors, servers } },
});
