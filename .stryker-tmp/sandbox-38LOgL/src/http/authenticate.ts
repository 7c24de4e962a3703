/**
 * Authentication in two steps, so that the rate limit can stand between them: `identify` finds who is calling, with the
 * one look-up that yields all of the caller's rights; `requirePrincipal` refuses whoever was not found.
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
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { credentialState } from '../domain/credential.js';
import type { Principal } from '../domain/principal.js';
import type { Region } from '../domain/region.js';
import { type CredentialKind, hashesMatch, hashSecret, isWellFormedSecret } from '../domain/secret.js';
import { Refusal } from '../errors.js';
import type { OperationStore } from '../store/store.js';
import { type MatchedOperation, operationOf } from './request-state.js';
interface Scheme {
  readonly kind: CredentialKind;
  readonly header: string;
  /** The secret in the header's value, if that has the scheme's form. */
  read(value: string): string | undefined;
  /** The challenge of a 401 answer, by the realm and whether a credential was sent (RFC 9110, RFC 6750). */
  challenge(realm: string, sent: boolean): string;
}
const schemes: Record<MatchedOperation['securityScheme'], Scheme> = stryMutAct_9fa48("0") ? {} : (stryCov_9fa48("0"), {
  apiKey: stryMutAct_9fa48("1") ? {} : (stryCov_9fa48("1"), {
    kind: stryMutAct_9fa48("2") ? "" : (stryCov_9fa48("2"), 'api-key'),
    header: stryMutAct_9fa48("3") ? "" : (stryCov_9fa48("3"), 'x-api-key'),
    read: stryMutAct_9fa48("4") ? () => undefined : (stryCov_9fa48("4"), value => value),
    challenge: stryMutAct_9fa48("5") ? () => undefined : (stryCov_9fa48("5"), realm => stryMutAct_9fa48("6") ? `` : (stryCov_9fa48("6"), `ApiKey realm="${realm}"`))
  }),
  accessToken: stryMutAct_9fa48("7") ? {} : (stryCov_9fa48("7"), {
    kind: stryMutAct_9fa48("8") ? "" : (stryCov_9fa48("8"), 'access-token'),
    header: stryMutAct_9fa48("9") ? "" : (stryCov_9fa48("9"), 'authorization'),
    read: stryMutAct_9fa48("10") ? () => undefined : (stryCov_9fa48("10"), value => stryMutAct_9fa48("11") ? /^Bearer +(\S+)$/i.exec(value)[1] : (stryCov_9fa48("11"), (stryMutAct_9fa48("16") ? /^Bearer +(\s+)$/i : stryMutAct_9fa48("15") ? /^Bearer +(\S)$/i : stryMutAct_9fa48("14") ? /^Bearer (\S+)$/i : stryMutAct_9fa48("13") ? /^Bearer +(\S+)/i : stryMutAct_9fa48("12") ? /Bearer +(\S+)$/i : (stryCov_9fa48("12", "13", "14", "15", "16"), /^Bearer +(\S+)$/i)).exec(value)?.[1])),
    challenge: stryMutAct_9fa48("17") ? () => undefined : (stryCov_9fa48("17"), (realm, sent) => stryMutAct_9fa48("18") ? `` : (stryCov_9fa48("18"), `Bearer realm="${realm}"${sent ? stryMutAct_9fa48("19") ? "" : (stryCov_9fa48("19"), ', error="invalid_token"') : stryMutAct_9fa48("20") ? "Stryker was here!" : (stryCov_9fa48("20"), '')}`))
  })
});

