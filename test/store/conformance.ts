import type { Store } from '../../src/store/store.js';
import { describeAddingFiles } from './conformance/adding-files.js';
import { describeCases } from './conformance/cases.js';
import { describeCompanyRegister } from './conformance/company-register.js';
import { describeCredentials } from './conformance/credentials.js';
import { describeEndingAnalyses } from './conformance/ending-analyses.js';
import { describeOrganisations } from './conformance/organisations.js';
import { describeRoles } from './conformance/roles.js';
import { describeTakingAnalyses } from './conformance/taking-analyses.js';
import {
  describeAudit,
  describeCachedResults,
  describeVerificationSetting,
} from './conformance/verification-setting.js';

/** What every store must do, whatever engine it stands on. `open` gives an empty store. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(`the ${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test('is found able to answer', () => expect(store.check()).resolves.toBeUndefined());

    describeOrganisations(() => store);
    describeRoles(() => store);
    describeCredentials(() => store);
    describeVerificationSetting(() => store);
    describeCases(() => store);
    describeCachedResults(() => store);
    describeAudit(() => store);
    describeCompanyRegister(() => store);
    describeAddingFiles(() => store);
    describeTakingAnalyses(() => store);
    describeEndingAnalyses(() => store);
  });
}
