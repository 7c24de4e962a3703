import { sampleOf } from '../../../contract/dimensions/samples.ts';
import { isJson } from '../../../contract/oracle/body.ts';
import { pairsOfParameter, pathTextOf } from '../../../contract/oracle/parameters.ts';
import type { Operation, Parameter } from '../../../contract/document/index.ts';

/** A request of an operation, made from the document's examples, as the arguments of the tests' \`api.call\`. */
export interface ValidRequest {
  readonly method: string;
  readonly path: string;
  /** Headers of required parameters and of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or a value that is sent as JSON. */
  readonly body: unknown;
}

/** A request that is valid if the document's examples are. */
export function validRequestOf({ method, path, parameters, requestBody }: Operation): ValidRequest {
  const requiredIn = (place: Parameter['in']) =>
    parameters.filter((parameter) => parameter.required && parameter.in === place);
  const pairsIn = (place: Parameter['in']) =>
    requiredIn(place).flatMap((parameter) => [...(pairsOfParameter(parameter, valueOf(parameter)) ?? [])]);
  const inPath = new Map(
    requiredIn('path').map((parameter) => [parameter.name, pathTextOf(parameter, valueOf(parameter))]),
  );
  const query = new URLSearchParams(pairsIn('query').map(([name, text]): [string, string] => [name, text]));
  const [mediaType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example = media && (Object.values(media.examples)[0]?.value ?? media.schema.example);
  const isJsonBody = mediaType !== undefined && isJson(mediaType);
  return {
    method: method.toUpperCase(),
    path:
      path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => inPath.get(name) ?? '') +
      (query.size > 0 ? `?${query.toString()}` : ''),
    headers: {
      ...Object.fromEntries(pairsIn('header')),
      ...(mediaType !== undefined && mediaType !== 'application/json' && { 'content-type': mediaType }),
    },
    body: mediaType === undefined || isJsonBody ? example : typeof example === 'string' ? example : 'x',
  };
}

function valueOf({ example, schema }: Parameter): unknown {
  return example ?? sampleOf(schema);
}