/** Finds the principal that the operation's credential stands for, if it is valid now. */
export function identify(region: Region, store: Pick<OperationStore, 'findCredential'>, now: () => Date): RequestHandler {
  if (stryMutAct_9fa48("21")) {
    {}
  } else {
    stryCov_9fa48("21");
    return async (request, _response, next) => {
      if (stryMutAct_9fa48("22")) {
        {}
      } else {
        stryCov_9fa48("22");
        const scheme = schemes[operationOf(request).securityScheme];
        const secret = presentedSecret(request, scheme);
        const principal = (stryMutAct_9fa48("25") ? secret !== undefined : stryMutAct_9fa48("24") ? false : stryMutAct_9fa48("23") ? true : (stryCov_9fa48("23", "24", "25"), secret === undefined)) ? undefined : await findPrincipal(secret, scheme.kind);
        if (stryMutAct_9fa48("27") ? false : stryMutAct_9fa48("26") ? true : (stryCov_9fa48("26", "27"), principal)) request.principal = principal;
        next();
      }
    };
    async function findPrincipal(secret: string, kind: CredentialKind): Promise<Principal | undefined> {
      if (stryMutAct_9fa48("28")) {
        {}
      } else {
        stryCov_9fa48("28");
        if (stryMutAct_9fa48("31") ? false : stryMutAct_9fa48("30") ? true : stryMutAct_9fa48("29") ? isWellFormedSecret(secret, kind, region) : (stryCov_9fa48("29", "30", "31"), !isWellFormedSecret(secret, kind, region))) return undefined;
        const hash = hashSecret(secret);
        const credential = await store.findCredential(hash);
        if (stryMutAct_9fa48("34") ? (!credential || credential.kind !== kind) && !hashesMatch(credential.secret_sha256, hash) : stryMutAct_9fa48("33") ? false : stryMutAct_9fa48("32") ? true : (stryCov_9fa48("32", "33", "34"), (stryMutAct_9fa48("36") ? !credential && credential.kind !== kind : stryMutAct_9fa48("35") ? false : (stryCov_9fa48("35", "36"), (stryMutAct_9fa48("37") ? credential : (stryCov_9fa48("37"), !credential)) || (stryMutAct_9fa48("39") ? credential.kind === kind : stryMutAct_9fa48("38") ? false : (stryCov_9fa48("38", "39"), credential.kind !== kind)))) || (stryMutAct_9fa48("40") ? hashesMatch(credential.secret_sha256, hash) : (stryCov_9fa48("40"), !hashesMatch(credential.secret_sha256, hash))))) return undefined;
        if (stryMutAct_9fa48("43") ? credentialState(credential, now()) === 'active' : stryMutAct_9fa48("42") ? false : stryMutAct_9fa48("41") ? true : (stryCov_9fa48("41", "42", "43"), credentialState(credential, now()) !== (stryMutAct_9fa48("44") ? "" : (stryCov_9fa48("44"), 'active')))) return undefined;
        return stryMutAct_9fa48("45") ? {} : (stryCov_9fa48("45"), {
          credentialId: credential.credential_id,
          organisationId: credential.organisation_id,
          permissions: new Set(credential.permissions),
          features: new Set(credential.features)
        });
      }
    }
  }
}

/** Refuses a request whose principal is unknown. The answer is the same whatever is wrong with the credential. */
export function requirePrincipal(region: Region): RequestHandler {
  if (stryMutAct_9fa48("46")) {
    {}
  } else {
    stryCov_9fa48("46");
    const realm = stryMutAct_9fa48("47") ? `` : (stryCov_9fa48("47"), `document-analysis-${region}`);
    return (request, _response, next) => {
      if (stryMutAct_9fa48("48")) {
        {}
      } else {
        stryCov_9fa48("48");
        if (stryMutAct_9fa48("50") ? false : stryMutAct_9fa48("49") ? true : (stryCov_9fa48("49", "50"), request.principal)) {
          if (stryMutAct_9fa48("51")) {
            {}
          } else {
            stryCov_9fa48("51");
            next();
            return;
          }
        }
        const scheme = schemes[operationOf(request).securityScheme];
        const headers = stryMutAct_9fa48("52") ? {} : (stryCov_9fa48("52"), {
          'WWW-Authenticate': scheme.challenge(realm, stryMutAct_9fa48("55") ? request.headers[scheme.header] === undefined : stryMutAct_9fa48("54") ? false : stryMutAct_9fa48("53") ? true : (stryCov_9fa48("53", "54", "55"), request.headers[scheme.header] !== undefined))
        });
        next(new Refusal(stryMutAct_9fa48("56") ? "" : (stryCov_9fa48("56"), 'request.authentication.invalid-token'), stryMutAct_9fa48("57") ? {} : (stryCov_9fa48("57"), {
          headers
        })));
      }
    };
  }
}

/** A header that was sent twice is ambiguous and counts as malformed. */
function presentedSecret(request: IncomingMessage, scheme: Scheme): string | undefined {
  if (stryMutAct_9fa48("58")) {
    {}
  } else {
    stryCov_9fa48("58");
    const values = request.headersDistinct[scheme.header];
    return (stryMutAct_9fa48("61") ? values?.length === 1 || values[0] !== undefined : stryMutAct_9fa48("60") ? false : stryMutAct_9fa48("59") ? true : (stryCov_9fa48("59", "60", "61"), (stryMutAct_9fa48("63") ? values?.length !== 1 : stryMutAct_9fa48("62") ? true : (stryCov_9fa48("62", "63"), (stryMutAct_9fa48("64") ? values.length : (stryCov_9fa48("64"), values?.length)) === 1)) && (stryMutAct_9fa48("66") ? values[0] === undefined : stryMutAct_9fa48("65") ? true : (stryCov_9fa48("65", "66"), values[0] !== undefined)))) ? scheme.read(values[0]) : undefined;
  }
}