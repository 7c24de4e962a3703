import { EnvError, makeExactValidator } from 'envalid';
import { oneOf, secureUrl } from '../../runtime/config-values.ts';
import type { VatRegistryAccess } from './vat-request.ts';

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
