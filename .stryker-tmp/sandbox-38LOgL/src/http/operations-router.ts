/**
 * Finds and binds operations by operationId with openapi-backend. It is used as a router alone, since it fails open:
 * authentication and validation are steps of their own, and the set of handlers is checked here at start.
 */
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
import { type HandlerMap, OpenAPIBackend } from 'openapi-backend';
import { type OperationId, operations } from '../../generated/operations.js';
import { Refusal } from '../errors.js';
import type { AnyOperationHandler, OperationHandlers } from '../operations/operation.js';
import { openApiDocument } from './document.js';
import type { MatchedOperation } from './request-state.js';
const methods = stryMutAct_9fa48("156") ? [] : (stryCov_9fa48("156"), [stryMutAct_9fa48("157") ? "" : (stryCov_9fa48("157"), 'get'), stryMutAct_9fa48("158") ? "" : (stryCov_9fa48("158"), 'put'), stryMutAct_9fa48("159") ? "" : (stryCov_9fa48("159"), 'post'), stryMutAct_9fa48("160") ? "" : (stryCov_9fa48("160"), 'delete'), stryMutAct_9fa48("161") ? "" : (stryCov_9fa48("161"), 'patch'), stryMutAct_9fa48("162") ? "" : (stryCov_9fa48("162"), 'options'), stryMutAct_9fa48("163") ? "" : (stryCov_9fa48("163"), 'trace')]);
export interface OperationMatch {
  operation: MatchedOperation;
  pathParameters: Record<string, string>;
}
export interface OperationsRouter {
  /** The operation of a canonical method and path, or the refusal of a path (404) or method (405) that has none. */
  find(method: string, path: string): OperationMatch | Refusal;
  /** The handler bound to an operationId. */
  handler(operationId: OperationId): AnyOperationHandler;
}

/** @throws {Error} if handlers and operationIds of the document are not the same set */
export async function createOperationsRouter(handlers: OperationHandlers): Promise<OperationsRouter> {
  if (stryMutAct_9fa48("164")) {
    {}
  } else {
    stryCov_9fa48("164");
    const api = new OpenAPIBackend(stryMutAct_9fa48("165") ? {} : (stryCov_9fa48("165"), {
      definition: structuredClone(openApiDocument),
      handlers: handlers as unknown as HandlerMap,
      strict: stryMutAct_9fa48("166") ? false : (stryCov_9fa48("166"), true),
      validate: stryMutAct_9fa48("167") ? true : (stryCov_9fa48("167"), false),
      ignoreTrailingSlashes: stryMutAct_9fa48("168") ? true : (stryCov_9fa48("168"), false)
    }));
    await api.init();
    for (const {
      operationId
    } of api.router.getOperations()) if (stryMutAct_9fa48("171") ? operationId === undefined && !Object.hasOwn(handlers, operationId) : stryMutAct_9fa48("170") ? false : stryMutAct_9fa48("169") ? true : (stryCov_9fa48("169", "170", "171"), (stryMutAct_9fa48("173") ? operationId !== undefined : stryMutAct_9fa48("172") ? false : (stryCov_9fa48("172", "173"), operationId === undefined)) || (stryMutAct_9fa48("174") ? Object.hasOwn(handlers, operationId) : (stryCov_9fa48("174"), !Object.hasOwn(handlers, operationId))))) throw new Error(stryMutAct_9fa48("175") ? `` : (stryCov_9fa48("175"), `The operation ${stryMutAct_9fa48("176") ? operationId && 'without operationId' : (stryCov_9fa48("176"), operationId ?? (stryMutAct_9fa48("177") ? "" : (stryCov_9fa48("177"), 'without operationId')))} has no handler.`));
    const match = stryMutAct_9fa48("178") ? () => undefined : (stryCov_9fa48("178"), (() => {
      const match = (method: string, path: string) => api.matchOperation(stryMutAct_9fa48("179") ? {} : (stryCov_9fa48("179"), {
        method,
        path,
        headers: {}
      }));
      return match;
    })());
    return stryMutAct_9fa48("180") ? {} : (stryCov_9fa48("180"), {
      find(method, path) {
        if (stryMutAct_9fa48("181")) {
          {}
        } else {
          stryCov_9fa48("181");
          const matched = match(method, path);
          if (stryMutAct_9fa48("184") ? false : stryMutAct_9fa48("183") ? true : stryMutAct_9fa48("182") ? matched : (stryCov_9fa48("182", "183", "184"), !matched)) return refuse(path);
          const operationId = matched.operationId as OperationId;
          return stryMutAct_9fa48("185") ? {} : (stryCov_9fa48("185"), {
            operation: stryMutAct_9fa48("186") ? {} : (stryCov_9fa48("186"), {
              operationId,
              ...operations[operationId]
            }),
            pathParameters: api.router.parseRequest({
              method,
              path,
              headers: {}
            }, matched).params as Record<string, string>
          });
        }
      },
      handler: stryMutAct_9fa48("187") ? () => undefined : (stryCov_9fa48("187"), operationId => api.handlers[operationId] as unknown as AnyOperationHandler)
    });
    function refuse(path: string): Refusal {
      if (stryMutAct_9fa48("188")) {
        {}
      } else {
        stryCov_9fa48("188");
        const allowed = stryMutAct_9fa48("189") ? methods.map(method => method.toUpperCase()) : (stryCov_9fa48("189"), methods.filter(stryMutAct_9fa48("190") ? () => undefined : (stryCov_9fa48("190"), method => match(method, path))).map(stryMutAct_9fa48("191") ? () => undefined : (stryCov_9fa48("191"), method => stryMutAct_9fa48("192") ? method.toLowerCase() : (stryCov_9fa48("192"), method.toUpperCase()))));
        if (stryMutAct_9fa48("195") ? allowed.length !== 0 : stryMutAct_9fa48("194") ? false : stryMutAct_9fa48("193") ? true : (stryCov_9fa48("193", "194", "195"), allowed.length === 0)) return new Refusal(stryMutAct_9fa48("196") ? "" : (stryCov_9fa48("196"), 'request.not-found'));
        if (stryMutAct_9fa48("198") ? false : stryMutAct_9fa48("197") ? true : (stryCov_9fa48("197", "198"), allowed.includes(stryMutAct_9fa48("199") ? "" : (stryCov_9fa48("199"), 'GET')))) allowed.push(stryMutAct_9fa48("200") ? "" : (stryCov_9fa48("200"), 'HEAD'));
        return new Refusal(stryMutAct_9fa48("201") ? "" : (stryCov_9fa48("201"), 'request.method-not-allowed'), stryMutAct_9fa48("202") ? {} : (stryCov_9fa48("202"), {
          headers: stryMutAct_9fa48("203") ? {} : (stryCov_9fa48("203"), {
            Allow: stryMutAct_9fa48("204") ? allowed.join(', ') : (stryCov_9fa48("204"), allowed.sort().join(stryMutAct_9fa48("205") ? "" : (stryCov_9fa48("205"), ', ')))
          })
        }));
      }
    }
  }
}