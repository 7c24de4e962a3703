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
import { Refusal } from '../errors.js';
import { operationOf, principalOf } from './request-state.js';

/** Refuses a caller without the permission, then one without the feature, that the document requires of the operation. */
export const authorise: RequestHandler = (request, _response, next) => {
  if (stryMutAct_9fa48("67")) {
    {}
  } else {
    stryCov_9fa48("67");
    const {
      requiredPermission,
      requiredFeature
    } = operationOf(request);
    const {
      permissions,
      features
    } = principalOf(request);
    if (stryMutAct_9fa48("70") ? requiredPermission !== null || !permissions.has(requiredPermission) : stryMutAct_9fa48("69") ? false : stryMutAct_9fa48("68") ? true : (stryCov_9fa48("68", "69", "70"), (stryMutAct_9fa48("72") ? requiredPermission === null : stryMutAct_9fa48("71") ? true : (stryCov_9fa48("71", "72"), requiredPermission !== null)) && (stryMutAct_9fa48("73") ? permissions.has(requiredPermission) : (stryCov_9fa48("73"), !permissions.has(requiredPermission))))) next(new Refusal(stryMutAct_9fa48("74") ? "" : (stryCov_9fa48("74"), 'request.forbidden')));else if (stryMutAct_9fa48("77") ? requiredFeature !== null || !features.has(requiredFeature) : stryMutAct_9fa48("76") ? false : stryMutAct_9fa48("75") ? true : (stryCov_9fa48("75", "76", "77"), (stryMutAct_9fa48("79") ? requiredFeature === null : stryMutAct_9fa48("78") ? true : (stryCov_9fa48("78", "79"), requiredFeature !== null)) && (stryMutAct_9fa48("80") ? features.has(requiredFeature) : (stryCov_9fa48("80"), !features.has(requiredFeature))))) next(new Refusal(stryMutAct_9fa48("81") ? "" : (stryCov_9fa48("81"), 'request.organisations.feature-flag.not-enabled')));else next();
  }
};