import { join } from 'node:path';
import { workloads } from './load/workloads.ts';
import { compiledFile } from './support/compile.ts';
import { folders } from './support/folders.ts';

/** The location of a server's data, and its port. */
export interface ServerPlace {
  readonly port: number;
  /** The folder of the copied data. */
  readonly dataFolder: string;
  readonly databaseFile: string;
  readonly logFile: string;
}

/** One of the compared servers. */
export interface BenchServer {
  readonly name: string;
  readonly title: string;
  /** Which tasks of a real server it performs. */
  readonly does: string;
  /** The workloads that it supports; all if undefined. */
  readonly workloads?: readonly string[];
  /** Statuses that it returns instead of the expected ones; its bodies differ too. */
  readonly statuses?: Readonly<Record<number, number>>;
  /** Headers that each of its responses must have. */
  readonly headers: readonly RegExp[];
  command(place: ServerPlace): string[];
  environment(place: ServerPlace): NodeJS.ProcessEnv;
}

const everything =
  'request id, authentication, permission, feature, rate limit with its headers, security headers, request log, validation, store';
const everyHeader = [
  /^x-request-id$/,
  /^ratelimit/,
  /^content-security-policy$/,
  /^strict-transport-security$/,
  /^x-content-type-options$/,
  /^cache-control$/,
];

const environmentOfPeer = ({ port, databaseFile, logFile }: ServerPlace) => ({
  PORT: String(port),
  DATABASE_FILE: databaseFile,
  LOG_FILE: logFile,
});

function peer(name: string, title: string, does: string, headers: readonly RegExp[]): BenchServer {
  const command = () => [process.execPath, compiledFile(`servers/${name}.ts`)];
  return { name, title, does, headers, command, environment: environmentOfPeer };
}

/** The servers that are compared. */
export const benchServers: readonly BenchServer[] = [
  {
    ...peer('limit', 'node:http, the limit', `${everything}: by hand, for these operations alone`, everyHeader),
    // It cannot send a case that does not fit into memory.
    workloads: workloads.map(({ name }) => name).filter((name) => name !== 'case-100000'),
  },
  {
    name: 'ours',
    title: 'this server',
    does: everything,
    headers: everyHeader,
    command: () => [process.execPath, join(folders.repository, 'dist/main.js'), 'serve', '--region', 'uk'],
    environment: ({ port, dataFolder }) => ({
      PORT: String(port),
      DATA_DIR: dataFolder,
      RATE_LIMIT_REQUESTS: '1000000000',
      RATE_LIMIT_FAILED_AUTHENTICATIONS: '1000000000',
      RATE_LIMIT_PUBLIC_REQUESTS: '1000000000',
    }),
  },
  peer('fastify-our-store', 'Fastify on our store', `${everything} of this server, with its batching`, everyHeader),
  peer('fastify', 'Fastify + openapi-glue', everything, everyHeader),
  peer('stock', 'Express + EOV + openapi-backend', everything, everyHeader),
  peer('unbatched', 'node:http, unbatched', 'authentication and store by hand, each request and update alone', []),
  peer('openapi-backend', 'openapi-backend alone', 'authentication, validation, store', []),
  {
    name: 'prism',
    title: 'Prism mock',
    does: 'validation and examples; no authentication, no store',
    workloads: ['read-setting', 'bad-body'],
    statuses: { 400: 400 },
    headers: [],
    command: ({ port }) => [
      process.execPath,
      join(folders.bench, 'node_modules/@stoplight/prism-cli/dist/index.js'),
      ...['mock', 'generated/openapi.json', '--host', '127.0.0.1', '--port', String(port)],
      ...['--multiprocess', 'false', '--verboseLevel', 'silent'],
    ],
    environment: () => ({}),
  },
];

/** The server of this name. @throws {Error} if there is none */
export function serverNamed(wanted: string): BenchServer {
  const found = benchServers.find(({ name }) => name === wanted);
  if (!found) throw new Error(`There is no server named ${wanted}.`);
  return found;
}
