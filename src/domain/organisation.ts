/** The feature that analyses need to run verification checks, beside the setting. */
export const verificationFeature = 'verification';

/** An organisation with what an operator needs to know of it. */
export interface Organisation {
  organisation_id: string;
  name: string;
  created_at: string;
  features: string[];
  verification_enabled: boolean;
}

/** A role and the permissions that its API keys hold. Both are data that the operator changes (decision D20). */
export interface Role {
  role: string;
  permissions: string[];
}
