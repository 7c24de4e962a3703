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
import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { Refusal } from '../errors.js';
import { StoreUnavailableError } from '../store/errors.js';
import { sendJson } from './send-json.js';
const retryAfterSeconds = stryMutAct_9fa48("133") ? "" : (stryCov_9fa48("133"), '5');

/** Turns whatever went wrong into a documented error answer. What is unexpected is told to the log alone. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  if (stryMutAct_9fa48("134")) {
    {}
  } else {
    stryCov_9fa48("134");
    return (error: unknown, request, response, _next) => {
      if (stryMutAct_9fa48("135")) {
        {}
      } else {
        stryCov_9fa48("135");
        const refusal = error instanceof Refusal ? error : unexpected(error, request.id);
        if (stryMutAct_9fa48("137") ? false : stryMutAct_9fa48("136") ? true : (stryCov_9fa48("136", "137"), response.headersSent)) {
          if (stryMutAct_9fa48("138")) {
            {}
          } else {
            stryCov_9fa48("138");
            response.destroy();
            return;
          }
        }
        sendJson(response, refusal.status, refusal.body, refusal.headers);
      }
    };
    function unexpected(error: unknown, requestId: string): Refusal {
      if (stryMutAct_9fa48("139")) {
        {}
      } else {
        stryCov_9fa48("139");
        if (stryMutAct_9fa48("141") ? false : stryMutAct_9fa48("140") ? true : (stryCov_9fa48("140", "141"), error instanceof StoreUnavailableError)) {
          if (stryMutAct_9fa48("142")) {
            {}
          } else {
            stryCov_9fa48("142");
            logger.error(stryMutAct_9fa48("143") ? {} : (stryCov_9fa48("143"), {
              requestId,
              err: error
            }), stryMutAct_9fa48("144") ? "" : (stryCov_9fa48("144"), 'the store is unavailable'));
            return new Refusal(stryMutAct_9fa48("145") ? "" : (stryCov_9fa48("145"), 'service.unavailable'), stryMutAct_9fa48("146") ? {} : (stryCov_9fa48("146"), {
              headers: stryMutAct_9fa48("147") ? {} : (stryCov_9fa48("147"), {
                'Retry-After': retryAfterSeconds
              })
            }));
          }
        }
        logger.error(stryMutAct_9fa48("148") ? {} : (stryCov_9fa48("148"), {
          requestId,
          err: error
        }), stryMutAct_9fa48("149") ? "" : (stryCov_9fa48("149"), 'unexpected error'));
        return new Refusal(stryMutAct_9fa48("150") ? "" : (stryCov_9fa48("150"), 'service.internal-error'));
      }
    }
  }
}