// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.

/** The version of the document. */
export const version = "0.0.1";

/** Every operation of the document, by its operationId. */
export const operations = {
  "getVerificationSetting": {
    "method": "get",
    "path": "/organisations/features/verification",
    "security": [
      [
        "apiKey"
      ]
    ],
    "requiredPermission": "organisation_settings:read",
    "requiredFeature": "verification",
    "parameters": [],
    "maxBodyBytes": null,
    "isBodyRequired": false,
    "requestMediaTypes": [],
    "hasRequestRules": false,
    "responseMediaTypes": {
      "200": [
        "application/json"
      ],
      "401": [
        "application/json"
      ],
      "403": [
        "application/json"
      ],
      "429": [
        "application/json"
      ],
      "500": [
        "application/json"
      ],
      "503": [
        "application/json"
      ]
    },
    "responseHeaders": [
      "X-Request-Id",
      "Cache-Control",
      "RateLimit-Policy",
      "RateLimit",
      "WWW-Authenticate",
      "Retry-After"
    ],
    "errorCodes": {
      "401": [
        "request.authentication.invalid-token"
      ],
      "403": [
        "request.forbidden",
        "request.organisations.feature-flag.not-enabled"
      ],
      "429": [
        "request.rate-limit.exceeded"
      ],
      "500": [
        "service.internal-error"
      ],
      "503": [
        "service.unavailable"
      ]
    }
  },
  "updateVerificationSetting": {
    "method": "put",
    "path": "/organisations/features/verification",
    "security": [
      [
        "apiKey"
      ]
    ],
    "requiredPermission": "organisation_settings:write",
    "requiredFeature": "verification",
    "parameters": [],
    "maxBodyBytes": 16384,
    "isBodyRequired": true,
    "requestMediaTypes": [
      "application/json"
    ],
    "hasRequestRules": true,
    "responseMediaTypes": {
      "200": [
        "application/json"
      ],
      "400": [
        "application/json"
      ],
      "401": [
        "application/json"
      ],
      "403": [
        "application/json"
      ],
      "413": [
        "application/json"
      ],
      "415": [
        "application/json"
      ],
      "429": [
        "application/json"
      ],
      "500": [
        "application/json"
      ],
      "503": [
        "application/json"
      ]
    },
    "responseHeaders": [
      "X-Request-Id",
      "Cache-Control",
      "RateLimit-Policy",
      "RateLimit",
      "WWW-Authenticate",
      "Retry-After"
    ],
    "errorCodes": {
      "400": [
        "request.validation.failed"
      ],
      "401": [
        "request.authentication.invalid-token"
      ],
      "403": [
        "request.forbidden",
        "request.organisations.feature-flag.not-enabled"
      ],
      "413": [
        "request.body.too-large"
      ],
      "415": [
        "request.media-type.unsupported"
      ],
      "429": [
        "request.rate-limit.exceeded"
      ],
      "500": [
        "service.internal-error"
      ],
      "503": [
        "service.unavailable"
      ]
    }
  },
  "getCase": {
    "method": "get",
    "path": "/cases/{id}",
    "security": [
      [
        "accessToken"
      ]
    ],
    "requiredPermission": null,
    "requiredFeature": null,
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "explode": false,
        "type": "string",
        "hasDefault": false
      }
    ],
    "maxBodyBytes": null,
    "isBodyRequired": false,
    "requestMediaTypes": [],
    "hasRequestRules": false,
    "responseMediaTypes": {
      "200": [
        "application/json"
      ],
      "401": [
        "application/json"
      ],
      "404": [
        "application/json"
      ],
      "429": [
        "application/json"
      ],
      "500": [
        "application/json"
      ],
      "503": [
        "application/json"
      ]
    },
    "responseHeaders": [
      "X-Request-Id",
      "Cache-Control",
      "RateLimit-Policy",
      "RateLimit",
      "WWW-Authenticate",
      "Retry-After"
    ],
    "errorCodes": {
      "401": [
        "request.authentication.invalid-token"
      ],
      "404": [
        "request.cases.case.not-found"
      ],
      "429": [
        "request.rate-limit.exceeded"
      ],
      "500": [
        "service.internal-error"
      ],
      "503": [
        "service.unavailable"
      ]
    }
  }
} as const;

