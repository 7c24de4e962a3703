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
import type { RequestHandler, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimits } from '../config.js';
import { Refusal } from '../errors.js';

/**
 * Counts each request against its credential, or, if it has no valid one, against its client address (decision D31), and
 * states the limit that counted in the headers of draft-ietf-httpapi-ratelimit-headers. Valid credentials are never
 * refused for the failures of others at the same address, and only valid ones and addresses take up memory.
 */
export function rateLimit({
  requests,
  failedAuthentications,
  windowSeconds
}: RateLimits): RequestHandler {
  if (stryMutAct_9fa48("206")) {
    {}
  } else {
    stryCov_9fa48("206");
    const byCredential = quota(stryMutAct_9fa48("207") ? "" : (stryCov_9fa48("207"), 'credential'), requests, windowSeconds);
    const byAddress = quota(stryMutAct_9fa48("208") ? "" : (stryCov_9fa48("208"), 'failed-authentication'), failedAuthentications, windowSeconds);
    return async (request, response, next) => {
      if (stryMutAct_9fa48("209")) {
        {}
      } else {
        stryCov_9fa48("209");
        const {
          principal
        } = request;
        const accepted = principal ? await byCredential(principal.credentialId, response) : await byAddress(networkOf(request.socket.remoteAddress), response);
        if (stryMutAct_9fa48("211") ? false : stryMutAct_9fa48("210") ? true : (stryCov_9fa48("210", "211"), accepted)) {
          if (stryMutAct_9fa48("212")) {
            {}
          } else {
            stryCov_9fa48("212");
            next();
            return;
          }
        }
        next(new Refusal(stryMutAct_9fa48("213") ? "" : (stryCov_9fa48("213"), 'request.rate-limit.exceeded')));
      }
    };
  }
}
function quota(name: string, points: number, windowSeconds: number) {
  if (stryMutAct_9fa48("214")) {
    {}
  } else {
    stryCov_9fa48("214");
    const limiter = new RateLimiterMemory(stryMutAct_9fa48("215") ? {} : (stryCov_9fa48("215"), {
      points,
      duration: windowSeconds
    }));
    const policy = stryMutAct_9fa48("216") ? `` : (stryCov_9fa48("216"), `"${name}";q=${points};w=${windowSeconds}`);
    return async (key: string, response: Response): Promise<boolean> => {
      if (stryMutAct_9fa48("217")) {
        {}
      } else {
        stryCov_9fa48("217");
        const {
          accepted,
          state
        } = await limiter.consume(key).then(stryMutAct_9fa48("218") ? () => undefined : (stryCov_9fa48("218"), consumed => stryMutAct_9fa48("219") ? {} : (stryCov_9fa48("219"), {
          accepted: stryMutAct_9fa48("220") ? false : (stryCov_9fa48("220"), true),
          state: consumed
        })), (rejected: unknown) => {
          if (stryMutAct_9fa48("221")) {
            {}
          } else {
            stryCov_9fa48("221");
            if (stryMutAct_9fa48("223") ? false : stryMutAct_9fa48("222") ? true : (stryCov_9fa48("222", "223"), rejected instanceof RateLimiterRes)) return stryMutAct_9fa48("224") ? {} : (stryCov_9fa48("224"), {
              accepted: stryMutAct_9fa48("225") ? true : (stryCov_9fa48("225"), false),
              state: rejected
            });
            throw rejected;
          }
        });
        const resetSeconds = stryMutAct_9fa48("226") ? Math.min(1, Math.ceil(state.msBeforeNext / 1000)) : (stryCov_9fa48("226"), Math.max(1, Math.ceil(stryMutAct_9fa48("227") ? state.msBeforeNext * 1000 : (stryCov_9fa48("227"), state.msBeforeNext / 1000))));
        response.setHeader(stryMutAct_9fa48("228") ? "" : (stryCov_9fa48("228"), 'RateLimit-Policy'), policy);
        response.setHeader(stryMutAct_9fa48("229") ? "" : (stryCov_9fa48("229"), 'RateLimit'), stryMutAct_9fa48("230") ? `` : (stryCov_9fa48("230"), `"${name}";r=${state.remainingPoints};t=${resetSeconds}`));
        if (stryMutAct_9fa48("233") ? false : stryMutAct_9fa48("232") ? true : stryMutAct_9fa48("231") ? accepted : (stryCov_9fa48("231", "232", "233"), !accepted)) response.setHeader(stryMutAct_9fa48("234") ? "" : (stryCov_9fa48("234"), 'Retry-After'), resetSeconds);
        return accepted;
      }
    };
  }
}

/** The network that one client can choose its address from: the address itself, or the /64 of an IPv6 address. */
function networkOf(address: string | undefined): string {
  if (stryMutAct_9fa48("235")) {
    {}
  } else {
    stryCov_9fa48("235");
    if (stryMutAct_9fa48("238") ? address === undefined && !ipaddr.isValid(address) : stryMutAct_9fa48("237") ? false : stryMutAct_9fa48("236") ? true : (stryCov_9fa48("236", "237", "238"), (stryMutAct_9fa48("240") ? address !== undefined : stryMutAct_9fa48("239") ? false : (stryCov_9fa48("239", "240"), address === undefined)) || (stryMutAct_9fa48("241") ? ipaddr.isValid(address) : (stryCov_9fa48("241"), !ipaddr.isValid(address))))) return stryMutAct_9fa48("242") ? "" : (stryCov_9fa48("242"), 'unknown');
    const parsed = ipaddr.process(address);
    return parsed instanceof ipaddr.IPv6 ? stryMutAct_9fa48("243") ? parsed.parts.join(':') : (stryCov_9fa48("243"), parsed.parts.slice(0, 4).join(stryMutAct_9fa48("244") ? "" : (stryCov_9fa48("244"), ':'))) : parsed.toString();
  }
}