// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.

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
    "maxBodyBytes": null,
    "requestMediaTypes": [],
    "parametersWithDefault": [],
    "hasRequestRules": false,
    "statuses": [
      "200",
      "401",
      "403",
      "429",
      "500",
      "503"
    ]
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
    "maxBodyBytes": 16384,
    "requestMediaTypes": [
      "application/json"
    ],
    "parametersWithDefault": [],
    "hasRequestRules": true,
    "statuses": [
      "200",
      "400",
      "401",
      "403",
      "413",
      "415",
      "429",
      "500",
      "503"
    ]
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
    "maxBodyBytes": null,
    "requestMediaTypes": [],
    "parametersWithDefault": [],
    "hasRequestRules": false,
    "statuses": [
      "200",
      "401",
      "404",
      "429",
      "500",
      "503"
    ]
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

/** An operationId of the document. */
export type OperationId = keyof typeof operations;

/** The declarations of one operation that the server acts on. */
export type Operation = (typeof operations)[OperationId];

/** The name of a kind of credential. */
export type SecuritySchemeName = keyof typeof securitySchemes;

/** A permission that some operation requires. */
export type Permission = NonNullable<Operation['requiredPermission']>;

/** A feature that some operation requires of the caller's organisation. */
export type Feature = NonNullable<Operation['requiredFeature']>;
