// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.

import type * as schemas from './schemas.ts';
import type { operations } from './types.ts';

/**
 * The base addresses of each region: `caseBaseUrl` for paths with servers of their own, `baseUrl` for all others.
 */
export const servers = {
  "uk": {
    "baseUrl": "https://api.uk.document-analysis.example",
    "caseBaseUrl": "https://cases.uk.document-analysis.example"
  },
  "ca": {
    "baseUrl": "https://api.ca.document-analysis.example",
    "caseBaseUrl": "https://cases.ca.document-analysis.example"
  }
} as const;

/** How each credential is sent: the header, and the prefix of the secret. */
export const credentialHeaders = {
  "apiKey": {
    "header": "x-api-key",
    "prefix": ""
  },
  "accessToken": {
    "header": "authorization",
    "prefix": "Bearer "
  }
} as const;

/** What the client knows about each operation at run time. */
export const endpoints = {
  "getVerificationSetting": {
    "method": "get",
    "path": "/organisations/features/verification",
    "base": "baseUrl",
    "responses": {
      "200": {
        "as": "json"
      }
    },
    "errorStatuses": [
      "400",
      "401",
      "403",
      "404",
      "405",
      "408",
      "429",
      "431",
      "500",
      "503"
    ],
    "security": [
      [
        "apiKey"
      ]
    ]
  },
  "updateVerificationSetting": {
    "method": "put",
    "path": "/organisations/features/verification",
    "base": "baseUrl",
    "requestMediaType": "application/json",
    "responses": {
      "200": {
        "as": "json"
      }
    },
    "errorStatuses": [
      "400",
      "401",
      "403",
      "404",
      "405",
      "408",
      "413",
      "415",
      "429",
      "431",
      "500",
      "503"
    ],
    "security": [
      [
        "apiKey"
      ]
    ]
  },
  "getCase": {
    "method": "get",
    "path": "/cases/{id}",
    "base": "caseBaseUrl",
    "pathParameters": {
      "id": "string"
    },
    "responses": {
      "200": {
        "as": "json"
      }
    },
    "errorStatuses": [
      "400",
      "401",
      "404",
      "405",
      "408",
      "429",
      "431",
      "500",
      "503"
    ],
    "security": [
      [
        "accessToken"
      ]
    ]
  }
} as const;

/** A region of the platform. */
export type Region = keyof typeof servers;

/** An operationId of the document. */
export type OperationId = keyof typeof endpoints;

/** A call in flight: resolves with the body of the response. */
export interface Call<Data> extends Promise<Data> {
  /** Resolves with the body, the status and the headers. */
  withResponse(): Promise<{ readonly data: Data; readonly status: number; readonly headers: Headers }>;
}

