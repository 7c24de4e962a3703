import type { Operation, Parameter, Schema } from '../../../contract/document/index.ts';

/** A request of an operation, made of the document's examples, as the arguments of the tests' \`api.call\`. */
export interface ValidRequest {
  readonly method: string;
  readonly path: string;
  /** Those of required parameters and of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or a value that is sent as JSON. */
  readonly body: unknown;
}

/** A valid request, in so far as the examples of the document are. */
export function validRequestOf({ method, path, parameters, requestBody }: Operation): ValidRequest {
  const required = parameters.filter((parameter) => parameter.required);
  const valuesIn = (place: Parameter['in']) =>
    required
      .filter((parameter) => parameter.in === place)
      .map((parameter): [string, string] => [parameter.name, textOf(parameter)]);
  const inPath = new Map(valuesIn('path'));
  const query = new URLSearchParams(valuesIn('query'));
  const [mediaType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example = media && (Object.values(media.examples)[0]?.value ?? media.schema.example);
  const isJson = mediaType === 'application/json';
  return {
    method: method.toUpperCase(),
    path:
      path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => encodeURIComponent(inPath.get(name) ?? '')) +
      (query.size > 0 ? `?${query.toString()}` : ''),
    headers: {
      ...Object.fromEntries(valuesIn('header')),
      ...(mediaType !== undefined && !isJson && { 'content-type': mediaType }),
    },
    body: mediaType === undefined || isJson ? example : typeof example === 'string' ? example : 'x',
  };
}

function textOf({ example, schema }: Parameter): string {
  const value = example ?? valueOf(schema);
  return Array.isArray(value) ? value.join(',') : String(value);
}

function valueOf({ example, default: preset, enum: values, type, minimum, items }: Schema): unknown {
  const value = example ?? preset ?? values?.[0];
  if (value !== undefined) return value;
  if (type === 'array') return [valueOf(items ?? {})];
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? (minimum ?? 1) : 'x';
}
