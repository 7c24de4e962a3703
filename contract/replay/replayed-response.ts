import type { RealResponse } from 'dredd/build/performRequest.js';
import type { Transaction } from 'hooks';
import { mediaTypeOf } from '../oracle/body.ts';
import type { ContractRule } from '../oracle/messages.ts';
import { ownDocument } from '../document/own-document.ts';
import { maskOf } from '../run/mask.ts';
import type { CheckResult, RequestSpec } from '../run/model.ts';
import { Session, type SessionOptions } from '../run/session.ts';
import { missingReason, reasonToLeaveOut } from '../run/run-checks.ts';
import { shownExchange } from '../run/shown-exchange.ts';
import { NotOfferedError } from '../operator/open-operator.ts';
import { describeReplay, exampleFault, provoke, type ProvokedResponse, type ReplayCase } from '../plan/provoked.ts';
import { askPlainly } from '../plan/states.ts';
import { closedSchema } from '../oracle/schema.ts';
import { type JsonSchema, jsonSchemaOf, schemaCopier } from '../document/schemas.ts';
import type { Schema } from '../document/model.ts';

/** The parts of a response in which Dredd detects violations of a rule. */
const partsOfRule: Partial<Record<ContractRule, readonly string[]>> = {
  header: ['headers'],
  'media type': ['headers', 'body'],
  body: ['body'],
};

/** A documented response as Dredd replays it: the situation that provokes it, and the result. */
export class ReplayedResponse {
  readonly documented: ReplayCase;
  /** Why it is not run; undefined if it is. */
  notRun: string | undefined;
  readonly #options: SessionOptions;
  readonly #provoked: ProvokedResponse | undefined;
  readonly #session: Session;
  #startedAt = performance.now();

  constructor(documented: ReplayCase, options: SessionOptions) {
    const provoked = provoke(documented, options.document ?? ownDocument);
    const isKnown = typeof provoked !== 'string';
    const needs = isKnown ? provoked.situation.needs : [];
    this.documented = documented;
    const left = reasonToLeaveOut(describeReplay(documented), options);
    this.notRun = left ?? (isKnown ? missingReason({ needs }, options) : provoked);
    this.#options = options;
    this.#provoked = isKnown ? provoked : undefined;
    this.#session = new Session(options, { needs });
  }

  /** Makes the transaction expect this response. */
  prepare(transaction: Transaction): void {
    this.#startedAt = performance.now();
    if (this.notRun !== undefined) {
      transaction.skip = true;
      return;
    }
    const { target, allowExtraFields } = this.#options;
    const closed = !allowExtraFields && target.respondsWithExamples === true;
    const { bodySchema: schema } = this.documented;
    expectDocumented(transaction, this.documented, schema && toJsonSchema(schema, closed));
  }

  /** Sends the situation's request with Dredd's additional headers, without its examples of optional parameters. */
  async send({ headers }: Transaction['request']): Promise<RealResponse> {
    if (!this.#provoked) throw new Error(this.notRun);
    const parameters = this.documented.operation.parameters.filter((each) => each.in === 'header');
    // What describes the body is part of the situation, and may be absent on purpose.
    const documented = ['Content-Type', ...parameters.map(({ name }) => name)];
    const send = (request: RequestSpec) => {
      const own = request.headers ?? [];
      const chosen = new Set([...documented, ...own.map(([name]) => name)].map((name) => name.toLowerCase()));
      const added = Object.entries(headers).filter(([name]) => !chosen.has(name.toLowerCase()));
      return this.#session.call({ ...request, headers: [...own, ...added] });
    };
    const response = await askPlainly(this.#provoked.situation, this.#session, send).catch((error: unknown) => {
      if (error instanceof NotOfferedError) this.notRun = error.message;
      throw error;
    });
    const mediaType = response.headers['content-type'];
    return {
      statusCode: response.status,
      headers: { ...response.headers, ...(mediaType !== undefined && { 'content-type': mediaTypeOf(mediaType) }) },
      ...(response.text !== '' && { body: response.text, bodyEncoding: 'utf-8' }),
    };
  }

