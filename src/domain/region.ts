/** The regions of the platform. A server serves one of them, with its own store. */
export const regions = ['uk', 'ca'] as const;

export type Region = (typeof regions)[number];
