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
import { Refusal } from '../errors.js';

/** One fault of a request body. */
export interface ValidationFault {
  /** The name of the field, or the empty string for the body as a whole. */
  field: string;
  message: string;
  /** The JSON Schema keyword that is violated, or `json` for a body that cannot be parsed. */
  rule: string;
}

/** The refusal of an invalid body, naming every fault (decision D12). */
export function validationRefusal(faults: ValidationFault[]): Refusal {
  if (stryMutAct_9fa48("459")) {
    {}
  } else {
    stryCov_9fa48("459");
    return new Refusal(stryMutAct_9fa48("460") ? "" : (stryCov_9fa48("460"), 'request.validation.failed'), stryMutAct_9fa48("461") ? {} : (stryCov_9fa48("461"), {
      details: stryMutAct_9fa48("462") ? {} : (stryCov_9fa48("462"), {
        field: stryMutAct_9fa48("463") ? faults[0]?.field && '' : (stryCov_9fa48("463"), (stryMutAct_9fa48("464") ? faults[0].field : (stryCov_9fa48("464"), faults[0]?.field)) ?? (stryMutAct_9fa48("465") ? "Stryker was here!" : (stryCov_9fa48("465"), ''))),
        errors: faults
      })
    }));
  }
}