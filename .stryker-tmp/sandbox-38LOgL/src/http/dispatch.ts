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
import type { OperationId } from '../../generated/operations.js';
import { Refusal } from '../errors.js';
import type { OperationRequest } from '../operations/operation.js';
import type { OperationStore } from '../store/store.js';
import type { OperationsRouter } from './operations-router.js';
import { operationOf, principalOf } from './request-state.js';
import { sendJson } from './send-json.js';

/** Runs the handler bound to the matched operation and sends its answer. */
export function dispatch(router: OperationsRouter, store: OperationStore, now: () => Date): RequestHandler {
  if (stryMutAct_9fa48("127")) {
    {}
  } else {
    stryCov_9fa48("127");
    return async (request, response, next) => {
      if (stryMutAct_9fa48("128")) {
        {}
      } else {
        stryCov_9fa48("128");
        const input = stryMutAct_9fa48("129") ? {} : (stryCov_9fa48("129"), {
          principal: principalOf(request),
          pathParameters: request.pathParameters,
          body: request.body as unknown,
          requestId: request.id,
          now: now()
        });
        const handler = router.handler(operationOf(request).operationId);
        const answer = await handler(input as OperationRequest<OperationId>, store);
        if (stryMutAct_9fa48("131") ? false : stryMutAct_9fa48("130") ? true : (stryCov_9fa48("130", "131"), answer instanceof Refusal)) {
          if (stryMutAct_9fa48("132")) {
            {}
          } else {
            stryCov_9fa48("132");
            next(answer);
            return;
          }
        }
        sendJson(response, answer.status, answer.body);
      }
    };
  }
}