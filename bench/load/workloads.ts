import type { BenchData } from '../dataset/make-data.ts';
import { identifierOf, largeCases, ownerOf, sizes, usualCases } from '../dataset/plan.ts';
import { generateUnknownKeys } from './unknown-keys.ts';

/** A request, and the expected status. */
export interface BenchRequest {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
}

/** The requests that each server gets in turn. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** The workload that brings a new server to its usual memory first, if this workload measures memory growth. */
  readonly after?: string;
  /** The requests that one of the connections repeats. */
  requestsOf(connection: number, data: BenchData): BenchRequest[];
}

const connections = 32;
const settingPath = '/organisations/features/verification';

/** Each violates another rule of the document. */
const badBodies = [{ enabled: 'true' }, {}, { enabled: true, note: 'x' }];

/** The numbers from `first` to `last` that are assigned to one of the connections. */
function shareOf(connection: number, first: number, last: number): number[] {
  return Array.from({ length: Math.ceil((last - first + 1 - connection) / connections) }, (_, index) => {
    return first + connection + index * connections;
  });
}

const organisationsOf = (connection: number) => shareOf(connection, 0, sizes.organisations - 1);

function readSetting(data: BenchData, organisation: number): BenchRequest {
  return { method: 'GET', path: settingPath, headers: keyOf(data, organisation), status: 200 };
}

function putSetting(data: BenchData, organisation: number, body: object, status: number): BenchRequest {
  return { method: 'PUT', path: settingPath, headers: keyOf(data, organisation), body: JSON.stringify(body), status };
}

function readCase(data: BenchData, caseNumber: number): BenchRequest {
  const headers = { Authorization: `Bearer ${data.accessTokens[ownerOf(caseNumber)]}` };
  return { method: 'GET', path: `/cases/${identifierOf('case', caseNumber)}`, headers, status: 200 };
}

function refusedKey(key: string): BenchRequest {
  return { method: 'GET', path: settingPath, headers: { 'x-api-key': key }, status: 401 };
}

function keyOf({ apiKeys }: BenchData, organisation: number): Record<string, string> {
  return { 'x-api-key': String(apiKeys[organisation]) };
}

/** A usual case of an organisation. Skips the first thousand cases, which include the large ones. */
const usualCaseOf = (organisation: number) => organisation + sizes.organisations;

/** Changes of the setting alternate with updates to the same value; no other connection uses the organisation. */
const updates = [true, true, false, false];

const unknownKeys = generateUnknownKeys(connections);

export const workloads: readonly Workload[] = [
  {
    name: 'read-setting',
    title: 'Read the setting',
    connections,
    requestsOf: (connection, data) =>
      organisationsOf(connection).map((organisation) => readSetting(data, organisation)),
  },
  {
    name: 'update-setting',
    title: 'Update it, half with the value held',
    connections,
    requestsOf: (connection, data) =>
      organisationsOf(connection).flatMap((organisation) =>
        updates.map((enabled) => putSetting(data, organisation, { enabled }, 200)),
      ),
  },
  {
    name: 'bad-body',
    title: 'Refuse a bad body',
    connections,
    requestsOf: (connection, data) =>
      organisationsOf(connection).flatMap((organisation) =>
        badBodies.map((body) => putSetting(data, organisation, body, 400)),
      ),
  },
  {
    name: 'bad-key',
    title: 'Refuse a bad key',
    connections,
    requestsOf: (connection) => [refusedKey(String(unknownKeys[connection]))],
  },
  {
    name: 'case-10',
    title: 'Read a case of 10 files, of 1,000 cases',
    connections,
    requestsOf: (connection, data) =>
      organisationsOf(connection).map((organisation) => readCase(data, usualCaseOf(organisation))),
  },
  {
    name: 'case-10-any',
    title: 'Read a case of 10 files, of all cases in turn',
    connections,
    requestsOf: (connection, data) =>
      shareOf(connection, usualCases.first, usualCases.last).map((number) => readCase(data, number)),
  },
  {
    name: 'case-1000',
    title: 'Read the case of 1,000 files',
    connections,
    requestsOf: (_connection, data) => [readCase(data, largeCases[1000])],
  },
  {
    name: 'case-100000',
    title: 'Read the case of 100,000 files',
    connections: 4,
    after: 'case-10',
    requestsOf: (_connection, data) => [readCase(data, largeCases[100_000])],
  },
  {
    name: 'mix',
    title: 'Mix: of 20, 10 cases of 10 files and 1 of 1,000, 6 settings, 1 update, 1 bad body, 1 bad key',
    connections,
    requestsOf: (connection, data) =>
      updates.flatMap((enabled) =>
        organisationsOf(connection).flatMap((organisation, index) => [
          ...Array.from({ length: 10 }, () => readCase(data, usualCaseOf(organisation))),
          ...Array.from({ length: 6 }, () => readSetting(data, organisation)),
          readCase(data, largeCases[1000]),
          putSetting(data, organisation, { enabled }, 200),
          putSetting(data, organisation, badBodies[index % badBodies.length] ?? {}, 400),
          refusedKey(String(unknownKeys[connection])),
        ]),
      ),
  },
];

/** The workload of this name. @throws {Error} if there is none */
export function workloadNamed(wanted: string): Workload {
  const found = workloads.find(({ name }) => name === wanted);
  if (!found) throw new Error(`There is no workload named ${wanted}.`);
  return found;
}
