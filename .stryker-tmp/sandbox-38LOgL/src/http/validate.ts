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
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { error as validatorError, middleware } from 'express-openapi-validator';
import { openApiDocument } from './document.js';
import { validationRefusal } from './validation-refusal.js';
type Spec = Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;

/**
 * Enforces the document's schemas on the request with express-openapi-validator. Who may call was settled before; a
 * request that the validator does not recognise goes no further.
 */
export function validate(): (RequestHandler | ErrorRequestHandler)[] {
  if (stryMutAct_9fa48("419")) {
    {}
  } else {
    stryCov_9fa48("419");
    return stryMutAct_9fa48("420") ? [] : (stryCov_9fa48("420"), [...middleware(stryMutAct_9fa48("421") ? {} : (stryCov_9fa48("421"), {
      apiSpec: structuredClone(openApiDocument) as Spec,
      validateApiSpec: stryMutAct_9fa48("422") ? true : (stryCov_9fa48("422"), false),
      validateRequests: stryMutAct_9fa48("423") ? {} : (stryCov_9fa48("423"), {
        allErrors: stryMutAct_9fa48("424") ? false : (stryCov_9fa48("424"), true),
        allowUnknownQueryParameters: stryMutAct_9fa48("425") ? false : (stryCov_9fa48("425"), true)
      }),
      validateResponses: stryMutAct_9fa48("426") ? true : (stryCov_9fa48("426"), false),
      validateSecurity: stryMutAct_9fa48("427") ? true : (stryCov_9fa48("427"), false),
      fileUploader: stryMutAct_9fa48("428") ? true : (stryCov_9fa48("428"), false)
    })), requireRecognised, refuseInvalid]);
  }
}
const requireRecognised: RequestHandler = (request, _response, next) => {
  if (stryMutAct_9fa48("429")) {
    {}
  } else {
    stryCov_9fa48("429");
    if (stryMutAct_9fa48("432") ? false : stryMutAct_9fa48("431") ? true : stryMutAct_9fa48("430") ? 'openapi' in request : (stryCov_9fa48("430", "431", "432"), !((stryMutAct_9fa48("433") ? "" : (stryCov_9fa48("433"), 'openapi')) in request))) throw new Error(stryMutAct_9fa48("434") ? `` : (stryCov_9fa48("434"), `The validator does not know ${request.method} ${request.path}`));
    next();
  }
};
const refuseInvalid: ErrorRequestHandler = (error, _request, _response, next) => {
  if (stryMutAct_9fa48("435")) {
    {}
  } else {
    stryCov_9fa48("435");
    if (stryMutAct_9fa48("438") ? false : stryMutAct_9fa48("437") ? true : stryMutAct_9fa48("436") ? error instanceof validatorError.BadRequest : (stryCov_9fa48("436", "437", "438"), !(error instanceof validatorError.BadRequest))) {
      if (stryMutAct_9fa48("439")) {
        {}
      } else {
        stryCov_9fa48("439");
        next(error);
        return;
      }
    }
    next(validationRefusal(error.errors.map(({
      path,
      message,
      errorCode
    }) => {
      if (stryMutAct_9fa48("440")) {
        {}
      } else {
        stryCov_9fa48("440");
        const field = path.replace(stryMutAct_9fa48("442") ? /^\/body\// : stryMutAct_9fa48("441") ? /\/body\/?/ : (stryCov_9fa48("441", "442"), /^\/body\/?/), stryMutAct_9fa48("443") ? "Stryker was here!" : (stryCov_9fa48("443"), ''));
        const rule = (stryMutAct_9fa48("444") ? errorCode && '' : (stryCov_9fa48("444"), errorCode ?? (stryMutAct_9fa48("445") ? "Stryker was here!" : (stryCov_9fa48("445"), '')))).replace(stryMutAct_9fa48("446") ? "" : (stryCov_9fa48("446"), '.openapi.validation'), stryMutAct_9fa48("447") ? "Stryker was here!" : (stryCov_9fa48("447"), ''));
        return stryMutAct_9fa48("448") ? {} : (stryCov_9fa48("448"), {
          field,
          message: (stryMutAct_9fa48("451") ? field === '' || rule === 'required' : stryMutAct_9fa48("450") ? false : stryMutAct_9fa48("449") ? true : (stryCov_9fa48("449", "450", "451"), (stryMutAct_9fa48("453") ? field !== '' : stryMutAct_9fa48("452") ? true : (stryCov_9fa48("452", "453"), field === (stryMutAct_9fa48("454") ? "Stryker was here!" : (stryCov_9fa48("454"), '')))) && (stryMutAct_9fa48("456") ? rule !== 'required' : stryMutAct_9fa48("455") ? true : (stryCov_9fa48("455", "456"), rule === (stryMutAct_9fa48("457") ? "" : (stryCov_9fa48("457"), 'required')))))) ? stryMutAct_9fa48("458") ? "" : (stryCov_9fa48("458"), 'a body is required') : message,
          rule
        });
      }
    })));
  }
};