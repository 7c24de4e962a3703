import type { Credentials } from '../run/model.ts';
import type { ProxiedRequest } from './mutant.ts';

const isSecret = (name: string) => /_(key|token)$/.test(name);

/** Each secret of the credentials, with a label: the name of its field, and a number if it is a spare. */
export function labelledSecrets(credentials: Credentials): [field: string, label: string, secret: string][] {
  const own = Object.entries(credentials).flatMap(([name, value]): [string, string, string][] =>
    isSecret(name) && typeof value === 'string' ? [[name, name, value]] : [],
  );
  const spares = Object.entries(credentials.spares ?? {}).flatMap(([name, values]) =>
    values.map((value, index): [string, string, string] => [name, `${name}_${index}`, value]),
  );
  return [...own, ...spares];
}

/** The credentials with secrets of another form. */
export function inForm(credentials: Credentials, form: (label: string) => string): Credentials {
  const text = labelledSecrets(credentials).reduce(
    (formed, [, label, secret]) => formed.replaceAll(`"${secret}"`, `"${form(label)}"`),
    JSON.stringify(credentials),
  );
  return JSON.parse(text) as Credentials;
}

/**
 * Lets a mutant know one secret of each kind: spares are replaced on the way to the mutant, and on the way to the server a spare
 * takes the place of another kind, so that no mutant spends the limit of a credential that the suite uses.
 */
export function withOneSecretEach(credentials: Credentials): {
  readonly toMutant: (request: ProxiedRequest) => ProxiedRequest;
  readonly toServer: (request: ProxiedRequest) => ProxiedRequest;
} {
  const spares = new Map(Object.entries(credentials.spares ?? {}));
  const fields = labelledSecrets(credentials);
  const mainOf = (field: string) => fields.find(([name, label]) => name === field && label === field)?.[2] ?? '';
  const main = new Map(fields.map(([field, , secret]) => [secret, mainOf(field)]));
  const fieldOf = new Map(fields.map(([field, , secret]) => [secret, field]));
  const turns = new Map<string, number>();
  const spareOf = (secret: string): string => {
    const field = fieldOf.get(secret) ?? '';
    const turn = (turns.get(field) ?? 0) + 1;
    turns.set(field, turn);
    const values = spares.get(field) ?? [];
    return values[turn % values.length] ?? secret;
  };
  const replaced = (request: ProxiedRequest, replace: (secret: string) => string): ProxiedRequest => {
    const inText = (text: string) => text.replace(/[\w-]{20,}/g, (word) => (main.has(word) ? replace(word) : word));
    const headers = request.headers.map(([name, value]) => [name, inText(value)] as const);
    return { ...request, path: inText(request.path), headers };
  };
  return {
    toMutant: (request) => {
      const sent = new Map<string, string>();
      const known = replaced(request, (secret) => {
        sent.set(main.get(secret) ?? secret, secret);
        return main.get(secret) ?? secret;
      });
      return { ...known, sent };
    },
    toServer: (request) => replaced(request, (secret) => request.sent?.get(secret) ?? spareOf(secret)),
  };
}
