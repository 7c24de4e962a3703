import { EnvError, makeExactValidator } from 'envalid';
import { oneOf, secureUrl } from '../../runtime/config-values.ts';
import type { VatRegistryAccess } from './vat-registry.ts';

/** Where VAT numbers are looked up: nowhere, or through HMRC's API. */
export type VatRegistryConfig = { readonly kind: 'none' } | ({ readonly kind: 'http' } & VatRegistryAccess);

/** The environment variables that choose the registry of VAT numbers. */
export const vatRegistrySettings = {
  VAT_REGISTRY: oneOf(['none', 'http'])({ default: 'none' }),
  VAT_REGISTRY_URL: secureUrl()({ default: new URL('https://api.service.hmrc.gov.uk') }),
  VAT_REGISTRY_CLIENT_ID: credential()({
    default: undefined,
    desc: 'is missing: VAT_REGISTRY=http needs it',
    requiredWhen: isAsked,
  }),
  VAT_REGISTRY_CLIENT_SECRET: credential()({
    default: undefined,
    desc: 'is missing: VAT_REGISTRY=http needs it, or VAT_REGISTRY_CLIENT_SECRET_FILE',
    requiredWhen: isAsked,
  }),
};

/** The registry of VAT numbers that the validated variables describe. */
export function vatRegistryOf(values: {
  VAT_REGISTRY: VatRegistryConfig['kind'];
  VAT_REGISTRY_URL: URL;
  VAT_REGISTRY_CLIENT_ID: string | undefined;
  VAT_REGISTRY_CLIENT_SECRET: string | undefined;
}): VatRegistryConfig {
  const { VAT_REGISTRY_CLIENT_ID: clientId, VAT_REGISTRY_CLIENT_SECRET: clientSecret } = values;
  if (values.VAT_REGISTRY === 'none' || clientId === undefined || clientSecret === undefined)
    return Object.freeze({ kind: 'none' });
  return Object.freeze({ kind: 'http', url: values.VAT_REGISTRY_URL, clientId, clientSecret });
}

/** Describes a contradiction among the given variables; undefined if there is none. */
export function contradictionOfVatRegistry(environment: NodeJS.ProcessEnv): string | undefined {
  const { VAT_REGISTRY: kind = 'none' } = environment;
  const names = ['VAT_REGISTRY_URL', 'VAT_REGISTRY_CLIENT_ID', 'VAT_REGISTRY_CLIENT_SECRET'];
  const unused = [...names, 'VAT_REGISTRY_CLIENT_SECRET_FILE'].find((name) => environment[name] !== undefined);
  if (kind === 'none' && unused !== undefined)
    return `${unused} contradicts VAT_REGISTRY=none: set VAT_REGISTRY=http, or unset it`;
  return undefined;
}

function isAsked({ VAT_REGISTRY: kind }: Partial<Record<string, unknown>>): boolean {
  return kind === 'http';
}

/** Error messages do not repeat it. */
function credential() {
  return makeExactValidator<string>((text) => {
    if (!/^[\x21-\x7e]+$/.test(text)) throw new EnvError('must be visible ASCII characters');
    return text;
  });
}

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
