import { isPublic } from '../conformance/public-operation.ts';
import { isJson } from '../conformance/media-type.ts';
import type { ApiDocument, Operation } from '../document/model.ts';
import type { CheckContext, Need, RequestSpec } from '../run/model.ts';
import { credentialSchemes, type CredentialScheme, type Headers, isKey, presented } from './credential-scheme.ts';
import { type JsonBody, jsonBodyOf } from './json-body.ts';
import { parametersOf } from './parameters.ts';
import { sampleOf } from './schema/sample.ts';
import { unmetPrecondition } from './unmet-precondition.ts';

/** What of the baseline request is to be otherwise. */
export interface Changes {
  readonly method?: string;
  readonly path?: string;
  /** The headers that present the credential. */
  readonly credential?: Headers;
  /** The headers that describe the body. */
  readonly content?: Headers;
  readonly body?: string | Buffer | undefined;
  readonly headers?: Headers;
}

/** A valid request of an operation, made from the document and the credentials alone. */
export interface Baseline {
  readonly document: ApiDocument;
  readonly operation: Operation;
  /** The schemes whose credentials are sent together; none if the operation is public. */
  readonly schemes: readonly CredentialScheme[];
  readonly isPublic: boolean;
  readonly json: JsonBody | undefined;
  /** The documented status of success. */
  readonly success: number;
  /** The status that stands for success once an earlier request has changed the resource. */
  readonly conflict: number | undefined;
  readonly needs: readonly Need[];
  /** What a request without a valid credential needs. */
  readonly anonymousNeeds: readonly Need[];
  /** The path with these texts, ready for it, in place of valid parameters. */
  readonly path: (context: Pick<CheckContext, 'credential'>, parameters?: Readonly<Record<string, string>>) => string;
  readonly request: (context: Pick<CheckContext, 'credential'>, changes?: Changes) => RequestSpec;
}

/** The headers that describe a JSON body. */
export const jsonContent: Headers = [['Content-Type', 'application/json']];

/** The baseline of an operation. What it lacks is among its needs, so that its checks are reported as not run. */
export function baselineOf(operation: Operation, document: ApiDocument): Baseline {
  const open = isPublic(operation);
  const known = credentialSchemes(document);
  const alternatives = (open ? [] : operation.security)
    .map((names) => names.flatMap((name) => known.find((scheme) => scheme.name === name) ?? []))
    .filter((found, index) => found.length === operation.security[index]?.length);
  const permitted = operation.requiredPermission === null ? undefined : alternatives.find((each) => each.some(isKey));
  const schemes = permitted ?? alternatives[0] ?? [];
  const json = jsonBodyOf(operation);
  const body = json ? { text: json.text, content: jsonContent } : otherBodyOf(operation);
  const parameters = parametersOf(operation, document);
  const path: Baseline['path'] = (context, values = {}) => parameters.path(context, values);
  const anonymousNeeds: Need[] = [
    ...parameters.needs,
    ...parameters.lacks.map((name) => unmetPrecondition(`an example of the parameter ${name}`)),
    ...(operation.requestBody && !body ? [unmetPrecondition('a valid JSON example of the request body')] : []),
  ];
  const credentialNeeds = schemes.map(({ credential }): Need => credential);
  if (!open && schemes.length === 0) credentialNeeds.push(unmetPrecondition('a known security scheme'));
  const success = Object.keys(operation.responses).find((status) => /^2\d\d$/.test(status));
  if (success === undefined) anonymousNeeds.push(unmetPrecondition('a status of success'));

  return {
    document,
    operation,
    schemes,
    isPublic: open,
    json,
    success: Number(success ?? 200),
    conflict: operation.responses['409'] && !['get', 'head'].includes(operation.method) ? 409 : undefined,
    needs: [...credentialNeeds, ...anonymousNeeds],
    anonymousNeeds,
    path,
    request: (context, changes = {}) => {
      const text = 'body' in changes ? changes.body : body?.text;
      const credential =
        changes.credential ?? schemes.flatMap((scheme) => presented(scheme, context.credential(scheme.credential)));
      const content = changes.content ?? body?.content ?? [];
      return {
        method: changes.method ?? operation.method.toUpperCase(),
        path: changes.path ?? path(context),
        headers: [...credential, ...content, ...parameters.headers, ...(changes.headers ?? [])],
        ...(text !== undefined && { body: text }),
      };
    },
  };
}

/** A body of another media type than JSON that the operation documents; multipart bodies are not made. */
function otherBodyOf({ requestBody }: Operation): { text: string; content: Headers } | undefined {
  const [mediaType, media] =
    Object.entries(requestBody?.content ?? {}).find(([type]) => !isJson(type) && !type.startsWith('multipart/')) ?? [];
  if (mediaType === undefined || !media) return undefined;
  const value = Object.values(media.examples)[0]?.value ?? sampleOf(media.schema);
  return { text: String(value), content: [['Content-Type', mediaType.replace('*/*', 'application/octet-stream')]] };
}

/** The path with this query beside the one that it may have. */
export function withQuery(path: string, query: string): string {
  return path + (path.includes('?') ? '&' : '?') + query;
}
