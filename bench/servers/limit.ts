/**
 * The limit: plain node:http, written by hand to be as fast as possible while doing everything that this server does:
 * the same store file and durability, concurrent reads that share a snapshot, concurrent updates that share a commit,
 * cached texts of cases, rate limits, security headers, and a log line for each request. It supports only these three
 * operations.
 */
import { createServer } from 'node:http';
import { type CredentialKind, hashSecret, isWellFormedSecret } from '../../src/domain/secret.ts';
import { type Call, callOf, respond } from './limit/respond.ts';
import {
  type Caller,
  findCase,
  findSetting,
  isValid,
  readText,
  readTogether,
  type Update,
  writeTogether,
} from './limit/store.ts';
import { challenge } from './support/authenticate.ts';
import { environment } from './support/environment.ts';
import { readUpdate } from './support/read-update.ts';
import { invalidBody, refusalBody } from './support/refusals.ts';

const settingPath = '/organisations/features/verification';
const casePath = '/cases/';
const unknown = JSON.stringify(refusalBody('request.authentication.invalid-token'));
const forbidden = JSON.stringify(refusalBody('request.forbidden'));
const notEnabled = JSON.stringify(refusalBody('request.organisations.feature-flag.not-enabled'));
const notFound = JSON.stringify(refusalBody('request.cases.case.not-found'));
const bearer = /^Bearer +(\S+)$/i;

let calls: Call[] = [];
let updates: Update[] = [];

createServer((request, response) => {
  if (calls.push(callOf(request, response)) === 1) setImmediate(handleAll);
}).listen(environment.port, '127.0.0.1');

function handleAll(): void {
  const together = calls;
  calls = [];
  readTogether(() => {
    for (const call of together) handle(call);
  });
}

function handle(call: Call): void {
  const { method, url = '' } = call.request;
  if (url === settingPath && method === 'GET') getSetting(call);
  else if (url === settingPath && method === 'PUT') putSetting(call);
  else if (url.startsWith(casePath) && method === 'GET') getCase(call);
  else respond(call, 404, JSON.stringify(refusalBody('request.not-found')));
}

function getSetting(call: Call): void {
  call.operationId = 'getVerificationSetting';
  const hash = presented(call.request.headers['x-api-key'], 'api-key');
  const row = hash && findSetting(hash, 'read');
  if (accepted(call, row, 'api-key')) respond(call, 200, row.enabled === 1 ? '{"enabled":true}' : '{"enabled":false}');
}

function putSetting(call: Call): void {
  call.operationId = 'updateVerificationSetting';
  const { request } = call;
  const secretSha256 = presented(request.headers['x-api-key'], 'api-key');
  const row = secretSha256 && findSetting(secretSha256, 'write');
  if (!accepted(call, row, 'api-key') || !secretSha256) return;
  readUpdate(request, (enabled, faults) => {
    if (faults.length > 0) {
      respond(call, 400, JSON.stringify(invalidBody(faults)));
      return;
    }
    const done = (saved: boolean) => {
      if (saved) respond(call, 200, `{"enabled":${enabled}}`);
      else respond(call, 403, forbidden);
    };
    if (updates.push({ secretSha256, enabled, requestId: call.requestId, done }) === 1) setImmediate(writeAll);
  });
}

function writeAll(): void {
  const together = updates;
  updates = [];
  writeTogether(together);
}

function getCase(call: Call): void {
  call.operationId = 'getCase';
  const { headers, url = '' } = call.request;
  const hash = presented(bearer.exec(headers.authorization ?? '')?.[1], 'access-token');
  const caseId = url.slice(casePath.length).toLowerCase();
  const row = hash && findCase(hash, caseId);
  if (!accepted(call, row, 'access-token')) return;
  const text = readText(row, caseId);
  if (text) respond(call, 200, text);
  else respond(call, 404, notFound);
}

function presented(secret: unknown, kind: CredentialKind): Buffer | undefined {
  return typeof secret === 'string' && isWellFormedSecret(secret, kind, 'uk') ? hashSecret(secret) : undefined;
}

/** Whether a caller may proceed; otherwise sends the refusal. */
function accepted<Row extends Caller>(call: Call, row: Row | undefined, kind: CredentialKind): row is Row {
  if (!row || !isValid(row, kind)) {
    respond(call, 401, unknown, ['WWW-Authenticate', challenge(kind)]);
    return false;
  }
  call.credentialId = row.credential_id;
  if (!row.permitted) respond(call, 403, forbidden);
  else if (!row.featured) respond(call, 403, notEnabled);
  return row.permitted === 1 && row.featured === 1;
}
