/** The regions of the platform. One running server serves one of them, with a store of its own. */
// @ts-nocheck

export const regions = ['uk', 'ca'] as const;

export type Region = (typeof regions)[number];
