/** Where `npm run generate` writes: what follows from the document, and the stubs of what it newly describes. */
export const generated = [
  ...['generated', 'contract/generated', 'client/generated'],
  ...['src/api/operations', 'test/contract'],
];
