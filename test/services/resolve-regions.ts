/** Loaded before a program with `--import`: the regions' host names, which exist nowhere, lead to this machine. */
import dns from 'node:dns';

const lookup = dns.lookup as (hostname: string, ...rest: unknown[]) => void;
dns.lookup = ((hostname: string, ...rest: unknown[]) => {
  lookup(hostname.endsWith('.document-analysis.example') ? '127.0.0.1' : hostname, ...rest);
}) as typeof dns.lookup;
