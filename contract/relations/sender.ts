/** Sends the requests of operations, by any caller, within a budget. */
import { isDeepStrictEqual } from 'node:util';
import {
  type CredentialScheme,
  credentialSchemes,
  entryOf,
  type Headers,
  type OtherCaller,
  presented,
} from '../dimensions/credential-scheme.ts';
import { given as credentialOf } from '../plan/asking.ts';
import { type Baseline, exampleOf, withQuery } from '../plan/baseline.ts';
import type { CheckContext, CredentialName, HttpResponse } from '../run/model.ts';
import { parsed } from '../oracle/json.ts';
import { jsonApi, plainResponse, sentAs } from './json-api.ts';
import { type At, fail, type Run, searchBody, type Sending, unmet } from './exchange.ts';

/** The most requests of one relation. */
const mostRequests = 700;

export class Sender {
  readonly run: Run;
  readonly #context: CheckContext;
  #requests = 0;
  /** What is created is removed, however many requests that takes. */
  protected isCleaningUp = false;

  constructor(context: CheckContext, run: Run) {
    this.#context = context;
    this.run = run;
  }

  get baseUrl(): string {
    return this.#context.credentials.base_url.replace(/\/$/, '');
  }

  /** @throws {UnmetPreconditionError} if a credential is missing, or a required parameter has no value */
  async send(baseline: Baseline, sending: Sending = {}): Promise<HttpResponse> {
    const isSearch = baseline.payload !== undefined && this.run.searches.some(({ list }) => list === baseline);
    const { at = {}, headers = [], caller = 'own', method } = sending;
    const [query, body] = isSearch ? [{}, searchBody(baseline, sending.query)] : [sending.query ?? {}, sending.body];
    const given = [...Object.keys(at), ...Object.keys(query), ...headers.map(([name]) => name)];
    const lacking = baseline.lacks.find((name) => !given.includes(name));
    if (lacking !== undefined) unmet(`missing: ${exampleOf(lacking)}`);
    this.#spend();
    const secrets = { credential: (name: CredentialName) => credentialOf(this.#context, name) };
    const [path = '', usualQuery = ''] = (sending.path ?? baseline.path(secrets, at)).split('?');
    // An optional value that the tester or the document gives may be a filter.
    const required = baseline.operation.parameters.filter((each) => each.in === 'query' && each.required);
    const isKept = (pair: string) =>
      required.some(({ name }) => !(name in query) && pair.startsWith(encodeURIComponent(name)));
    // A comma may stand between values of a list, where an encoded one would be a part of a value.
    const encoded = (text: string) => encodeURIComponent(text).replaceAll('%2C', ',');
    const pairs = Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value) => `${encodeURIComponent(name)}=${encoded(value)}`),
    );
    const { textOf = JSON.stringify } = baseline.payload ?? baseline.form ?? {};
    const text =
      body === undefined || Buffer.isBuffer(body) ? body : (textOf(body) ?? unmet('missing: a form that can be sent'));
    const ofOwn = sending.schemes?.flatMap((each) => presented(each, credentialOf(this.#context, each.credential)));
    const credential = caller === 'own' ? ofOwn : this.#presentedBy(caller, baseline, sending.schemes);
    const { headers: usual = [], ...request } = baseline.request(secrets, {
      path: [...usualQuery.split('&').filter(isKept), ...pairs].reduce(withQuery, path),
      ...(credential && { credential }),
      ...(method !== undefined && { method, content: [], body: undefined }),
      ...(text !== undefined && { body: text }),
    });
    // What is sent here takes the place of an example.
    const isReplaced = (name: string) => headers.some(([each]) => each.toLowerCase() === name.toLowerCase());
    const kept = usual.filter(([name]) => !isReplaced(name));
    const sent = typeof request.body === 'string' ? this.#written(baseline, request.body, at) : request.body;
    const came = await this.#context.call({
      ...request,
      ...(sent !== undefined && { body: sent }),
      headers: [...kept, ...headers],
    });
    const response = plainResponse(came);
    if (response.status === 429) unmet('the server limits the rate of requests');
    if (response.headers['x-half'] !== undefined) fail('a text of the request has become a header X-Half', response);
    return response;
  }

  /** A body as the document writes it. */
  #written({ operation: { operationId } }: Baseline, body: string, at: At): string {
    const operation = this.run.written.operations.find((each) => each.operationId === operationId);
    const isOfJsonApi = operation?.requestBody?.content[jsonApi] !== undefined;
    return isOfJsonApi
      ? JSON.stringify(sentAs(operation, parsed(body), decodeURIComponent(Object.values(at).at(-1) ?? '')))
      : body;
  }

  /** The alternatives of an operation's security of which another caller has all credentials, or else the usual one. */
  alternativesOf(caller: OtherCaller, { schemes, document, operation }: Baseline): (readonly CredentialScheme[])[] {
    const known = credentialSchemes(document);
    const others = operation.security.map((names) => known.filter(({ name }) => names.includes(name)));
    const { credentials } = this.#context;
    const isGiven = ({ credential }: CredentialScheme) => entryOf(caller, credential) in credentials;
    const given = [schemes, ...others].filter((each) => each.length > 0 && each.every(isGiven));
    return given.length === 0
      ? [schemes]
      : given.filter((each, at) => !given.slice(0, at).some((other) => isDeepStrictEqual(other, each)));
  }

  #presentedBy(caller: OtherCaller, baseline: Baseline, given?: readonly CredentialScheme[]): Headers {
    const [usual = []] = this.alternativesOf(caller, baseline);
    return (given ?? usual).flatMap((each) =>
      presented(each, credentialOf(this.#context, entryOf(caller, each.credential))),
    );
  }

  /** @throws {UnmetPreconditionError} if the budget is used up */
  #spend(): void {
    this.run.requests += 1;
    this.#requests += 1;
    const { requests, budget } = this.run;
    if (!this.isCleaningUp && (requests > budget || this.#requests > mostRequests))
      unmet(`the budget of ${requests > budget ? budget : mostRequests} requests is used up`);
  }
}
