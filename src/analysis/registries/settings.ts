import { readFileSync } from 'node:fs';
import { EnvError, makeExactValidator } from 'envalid';
import { oneOf, secureUrl } from '../../runtime/config-values.ts';

/** Where company numbers are looked up: in the imported register, or through the public API of the UK register. */
export type CompanyRegistryConfig =
  | { readonly kind: 'local' }
  | { readonly kind: 'http'; readonly url: URL; readonly apiKey: string };

type Values = Partial<Record<string, unknown>>;

/** The variables of the environment that choose the registry of companies. */
export const companyRegistrySettings = {
  COMPANY_REGISTRY: oneOf(['local', 'http'])({ default: 'local' }),
  COMPANY_REGISTRY_URL: secureUrl()({ default: new URL('https://api.company-information.service.gov.uk') }),
  COMPANY_REGISTRY_KEY: apiKey()({
    default: undefined,
    desc: 'is missing: COMPANY_REGISTRY=http needs it, or COMPANY_REGISTRY_KEY_FILE',
    requiredWhen: ({ COMPANY_REGISTRY, COMPANY_REGISTRY_KEY_FILE }: Values) =>
      COMPANY_REGISTRY === 'http' && COMPANY_REGISTRY_KEY_FILE === undefined,
  }),
  COMPANY_REGISTRY_KEY_FILE: apiKeyFile()({ default: undefined }),
};

/** The registry of companies that cleaned variables describe. */
export function companyRegistryOf(values: {
  COMPANY_REGISTRY: CompanyRegistryConfig['kind'];
  COMPANY_REGISTRY_URL: URL;
  COMPANY_REGISTRY_KEY: string | undefined;
  COMPANY_REGISTRY_KEY_FILE: string | undefined;
}): CompanyRegistryConfig {
  const apiKey = values.COMPANY_REGISTRY_KEY ?? values.COMPANY_REGISTRY_KEY_FILE;
  if (values.COMPANY_REGISTRY === 'local' || apiKey === undefined) return Object.freeze({ kind: 'local' });
  return Object.freeze({ kind: 'http', url: values.COMPANY_REGISTRY_URL, apiKey });
}

/** What contradicts what among the given variables; undefined if nothing does. */
export function contradictionOfCompanyRegistry(environment: NodeJS.ProcessEnv): string | undefined {
  const { COMPANY_REGISTRY: kind = 'local', COMPANY_REGISTRY_KEY: key, COMPANY_REGISTRY_KEY_FILE: file } = environment;
  if (key !== undefined && file !== undefined)
    return 'COMPANY_REGISTRY_KEY contradicts COMPANY_REGISTRY_KEY_FILE: unset the one or the other';
  const unused = ['COMPANY_REGISTRY_URL', 'COMPANY_REGISTRY_KEY', 'COMPANY_REGISTRY_KEY_FILE'].find(
    (name) => environment[name] !== undefined,
  );
  if (kind === 'local' && unused !== undefined)
    return `${unused} contradicts COMPANY_REGISTRY=local: set COMPANY_REGISTRY=http, or unset it`;
  return undefined;
}

/** The user name of HTTP's basic authentication, which ends at a colon. What is wrong with it is told without repeating it. */
const keyForm = /^[\x21-\x39\x3b-\x7e]+$/;
const formFault = 'must be visible ASCII characters without a colon';

function apiKey() {
  return makeExactValidator<string>((text) => {
    if (!keyForm.test(text)) throw new EnvError(formFault);
    return text;
  });
}

/** The key in a file, which may end with a line break. */
function apiKeyFile() {
  return makeExactValidator<string>((path) => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      throw new EnvError(`names a file that cannot be read: ${(error as Error).message}`);
    }
    if (!keyForm.test(text)) throw new EnvError(`names ${path}, whose content ${formFault}`);
    return text;
  });
}
