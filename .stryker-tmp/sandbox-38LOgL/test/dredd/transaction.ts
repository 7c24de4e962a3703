// @ts-nocheck
import type { Transaction } from 'hooks';
import type { DocumentedAnswer } from './documented-answers.js';
import type { Scenario } from './scenarios.js';

/** Finds the answer that a transaction stands for. Dredd compiles `default` to a second transaction with status 200. */
export function findAnswer(
  { request, origin, expected }: Transaction,
  unclaimed: readonly DocumentedAnswer[],
): DocumentedAnswer | undefined {
  const ofOperation = unclaimed.filter(({ method, path }) => method === request.method && path === origin.resourceName);
  return (
    ofOperation.find(({ status }) => status === expected.statusCode) ??
    ofOperation.find(({ status }) => status === 'default' && expected.statusCode === '200')
  );
}

/**
 * Makes the transaction send what the scenario says and expect what the document says: the body by its schema instead
 * of Dredd's example, and of the headers those that are required.
 */
export function bind(transaction: Transaction, documented: DocumentedAnswer, scenario: Scenario): void {
  const { request, expected } = transaction;
  Object.assign(request.headers, scenario.headers);
  request.body = scenario.body ?? '';
  if (scenario.url !== undefined) {
    const { protocol, hostname, port, pathname } = new URL(scenario.url);
    Object.assign(transaction, { protocol, host: hostname, port, fullPath: pathname });
  }

  const requiredHeaders = ['content-type', ...documented.headersSchema.required];
  expected.statusCode = String(scenario.status ?? documented.status);
  expected.headers = Object.fromEntries(
    Object.entries(expected.headers).filter(([name]) => requiredHeaders.includes(name.toLowerCase())),
  );
  expected.bodySchema = documented.bodySchema;
  delete expected.body;
}

/** Sends the transaction's request once, whatever the answer. */
export async function send({ protocol, host, port, fullPath, request }: Transaction): Promise<void> {
  const { method, headers, body } = request;
  const answer = await fetch(`${protocol}//${host}:${port}${fullPath}`, { method, headers, body: body || null });
  await answer.arrayBuffer();
}
