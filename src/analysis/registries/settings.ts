import { EnvError, makeExactValidator } from 'envalid';
import { duration, oneOf, secureUrl } from '../../runtime/config-values.ts';
import type { CompaniesHouseAccess } from './companies-house.ts';
import type { VatRegistryAccess } from './vat-registry.ts';

/** Where company numbers are looked up: in the imported register, or through the public API of the UK register. */
export type CompanyRegistryConfig = { readonly kind: 'local' } | ({ readonly kind: 'http' } & CompaniesHouseAccess);

/** Where VAT numbers are looked up: nowhere, or through HMRC's API. */
export type VatRegistryConfig = { readonly kind: 'none' } | ({ readonly kind: 'http' } & VatRegistryAccess);

const visible = /^[\x21-\x7e]+$/;
/** The user name of HTTP Basic authentication, which ends at a colon. */
const userName = /^[\x21-\x39\x3b-\x7e]+$/;

/** Visible ASCII characters, needed if an API is asked. Error messages do not repeat them. */
function credential(variable: 'COMPANY_REGISTRY' | 'VAT_REGISTRY', file: string, form = visible) {
  const validator = makeExactValidator<string>((text) => {
    if (form.test(text)) return text;
    throw new EnvError(`must be visible ASCII characters${form === userName ? ' without a colon' : ''}`);
  });
  return validator({
    default: undefined,
    desc: `is missing: ${variable}=http needs it${file}`,
    requiredWhen: (values: Partial<Record<string, unknown>>) => values[variable] === 'http',
  });
}

/** The environment variable for the age of cached results. */
export const analysisSettings = {
  REGISTRY_RESULT_MAX_AGE: duration('0s', '30d')({ default: 86_400_000 }),
};

/** The environment variables that choose the registry of companies. */
export const companyRegistrySettings = {
  COMPANY_REGISTRY: oneOf(['local', 'http'])({ default: 'local' }),
  COMPANY_REGISTRY_URL: secureUrl()({ default: new URL('https://api.company-information.service.gov.uk') }),
  COMPANY_REGISTRY_KEY: credential('COMPANY_REGISTRY', ', or COMPANY_REGISTRY_KEY_FILE', userName),
};

/** The environment variables that choose the registry of VAT numbers. */
export const vatRegistrySettings = {
  VAT_REGISTRY: oneOf(['none', 'http'])({ default: 'none' }),
  VAT_REGISTRY_URL: secureUrl()({ default: new URL('https://api.service.hmrc.gov.uk') }),
  VAT_REGISTRY_CLIENT_ID: credential('VAT_REGISTRY', ''),
  VAT_REGISTRY_CLIENT_SECRET: credential('VAT_REGISTRY', ', or VAT_REGISTRY_CLIENT_SECRET_FILE'),
};

/** The registry of companies that the validated variables describe. */
export function companyRegistryOf(values: {
  COMPANY_REGISTRY: CompanyRegistryConfig['kind'];
  COMPANY_REGISTRY_URL: URL;
  COMPANY_REGISTRY_KEY: string | undefined;
}): CompanyRegistryConfig {
  const { COMPANY_REGISTRY: kind, COMPANY_REGISTRY_URL: url, COMPANY_REGISTRY_KEY: apiKey } = values;
  return Object.freeze(kind === 'local' || apiKey === undefined ? { kind: 'local' } : { kind, url, apiKey });
}

/** The registry of VAT numbers that the validated variables describe. */
export function vatRegistryOf(values: {
  VAT_REGISTRY: VatRegistryConfig['kind'];
  VAT_REGISTRY_URL: URL;
  VAT_REGISTRY_CLIENT_ID: string | undefined;
  VAT_REGISTRY_CLIENT_SECRET: string | undefined;
}): VatRegistryConfig {
  const { VAT_REGISTRY: kind, VAT_REGISTRY_URL: url } = values;
  const { VAT_REGISTRY_CLIENT_ID: clientId, VAT_REGISTRY_CLIENT_SECRET: clientSecret } = values;
  if (kind === 'none' || clientId === undefined || clientSecret === undefined) return Object.freeze({ kind: 'none' });
  return Object.freeze({ kind, url, clientId, clientSecret });
}

/** Describes a contradiction among the given variables for companies; undefined if there is none. */
export function contradictionOfCompanyRegistry(environment: NodeJS.ProcessEnv): string | undefined {
  return contradictionOf('COMPANY_REGISTRY', 'local', ['URL', 'KEY', 'KEY_FILE'], environment);
}

/** Describes a contradiction among the given variables for VAT numbers; undefined if there is none. */
export function contradictionOfVatRegistry(environment: NodeJS.ProcessEnv): string | undefined {
  const names = ['URL', 'CLIENT_ID', 'CLIENT_SECRET', 'CLIENT_SECRET_FILE'];
  return contradictionOf('VAT_REGISTRY', 'none', names, environment);
}

function contradictionOf(variable: string, unasked: string, names: string[], environment: NodeJS.ProcessEnv) {
  const unused = names.map((name) => `${variable}_${name}`).find((name) => environment[name] !== undefined);
  if (unused === undefined || (environment[variable] ?? unasked) !== unasked) return undefined;
  return `${unused} contradicts ${variable}=${unasked}: set ${variable}=http, or unset it`;
}
