/**
 * The rows of the plan: each situation in the plain way, and typical situations in every other way. A covering array: in the rows
 * of one situation, each dimension runs through all of its choices in an order of its own, so that every choice meets every
 * situation, and the choices of two dimensions meet in ever other pairs.
 */
import { ignoredDimensions } from '../dimensions/ignored.ts';
import type { Choice } from '../dimensions/choice.ts';
import type { ApiDocument } from '../document/model.ts';
import { isSafe } from '../oracle/request.ts';
import { isOwnApi } from '../document/own-document.ts';
import { type Situation, situationParts } from './situations.ts';

/** A request of the plan: a situation, asked in a way. */
export interface Row {
  readonly situation: Situation;
  readonly choices: readonly Choice[];
}

/** The choices of each dimension that are promised. @param isQuick leaves out the dimensions that cost several requests */
export function promisedChoices(isPromised: (choice: Choice) => boolean, isQuick = true): Choice[][] {
  const dimensions = ignoredDimensions.filter(({ isCostly }) => !isQuick || isCostly !== true);
  return dimensions.map(({ choices }) => choices.filter(isPromised));
}

const isOfAnyApi = ({ anyApi }: Choice) => anyApi === true;
const isOfAnyStatus = ({ anyApi, name }: Choice) => anyApi === 'status' || name === 'nothing else';
/** What is no reason for any server to do something else, though it may show it in another language, say. */
export const isOfAnyServer = ({ anyApi = false }: Choice) => anyApi !== false;
export const isOfInterface = ({ source }: Choice) => source === 'interface';

/** In how many ways beside the plain one a situation is asked: as many as the largest dimension has choices, or a sample. */
const fewRows = 8;
const sampledRows = { own: 3, other: 1 };

/** @param thorough asks for every typical situation in all ways, twice */
export function rowsOf(document: ApiDocument, seed: number, thorough = false): Row[] {
  return rowParts(document, seed, thorough).flatMap((part) => part());
}

/** The rows in parts that are made when they are needed, each time the same. */
export function rowParts(document: ApiDocument, seed: number, thorough = false): (() => Row[])[] {
  const isOwn = isOwnApi(document);
  const kinds = isOwn ? [isOfInterface, () => true] : [isOfAnyStatus, isOfAnyApi];
  const whole = kinds.map((kind) => promisedChoices(kind, false));
  const quick = kinds.map((kind) => promisedChoices(kind, true));
  const waysIn = (situation: Situation, random: () => number): Choice[][] => {
    const { ways, source, state, operation, documented, isTypical } = situation;
    // What has been deleted, say, cannot be deleted again.
    const changesNothing = isSafe(operation.method) || documented?.statuses.every((status) => status >= 400) === true;
    if (ways === 'plain') return [];
    // What HTTP lets a server heed comes in rows of its own: where it matters, the others still count.
    if (ways === 'all' || (thorough && (ways === 'few' || isTypical)))
      return (state ? quick : whole).flatMap((dimensions) => waysOf(dimensions, random, Infinity, thorough ? 2 : 1));
    const sample = isOwn ? sampledRows.own : changesNothing ? sampledRows.other : 0;
    const few = waysOf(quick.at(-1) ?? [], random, ways === 'few' ? fewRows : sample * (thorough ? 3 : 1), 1);
    if (source !== 'interface' || !isOwn) return few;
    return few.map((row, at) => (at % 2 === 0 ? row.filter(isOfInterface) : row));
  };
  const rowsIn = (situation: Situation, random: () => number): Row[] => {
    const ways = [[], ...situation.same.map((choice) => [choice]), ...waysIn(situation, random)];
    return ways.map((choices) => ({ situation, choices }));
  };
  return situationParts(document, seed).map((situations, part) => () => {
    const random = randomOf(seed + part);
    return situations().flatMap((situation) => rowsIn(situation, random));
  });
}

/** Ways to ask, each with a choice of every dimension in turn. @param most how many, unless no dimension has so many choices */
export function waysOf(
  dimensions: readonly (readonly Choice[])[],
  random: () => number,
  most: number,
  rounds: number,
): Choice[][] {
  const rows = Math.min(most, Math.max(...dimensions.map(({ length }) => length)));
  return Array.from({ length: rounds }, () => {
    const orders = dimensions.filter(({ length }) => length > 1).map((choices) => shuffle(choices, random));
    return Array.from({ length: rows }, (_none, row) => {
      const hides = most === Infinity || random() < 0.5;
      const choices = orders.flatMap((order) => order[row % order.length] ?? []);
      return choices.filter((choice) => choice.name !== 'nothing else' && (hides || choice.hides !== true));
    });
  }).flat();
}

export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[at]] = [shuffled[at] as Item, shuffled[last] as Item];
  }
  return shuffled;
}

/** Repeatable numbers from 0 to 1: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