/** Every operation of the document, as a method. */
export interface Operations<Options> {
  /**
   * Read the verification setting.
   *
   * Tells whether verification checks run on the analyses of the caller's organisation. The setting is off until
   * somebody switches it on. By default, the Owner and Member roles hold the permission.
   *
   * Headers of the response: X-Request-Id, Cache-Control, RateLimit-Policy, RateLimit.
   * @throws {ApiError} 401: request.authentication.invalid-token
   * @throws {ApiError} 403: request.forbidden, request.organisations.feature-flag.not-enabled
   * @throws {ApiError} 429: request.rate-limit.exceeded
   * @throws {ApiError} 500: service.internal-error
   * @throws {ApiError} 503: service.unavailable
   * @example
   * ```ts
   * import { createClient } from 'document-analysis-client';
   *
   * const client = createClient({ region: 'uk', apiKey });
   * const { enabled } = await client.getVerificationSetting();
   * console.log(enabled);
   * ```
   */
  getVerificationSetting(options?: Options): Call<schemas.VerificationSetting>;
  /**
   * Switch verification checks on or off.
   *
   * Saves whether verification checks run on the analyses of the caller's organisation and returns the saved
   * value. The new value counts for analyses that start afterwards; results that exist already are neither
   * repeated nor altered.
   *
   * When the value changes, the organisation's cached analysis results are cleared, so that a file uploaded again
   * is analysed afresh. Sending the value that is already held clears nothing. Every successful call is written to the audit
   * log. The call is idempotent and can be repeated safely. By default, only the Owner role holds the permission.
   *
   * Headers of the response: X-Request-Id, Cache-Control, RateLimit-Policy, RateLimit.
   * @param body The value to hold from now on, at most 16 KiB of JSON.
   * @throws {ApiError} 400: request.validation.failed
   * @throws {ApiError} 401: request.authentication.invalid-token
   * @throws {ApiError} 403: request.forbidden, request.organisations.feature-flag.not-enabled
   * @throws {ApiError} 413: request.body.too-large
   * @throws {ApiError} 415: request.media-type.unsupported
   * @throws {ApiError} 429: request.rate-limit.exceeded
   * @throws {ApiError} 500: service.internal-error
   * @throws {ApiError} 503: service.unavailable
   * @example
   * ```ts
   * import { createClient } from 'document-analysis-client';
   *
   * const client = createClient({ region: 'uk', apiKey });
   * const { enabled } = await client.updateVerificationSetting({ enabled: true });
   * console.log(enabled);
   * ```
   */
  updateVerificationSetting(body: schemas.VerificationSettingUpdate, options?: Options): Call<schemas.VerificationSetting>;
  /**
   * Read a case and its files.
   *
   * Returns one case of the caller's organisation with every file that belongs to it, the oldest upload first. A
   * case that does not exist and a case of another organisation get the same response.
   *
   * Headers of the response: X-Request-Id, Cache-Control, RateLimit-Policy, RateLimit.
   * @param id The case's identifier, as in its `case_id`.
   * @throws {ApiError} 401: request.authentication.invalid-token
   * @throws {ApiError} 404: request.cases.case.not-found
   * @throws {ApiError} 429: request.rate-limit.exceeded
   * @throws {ApiError} 500: service.internal-error
   * @throws {ApiError} 503: service.unavailable
   * @example
   * ```ts
   * import { createClient } from 'document-analysis-client';
   *
   * const client = createClient({ region: 'uk', accessToken });
   * const { file_analysis_status, files } = await client.getCase(caseId);
   * console.log(file_analysis_status, files.length);
   * ```
   */
  getCase(id: operations['getCase']['parameters']['path']['id'], options?: Options): Call<schemas.Case>;
}

/** The credentials that the operations require; `Credential` is their type. */
export interface Credentials<Credential> {
  /** A key of the organisation. What it may do follows from the role it was issued with. */
  readonly apiKey?: Credential | undefined;
  /**
   * An access token of the organisation, sent as `Bearer <ACCESS_TOKEN>` (RFC 6750): one that the operator issued, or
   * a JSON Web Token (RFC 9068) of the identity provider that the operator has configured, if any.
   */
  readonly accessToken?: Credential | undefined;
}

/** The error codes that the document lists for each operation, by status. */
export interface ErrorCodes {
  getVerificationSetting: {
    400: 'request.malformed';
    401: 'request.authentication.invalid-token';
    403: 'request.forbidden' | 'request.organisations.feature-flag.not-enabled';
    404: 'request.not-found';
    405: 'request.method-not-allowed';
    408: 'request.timed-out';
    429: 'request.rate-limit.exceeded';
    431: 'request.header.too-large';
    500: 'service.internal-error';
    503: 'service.unavailable';
  };
  updateVerificationSetting: {
    400: 'request.validation.failed' | 'request.malformed';
    401: 'request.authentication.invalid-token';
    403: 'request.forbidden' | 'request.organisations.feature-flag.not-enabled';
    404: 'request.not-found';
    405: 'request.method-not-allowed';
    408: 'request.timed-out';
    413: 'request.body.too-large';
    415: 'request.media-type.unsupported';
    429: 'request.rate-limit.exceeded';
    431: 'request.header.too-large';
    500: 'service.internal-error';
    503: 'service.unavailable';
  };
  getCase: {
    400: 'request.malformed';
    401: 'request.authentication.invalid-token';
    404: 'request.cases.case.not-found' | 'request.not-found';
    405: 'request.method-not-allowed';
    408: 'request.timed-out';
    429: 'request.rate-limit.exceeded';
    431: 'request.header.too-large';
    500: 'service.internal-error';
    503: 'service.unavailable';
  };
}

/** The query parameters of an operation. */
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

/** The header parameters of an operation. */
export type Header<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['header']>;

/** The request body of an operation. */
export type Body<Id extends keyof operations> = NonNullable<operations[Id]['requestBody']>;
