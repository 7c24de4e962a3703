/**
 * Loaded before a program with `--import`: the host names of the regions, which exist nowhere, lead to this machine. No
 * TypeScript: a program that tsx is loaded into twice hangs for ever when it finds nothing in its cache.
 */
import dns from 'node:dns';

const lookup = dns.lookup;
dns.lookup = (hostname, ...rest) => {
  lookup(hostname.endsWith('.document-analysis.example') ? '127.0.0.1' : hostname, ...rest);
};
