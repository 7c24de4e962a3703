import { generateSecret } from '../src/domain/credential.ts';
import type { BenchData } from './data.ts';
import { identifierOf, largeCases, organisations, ownerOf } from './plan.ts';

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
  /** 32 if undefined. */
  readonly connections?: number;
  /** The requests that one of the connections repeats. */
  readonly requestsOf: (connection: number, data: BenchData) => BenchRequest[];
}

export const usualConnections = 32;
const settingPath = '/organisations/features/verification';

/** Each violates another rule of the document. */
const badBodies = [{ enabled: 'true' }, {}, { enabled: true, note: 'x' }];

/** Changes of the setting alternate with updates to the same value; no other connection uses the organisation. */
const updates = [true, true, false, false];

const unknownKeys = Array.from({ length: usualConnections }, () => generateSecret('api-key', 'uk'));

/** The numbers from `first` to below `end` that are assigned to one of the connections. */
function shareOf(connection: number, first: number, end: number): number[] {
  return Array.from(
    { length: Math.ceil((end - first - connection) / usualConnections) },
    (_none, index) => first + connection + index * usualConnections,
  );
}

const organisationsOf = (connection: number) => shareOf(connection, 0, organisations);

/** A case of ten files: those of the first thousand include the large ones. */
const usualCaseOf = (organisation: number) => organisation + organisations;

const keyOf = ({ secrets }: BenchData, organisation: number) => ({
  'x-api-key': String(secrets[organisation]?.apiKey),
});

function readSetting(data: BenchData, organisation: number): BenchRequest {
  return { method: 'GET', path: settingPath, headers: keyOf(data, organisation), status: 200 };
}

function putSetting(data: BenchData, organisation: number, body: object, status: number): BenchRequest {
  return { method: 'PUT', path: settingPath, headers: keyOf(data, organisation), body: JSON.stringify(body), status };
}

function readCase(data: BenchData, caseNumber: number): BenchRequest {
  const headers = { Authorization: `Bearer ${data.secrets[ownerOf(caseNumber)]?.accessToken}` };
  return { method: 'GET', path: `/cases/${identifierOf('case', caseNumber)}`, headers, status: 200 };
}

function refusedKey(connection: number): BenchRequest {
  const headers = { 'x-api-key': String(unknownKeys[connection]) };
  return { method: 'GET', path: settingPath, headers, status: 401 };
}

export const workloads: readonly Workload[] = [
  {
    name: 'read-setting',
    title: 'Read the setting',
    requestsOf: (connection, data) => organisationsOf(connection).map((number) => readSetting(data, number)),
  },
  {
    name: 'update-setting',
    title: 'Update it, half with the value it has',
    requestsOf: (connection, data) =>
      organisationsOf(connection).flatMap((number) =>
        updates.map((enabled) => putSetting(data, number, { enabled }, 200)),
      ),
  },
  {
    name: 'bad-body',
    title: 'Refuse a bad body',
    requestsOf: (connection, data) =>
      organisationsOf(connection).flatMap((number) => badBodies.map((body) => putSetting(data, number, body, 400))),
  },
  { name: 'bad-key', title: 'Refuse a bad key', requestsOf: (connection) => [refusedKey(connection)] },
  {
    name: 'case-10',
    title: 'Read a case of 10 files',
    requestsOf: (connection, data) => organisationsOf(connection).map((number) => readCase(data, usualCaseOf(number))),
  },
  {
    name: 'case-10-any',
    title: 'Read a case of 10 files, of all cases in turn',
    requestsOf: (connection, data) => shareOf(connection, 2, data.cases).map((number) => readCase(data, number)),
  },
  {
    name: 'case-1000',
    title: 'Read the case of 1,000 files',
    requestsOf: (_connection, data) => [readCase(data, largeCases[1000])],
  },
  {
    name: 'case-100000',
    title: 'Read the case of 100,000 files',
    connections: 4,
    requestsOf: (_connection, data) => [readCase(data, largeCases[100_000])],
  },
  {
    name: 'mix',
    // Of 20 requests.
    title: 'Mix: 10 cases of 10 files, 1 of 1,000, 6 settings, update, bad body, bad key',
    requestsOf: (connection, data) =>
      updates.flatMap((enabled) =>
        organisationsOf(connection).flatMap((number, index) => [
          ...Array.from({ length: 10 }, () => readCase(data, usualCaseOf(number))),
          ...Array.from({ length: 6 }, () => readSetting(data, number)),
          readCase(data, largeCases[1000]),
          putSetting(data, number, { enabled }, 200),
          putSetting(data, number, badBodies[index % badBodies.length] ?? {}, 400),
          refusedKey(connection),
        ]),
      ),
  },
];

/** The workload of this name. @throws {Error} if there is none */
export function workloadNamed(wanted: string): Workload {
  const found = workloads.find(({ name }) => name === wanted);
  if (!found) throw new Error(`There is no workload ${wanted}.`);
  return found;
}
