import { EnvError, makeExactValidator } from 'envalid';
import { oneOf, secureUrl } from '../../runtime/config-values.ts';

/** Where company numbers are looked up: in the imported register, or through the public API of the UK register. */
export type CompanyRegistryConfig =
  | { readonly kind: 'local' }
  | { readonly kind: 'http'; readonly url: URL; readonly apiKey: string };

/** The environment variables that choose the registry of companies. */
export const companyRegistrySettings = {
  COMPANY_REGISTRY: oneOf(['local', 'http'])({ default: 'local' }),
  COMPANY_REGISTRY_URL: secureUrl()({ default: new URL('https://api.company-information.service.gov.uk') }),
  COMPANY_REGISTRY_KEY: apiKey()({
    default: undefined,
    desc: 'is missing: COMPANY_REGISTRY=http needs it, or COMPANY_REGISTRY_KEY_FILE',
    requiredWhen: ({ COMPANY_REGISTRY }: Partial<Record<string, unknown>>) => COMPANY_REGISTRY === 'http',
  }),
};

/** The registry of companies that the validated variables describe. */
export function companyRegistryOf(values: {
  COMPANY_REGISTRY: CompanyRegistryConfig['kind'];
  COMPANY_REGISTRY_URL: URL;
  COMPANY_REGISTRY_KEY: string | undefined;
}): CompanyRegistryConfig {
  const { COMPANY_REGISTRY_KEY: apiKey } = values;
  if (values.COMPANY_REGISTRY === 'local' || apiKey === undefined) return Object.freeze({ kind: 'local' });
  return Object.freeze({ kind: 'http', url: values.COMPANY_REGISTRY_URL, apiKey });
}

/** Describes a contradiction among the given variables; undefined if there is none. */
export function contradictionOfCompanyRegistry(environment: NodeJS.ProcessEnv): string | undefined {
  const { COMPANY_REGISTRY: kind = 'local' } = environment;
  const unused = ['COMPANY_REGISTRY_URL', 'COMPANY_REGISTRY_KEY', 'COMPANY_REGISTRY_KEY_FILE'].find(
    (name) => environment[name] !== undefined,
  );
  if (kind === 'local' && unused !== undefined)
    return `${unused} contradicts COMPANY_REGISTRY=local: set COMPANY_REGISTRY=http, or unset it`;
  return undefined;
}

/** The user name of HTTP Basic authentication, which ends at a colon. Error messages do not repeat it. */
const keyForm = /^[\x21-\x39\x3b-\x7e]+$/;

function apiKey() {
  return makeExactValidator<string>((text) => {
    if (!keyForm.test(text)) throw new EnvError('must be visible ASCII characters without a colon');
    return text;
  });
}
