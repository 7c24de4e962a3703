/** node:http with hand-written routing, authentication, checks and store: each request reads separately, each update commits separately. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { authenticate, challenge } from './support/authenticate.ts';
import { describeCase } from './support/case.ts';
import { environment } from './support/environment.ts';
import { readUpdate } from './support/read-update.ts';
import { invalidBody, refusalBody } from './support/refusals.ts';
import { store } from './support/store.ts';

const settingPath = '/organisations/features/verification';
const casePath = '/cases/';

createServer((request, response) => {
  const { method, url = '' } = request;
  if (url === settingPath && method === 'GET') readSetting(request, response);
  else if (url === settingPath && method === 'PUT') updateSetting(request, response);
  else if (url.startsWith(casePath) && method === 'GET') readCase(request, response);
  else send(response, 404, refusalBody('request.not-found'));
}).listen(environment.port, '127.0.0.1');

function readSetting(request: IncomingMessage, response: ServerResponse): void {
  const caller = authenticate(request.headers, 'api-key');
  if (!caller) refuseCaller(response, 'api-key');
  else send(response, 200, { enabled: store.readSetting(caller.organisationId) });
}

function updateSetting(request: IncomingMessage, response: ServerResponse): void {
  const caller = authenticate(request.headers, 'api-key');
  if (!caller) {
    refuseCaller(response, 'api-key');
    return;
  }
  readUpdate(request, (enabled, faults) => {
    if (faults.length > 0) {
      send(response, 400, invalidBody(faults));
      return;
    }
    store.changeSetting({ ...caller, enabled, requestId: randomUUID() });
    send(response, 200, { enabled });
  });
}

function readCase(request: IncomingMessage, response: ServerResponse): void {
  const caller = authenticate(request.headers, 'access-token');
  if (!caller) {
    refuseCaller(response, 'access-token');
    return;
  }
  const found = store.readCase(caller.organisationId, String(request.url).slice(casePath.length).toLowerCase());
  if (found) send(response, 200, describeCase(found));
  else send(response, 404, refusalBody('request.cases.case.not-found'));
}

function refuseCaller(response: ServerResponse, kind: 'api-key' | 'access-token'): void {
  response.setHeader('WWW-Authenticate', challenge(kind));
  send(response, 401, refusalBody('request.authentication.invalid-token'));
}

function send(response: ServerResponse, status: number, body: object): void {
  const content = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': content.length });
  response.end(content);
}
