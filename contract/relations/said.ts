/** What descriptions say in words: their sentences, what they name, and what they say of a removal. */
import { literally } from '../document/match.ts';
import type { Baseline } from '../plan/baseline.ts';

/** A resource, by its name. */
type Named = { readonly name: string };

export function sentencesOf(...texts: readonly (string | undefined)[]): string[] {
  return texts.flatMap((text = '') => text.split(/[.;]\s+/));
}

/** A pattern of a name and its plural. */
export function pluralOrOne(name: string): string {
  return name.endsWith('y') ? `${name.slice(0, -1)}(?:y|ies)` : `${name}s?`;
}

/** A pattern of a value as a text may have it, as `in progress` for `in_progress`. */
export function wordOf(value: unknown): string {
  return literally(String(value)).replaceAll(/[_-]/g, '[ _-]');
}

/** Whether a text names the items of a resource. */
export function names(text: string, { name }: Named): boolean {
  return new RegExp(`\\b${pluralOrOne(name)}\\b`, 'i').test(text);
}

/** What a document says of the 409 of an operation, unless several operations share it, and it has alternatives. */
export function refusalOf({ operation, document }: Baseline): string {
  const { description = '' } = operation.responses['409'] ?? {};
  const isShared = document.operations.some(
    (each) => each.operationId !== operation.operationId && each.responses['409']?.description === description,
  );
  return isShared && /\bor\b/i.test(description) ? '' : description;
}

/** Says that a request may have a field that changes nothing, as in "`status` is ignored", or any but those before. */
const [ignoring, others] = [/`(\w+)` (?:is|are) ignored/g, /^.*?(?=\bignor\w+ (?:everything|anything|all) else\b)/is];

/** The fields of a request that the server heeds, as far as its description says. */
export function heeded(names: readonly string[], { description = '' }: Partial<Baseline['operation']> = {}): string[] {
  const ignored = Array.from(description.matchAll(ignoring), ([, name]) => name);
  const [before] = others.exec(description) ?? [];
  const isNamed = (name: string) => before === undefined || before.includes(`\`${name}\``);
  return names.filter((name) => !ignored.includes(name) && isNamed(name));
}

/** Says that not all are counted, or later. */
export const someAlone =
  /\b(cache|hour|daily|eventual|approximate|estimate|last|past|recent|since|ever|not|except|only|who|that|which|with(out)?|active|open|approved|published|confirmed|visible)\b/i;

/** Says that a removal leaves something to be read. */
const aside =
  /archiv|cancel|deactivat|schedul|asynchron|later|mark(s|ed)? (it )?as|\bsets? `?\w*(deleted|removed)_?at\b|\bstill be read\b/i;
/** Says that what is removed can come back. */
const hidden = /soft|trash|restor/i;

/** Whether what a removal leaves may be read as before. */
export function setsAside(remove: Baseline | undefined, pattern = aside): boolean {
  const { operationId = '', summary = '', description = '' } = remove?.operation ?? {};
  return pattern.test(`${operationId} ${summary} ${description}`);
}

export function removesForGood(remove: Baseline | undefined): boolean {
  return remove !== undefined && !setsAside(remove) && !setsAside(remove, hidden);
}

/** Whether a removal is said to do something with the items of another resource. */
const saysOf = (pattern: RegExp) => (remove: Baseline | undefined, other: Named) =>
  sentencesOf(remove?.operation.summary, remove?.operation.description).some(
    (sentence) => pattern.test(sentence) && names(sentence, other),
  );

/** Whether a removal is said to remove the items of another resource, too. */
export const removesWith = saysOf(
  /^(?!.*\b(remains?|stays?|kept|keeps?)\b).*(\bwith (all|its|their|every)\b|\band (all|its|every)\b|cascad|\btogether\b)/is,
);

/** Whether a removal is said to leave the items of another resource, which then refer to nothing. */
export const unlinks = saysOf(
  /\b(unassign|unlink|detach|disassociat)|\bno longer\b|\b(clears?|cleared)\b|\b(becomes?|set to) (null|empty)\b|\bremove[sd]? from\b|\b(lose|loses)\b/i,
);

/** As in "The depot still has vehicles", or "with open jobs"; other words before the items may name states that new ones are not in. */
const having =
  '(?:has|have|with|still|contains?) (?:still |any |some |its |no )*(?:active |open |pending |unfinished |outstanding |running |upcoming )?';

/** Whether items of another resource, in the state in which they are created, make an operation on what they refer to conflict, as 409 says. */
export function isHinderedBy(about: Baseline | undefined, { name }: Named): boolean {
  const refusal = about ? refusalOf(about) : '';
  const others = pluralOrOne(name);
  const using = `\\b${others}\\b[^.]*\\b(uses?|refers? to|belongs? to|depends? on|still)\\b`;
  return new RegExp(`${using}|\\b${having}${others}\\b`, 'i').test(refusal);
}
