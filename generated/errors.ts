// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.

/** Every error that the API can respond with, by its code. */
export const errors = {
  "request.authentication.invalid-token": {
    "status": 401,
    "message": "The credential is missing or not valid."
  },
  "request.body.too-large": {
    "status": 413,
    "message": "The request body is larger than 16 KiB."
  },
  "request.cases.case.already-locked": {
    "status": 409,
    "message": "The case is locked."
  },
  "request.cases.case.not-found": {
    "status": 404,
    "message": "There is no such case."
  },
  "request.cases.file.missing-risk-score": {
    "status": 409,
    "message": "The file has no risk score."
  },
  "request.forbidden": {
    "status": 403,
    "message": "The credential lacks the permission that this operation requires."
  },
  "request.header.too-large": {
    "status": 431,
    "message": "The request header section is larger than 16 KiB."
  },
  "request.malformed": {
    "status": 400,
    "message": "The bytes received are not a valid HTTP request."
  },
  "request.media-type.unsupported": {
    "status": 415,
    "message": "The request body must be application/json in UTF-8, without content coding."
  },
  "request.method-not-allowed": {
    "status": 405,
    "message": "This path does not have this method. Allow lists those it has."
  },
  "request.not-found": {
    "status": 404,
    "message": "There is nothing at this path."
  },
  "request.organisations.feature-flag.not-enabled": {
    "status": 403,
    "message": "The organisation does not have the feature that this operation requires."
  },
  "request.rate-limit.exceeded": {
    "status": 429,
    "message": "Too many requests. Try again after the time that Retry-After states."
  },
  "request.timed-out": {
    "status": 408,
    "message": "The request did not arrive in time."
  },
  "request.validation.failed": {
    "status": 400,
    "message": "The request body is not valid."
  },
  "service.internal-error": {
    "status": 500,
    "message": "An unexpected error occurred. Quote the request id when reporting it."
  },
  "service.unavailable": {
    "status": 503,
    "message": "The service cannot answer at the moment. Try again after the time that Retry-After states."
  }
} as const;

/** An error code of the document. */
export type ErrorCode = keyof typeof errors;