/** How each kind of credential is presented. */
export const securitySchemes = {
  "apiKey": {
    "type": "apiKey",
    "in": "header",
    "name": "x-api-key"
  },
  "accessToken": {
    "type": "http",
    "scheme": "bearer"
  }
} as const;

/** The rules of requests, in the form in which express-openapi-validator enforces them. */
export const requestRules: object = {
  "openapi": "3.0.3",
  "info": {
    "title": "Document Analysis API",
    "version": "0.0.1",
    "description": "This API is for developers who connect their own systems to the document-analysis platform. An **organisation**\ncollects files in **cases**; the platform analyses each file, and it can compare what it finds on a document (a\ncompany number, a VAT number) with an authoritative registry. Three operations are described here: reading and\nchanging whether an organisation's analyses run those verification checks, and reading a case with its files.\n\n## Areas\n| Area | What it covers | Operations |\n|---|---|---|\n| Cases | Cases and their files | described here |\n| Organisations | Organisations and their settings | described here |\n| Status | The platform's own condition | not described in this version |\n| Document Requests | Requests for documents from third parties | not described in this version |\n| Search | Search across cases and files | not described in this version |\n| Admin | Administration of the platform | not described in this version |\n\n## Regions\nThe platform runs in two separate regions, **UK** and **CA**. Each has a base address of its own, and the case\noperation has a further base address in each region. Data and credentials of one region are unknown to the other.\n\n| Region | Organisations | Cases |\n|---|---|---|\n| UK | `https://api.uk.document-analysis.example` | `https://cases.uk.document-analysis.example` |\n| CA | `https://api.ca.document-analysis.example` | `https://cases.ca.document-analysis.example` |\n\nThe address for organisations serves the case operation too, for tools that use one base address.\n\n## Authentication\n| Credential | Sent as | Accepted by |\n|---|---|---|\n| API key | `x-api-key: <API_KEY>` | the verification setting |\n| Access token | `Authorization: Bearer <ACCESS_TOKEN>` | the case |\n\nAn operator of the platform issues both. An API key has a role, which holds these permissions unless the operator\nhas changed them:\n\n| Role | Permissions |\n|---|---|\n| Owner | `organisation_settings:read`, `organisation_settings:write` |\n| Member | `organisation_settings:read` |\n| Viewer | none |\n\nAn access token has no role and needs no permission: it reads every case of its organisation.\n\nA request is checked in this order, and the first check that fails decides the response: the rate limit (429), the\ncredential (401), the permission that the operation names in `x-required-permission` and the feature in\n`x-required-feature` (403), and only then the request body (415, 413, 400). So 429 can come before 401.\n\n<!-- ReDoc-Inject: <security-definitions> -->\n\n## Errors\nEvery error is the same JSON object: a stable `error_code` for programs, an `error_message` for people, and for\nsome codes `error_details`. More codes may be added, so a client treats one that it does not know by its status.\n\n| Status | error_code | Meaning |\n|---|---|---|\n| 400 | `request.validation.failed` | The body breaks the schema; `error_details.errors` names every fault. |\n| 400 | `request.malformed` | The bytes received are not an HTTP request. |\n| 401 | `request.authentication.invalid-token` | The credential is missing, malformed, unknown, expired, revoked or of the wrong kind or region. |\n| 403 | `request.forbidden` | The credential lacks the permission that the operation requires. |\n| 403 | `request.organisations.feature-flag.not-enabled` | The organisation does not have the feature that the operation requires. |\n| 404 | `request.not-found` | No operation has this path. Paths are exact: letter case and a trailing slash count. |\n| 404 | `request.cases.case.not-found` | The organisation has no case with this identifier. |\n| 405 | `request.method-not-allowed` | The path exists, but not with this method; `Allow` lists those that do. |\n| 408 | `request.timed-out` | The request did not arrive in full within the time limit. |\n| 409 | `request.cases.case.already-locked` | The case is locked. No operation described here returns it. |\n| 409 | `request.cases.file.missing-risk-score` | The file has no risk score. No operation described here returns it. |\n| 413 | `request.body.too-large` | The body is larger than 16 KiB. |\n| 415 | `request.media-type.unsupported` | The body is not `application/json` in UTF-8 without content coding. |\n| 429 | `request.rate-limit.exceeded` | Too many requests; `Retry-After` says how many seconds to wait. |\n| 431 | `request.header.too-large` | The request's header section is larger than 16 KiB. |\n| 500 | `service.internal-error` | An unexpected fault; quote the `X-Request-Id` of the response when reporting it. |\n| 503 | `service.unavailable` | The service is unavailable; `Retry-After` says when to try again. |\n\n## Responses outside operations\nA request that calls no operation, or that does not arrive as a whole, gets one of these responses. They are the same\nfor all operations and not repeated there. Each has `X-Request-Id` and the error object.\n\n| Status | When | error_code |\n|---|---|---|\n| 400 | The bytes received are not an HTTP request. The connection is closed. | `request.malformed` |\n| 404 | No operation has the path. | `request.not-found` |\n| 405 | The path does not have the method. `Allow` lists the methods that it has. | `request.method-not-allowed` |\n| 408 | The request did not arrive in full within the time limit. The connection is closed. | `request.timed-out` |\n| 429 | The client address has made too many requests outside operations. | `request.rate-limit.exceeded` |\n| 431 | The header section is larger than 16 KiB. The connection is closed. | `request.header.too-large` |\n| 503 | The service is unavailable. `Retry-After` says when to try again. | `service.unavailable` |\n\n## Limits\nEach credential may make 600 requests in 60 seconds, and each client address 30 failed authentications and 3000\nrequests outside operations in 60 seconds, unless the operator has configured otherwise. The `RateLimit-Policy` and\n`RateLimit` headers of a response state the limit that counted and what is left of it.\n\n## Conventions\n`HEAD` responds like `GET` without a body. Unknown query parameters are ignored. Times are in UTC as in RFC 3339. A client\nmay send `X-Request-Id` (1 to 128 letters, digits, `.`, `_`, `~` or `-`) to find its request again in responses, logs and audit\nentries; otherwise the service makes one.\n\n## Caching\nEach response of an operation has `Cache-Control: no-store`. A thumbnail never changes, so a browser may keep it.\n\n## Browsers\nA web page of another origin can call the service if the operator of the service allows that origin. Responses then have\n`Access-Control-Allow-Origin`, and the page can read `X-Request-Id`, `RateLimit`, `RateLimit-Policy` and `Retry-After`.\nPreflight requests need no credential and count against no limit. An API key in a page is known to everyone who opens\nthe page.\n\n## Versioning\nThis description has a version of its own, which follows semantic versioning: a change that breaks a client raises\nits first number, or its second one while the first is 0. No version is selected in a path or a header.\n\nA response has the fields that the service's version of this description declares. A new field comes with a new version,\nso clients ignore fields that they do not know.\n",
    "contact": {
      "name": "Document Analysis API support",
      "url": "https://support.document-analysis.example",
      "email": "api@document-analysis.example"
    },
    "license": {
      "name": "MIT",
      "url": "https://opensource.org/license/mit"
    }
  },
  "paths": {
    "/organisations/features/verification": {
      "put": {
        "operationId": "updateVerificationSetting",
        "parameters": [],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/VerificationSettingUpdate"
              }
            }
          }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "VerificationSettingUpdate": {
        "type": "object",
        "description": "The new value of the verification setting. No other field is accepted.",
        "required": [
          "enabled"
        ],
        "additionalProperties": false,
        "properties": {
          "enabled": {
            "type": "boolean",
            "description": "True to run the checks on analyses from now on, false to stop.",
            "example": true
          }
        },
        "example": {
          "enabled": true
        }
      }
    }
  }
};

/** What is never logged, in lower case: the headers of credentials, and the fields that are marked as `x-sensitive`. */
export const secretNames = [
  "authorization",
  "label",
  "metadata",
  "thumbnail_url",
  "x-api-key"
] as const;

/** An operationId of the document. */
export type OperationId = keyof typeof operations;
