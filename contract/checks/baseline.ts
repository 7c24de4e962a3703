import type { DocumentedOperation } from '../document/document.ts';
import type { CheckContext, Need, RequestSpec } from '../run/model.ts';
import {
  credentialSchemes,
  type CredentialScheme,
  type Headers,
  presented,
  schemeNamesOf,
} from './credential-scheme.ts';
import { type JsonBody, jsonBodyOf } from './json-body.ts';
import { lacking } from './unmet-precondition.ts';
import { parametersOf } from './parameters.ts';

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
  readonly operation: DocumentedOperation;
  readonly scheme: CredentialScheme | undefined;
  readonly json: JsonBody | undefined;
  /** The documented status of success. */
  readonly success: number;
  readonly needs: readonly Need[];
  /** What a request without a valid credential needs. */
  readonly anonymousNeeds: readonly Need[];
  /** The path with these texts, ready for it, in place of valid parameters. */
  readonly path: (context: CheckContext, parameters?: Readonly<Record<string, string>>) => string;
  readonly request: (context: CheckContext, changes?: Changes) => RequestSpec;
}

/** The headers that describe a JSON body. */
export const jsonContent: Headers = [['Content-Type', 'application/json']];

/** The baseline of an operation. What it lacks is among its needs, so that its checks are reported as not run. */
export function baselineOf(operation: DocumentedOperation): Baseline {
  const schemeNames = schemeNamesOf(operation);
  const scheme = credentialSchemes.find(({ name }) => schemeNames.includes(name));
  const json = jsonBodyOf(operation);
  const parameters = parametersOf(operation);
  const path: Baseline['path'] = (context, values = {}) => parameters.path(context, values);
  const anonymousNeeds = [
    ...parameters.needs,
    ...parameters.lacks.map((name) => lacking(`an example of the parameter ${name}`)),
    ...(operation.requestBody && !json ? [lacking('a valid JSON example of the request body')] : []),
  ];
  const credentialNeeds = schemeNames.length === 0 ? [] : [scheme?.credential ?? lacking(`a known security scheme`)];

  return {
    operation,
    scheme,
    json,
    success: Number(Object.keys(operation.responses).find((status) => /^2\d\d$/.test(status)) ?? 200),
    needs: [...credentialNeeds, ...anonymousNeeds],
    anonymousNeeds,
    path,
    request: (context, changes = {}) => {
      const body = 'body' in changes ? changes.body : json?.text;
      const credential = changes.credential ?? (scheme ? presented(scheme, context.credential(scheme.credential)) : []);
      const content = changes.content ?? (json ? jsonContent : []);
      return {
        method: changes.method ?? operation.method.toUpperCase(),
        path: changes.path ?? path(context),
        headers: [...credential, ...content, ...parameters.headers, ...(changes.headers ?? [])],
        ...(body !== undefined && { body }),
      };
    },
  };
}

/** The path with this query beside the one that it may have. */
export function withQuery(path: string, query: string): string {
  return path + (path.includes('?') ? '&' : '?') + query;
}
