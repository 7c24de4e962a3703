// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.

export type $Read<T> = {
    readonly $read: T;
};
export type $Write<T> = {
    readonly $write: T;
};
export type Readable<T> = T extends $Write<any> ? never : T extends $Read<infer U> ? Readable<U> : T extends (infer E)[] ? Readable<E>[] : T extends object ? {
    [K in keyof T as NonNullable<T[K]> extends $Write<any> ? never : K]: Readable<T[K]>;
} : T;
export type Writable<T> = T extends $Read<any> ? never : T extends $Write<infer U> ? Writable<U> : T extends (infer E)[] ? Writable<E>[] : T extends object ? {
    [K in keyof T as NonNullable<T[K]> extends $Read<any> ? never : K]: Writable<T[K]>;
} & {
    [K in keyof T as NonNullable<T[K]> extends $Read<any> ? K : never]?: never;
} : T;
export interface paths {
    "/organisations/features/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the verification setting
         * @description Tells whether verification checks run on the analyses of the caller's organisation. The setting is off until
         *     somebody switches it on. By default, the Owner and Member roles hold the permission.
         */
        get: operations["getVerificationSetting"];
        /**
         * Switch verification checks on or off
         * @description Saves whether verification checks run on the analyses of the caller's organisation and returns the saved
         *     value. The new value counts for analyses that start afterwards; results that exist already are neither
         *     repeated nor altered.
         *
         *     When the value changes, the organisation's cached analysis results are cleared, so that a file uploaded again
         *     is analysed afresh. Sending the value that is already held clears nothing. Every successful call is written to the audit
         *     log. The call is idempotent and can be repeated safely. By default, only the Owner role holds the permission.
         */
        put: operations["updateVerificationSetting"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a case and its files
         * @description Returns one case of the caller's organisation with every file that belongs to it, the oldest upload first. A
         *     case that does not exist and a case of another organisation get the same response.
         */
        get: operations["getCase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Whether verification checks run on the organisation's analyses.
         * @example {
         *       "enabled": true
         *     }
         */
        VerificationSetting: {
            /**
             * @description True if the checks run.
             * @default false
             * @example true
             */
            enabled: boolean;
        };
        /**
         * @description The new value of the verification setting. No other field is accepted.
         * @example {
         *       "enabled": true
         *     }
         */
        VerificationSettingUpdate: {
            /**
             * @description True to run the checks on analyses from now on, false to stop.
             * @example true
             */
            enabled: boolean;
        };
        /** @description A group of files with the state of their analysis. */
        Case: {
            /**
             * Format: uuid
             * @description Identifies the case.
             * @example 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10
             */
            case_id: string;
            /**
             * @description A name for people, or null if the case has none.
             * @example Supplier onboarding 1042
             */
            label: string | null;
            /**
             * @description The organisation's own data about the case, at most 64 KiB of JSON. The platform does not interpret it.
             * @example {
             *       "reference": "1042"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description True if the case is closed to changes.
             * @example false
             */
            is_locked: boolean;
            /**
             * Format: date-time
             * @description When the case was locked, or null if it is not.
             * @example null
             */
            locked_at: string | null;
            /**
             * @description Complete once the case has at least one file and the analysis of each has ended.
             * @example waiting_for_file_analysis
             * @enum {string}
             */
            file_analysis_status: "waiting_for_file_analysis" | "file_analysis_complete";
            /**
             * Format: date-time
             * @description When the last of the files' analyses ended, or null while the status is not complete.
             * @example null
             */
            file_analysis_completed_at: string | null;
            /**
             * Format: date-time
             * @description When the case was created.
             * @example 2026-03-02T09:15:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the case was last changed.
             * @example 2026-03-02T09:20:00.000Z
             */
            updated_at: string;
            /** @description Every file of the case, ordered by `uploaded_at`, then `file_id`. */
            files: components["schemas"]["FileSummary"][];
            /**
             * @description The total number of files associated with the case; always the length of `files`.
             * @example 2
             */
            total_files: number;
        };
        /** @description One file of a case. */
        FileSummary: {
            /**
             * Format: uuid
             * @description Identifies the file.
             * @example 0b9d7c64-6a52-4c1e-8f3b-2d5e9a1c7f48
             */
            file_id: string;
            /**
             * @description A name for people, usually the file's own.
             * @example invoice.pdf
             */
            label: string;
            /**
             * Format: date-time
             * @description When the file was uploaded. While it is `waiting_for_upload`, when it was added to the case.
             * @example 2026-03-02T09:16:00.000Z
             */
            uploaded_at: string;
            /**
             * @description The address of a small picture of the file's first page. Whoever knows the address can open it without a
             *     credential, so that a web page can show it; nobody can guess it. Treat it as confidential. While the file is
             *     `waiting_for_upload`, the address responds with 404, and the upload replaces it by another.
             * @example https://api.uk.document-analysis.example/thumbnails/5b0c7f2e91d84a36c0e7b2f4981d63a5e7c40b19.webp
             */
            thumbnail_url: string;
            /**
             * @description The file's media type; `application/octet-stream` while it is `waiting_for_upload`.
             * @example application/pdf
             */
            mime_type: string;
            /**
             * @description How far the analysis of the file has come: `waiting_for_upload`, `waiting_for_analysis`, `analysing`,
             *     `analysis_complete` or `analysis_failed`. Clients accept values that are not listed.
             * @example analysis_complete
             */
            analysis_status: string;
            /**
             * Format: date-time
             * @description When the analysis of the file ended, or null until then.
             * @example 2026-03-02T09:18:30.000Z
             */
            analysis_completed_at: string | null;
        };
        /** @description What every error response contains. */
        Error: {
            /**
             * @description A stable code for programs, as the introduction lists them. Clients accept codes that are not listed.
             * @example request.forbidden
             */
            error_code: string;
            /**
             * @description An explanation for people. Its wording may change.
             * @example The credential lacks the permission that this operation requires.
             */
            error_message: string;
            /**
             * @description Further facts of this one error, free in form; a validation error names its fields here.
             * @example {
             *       "field": "enabled",
             *       "errors": [
             *         {
             *           "field": "enabled",
             *           "message": "must be boolean",
             *           "rule": "type"
             *         }
             *       ]
             *     }
             */
            error_details?: {
                [key: string]: unknown;
            };
        };
        /** @description What a response with status 400 contains. */
        ValidationError: components["schemas"]["Error"] & {
            error_details: components["schemas"]["ValidationErrorDetails"];
        };
        /** @description Every part of the request that breaks the schema. */
        ValidationErrorDetails: {
            /**
             * @description The first `field` of `errors`.
             * @example enabled
             */
            field: string;
            /**
             * @example [
             *       {
             *         "field": "enabled",
             *         "message": "must be boolean",
             *         "rule": "type"
             *       }
             *     ]
             */
            errors: {
                /**
                 * @description The field as a JSON Pointer (RFC 6901) without its first `/`; empty for the whole body. In a name, `~0`
                 *     stands for `~` and `~1` for `/`. Only a pointer whose first name is empty keeps its first `/`.
                 * @example enabled
                 */
                field: string;
                /**
                 * @description What is wrong with it, for people. Its wording may change.
                 * @example must be boolean
                 */
                message: string;
                /**
                 * @description The keyword of JSON Schema that the field breaks, or `json` for a body that cannot be parsed.
                 * @example type
                 */
                rule: string;
            }[];
        };
    };
    responses: {
        /** @description The body is missing, is not valid JSON, or breaks the schema. Every fault is named. */
        ValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"];
            };
        };
        /** @description The API key is missing or not valid in this region. */
        InvalidApiKey: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                /**
                 * @description The authentication scheme that the operation expects, with the region as its realm.
                 * @example ApiKey realm="document-analysis-uk"
                 */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The access token is missing or not valid in this region. */
        InvalidAccessToken: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                /**
                 * @description The challenge of RFC 6750; it names an error only if a credential was sent.
                 * @example Bearer realm="document-analysis-uk", error="invalid_token"
                 */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is valid, but it lacks the permission, or its organisation lacks the feature. */
        OrganisationForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller's organisation has no case with this identifier. */
        CaseNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 16 KiB. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body's media type is not `application/json`, its charset is not UTF-8, or it has a content coding. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The credential's quota of requests is used up, or one of the address's quotas. That of failed authentications comes
         *     in place of 401.
         */
        RateLimitExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An unexpected fault of the service. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-If-Counted"];
                RateLimit: components["headers"]["RateLimit-If-Counted"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service is unavailable for the moment. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy-If-Counted"];
                RateLimit: components["headers"]["RateLimit-If-Counted"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Names this request in responses, logs and audit entries. It is the caller's own value, if a well-formed one was sent.
         * @example 3d0f6a0e-9c1b-4f5e-8a72-6b1d2c3e4f50
         */
        "X-Request-Id": string;
        /**
         * @description No cache may keep a response to a request that carries a credential.
         * @example no-store
         */
        "Cache-Control": "no-store";
        /**
         * @description The limit that counted for this request, as in the RateLimit header fields draft of the IETF: its name, the
         *     quota `q` in requests and the window `w` in seconds.
         * @example "credential";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description What is left of that limit, `r` requests, and the seconds `t` until it is whole again.
         * @example "credential";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description As on other responses, if the request was counted before the failure.
         * @example "credential";q=600;w=60
         */
        "RateLimit-Policy-If-Counted": string;
        /**
         * @description As on other responses, if the request was counted before the failure.
         * @example "credential";r=598;t=41
         */
        "RateLimit-If-Counted": string;
        /**
         * @description How many seconds to wait before the next attempt.
         * @example 12
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getVerificationSetting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The setting as it is held now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationSetting"];
                };
            };
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["OrganisationForbidden"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateVerificationSetting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The value to hold from now on, at most 16 KiB of JSON. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerificationSettingUpdate"];
            };
        };
        responses: {
            /** @description The value is saved. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationSetting"];
                };
            };
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["OrganisationForbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The case's identifier, as in its `case_id`.
                 * @example 6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The case with all of its files. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Case"];
                };
            };
            401: components["responses"]["InvalidAccessToken"];
            404: components["responses"]["CaseNotFound"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
