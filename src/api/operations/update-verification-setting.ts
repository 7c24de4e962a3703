import type { OperationHandler } from '../operation.ts';

/** Saves the setting of the caller's organisation with all its effects (interface document, sections 3.1 and 4.2). */
export const updateVerificationSetting: OperationHandler<'updateVerificationSetting'> = async (
  { principal, body, requestId, now },
  { store },
) => {
  const { after } = await store.updateVerificationSetting({
    organisationId: principal.organisationId,
    enabled: body.enabled,
    credentialId: principal.credentialId,
    requestId,
    occurredAt: now.toISOString(),
  });
  return { status: 200, body: after };
};
