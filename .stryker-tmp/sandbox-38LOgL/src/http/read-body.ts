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
import { parse as parseContentType } from 'content-type';
import type { Request, RequestHandler, Response } from 'express';
import getRawBody from 'raw-body';
import { Refusal } from '../errors.js';
import { operationOf } from './request-state.js';
import { validationRefusal } from './validation-refusal.js';
const limitBytes = stryMutAct_9fa48("245") ? 16 / 1024 : (stryCov_9fa48("245"), 16 * 1024);

/**
 * Reads the JSON body of an operation that declares one; other bodies are left unread. The media type is checked here and
 * then put into its one canonical form, because express-openapi-validator compiles and keeps a validator for each
 * spelling it meets.
 */
export const readBody: RequestHandler = async (request, response, next) => {
  if (stryMutAct_9fa48("246")) {
    {}
  } else {
    stryCov_9fa48("246");
    if (stryMutAct_9fa48("249") ? false : stryMutAct_9fa48("248") ? true : stryMutAct_9fa48("247") ? operationOf(request).hasRequestBody : (stryCov_9fa48("247", "248", "249"), !operationOf(request).hasRequestBody)) {
      if (stryMutAct_9fa48("250")) {
        {}
      } else {
        stryCov_9fa48("250");
        next();
        return;
      }
    }
    const body = await readDeclaredBody(request, response);
    if (stryMutAct_9fa48("252") ? false : stryMutAct_9fa48("251") ? true : (stryCov_9fa48("251", "252"), body instanceof Refusal)) {
      if (stryMutAct_9fa48("253")) {
        {}
      } else {
        stryCov_9fa48("253");
        next(body);
        return;
      }
    }
    request.headers[stryMutAct_9fa48("254") ? "" : (stryCov_9fa48("254"), 'content-type')] = stryMutAct_9fa48("255") ? "" : (stryCov_9fa48("255"), 'application/json');
    request.body = body;
    next();
  }
};
async function readDeclaredBody(request: Request, response: Response): Promise<unknown> {
  if (stryMutAct_9fa48("256")) {
    {}
  } else {
    stryCov_9fa48("256");
    if (stryMutAct_9fa48("259") ? false : stryMutAct_9fa48("258") ? true : stryMutAct_9fa48("257") ? hasBody(request) : (stryCov_9fa48("257", "258", "259"), !hasBody(request))) return undefined;
    if (stryMutAct_9fa48("262") ? false : stryMutAct_9fa48("261") ? true : stryMutAct_9fa48("260") ? isPlainJson(request) : (stryCov_9fa48("260", "261", "262"), !isPlainJson(request))) return new Refusal(stryMutAct_9fa48("263") ? "" : (stryCov_9fa48("263"), 'request.media-type.unsupported'));
    if (stryMutAct_9fa48("266") ? request.headers.expect !== undefined || contentLength(request) <= limitBytes : stryMutAct_9fa48("265") ? false : stryMutAct_9fa48("264") ? true : (stryCov_9fa48("264", "265", "266"), (stryMutAct_9fa48("268") ? request.headers.expect === undefined : stryMutAct_9fa48("267") ? true : (stryCov_9fa48("267", "268"), request.headers.expect !== undefined)) && (stryMutAct_9fa48("271") ? contentLength(request) > limitBytes : stryMutAct_9fa48("270") ? contentLength(request) < limitBytes : stryMutAct_9fa48("269") ? true : (stryCov_9fa48("269", "270", "271"), contentLength(request) <= limitBytes)))) response.writeContinue();
    return readJson(request);
  }
}
function hasBody(request: Request): boolean {
  if (stryMutAct_9fa48("272")) {
    {}
  } else {
    stryCov_9fa48("272");
    return stryMutAct_9fa48("275") ? request.headers['transfer-encoding'] !== undefined && contentLength(request) > 0 : stryMutAct_9fa48("274") ? false : stryMutAct_9fa48("273") ? true : (stryCov_9fa48("273", "274", "275"), (stryMutAct_9fa48("277") ? request.headers['transfer-encoding'] === undefined : stryMutAct_9fa48("276") ? false : (stryCov_9fa48("276", "277"), request.headers[stryMutAct_9fa48("278") ? "" : (stryCov_9fa48("278"), 'transfer-encoding')] !== undefined)) || (stryMutAct_9fa48("281") ? contentLength(request) <= 0 : stryMutAct_9fa48("280") ? contentLength(request) >= 0 : stryMutAct_9fa48("279") ? false : (stryCov_9fa48("279", "280", "281"), contentLength(request) > 0)));
  }
}
function contentLength({
  headers
}: Request): number {
  if (stryMutAct_9fa48("282")) {
    {}
  } else {
    stryCov_9fa48("282");
    return Number(stryMutAct_9fa48("283") ? headers['content-length'] && 0 : (stryCov_9fa48("283"), headers[stryMutAct_9fa48("284") ? "" : (stryCov_9fa48("284"), 'content-length')] ?? 0));
  }
}
function isPlainJson({
  headers
}: Request): boolean {
  if (stryMutAct_9fa48("285")) {
    {}
  } else {
    stryCov_9fa48("285");
    if (stryMutAct_9fa48("288") ? (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity' : stryMutAct_9fa48("287") ? false : stryMutAct_9fa48("286") ? true : (stryCov_9fa48("286", "287", "288"), (stryMutAct_9fa48("289") ? (headers['content-encoding'] ?? 'identity').toUpperCase() : (stryCov_9fa48("289"), (stryMutAct_9fa48("290") ? headers['content-encoding'] && 'identity' : (stryCov_9fa48("290"), headers[stryMutAct_9fa48("291") ? "" : (stryCov_9fa48("291"), 'content-encoding')] ?? (stryMutAct_9fa48("292") ? "" : (stryCov_9fa48("292"), 'identity')))).toLowerCase())) !== (stryMutAct_9fa48("293") ? "" : (stryCov_9fa48("293"), 'identity')))) return stryMutAct_9fa48("294") ? true : (stryCov_9fa48("294"), false);
    try {
      if (stryMutAct_9fa48("295")) {
        {}
      } else {
        stryCov_9fa48("295");
        const {
          type,
          parameters
        } = parseContentType(stryMutAct_9fa48("296") ? headers['content-type'] && '' : (stryCov_9fa48("296"), headers[stryMutAct_9fa48("297") ? "" : (stryCov_9fa48("297"), 'content-type')] ?? (stryMutAct_9fa48("298") ? "Stryker was here!" : (stryCov_9fa48("298"), ''))));
        return stryMutAct_9fa48("301") ? type === 'application/json' || (parameters['charset'] ?? 'utf-8').toLowerCase() === 'utf-8' : stryMutAct_9fa48("300") ? false : stryMutAct_9fa48("299") ? true : (stryCov_9fa48("299", "300", "301"), (stryMutAct_9fa48("303") ? type !== 'application/json' : stryMutAct_9fa48("302") ? true : (stryCov_9fa48("302", "303"), type === (stryMutAct_9fa48("304") ? "" : (stryCov_9fa48("304"), 'application/json')))) && (stryMutAct_9fa48("306") ? (parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8' : stryMutAct_9fa48("305") ? true : (stryCov_9fa48("305", "306"), (stryMutAct_9fa48("307") ? (parameters['charset'] ?? 'utf-8').toUpperCase() : (stryCov_9fa48("307"), (stryMutAct_9fa48("308") ? parameters['charset'] && 'utf-8' : (stryCov_9fa48("308"), parameters[stryMutAct_9fa48("309") ? "" : (stryCov_9fa48("309"), 'charset')] ?? (stryMutAct_9fa48("310") ? "" : (stryCov_9fa48("310"), 'utf-8')))).toLowerCase())) === (stryMutAct_9fa48("311") ? "" : (stryCov_9fa48("311"), 'utf-8')))));
      }
    } catch {
      if (stryMutAct_9fa48("312")) {
        {}
      } else {
        stryCov_9fa48("312");
        return stryMutAct_9fa48("313") ? true : (stryCov_9fa48("313"), false);
      }
    }
  }
}
async function readJson(request: Request): Promise<unknown> {
  if (stryMutAct_9fa48("314")) {
    {}
  } else {
    stryCov_9fa48("314");
    let text: string;
    try {
      if (stryMutAct_9fa48("315")) {
        {}
      } else {
        stryCov_9fa48("315");
        text = await getRawBody(request, stryMutAct_9fa48("316") ? {} : (stryCov_9fa48("316"), {
          encoding: stryMutAct_9fa48("317") ? "" : (stryCov_9fa48("317"), 'utf-8'),
          limit: limitBytes,
          length: stryMutAct_9fa48("318") ? request.headers['content-length'] && null : (stryCov_9fa48("318"), request.headers[stryMutAct_9fa48("319") ? "" : (stryCov_9fa48("319"), 'content-length')] ?? null)
        }));
      }
    } catch (error) {
      if (stryMutAct_9fa48("320")) {
        {}
      } else {
        stryCov_9fa48("320");
        // What is still on its way is thrown away, so that the connection can carry the next request.
        request.resume();
        const tooLarge = stryMutAct_9fa48("323") ? (error as getRawBody.RawBodyError).type !== 'entity.too.large' : stryMutAct_9fa48("322") ? false : stryMutAct_9fa48("321") ? true : (stryCov_9fa48("321", "322", "323"), (error as getRawBody.RawBodyError).type === (stryMutAct_9fa48("324") ? "" : (stryCov_9fa48("324"), 'entity.too.large')));
        return new Refusal(tooLarge ? stryMutAct_9fa48("325") ? "" : (stryCov_9fa48("325"), 'request.body.too-large') : stryMutAct_9fa48("326") ? "" : (stryCov_9fa48("326"), 'request.malformed'));
      }
    }
    try {
      if (stryMutAct_9fa48("327")) {
        {}
      } else {
        stryCov_9fa48("327");
        return JSON.parse(text) as unknown;
      }
    } catch {
      if (stryMutAct_9fa48("328")) {
        {}
      } else {
        stryCov_9fa48("328");
        return validationRefusal(stryMutAct_9fa48("329") ? [] : (stryCov_9fa48("329"), [stryMutAct_9fa48("330") ? {} : (stryCov_9fa48("330"), {
          field: stryMutAct_9fa48("331") ? "Stryker was here!" : (stryCov_9fa48("331"), ''),
          message: stryMutAct_9fa48("332") ? "" : (stryCov_9fa48("332"), 'must be valid JSON'),
          rule: stryMutAct_9fa48("333") ? "" : (stryCov_9fa48("333"), 'json')
        })]));
      }
    }
  }
}