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
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/** Logs each answer as one line that holds no header, body, query string or path parameter: nothing that may be secret. */
export function requestLog(logger: Logger): RequestHandler {
  if (stryMutAct_9fa48("347")) {
    {}
  } else {
    stryCov_9fa48("347");
    return (request, response, next) => {
      if (stryMutAct_9fa48("348")) {
        {}
      } else {
        stryCov_9fa48("348");
        const {
          method
        } = request;
        const startedAt = process.hrtime.bigint();
        response.once(stryMutAct_9fa48("349") ? "" : (stryCov_9fa48("349"), 'close'), () => {
          if (stryMutAct_9fa48("350")) {
            {}
          } else {
            stryCov_9fa48("350");
            logger.info(stryMutAct_9fa48("351") ? {} : (stryCov_9fa48("351"), {
              requestId: request.id,
              method,
              operationId: stryMutAct_9fa48("352") ? request.operation.operationId : (stryCov_9fa48("352"), request.operation?.operationId),
              status: response.statusCode,
              aborted: response.writableFinished ? undefined : stryMutAct_9fa48("353") ? false : (stryCov_9fa48("353"), true),
              durationMs: stryMutAct_9fa48("354") ? Number(process.hrtime.bigint() - startedAt) * 1e6 : (stryCov_9fa48("354"), Number(stryMutAct_9fa48("355") ? process.hrtime.bigint() + startedAt : (stryCov_9fa48("355"), process.hrtime.bigint() - startedAt)) / 1e6),
              credentialId: stryMutAct_9fa48("356") ? request.principal.credentialId : (stryCov_9fa48("356"), request.principal?.credentialId)
            }), stryMutAct_9fa48("357") ? "" : (stryCov_9fa48("357"), 'answered'));
          }
        });
        next();
      }
    };
  }
}