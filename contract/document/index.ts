export { documentOf } from './document-of.ts';
export { DocumentError } from './faults.ts';
export { loadDocument } from './load-document.ts';
export { allowedMethods, hasOwnHost, matchOperation, operationsOfPath } from './match.ts';
export type * from './model.ts';
export { httpMethods } from './model.ts';
