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
import type { Request } from 'express';
import type { Operation, OperationId } from '../../generated/operations.js';
import type { Principal } from '../domain/principal.js';

/** The operation that a request matched, as the document declares it. */
export type MatchedOperation = Operation & {
  readonly operationId: OperationId;
};
declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the only way to extend Express's request
  namespace Express {
    /** What the steps of a request's way have found out, each step one thing. */
    interface Request {
      id: string;
      operation?: MatchedOperation;
      pathParameters?: Readonly<Record<string, string>>;
      principal?: Principal;
    }
  }
}

/** The operation found for this request. @throws {Error} if there is none: a step stands in the wrong place */
export function operationOf({
  operation
}: Request): MatchedOperation {
  if (stryMutAct_9fa48("358")) {
    {}
  } else {
    stryCov_9fa48("358");
    if (stryMutAct_9fa48("361") ? false : stryMutAct_9fa48("360") ? true : stryMutAct_9fa48("359") ? operation : (stryCov_9fa48("359", "360", "361"), !operation)) throw new Error(stryMutAct_9fa48("362") ? "" : (stryCov_9fa48("362"), 'No operation was found for this request.'));
    return operation;
  }
}

/** The caller of this request. @throws {Error} if nobody was authenticated: a step stands in the wrong place */
export function principalOf({
  principal
}: Request): Principal {
  if (stryMutAct_9fa48("363")) {
    {}
  } else {
    stryCov_9fa48("363");
    if (stryMutAct_9fa48("366") ? false : stryMutAct_9fa48("365") ? true : stryMutAct_9fa48("364") ? principal : (stryCov_9fa48("364", "365", "366"), !principal)) throw new Error(stryMutAct_9fa48("367") ? "" : (stryCov_9fa48("367"), 'Nobody was authenticated for this request.'));
    return principal;
  }
}