  /** Faults that Dredd itself does not detect. */
  findFaults(body: string | undefined): string | undefined {
    if (body === undefined) return undefined;
    const last = this.#session.exchanges.at(-1);
    if (last && last.violations.length > 0) return undefined;
    return exampleFault(this.documented, this.#provoked?.example, body, this.#options.target);
  }

  /** @param verdict Dredd's findings, if there are any */
  result(verdict?: string): CheckResult {
    const failure = verdict === undefined ? verdict : this.#beyondConformance(verdict);
    const failed = failure !== undefined && this.notRun === undefined;
    const { credentials } = this.#options.target;
    const exchange = this.#session.exchanges.at(-1);
    const shown = exchange && shownExchange(exchange, credentials);
    return {
      check: describeReplay(this.documented),
      outcome: this.notRun !== undefined ? 'not run' : failed ? 'failed' : 'passed',
      ...(this.notRun !== undefined && { reason: this.notRun }),
      failures: failed ? [{ message: maskOf(credentials).mask(failure), ...shown }] : [],
      exchanges: this.#session.exchanges.length,
      durationSeconds: (performance.now() - this.#startedAt) / 1000,
    };
  }

  /** Dredd's findings that the `conformance` checks do not report; for a response with another status, only the status. */
  #beyondConformance(verdict: string): string | undefined {
    const violations = this.#session.exchanges.at(-1)?.violations ?? [];
    const counted = new Set(violations.flatMap(({ rule }) => partsOfRule[rule] ?? []));
    const lines = verdict.split('\n');
    const ofStatus = lines.filter((line) => line.startsWith('statusCode: '));
    const left = lines.filter((line) => ![...counted].some((part) => line.startsWith(`${part}: `)));
    return (ofStatus.length > 0 ? ofStatus : left).join('\n') || undefined;
  }
}

/** The formats that Dredd supports. It fails on others, which OpenAPI permits. */
const formats =
  /^(date|time|date-time|email|hostname|ipv4|ipv6|uri|uri-reference|uri-template|json-pointer|relative-json-pointer|regex|uuid)$/;

/**
 * Converts a schema to draft-07, which Dredd reads. A closed schema refuses undocumented values of an extensible
 * enumeration and undocumented properties, which draft-07 cannot express for a composition.
 */
export function toJsonSchema(schema: Schema, closed: boolean): JsonSchema {
  const withKnownKeywords = schemaCopier((copy) => {
    if (closed && copy['x-extensible-enum']) copy.enum = copy['x-extensible-enum'];
    if (copy.format !== undefined && !formats.test(copy.format)) delete copy.format;
    // In binary fractions, 19.99 is no multiple of 0.01; the conformance checks allow for that.
    if (!Number.isInteger(copy['multipleOf'])) delete copy['multipleOf'];
  });
  const known = withKnownKeywords(closed ? closedSchema(schema) : schema);
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...jsonSchemaOf(known) };
}

/** Makes the transaction expect the required headers, and a body of the schema, if any, in place of Dredd's example. */
function expectDocumented(
  { expected }: Transaction,
  { requiredHeaders, status, bodySchema: documentedSchema }: ReplayCase,
  bodySchema: JsonSchema | undefined,
): void {
  const names = [...(documentedSchema ? ['content-type'] : []), ...requiredHeaders];
  expected.statusCode = status;
  const required = Object.entries(expected.headers).filter(([name]) => names.includes(name.toLowerCase()));
  expected.headers = Object.fromEntries(required);
  if (!documentedSchema) {
    delete expected.body;
    delete expected.bodySchema;
  } else if (bodySchema) {
    expected.bodySchema = bodySchema;
    delete expected.body;
  } else if (expected.body !== undefined) expected.body = withoutMetadata(expected.body);
}

/** Dredd requires the fields of an example's free-form metadata in the response, so removes them from the example. */
function withoutMetadata(body: string): string {
  const example = JSON.parse(body) as object;
  return JSON.stringify('metadata' in example ? { ...example, metadata: {} } : example);
}
