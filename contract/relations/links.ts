/** Links of responses: following one gets a documented success, and what is read belongs to what the link came from. */
import { linkedOperation, parameterOf, valueOfLink } from '../document/links.ts';
import type { Link, Operation } from '../document/model.ts';
import { isObject, parsed, told } from '../oracle/json.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import { type Baseline, baselineOf, isSuccessOf } from '../plan/baseline.ts';
import type { HttpResponse } from '../run/model.ts';
import type { Client } from './client.ts';
import { fail, isSuccess, requireNoExample, unmet } from './exchange.ts';
import { entityIn, identifierIn } from './resources.ts';
import { listedItems, plainName } from './values.ts';

/** A link of a documented success that leads to an operation. */
type Followed = readonly [name: string, link: Link, target: Baseline];

function linksOf({ document }: Baseline, { links = {} }: Operation['responses'][string]): Followed[] {
  return Object.entries(links).flatMap(([name, link]): Followed[] => {
    const operation = linkedOperation(document, link);
    return operation ? [[name, link, baselineOf(operation, document)]] : [];
  });
}

/** The operations to which links of a success lead. */
export function linkTargets(baseline: Baseline): Baseline[] {
  const successes = Object.entries(baseline.operation.responses).filter(([status]) => /^2/.test(status));
  return successes.flatMap(([, response]) => linksOf(baseline, response).map(([, , target]) => target));
}

export async function checkLinks(client: Client, baseline: Baseline): Promise<void> {
  const { operation } = baseline;
  const { method, path, responses } = operation;
  const resource = client.run.resources.find(({ create }) => create === baseline);
  const place = resource ? {} : await client.locate(path);
  const ask = async () =>
    resource
      ? client.create(resource)
      : { at: place, fields: baseline.json?.valid, response: await client.send(baseline, { at: place }) };
  const [{ at, fields, response }, second] = [await ask(), await ask()];
  // A server that responds twice with the same may show examples.
  const isLive = second.response.text !== response.text;
  const { status, headers: header, text } = response;
  const documented = responses[String(status)] ?? responses['2XX'];
  // What is removed cannot be followed any more.
  const removes = ([, , target]: Followed) => Number(target.operation.method === 'delete');
  const links = (documented ? linksOf(baseline, documented) : []).sort((a, b) => removes(a) - removes(b));
  if (!isSuccess(response) || links.length === 0) unmet(`missing: a response with a link (it responds ${status})`);
  const url = path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => at[name] ?? '');
  const exchange = {
    ...{ url: `${client.baseUrl}${url}`, method: method.toUpperCase(), statusCode: status },
    request: {
      header: sentIn(operation, 'header'),
      query: sentIn(operation, 'query'),
      path: Object.fromEntries(Object.entries(at).map(([name, value]) => [name, decodeURIComponent(value)])),
      body: fields,
    },
    response: { header, body: parsed(text) },
  };
  let followed = 0;
  for (const [name, { parameters = {}, requestBody }, target] of links) {
    const given = Object.entries(parameters).map(([key, value]) => [key, valueOfLink(value, exchange)] as const);
    const body = valueOfLink(requestBody, exchange);
    const isMissing = given.some(([key, value]) => value === undefined || !parameterOf(target.operation, key));
    if (isMissing || (requestBody !== undefined && body === undefined)) continue;
    const followedTo = await follow(client, name, target, given, body);
    const stray = target.operation.method === 'get' && strayIn(client, target, given, followedTo);
    if (stray && !isLive) requireNoExample(target, followedTo);
    if (stray) fail(`the link ${name} with ${stray}`, followedTo);
    followed += 1;
  }
  if (followed === 0) unmet('missing: a response with the values of its links');
}

/** The values of required parameters, which are those that a request has. */
function sentIn({ parameters }: Operation, place: string): Record<string, unknown> {
  const sent = parameters.filter((each) => each.in === place && each.required);
  const keyOf = (name: string) => (place === 'header' ? name.toLowerCase() : name);
  return Object.fromEntries(sent.map(({ name, value, example }) => [keyOf(name), value ?? example]));
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

type Given = readonly (readonly [name: string, value: unknown])[];

/** @throws {Error} unless the link leads to a documented success */
async function follow(client: Client, name: string, target: Baseline, given: Given, body: unknown) {
  const { operation, guessed } = target;
  const valuesIn = (place: string) =>
    given.flatMap(([key, value]) => {
      const parameter = parameterOf(operation, key);
      const text = parameter && (place === 'path' ? pathTextOf(parameter, value) : textOf(value));
      return parameter?.in === place && text !== undefined ? [[parameter.name, text] as const] : [];
    });
  const [at, query] = [Object.fromEntries(valuesIn('path')), Object.fromEntries(valuesIn('query'))];
  const response = await client.send(target, { at, query, headers: valuesIn('header'), body });
  const { status } = response;
  const isWhole = operation.parameters.every((each) => each.in !== 'path' || each.name in at);
  // What the link does not give was guessed.
  const isGiven = body === undefined ? /^what / : /^(what|a body) /;
  const isGuess = guessed.some(({ what, statuses }) => statuses.includes(status) && !isGiven.test(what));
  if (!isSuccessOf(target, status)) {
    if (!isWhole || isGuess)
      unmet(`missing: values of ${operation.operationId} that the server accepts (it responds ${status})`);
    fail(`the link ${name} leads to ${status}, expected ${target.success}`, response);
  }
  return response;
}

/** A value of what was read that is another than the link gave, in words. */
function strayIn(client: Client, target: Baseline, given: Given, { text }: HttpResponse): string | undefined {
  const body = parsed(text);
  const resource = client.run.resources.find(({ read }) => read === target);
  const entity = resource && entityIn(body, resource);
  const items = entity ? [entity] : (listedItems(body) ?? [body].filter(isObject));
  for (const [key, value] of given) {
    const parameter = parameterOf(target.operation, key);
    const name = plainName(parameter?.name ?? '');
    for (const each of items) {
      const isOwn = resource !== undefined && resource.parameter === parameter;
      const named = Object.entries(each).find(([field]) => plainName(field) === name)?.[1];
      const found = isOwn ? identifierIn(each, resource) : named;
      if (['string', 'number'].includes(typeof found) && String(found) !== String(value))
        return `${key} ${told(value)} leads to ${told(found)}`;
    }
  }
  return undefined;
}
