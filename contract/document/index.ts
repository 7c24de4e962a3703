export { documentOf } from './document-of.ts';
export { hasOwnHost, matchOperation, operationsOfPath } from './match.ts';
export type * from './model.ts';
export { httpMethods } from './model.ts';
