import { queryOf } from '../checks/parameters.ts';
import type { Parameter } from '../document/model.ts';
import type { Scenario } from './scenario.ts';

/** A scenario that sends a parameter with these texts. */
export function withTexts({ name, in: place }: Parameter, texts: readonly string[]): Scenario {
  const text = texts.join(',');
  if (place === 'path') return { path: { [name]: encodeURIComponent(text) } };
  return place === 'header' ? { headers: { [name]: text } } : { query: queryOf([{ name, texts }]) };
}
