/** What goes on over each connection of a server: the one place that notes where a request begins and where it is over. */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A request and its response. */
export type Exchange = Parameters<RequestListener>;

/** The requests that came over one connection. */
export interface Conversation {
  /** Those that are not over, in the order in which they came. */
  readonly underWay: readonly Exchange[];
  /** The one that came last, over or not. */
  readonly last: Exchange;
}

/** Is told of each request of a server. */
export interface Follower {
  begins?(exchange: Exchange, conversation: Conversation): void;
  /** The request is no longer among those under way: it was answered to its end, or its client has gone. */
  ends?(socket: Socket, conversation: Conversation): void;
}

const conversations = new WeakMap<Duplex, { underWay: Exchange[]; last: Exchange }>();

/** What came over a connection of a server that is followed; undefined if that was no request yet. */
export function conversationOf(socket: Duplex): Conversation | undefined {
  return conversations.get(socket);
}

/** The events by which a server tells of a request: Node.js emits one of them, by what the client expects. */
export const requestEvents = ['request', 'checkContinue', 'checkExpectation'] as const;

/** Follows the requests of a server, whatever they expect; one of the followers must answer them. */
export function followConversations(server: Server, followers: readonly Follower[]): void {
  const follow: RequestListener = (...exchange) => {
    const [{ socket }, response] = exchange;
    if (socket.destroyed) return;
    const conversation = conversations.get(socket) ?? { underWay: [], last: exchange };
    conversations.set(socket, conversation);
    conversation.last = exchange;
    conversation.underWay.push(exchange);
    response.on('close', () => {
      conversation.underWay.splice(conversation.underWay.indexOf(exchange), 1);
      for (const follower of followers) follower.ends?.(socket, conversation);
    });
    for (const follower of followers) follower.begins?.(exchange, conversation);
  };
  for (const event of requestEvents) server.on(event, follow);
}
