export const verificationFeature = 'verification';

export interface Organisation {
  organisation_id: string;
  name: string;
  created_at: string;
  features: string[];
  verification_enabled: boolean;
}

/** A role and the permissions of its API keys. Both are data that the operator changes (decision D20). */
export interface Role {
  role: string;
  permissions: string[];
}
