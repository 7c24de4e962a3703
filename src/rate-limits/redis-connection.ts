/**
 * A connection to Redis, which ends at the first fault: a missing or unexpected response. All pending commands then
 * fail, so that none receives the response to another. No command is sent twice.
 */
import { createClient, defineScript, ErrorReply } from '@redis/client';
import { countedOf, type RateLimit, type RateLimitCount } from './rate-limit-store.ts';

/** The longest delay of a request. With less, a burst of work in this process would look like an unavailable Redis. */
const commandTimeout = 2000;
const connectTimeout = 2000;

/** The count of a window and its milliseconds left. No window lasts longer than it may, as when Redis' clock is set back. */
const countRequest = defineScript({
  SCRIPT: `
redis.call('set', KEYS[1], 0, 'EX', ARGV[1], 'NX')
local count = redis.call('incrby', KEYS[1], 1)
local remaining = redis.call('pttl', KEYS[1])
local window = 1000 * ARGV[1]
if remaining == -1 or remaining > window then
  redis.call('expire', KEYS[1], ARGV[1])
  remaining = window
end
return count .. ' ' .. remaining`,
  NUMBER_OF_KEYS: 1,
  parseCommand: (parser, key: string, windowSeconds: number) => {
    parser.pushKey(key);
    parser.push(String(windowSeconds));
  },
  transformReply: (reply: unknown) => reply,
});

export class RedisConnection {
  readonly #redis;
  readonly #onEnd: (fault: unknown) => void;
  #responds = false;
  #fault: unknown;

  constructor(url: URL, onEnd: (fault: unknown) => void) {
    this.#onEnd = onEnd;
    this.#redis = createClient({
      url: url.href,
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      // The client's timeout ends when a command is written; `#inTime` covers the response.
      commandOptions: { timeout: 0 },
      socket: { connectTimeout, reconnectStrategy: false },
      scripts: { countRequest },
    });
    this.#redis.on('error', (fault) => {
      this.end(fault);
    });
  }

  /**
   * Connects, and names the connection for the operator, which proves that Redis responds. @throws the reason if it
   * does not
   */
  async connect(): Promise<void> {
    try {
      await this.#inTime(this.#redis.connect(), connectTimeout + commandTimeout);
      // The Redis user may lack the permission.
      const named = this.#redis.clientSetName('document-analysis').catch((error: unknown) => {
        if (!(error instanceof ErrorReply)) throw error;
      });
      await this.#inTime(named);
      this.#responds = true;
    } catch (error) {
      this.end(error);
      throw error;
    } finally {
      // It does nothing to a socket that connects, as to one that was ended before it was connected.
      if (this.#fault !== undefined) this.#redis.destroy();
    }
  }

  /** The INFO section about the server. Another kind of server may return anything. */
  async info(): Promise<string> {
    return textOf(await this.#inTime(this.#redis.info('server')));
  }

  /**
   * Counts one request. The keys of a region begin with its name; they hold identifiers and addresses, no secret.
   * @throws if Redis does not respond with a count and the rest of its window
   */
  async count(region: string, limit: RateLimit, key: string): Promise<RateLimitCount> {
    if (!this.#responds) throw new Error('Redis has not responded yet');
    const { name, windowSeconds } = limit;
    const counting = this.#redis.countRequest(`document-analysis:${region}:${name}:${key}`, windowSeconds);
    const reply = await this.#inTime(counting);
    const [, count = '', milliseconds = ''] = /^([1-9]\d{0,14}) (\d{1,8})$/.exec(textOf(reply)) ?? [];
    if (count === '' || Number(milliseconds) > 1000 * windowSeconds) {
      this.end(new Error('Redis sent something else than a count'));
      throw this.#fault;
    }
    return countedOf(limit, Number(count), Number(milliseconds));
  }

  /** Only the first fault is reported: later ones follow from it. */
  end(fault: unknown): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#responds = false;
    this.#redis.destroy();
    this.#onEnd(fault);
  }

  async #inTime<Reply>(response: Promise<Reply>, milliseconds = commandTimeout): Promise<Reply> {
    const timer = setTimeout(() => {
      this.end(new Error('Redis did not respond in time'));
    }, milliseconds);
    try {
      return await response;
    } catch (error) {
      // After a failover this may be a replica now, and the name in the URL that of another server.
      if ((error as Error).message.startsWith('READONLY')) this.end(error);
      throw this.#fault ?? error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The text of a reply; empty if it has another type. */
function textOf(reply: unknown): string {
  return typeof reply === 'string' ? reply : '';
}
