import type { OperationHandler } from '../operation.ts';

/** Reads the setting of the caller's organisation (interface document, section 4.1). */
export const getVerificationSetting: OperationHandler<'getVerificationSetting'> = async ({ principal }, { store }) => ({
  status: 200,
  body: { enabled: await store.readVerificationSetting(principal.organisationId, principal.prefetched) },
});
