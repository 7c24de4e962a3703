import { SecretMask } from './secret-mask.ts';
import type { Credentials, Failure, Report } from './model.ts';

const masks = new WeakMap<Credentials, SecretMask>();

/** Headers whose names say that their values are secret. */
const secretHeader = /authori[sz]ation|cookie|secret|password|(^|[-_])(key|token)$/i;

/** The credentials and added headers that are secret, by their names. */
export function secretsOf(credentials: Credentials): [name: string, value: string][] {
  const given = Object.entries(credentials).filter(
    (entry): entry is [string, string] =>
      /_(key|token)$|^(other-)?security\./.test(entry[0]) && typeof entry[1] === 'string',
  );
  const spares = Object.entries(credentials.spares ?? {}).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const headers = credentials.connection?.headers ?? [];
  const secret = headers.filter(([name]) => secretHeader.test(name));
  return [
    ...given,
    ...spares,
    ...secret.map(([name, value]): [string, string] => [name, value.replace(/^\S+ (?=\S+$)/, '')]),
  ];
}

/** The names of all secrets, spares under the name of what they stand for. */
export function namesOf(credentials: Credentials): Map<string, string> {
  return new Map(secretsOf(credentials).map(([name, secret]) => [secret, name]));
}

/** The mask that hides every secret of one set of credentials, each under a name of its own. */
export function maskOf(credentials: Credentials): SecretMask {
  const { spares = {}, ...others } = credentials;
  const named = Object.entries(spares).flatMap(([name, values]) =>
    values.map((value, index): [string, string] => [`${name}_spare_${index + 1}`, value]),
  );
  const mask = masks.get(credentials) ?? new SecretMask([...secretsOf(others), ...named]);
  masks.set(credentials, mask);
  return mask;
}

/** The report with every text masked that may repeat what was sent or came; ids are the suite's own words. */
export function maskReport(report: Report, credentials: Credentials): Report {
  const mask = maskOf(credentials);
  const maskFailure = ({ message, count, curl, rightCurl, files, request, response }: Failure): Failure => ({
    message: mask.mask(message),
    ...(count !== undefined && { count }),
    ...(curl !== undefined && { curl: mask.mask(curl) }),
    ...(rightCurl !== undefined && { rightCurl: mask.mask(rightCurl) }),
    ...(files && { files }),
    ...(request !== undefined && { request: mask.mask(request) }),
    ...(response !== undefined && { response: mask.mask(response) }),
  });
  const results = report.results.map((result) => ({
    ...result,
    check: { ...result.check, title: mask.mask(result.check.title) },
    ...(result.reason !== undefined && { reason: mask.mask(result.reason) }),
    failures: result.failures.map(maskFailure),
    ...(result.measured !== undefined && { measured: mask.mask(result.measured) }),
  }));
  return { ...report, results, problems: report.problems.map((problem) => mask.mask(problem)) };
}
