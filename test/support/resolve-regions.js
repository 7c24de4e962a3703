/**
 * Loaded before a program with `--import`: the host names of the regions, which exist nowhere, lead to this machine.
 */
import dns from 'node:dns';

const lookup = dns.lookup;
dns.lookup = (hostname, ...rest) => {
  lookup(hostname.endsWith('.document-analysis.example') ? '127.0.0.1' : hostname, ...rest);
};
