/** An organisation with what an operator needs to know of it. */
// @ts-nocheck

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
