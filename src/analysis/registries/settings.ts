import type { CleanedEnv } from 'envalid';
import { duration, hidden, oneOf, secureUrl, valueOf } from '../../runtime/config-values.ts';

export type RegistryConfig = ReturnType<typeof registriesOf>;

const visible = /^[\x21-\x7e]+$/;
/** The user name of HTTP Basic authentication, which ends at a colon. */
const userName = /^[\x21-\x39\x3b-\x7e]+$/;

/** Visible ASCII characters; required with the registry's API. */
function credential(variable: 'COMPANY_REGISTRY' | 'VAT_REGISTRY', file: string, form = visible) {
  const mustBe = `be visible ASCII characters${form === userName ? ' without a colon' : ''}`;
  return valueOf(
    (text) => (form.test(text) ? text : undefined),
    mustBe,
    hidden,
  )({
    default: undefined,
    desc: `is missing: ${variable}=http needs it${file}`,
    requiredWhen: (values: Partial<Record<string, unknown>>) => values[variable] === 'http',
  });
}

export const registrySettings = {
  COMPANY_REGISTRY: oneOf(['local', 'http'])({ default: 'local' }),
  COMPANY_REGISTRY_URL: secureUrl()({ default: new URL('https://api.company-information.service.gov.uk') }),
  COMPANY_REGISTRY_KEY: credential('COMPANY_REGISTRY', ', or COMPANY_REGISTRY_KEY_FILE', userName),
  REGISTRY_RESULT_MAX_AGE: duration('0s', '30d')({ default: 86_400_000 }),
  VAT_REGISTRY: oneOf(['none', 'http'])({ default: 'none' }),
  VAT_REGISTRY_URL: secureUrl()({ default: new URL('https://api.service.hmrc.gov.uk') }),
  VAT_REGISTRY_CLIENT_ID: credential('VAT_REGISTRY', ''),
  VAT_REGISTRY_CLIENT_SECRET: credential('VAT_REGISTRY', ', or VAT_REGISTRY_CLIENT_SECRET_FILE'),
};

export function registriesOf(values: CleanedEnv<typeof registrySettings>) {
  const { COMPANY_REGISTRY_URL: companyUrl, COMPANY_REGISTRY_KEY: apiKey } = values;
  const { VAT_REGISTRY_URL: url, VAT_REGISTRY_CLIENT_ID: clientId, VAT_REGISTRY_CLIENT_SECRET: clientSecret } = values;
  const companies =
    values.COMPANY_REGISTRY === 'http' && apiKey !== undefined
      ? ({ kind: 'http', url: companyUrl, apiKey } as const)
      : ({ kind: 'local' } as const);
  const vat =
    values.VAT_REGISTRY === 'http' && clientId !== undefined && clientSecret !== undefined
      ? ({ kind: 'http', url, clientId, clientSecret } as const)
      : ({ kind: 'none' } as const);
  return {
    companyRegistry: Object.freeze(companies),
    vatRegistry: Object.freeze(vat),
    /** How long the cached response of a registry without editions counts. */
    registryResultMaxAgeMilliseconds: values.REGISTRY_RESULT_MAX_AGE,
  };
}

export function contradictionsOfRegistries(environment: NodeJS.ProcessEnv): string[] {
  const vatNames = ['URL', 'CLIENT_ID', 'CLIENT_SECRET', 'CLIENT_SECRET_FILE'];
  return [
    ...contradictionOf('COMPANY_REGISTRY', 'local', ['URL', 'KEY', 'KEY_FILE'], environment),
    ...contradictionOf('VAT_REGISTRY', 'none', vatNames, environment),
  ];
}

function contradictionOf(variable: string, unasked: string, names: string[], environment: NodeJS.ProcessEnv): string[] {
  const unused = names.map((name) => `${variable}_${name}`).find((name) => environment[name] !== undefined);
  if (unused === undefined || (environment[variable] ?? unasked) !== unasked) return [];
  return [`${unused} contradicts ${variable}=${unasked}: set ${variable}=http, or unset it`];
}
