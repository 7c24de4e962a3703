import { Redis } from 'ioredis';
import { CheckingConnector } from './redis-socket.ts';

/**
 * How long a request can be held up, at most: this long a command waits for its response. A connection on which nothing is
 * heard for as long is given up, and until there is a new one no request waits at all. A shorter time would take a burst of
 * work in this process for a Redis that is unavailable.
 */
const commandTimeout = 2000;
const socketTimeout = 2000;
const connectTimeout = 2000;
const longestRetryDelay = 1000;

/** A connection that is made again whenever it is lost, if it `reconnects`. No command waits for that or is sent twice. */
export function connectRedis(url: URL, { reconnects }: { reconnects: boolean }): Redis {
  return new Redis({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || '6379'),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    db: Number(url.pathname.slice(1)),
    ...(url.protocol === 'rediss:' && { tls: {} }),
    Connector: CheckingConnector,
    protocol: 2,
    connectTimeout,
    commandTimeout,
    socketTimeout,
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The handshake proves that the server responds; a server that still loads its data says so to each command.
    enableReadyCheck: false,
    retryStrategy: (attempt) => (reconnects ? Math.min(50 * 2 ** (attempt - 1), longestRetryDelay) : null),
    // After a failover this may be a replica now, and the name in the URL that of another server.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    connectionName: 'document-analysis',
    disableClientInfo: true,
  });
}

/** What an error says, without the password: some servers repeat what they were sent. Its other fields may hold it too. */
export function reasonOf(error: unknown, { password }: URL): string {
  const { code, message } = error as { code?: string; message: string };
  const reason = message || String(code);
  return password === '' ? reason : reason.replaceAll(decodeURIComponent(password), '***');
}
