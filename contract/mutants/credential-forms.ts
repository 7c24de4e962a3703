import type { Credentials } from '../run/model.ts';

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
  const forms = new Map(labelledSecrets(credentials).map(([, label, secret]) => [secret, form(label)]));
  const formed = (secret: string) => forms.get(secret) ?? secret;
  const fields = Object.entries(credentials).map(([name, value]: [string, unknown]) => [
    name,
    isSecret(name) ? formed(String(value)) : value,
  ]);
  const spares = Object.entries(credentials.spares ?? {}).map(([name, values]) => [name, values.map(formed)]);
  return {
    ...(Object.fromEntries(fields) as Credentials),
    spares: Object.fromEntries(spares) as Record<string, string[]>,
  };
}
