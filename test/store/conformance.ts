import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Store } from '../../src/store/store.ts';
import { describeAddingFiles } from './conformance/adding-files.ts';
import { describeAuthorisedWrites } from './conformance/authorised-writes.ts';
import { describeCachedEvidence } from './conformance/cached-evidence.ts';
import { describeCases } from './conformance/cases.ts';
import { describeCompanyRegister } from './conformance/company-register.ts';
import { describeCredentialUses } from './conformance/credential-uses.ts';
import { describeCredentials } from './conformance/credentials.ts';
import { describeEndingAnalyses } from './conformance/ending-analyses.ts';
import { describeExpectedFiles } from './conformance/expected-files.ts';
import { describeOrganisations } from './conformance/organisations.ts';
import { describeRechecks } from './conformance/rechecks.ts';
import { describeRoles } from './conformance/roles.ts';
import { describeTakingAnalyses } from './conformance/taking-analyses.ts';
import {
  describeAudit,
  describeCachedResults,
  describeVerificationSetting,
} from './conformance/verification-setting.ts';
import { describeWithdrawnFeature } from './conformance/withdrawn-feature.ts';

/** What every store must do, whatever engine it stands on. `open` gives an empty store. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(`the ${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test('is found able to respond', () => expect(store.check()).resolves.toBeUndefined());

    describeOrganisations(() => store);
    describeRoles(() => store);
    describeCredentials(() => store);
    describeCredentialUses(() => store);
    describeVerificationSetting(() => store);
    describeAuthorisedWrites(() => store);
    describeCases(() => store);
    describeCachedResults(() => store);
    describeAudit(() => store);
    describeCompanyRegister(() => store);
    describeAddingFiles(() => store);
    describeExpectedFiles(() => store);
    describeTakingAnalyses(() => store);
    describeEndingAnalyses(() => store);
    describeCachedEvidence(() => store);
    describeRechecks(() => store);
    describeWithdrawnFeature(() => store);
  });
}
