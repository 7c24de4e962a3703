/** The regions of the platform. A server serves one region and has its own store. */
export const regions = ['uk', 'ca'] as const;

export type Region = (typeof regions)[number];
