// Written by `npm run generate` from openapi/openapi.yaml. Do not edit.

import type { components } from './types.ts';

/** Whether verification checks run on the organisation's analyses. */
export type VerificationSetting = components['schemas']['VerificationSetting'];

/** The new value of the verification setting. No other field is accepted. */
export type VerificationSettingUpdate = components['schemas']['VerificationSettingUpdate'];

/** A group of files with the state of their analysis. */
export type Case = components['schemas']['Case'];

/** One file of a case. */
export type FileSummary = components['schemas']['FileSummary'];

/** What a response with status 400 contains. */
export type ValidationError = components['schemas']['ValidationError'];

/** Every part of the request that breaks the schema. */
export type ValidationErrorDetails = components['schemas']['ValidationErrorDetails'];
