/** The folders that `npm run generate` writes: generated files, and stubs of what is new in the document. */
export const generated = [
  ...['generated', 'contract/generated', 'client/generated'],
  ...['src/api/operations', 'test/contract'],
];
