import type { Header } from './requests.ts';

/** Headers in which proxies state the caller's address, and in which any caller can state anything. */
export const forwardingHeaders: readonly Header[] = [
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-For', '198.51.100.1, 203.0.113.8'],
  ['Forwarded', 'for=203.0.113.9;proto=https'],
  ['X-Real-IP', '203.0.113.10'],
  ['X-Client-IP', '203.0.113.11'],
  ['True-Client-IP', '203.0.113.12'],
  ['CF-Connecting-IP', '203.0.113.13'],
];
