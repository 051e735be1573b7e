// What the server says, read by a parser that is not the engine's own.

/** The server said something that it must not say. */
export class Wrong extends Error {}

export function demand(holds, complaint) {
  if (!holds) throw new Wrong(complaint);
}

class Message {
  constructor(value, idText) {
    this.value = value;
    /** The id as it was written. */
    this.idText = idText;
  }

  get id() {
    return this.value.id ?? null;
  }

  /** Whether it answers something. */
  get isReply() {
    return 'result' in this.value || 'error' in this.value;
  }

  /** Whether it wants an answer. */
  get isRequest() {
    return 'method' in this.value && 'id' in this.value;
  }

  toString() {
    return JSON.stringify(this.value).slice(0, 160);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The messages of one frame: one, or those of a batch. */
export function readFrame(frame) {
  const shown = String(frame).slice(0, 160);
  let text;
  let values;
  try {
    text = UTF8.decode(frame);
    values = JSON.parse(text);
  } catch (error) {
    throw new Wrong(`output is not JSON: ${error.message}: ${shown}`);
  }
  const all = Array.isArray(values) ? values : [values];
  demand(all.length > 0 && !/[\r\n]/.test(text), `not one line of messages: ${shown}`);
  demand(all.every((one) => typeof one === 'object' && one !== null && one.jsonrpc === '2.0'), `not a JSON-RPC object: ${shown}`);
  const idText = /^\{"jsonrpc":"2\.0","id":([^,}]+)/.exec(text)?.[1] ?? '';
  return all.map((one) => new Message(one, idText));
}
