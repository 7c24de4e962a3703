import { isSafe } from '../../conformance/safe-method.ts';
import type { Check } from '../../run/model.ts';
import type { Baseline, Changes } from '../baseline.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE'];
const withoutBody = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PURGE'];

/** Checks every method that a path does not document, and HEAD where it documents GET. */
export function methodChecks(baselinesOfPath: readonly Baseline[]): Check[] {
  const [first] = baselinesOfPath;
  if (!first) return [];
  if (!first.isOwn) return documentedMethodChecks(baselinesOfPath);
  const documented = baselinesOfPath.map(({ operation }) => operation.method.toUpperCase());
  const reader = baselinesOfPath.find(({ operation }) => operation.method === 'get');
  const writer = baselinesOfPath.find(({ json }) => json !== undefined);
  const undocumented = methods.filter(
    (method) => !documented.includes(method) && !(method === 'HEAD' && reader !== undefined),
  );
  return [
    ...undocumented.flatMap((method) => {
      const sent = withoutBody.includes(method) || !writer ? first : writer;
      const changes = { method, ...(sent === first && { body: undefined, content: noBody(method) }) };
      return [
        refused(first, sent, `method.${method}`, changes),
        refused(first, sent, `method.${method}.anonymous`, { ...changes, credential: [] }),
      ];
    }),
    ...(reader && writer ? overridden(reader, writer, undocumented) : []),
    ...(reader ? [headCheck(reader)] : []),
  ];
}

/** Another API may support undocumented methods. One of them is tried only if the document has a 405. */
function documentedMethodChecks(baselinesOfPath: readonly Baseline[]): Check[] {
  const promising = baselinesOfPath.find(({ refusals }) => refusals.method.length > 0);
  const documented = baselinesOfPath.map(({ operation }) => operation.method.toUpperCase());
  const method = ['PATCH', 'POST', 'PUT', 'DELETE'].find((each) => !documented.includes(each));
  if (!promising || method === undefined) return [];
  return [refused(promising, promising, `method.${method}`, { method, body: undefined, content: noBody(method) })];
}

function refused(named: Baseline, sent: Baseline, name: string, changes: Changes, source?: 'decision'): Check {
  return defineCheck(named, {
    name,
    ...(source && { source }),
    title: `${changes.method ?? ''} is undocumented for the path and gets 405`,
    needs: changes.credential ? sent.anonymousNeeds : sent.needs,
    readsOnly: isSafe(changes.method ?? sent.operation.method),
    run: async (context) => {
      expectStatus(await context.call(sent.request(context, changes)), ...named.refusals.method);
    },
  });
}

/** Checks that a header does not turn an undocumented method into a documented one that writes. */
function overridden(named: Baseline, writer: Baseline, undocumented: readonly string[]): Check[] {
  const method = ['POST', 'PATCH', 'PUT'].find((name) => undocumented.includes(name));
  if (method === undefined) return [];
  const headers = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map(
    (name) => [name, writer.operation.method.toUpperCase()] as const,
  );
  return [refused(named, writer, `method.${method}.overridden`, { method, headers }, 'decision')];
}

function headCheck(reader: Baseline): Check {
  return defineCheck(reader, {
    name: 'method.HEAD',
    title: 'HEAD gets the response to GET, without a body',
    source: 'decision',
    run: async (context) => {
      const get = await context.call(reader.request(context));
      const head = await context.call(reader.request(context, { method: 'HEAD' }));
      expectStatus(head, get.status);
      if (head.text !== '') throw new Error('the response to HEAD has a body');
      if (head.headers['content-type'] !== get.headers['content-type'])
        throw new Error('the responses to HEAD and GET have different media types');
    },
  });
}

function noBody(method: string): [string, string][] {
  return withoutBody.includes(method) ? [] : [['Content-Length', '0']];
}
