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
const absoluteForm = stryMutAct_9fa48("85") ? /^https?:\/\/[/?#]*/i : stryMutAct_9fa48("84") ? /^https?:\/\/[^/?#]/i : stryMutAct_9fa48("83") ? /^https:\/\/[^/?#]*/i : stryMutAct_9fa48("82") ? /https?:\/\/[^/?#]*/i : (stryCov_9fa48("82", "83", "84", "85"), /^https?:\/\/[^/?#]*/i);

/**
 * Brings the many spellings of one request into the one that later steps know: an absolute-form target becomes a path
 * (RFC 9112, section 3.2.2), HEAD becomes GET (Node.js leaves out the body), and a `%` that escapes nothing stands for
 * itself. An HTTP/1.1 request without `Host` is refused (section 3.2).
 */
export const canonicalRequest: RequestHandler = (request, _response, next) => {
  if (stryMutAct_9fa48("86")) {
    {}
  } else {
    stryCov_9fa48("86");
    if (stryMutAct_9fa48("89") ? request.headers.host === undefined || request.httpVersion === '1.1' : stryMutAct_9fa48("88") ? false : stryMutAct_9fa48("87") ? true : (stryCov_9fa48("87", "88", "89"), (stryMutAct_9fa48("91") ? request.headers.host !== undefined : stryMutAct_9fa48("90") ? true : (stryCov_9fa48("90", "91"), request.headers.host === undefined)) && (stryMutAct_9fa48("93") ? request.httpVersion !== '1.1' : stryMutAct_9fa48("92") ? true : (stryCov_9fa48("92", "93"), request.httpVersion === (stryMutAct_9fa48("94") ? "" : (stryCov_9fa48("94"), '1.1')))))) {
      if (stryMutAct_9fa48("95")) {
        {}
      } else {
        stryCov_9fa48("95");
        next(new Refusal(stryMutAct_9fa48("96") ? "" : (stryCov_9fa48("96"), 'request.malformed')));
        return;
      }
    }
    if (stryMutAct_9fa48("99") ? request.method !== 'HEAD' : stryMutAct_9fa48("98") ? false : stryMutAct_9fa48("97") ? true : (stryCov_9fa48("97", "98", "99"), request.method === (stryMutAct_9fa48("100") ? "" : (stryCov_9fa48("100"), 'HEAD')))) request.method = stryMutAct_9fa48("101") ? "" : (stryCov_9fa48("101"), 'GET');
    request.url = canonicalUrl(request.url);
    request.originalUrl = request.url;
    next();
  }
};
function canonicalUrl(url: string): string {
  if (stryMutAct_9fa48("102")) {
    {}
  } else {
    stryCov_9fa48("102");
    const target = url.replace(absoluteForm, stryMutAct_9fa48("103") ? "Stryker was here!" : (stryCov_9fa48("103"), ''));
    const queryStart = target.indexOf(stryMutAct_9fa48("104") ? "" : (stryCov_9fa48("104"), '?'));
    const path = (stryMutAct_9fa48("107") ? queryStart !== -1 : stryMutAct_9fa48("106") ? false : stryMutAct_9fa48("105") ? true : (stryCov_9fa48("105", "106", "107"), queryStart === (stryMutAct_9fa48("108") ? +1 : (stryCov_9fa48("108"), -1)))) ? target : stryMutAct_9fa48("109") ? target : (stryCov_9fa48("109"), target.slice(0, queryStart));
    const query = (stryMutAct_9fa48("112") ? queryStart !== -1 : stryMutAct_9fa48("111") ? false : stryMutAct_9fa48("110") ? true : (stryCov_9fa48("110", "111", "112"), queryStart === (stryMutAct_9fa48("113") ? +1 : (stryCov_9fa48("113"), -1)))) ? stryMutAct_9fa48("114") ? "Stryker was here!" : (stryCov_9fa48("114"), '') : stryMutAct_9fa48("115") ? target : (stryCov_9fa48("115"), target.slice(queryStart));
    return stryMutAct_9fa48("116") ? (path === '' ? '/' : decodable(path)) - query : (stryCov_9fa48("116"), ((stryMutAct_9fa48("119") ? path !== '' : stryMutAct_9fa48("118") ? false : stryMutAct_9fa48("117") ? true : (stryCov_9fa48("117", "118", "119"), path === (stryMutAct_9fa48("120") ? "Stryker was here!" : (stryCov_9fa48("120"), '')))) ? stryMutAct_9fa48("121") ? "" : (stryCov_9fa48("121"), '/') : decodable(path)) + query);
  }
}
function decodable(path: string): string {
  if (stryMutAct_9fa48("122")) {
    {}
  } else {
    stryCov_9fa48("122");
    try {
      if (stryMutAct_9fa48("123")) {
        {}
      } else {
        stryCov_9fa48("123");
        decodeURIComponent(path);
        return path;
      }
    } catch {
      if (stryMutAct_9fa48("124")) {
        {}
      } else {
        stryCov_9fa48("124");
        return path.replaceAll(stryMutAct_9fa48("125") ? "" : (stryCov_9fa48("125"), '%'), stryMutAct_9fa48("126") ? "" : (stryCov_9fa48("126"), '%25'));
      }
    }
  }
}