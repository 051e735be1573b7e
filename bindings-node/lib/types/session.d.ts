// Connections.

import type { Awaitable } from "./offers.js";

/** A client's way to the server, which carries messages as objects. */
export interface Transport {
  start(): Awaitable<void>;
  send(message: any): Awaitable<void>;
  close?(): Awaitable<void>;
  stop?(): Awaitable<void>;
  onMessage?(handler: (message: any) => void): void;
  onError?(handler: (error: Error) => void): void;
  onmessage?: ((message: any, ...rest: any[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

export interface Connection {
  /** Ends the connection; requests in progress finish first. */
  close(): Promise<void>;
}

/** One connection. */
export class Session {
  private constructor();
  /** Takes one whole message; gives all messages that are ready, separated by newlines, or null. */
  handle(message: string | Uint8Array): Buffer | null;
  /** Takes bytes of a stream whose messages end with newlines; gives what is to be written. */
  receive(bytes: string | Uint8Array): Buffer;
  /** The input has ended. Output and open calls go on. */
  end(): void;
  /** The next message that is ready, or null. */
  poll(): Buffer | null;
  /** All messages that are ready, each with a newline. */
  drain(): Buffer;
  /** Is called when there is output that nobody has taken, and when the session is finished. */
  onOutput: (() => void) | null;
  /** The messages, as they become ready, until the session is finished or closed. */
  [Symbol.asyncIterator](): AsyncIterator<Buffer>;
  /** Sends a notification of your own. */
  notify(method: string, params?: object): void;
  /** Cancels open calls, discards output, and refuses everything from now on. */
  close(): void;
  readonly isFinished: boolean;
  readonly isClosed: boolean;
  readonly openCalls: number;
}
