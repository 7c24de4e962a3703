import { SecretMask } from './secret-mask.ts';
import type { Credentials, Failure, Report } from './model.ts';

const masks = new WeakMap<Credentials, SecretMask>();

/** The credentials that are secret, by their names. */
export function secretsOf(credentials: Credentials): [name: string, value: string][] {
  return Object.entries(credentials).filter(
    (entry): entry is [string, string] => /_(key|token)$/.test(entry[0]) && typeof entry[1] === 'string',
  );
}

/** The mask that hides every secret of one set of credentials. */
export function maskOf(credentials: Credentials): SecretMask {
  const mask = masks.get(credentials) ?? new SecretMask(secretsOf(credentials));
  masks.set(credentials, mask);
  return mask;
}

/** The report with every text masked that may repeat what was sent or came; ids are the suite's own words. */
export function maskReport(report: Report, credentials: Credentials): Report {
  const mask = maskOf(credentials);
  const maskFailure = ({ message, curl, response }: Failure): Failure => ({
    message: mask.mask(message),
    ...(curl !== undefined && { curl: mask.mask(curl) }),
    ...(response !== undefined && { response: mask.mask(response) }),
  });
  const results = report.results.map((result) => ({
    ...result,
    check: { ...result.check, title: mask.mask(result.check.title) },
    ...(result.reason !== undefined && { reason: mask.mask(result.reason) }),
    failures: result.failures.map(maskFailure),
  }));
  return { ...report, results, problems: report.problems.map((problem) => mask.mask(problem)) };
}
