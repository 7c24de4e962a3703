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
import type { RequestHandler } from 'express';
const wellFormed = stryMutAct_9fa48("337") ? /^[^A-Za-z0-9._~-]{1,128}$/ : stryMutAct_9fa48("336") ? /^[A-Za-z0-9._~-]$/ : stryMutAct_9fa48("335") ? /^[A-Za-z0-9._~-]{1,128}/ : stryMutAct_9fa48("334") ? /[A-Za-z0-9._~-]{1,128}$/ : (stryCov_9fa48("334", "335", "336", "337"), /^[A-Za-z0-9._~-]{1,128}$/);

/** Names the request by the caller's own `X-Request-Id` if that is well formed, else by a new UUID. */
export const requestId: RequestHandler = (request, response, next) => {
  if (stryMutAct_9fa48("338")) {
    {}
  } else {
    stryCov_9fa48("338");
    const given = request.headers[stryMutAct_9fa48("339") ? "" : (stryCov_9fa48("339"), 'x-request-id')];
    request.id = (stryMutAct_9fa48("342") ? typeof given === 'string' || wellFormed.test(given) : stryMutAct_9fa48("341") ? false : stryMutAct_9fa48("340") ? true : (stryCov_9fa48("340", "341", "342"), (stryMutAct_9fa48("344") ? typeof given !== 'string' : stryMutAct_9fa48("343") ? true : (stryCov_9fa48("343", "344"), typeof given === (stryMutAct_9fa48("345") ? "" : (stryCov_9fa48("345"), 'string')))) && wellFormed.test(given))) ? given : randomUUID();
    response.setHeader(stryMutAct_9fa48("346") ? "" : (stryCov_9fa48("346"), 'X-Request-Id'), request.id);
    next();
  }
};