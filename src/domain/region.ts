/** The regions of the platform. A server serves one region and has its own store. */
export const regions = ['uk', 'ca'] as const;

export type Region = (typeof regions)[number];

const command = /(?<![\w/-])document-analysis (?=[a-z])/g;

/** Adds the region to the commands that a text for people names, unless it is the default. */
export function forRegion(text: string, region: Region): string {
  return region === regions[0] ? text : text.replace(command, `$&--region ${region} `);
}
