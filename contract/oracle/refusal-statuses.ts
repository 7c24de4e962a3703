import type { Operation } from '../document/model.ts';

/**
 * The statuses with which an operation may refuse a request, by reason. If there are none, no refusal is promised or
 * checked.
 */
export interface RefusalStatuses {
  /** A body or a parameter is not as documented. */
  readonly invalid: readonly number[];
  /** The media type of the body is not documented. */
  readonly mediaType: readonly number[];
  /** There is no valid credential. */
  readonly credential: readonly number[];
  /** An identifier identifies no resource. */
  readonly unknown: readonly number[];
  /** The path does not support the method. */
  readonly method: readonly number[];
}

/** The statuses that this project has decided on. */
function decided({ responses }: Operation): RefusalStatuses {
  const mediaType = responses['415'] ? [415] : [];
  return { invalid: [400], mediaType, credential: [401], unknown: [404], method: [405] };
}

/** The statuses that HTTP allows and the document includes for the operation, by name or as `4XX`. */
function documented({ method, responses }: Operation): RefusalStatuses {
  const named = (status: number) => responses[String(status)] !== undefined;
  const inRange = responses['4XX'] !== undefined;
  const promised = (telling: readonly number[], others: readonly number[] = []) =>
    inRange || telling.some(named)
      ? [...telling, ...others].filter((status) => named(status) || inRange || responses['default'] !== undefined)
      : [];
  // An earlier request may have removed the resource.
  const gone = method === 'delete' ? [404, 410] : [];
  return {
    // Documents misuse 405 for this, so it counts where it is listed.
    invalid: [...promised([400, 422], [413, 414, 415, 416, 417, ...gone]), ...(named(405) ? [405] : [])],
    mediaType: promised([415], [400, 422, ...gone]),
    credential: promised([401, 403]),
    unknown: promised([404, 410]),
    method: named(405) ? [405, 501] : [],
  };
}

/** @param isOwn whether this project's decisions apply to the operation */
export function refusalsOf(operation: Operation, isOwn: boolean): RefusalStatuses {
  return isOwn ? decided(operation) : documented(operation);
}
