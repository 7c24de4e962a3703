/**
 * The HTTP server around the application. What never becomes a request (bytes that are no HTTP, a header section that is
 * too large, a client that is too slow, CONNECT) is answered here with the same error object.
 */
// @ts-nocheck
function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Refusal } from '../errors.js';
import { securityHeaders } from './send-json.js';

/** How long a client may take for its header section and for its whole request, and be silent between requests. */
const timeouts = stryMutAct_9fa48("371") ? {} : (stryCov_9fa48("371"), {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 15_000
});
const connectionsCheckingInterval = 5_000;
const maxHeaderSize = stryMutAct_9fa48("372") ? 16 / 1024 : (stryCov_9fa48("372"), 16 * 1024);

/** Creates the server; it does not listen yet. */
export function createServer(app: RequestListener): Server {
  if (stryMutAct_9fa48("373")) {
    {}
  } else {
    stryCov_9fa48("373");
    const server = createHttpServer(stryMutAct_9fa48("374") ? {} : (stryCov_9fa48("374"), {
      ...timeouts,
      connectionsCheckingInterval,
      maxHeaderSize,
      requireHostHeader: stryMutAct_9fa48("375") ? true : (stryCov_9fa48("375"), false)
    }));
    server.on(stryMutAct_9fa48("376") ? "" : (stryCov_9fa48("376"), 'request'), app);
    // The application asks for the body itself, once it is sure to read it, and ignores other expectations.
    server.on(stryMutAct_9fa48("377") ? "" : (stryCov_9fa48("377"), 'checkContinue'), app);
    server.on(stryMutAct_9fa48("378") ? "" : (stryCov_9fa48("378"), 'checkExpectation'), app);
    server.on(stryMutAct_9fa48("379") ? "" : (stryCov_9fa48("379"), 'connect'), (_request, socket) => {
      if (stryMutAct_9fa48("380")) {
        {}
      } else {
        stryCov_9fa48("380");
        refuse(socket, new Refusal(stryMutAct_9fa48("381") ? "" : (stryCov_9fa48("381"), 'request.not-found')));
      }
    });
    server.on(stryMutAct_9fa48("382") ? "" : (stryCov_9fa48("382"), 'clientError'), (error: NodeJS.ErrnoException, socket) => {
      if (stryMutAct_9fa48("383")) {
        {}
      } else {
        stryCov_9fa48("383");
        if (stryMutAct_9fa48("386") ? (error.code === 'ECONNRESET' || !socket.writable) && hasBegunToAnswer(socket) : stryMutAct_9fa48("385") ? false : stryMutAct_9fa48("384") ? true : (stryCov_9fa48("384", "385", "386"), (stryMutAct_9fa48("388") ? error.code === 'ECONNRESET' && !socket.writable : stryMutAct_9fa48("387") ? false : (stryCov_9fa48("387", "388"), (stryMutAct_9fa48("390") ? error.code !== 'ECONNRESET' : stryMutAct_9fa48("389") ? false : (stryCov_9fa48("389", "390"), error.code === (stryMutAct_9fa48("391") ? "" : (stryCov_9fa48("391"), 'ECONNRESET')))) || (stryMutAct_9fa48("392") ? socket.writable : (stryCov_9fa48("392"), !socket.writable)))) || hasBegunToAnswer(socket))) socket.destroy();else refuse(socket, refusalOf(error.code));
      }
    });
    return server;
  }
}
function refusalOf(code: string | undefined): Refusal {
  if (stryMutAct_9fa48("393")) {
    {}
  } else {
    stryCov_9fa48("393");
    if (stryMutAct_9fa48("396") ? code !== 'HPE_HEADER_OVERFLOW' : stryMutAct_9fa48("395") ? false : stryMutAct_9fa48("394") ? true : (stryCov_9fa48("394", "395", "396"), code === (stryMutAct_9fa48("397") ? "" : (stryCov_9fa48("397"), 'HPE_HEADER_OVERFLOW')))) return new Refusal(stryMutAct_9fa48("398") ? "" : (stryCov_9fa48("398"), 'request.header.too-large'));
    if (stryMutAct_9fa48("401") ? code !== 'ERR_HTTP_REQUEST_TIMEOUT' : stryMutAct_9fa48("400") ? false : stryMutAct_9fa48("399") ? true : (stryCov_9fa48("399", "400", "401"), code === (stryMutAct_9fa48("402") ? "" : (stryCov_9fa48("402"), 'ERR_HTTP_REQUEST_TIMEOUT')))) return new Refusal(stryMutAct_9fa48("403") ? "" : (stryCov_9fa48("403"), 'request.timed-out'));
    return new Refusal(stryMutAct_9fa48("404") ? "" : (stryCov_9fa48("404"), 'request.malformed'));
  }
}
function refuse(socket: Duplex, {
  status,
  body
}: Refusal): void {
  if (stryMutAct_9fa48("405")) {
    {}
  } else {
    stryCov_9fa48("405");
    const content = JSON.stringify(body);
    const headers = stryMutAct_9fa48("406") ? {} : (stryCov_9fa48("406"), {
      Date: new Date().toUTCString(),
      'Content-Type': stryMutAct_9fa48("407") ? "" : (stryCov_9fa48("407"), 'application/json'),
      'Content-Length': Buffer.byteLength(content),
      Connection: stryMutAct_9fa48("408") ? "" : (stryCov_9fa48("408"), 'close'),
      'X-Request-Id': randomUUID(),
      ...securityHeaders
    });
    const lines = Object.entries(headers).map(stryMutAct_9fa48("409") ? () => undefined : (stryCov_9fa48("409"), ([name, value]) => stryMutAct_9fa48("410") ? `` : (stryCov_9fa48("410"), `${name}: ${value}\r\n`)));
    socket.end(stryMutAct_9fa48("411") ? `` : (stryCov_9fa48("411"), `HTTP/1.1 ${status} ${stryMutAct_9fa48("412") ? STATUS_CODES[status] && '' : (stryCov_9fa48("412"), STATUS_CODES[status] ?? (stryMutAct_9fa48("413") ? "Stryker was here!" : (stryCov_9fa48("413"), '')))}\r\n${lines.join(stryMutAct_9fa48("414") ? "Stryker was here!" : (stryCov_9fa48("414"), ''))}\r\n${content}`));
  }
}

/** Node.js keeps the response under way on its socket, and decides by it in its own handler of this event too. */
function hasBegunToAnswer(socket: Duplex): boolean {
  if (stryMutAct_9fa48("415")) {
    {}
  } else {
    stryCov_9fa48("415");
    return stryMutAct_9fa48("416") ? (socket as Duplex & {
      _httpMessage?: {
        headersSent: boolean;
      };
    })._httpMessage?.headersSent && false : (stryCov_9fa48("416"), (stryMutAct_9fa48("417") ? (socket as Duplex & {
      _httpMessage?: {
        headersSent: boolean;
      };
    })._httpMessage.headersSent : (stryCov_9fa48("417"), (socket as Duplex & {
      _httpMessage?: {
        headersSent: boolean;
      };
    })._httpMessage?.headersSent)) ?? (stryMutAct_9fa48("418") ? true : (stryCov_9fa48("418"), false)));
  }
}