import { isDeepStrictEqual } from 'node:util';
import type { RealResponse } from 'dredd/build/performRequest.js';
import type { Transaction } from 'hooks';
import { ownDocument } from '../document/own-document.ts';
import { curlOf, describeResponse, maskSecrets } from '../run/curl.ts';
import type { CheckResult, RequestSpec } from '../run/model.ts';
import { Session } from '../run/session.ts';
import { missingNeeds } from '../run/run-checks.ts';
import type { ReplayCase } from './replay-case.ts';
import { exhaustQuota } from './exhaust-quota.ts';
import { toJsonSchema } from './json-schema.ts';
import type { ReplayOptions } from './replay-options.ts';
import type { Scenario } from './scenario.ts';
import { provoke, requestOf } from './scenarios.ts';
import { expectDocumented } from './transaction.ts';

/** A documented response on its way through Dredd: what provokes it, what is sent for it, and what came of it. */
export class ReplayedResponse {
  readonly documented: ReplayCase;
  /** Why it is not run. */
  notRun: string | undefined;
  readonly #options: ReplayOptions;
  readonly #scenario: Scenario | undefined;
  readonly #request: RequestSpec;
  readonly #session: Session;
  #mendStore: (() => void) | undefined;
  #startedAt = performance.now();

  constructor(documented: ReplayCase, options: ReplayOptions) {
    const provoked = provoke(documented, options.document ?? ownDocument);
    const isKnown = typeof provoked !== 'string';
    const needs = isKnown ? provoked.needs : [];
    const missing = missingNeeds({ needs }, options);
    this.documented = documented;
    this.notRun = isKnown ? (missing.length > 0 ? `missing: ${missing.join(', ')}` : undefined) : provoked;
    this.#options = options;
    this.#scenario = isKnown ? provoked.scenario : undefined;
    this.#request = isKnown ? requestOf(provoked, options.target.credentials) : { method: '', path: '' };
    this.#session = new Session(options, { needs });
  }

  /** Makes the transaction expect this response, and brings about what provokes it. */
  async prepare(transaction: Transaction): Promise<void> {
    this.#startedAt = performance.now();
    if (this.notRun !== undefined || !this.#scenario) {
      transaction.skip = true;
      return;
    }
    const { stock, target, allowExtraFields } = this.#options;
    const closed = !allowExtraFields && target.operator !== undefined;
    const { bodySchema: schema } = this.documented;
    const bodySchema = stock === true ? undefined : schema && toJsonSchema(schema, closed);
    expectDocumented(transaction, this.documented, this.#scenario.status, bodySchema);
    if (this.#scenario.given === 'exhausted-quota') await exhaustQuota(() => this.#session.call(this.#request));
    if (this.#scenario.given === 'repeated') await this.#session.call(this.#request);
    if (this.#scenario.given === 'broken-store') this.#mendStore = target.operator?.breakStore();
  }

  /** Sends the scenario's request with the headers that Dredd has added, but not its examples of optional parameters. */
  async send({ headers }: Transaction['request']): Promise<RealResponse> {
    const own = this.#request.headers ?? [];
    const parameters = this.documented.operation.parameters.filter((each) => each.in === 'header');
    const chosen = [...own.map(([name]) => name), ...parameters.map(({ name }) => name)].map((name) =>
      name.toLowerCase(),
    );
    const added = Object.entries(headers).filter(([name]) => !chosen.includes(name.toLowerCase()));
    const response = await this.#session.call({ ...this.#request, headers: [...own, ...added] });
    const mediaType = response.headers['content-type']?.replace(/; *charset=utf-8$/i, '');
    return {
      statusCode: response.status,
      headers: { ...response.headers, ...(mediaType !== undefined && { 'content-type': mediaType }) },
      ...(response.text !== '' && { body: response.text, bodyEncoding: 'utf-8' }),
    };
  }

  /** Ends what was brought about. @returns what Dredd itself has not seen */
  findFaults(body: string | undefined): string | undefined {
    this.#mendStore?.();
    this.#mendStore = undefined;
    if (this.#options.stock === true || body === undefined) return undefined;
    const violations = this.#session.exchanges.flatMap((exchange) => exchange.violations);
    const faults = [...new Set(violations), ...this.#exampleFaults(body)];
    return faults.length > 0 ? faults.join('\n') : undefined;
  }

  /** @param failure the verdict, if it is one */
  result(failure?: string): CheckResult {
    const { label, operation, status } = this.documented;
    const failed = failure !== undefined && this.notRun === undefined;
    return {
      check: {
        id: `replay.${label}`,
        layer: 'replay',
        title: `${operation.operationId} returns ${status} as the document says`,
        rules: this.#scenario?.rules ?? [],
      },
      outcome: this.notRun !== undefined ? 'not run' : failed ? 'failed' : 'passed',
      ...(this.notRun !== undefined && { reason: this.notRun }),
      failures: failed ? [{ message: maskSecrets(failure, this.#options.target.credentials), ...this.#shown() }] : [],
      exchanges: this.#session.exchanges.length,
      durationSeconds: (performance.now() - this.#startedAt) / 1000,
    };
  }

  /** Another server may word a message differently, so that only the project's own must response the very example. */
  #exampleFaults(body: string): string[] {
    const name = this.#scenario?.example;
    if (name === undefined) return [];
    const example = this.documented.examples[name];
    if (example === undefined) return [`the document has no example ${name} of this response`];
    if (this.#options.target.operator === undefined || isDeepStrictEqual(JSON.parse(body), example)) return [];
    return [`the body is not the documented example ${name}`];
  }

  #shown() {
    const { credentials } = this.#options.target;
    const exchange = this.#session.exchanges.at(-1);
    if (!exchange) return {};
    const curl = curlOf(exchange, credentials);
    return { curl, ...(exchange.response && { response: describeResponse(exchange.response, credentials) }) };
  }
}
