'use strict';

// What the client gives back: results as the server sent them, with what tests want of them.

class Outcome {
  constructor(raw) {
    this.raw = raw;
  }

  get meta() {
    return this.raw._meta ?? {};
  }
}

class CallResult extends Outcome {
  get content() {
    return this.raw.content ?? [];
  }

  get text() {
    return joined(this.content);
  }

  get structured() {
    return this.raw.structuredContent;
  }

  get data() {
    const structured = this.structured;
    const isObject = typeof structured === 'object' && structured !== null;
    const isWrapped = isObject && Object.keys(structured).join() === 'result';
    return isWrapped ? structured.result : structured;
  }

  get isError() {
    return this.raw.isError === true;
  }
}

class ReadResult extends Outcome {
  get contents() {
    return this.raw.contents;
  }

  get text() {
    return joined(this.contents);
  }

  get data() {
    const [first] = this.contents;
    return first.text === undefined ? Buffer.from(first.blob, 'base64') : Buffer.from(first.text);
  }

  get mimeType() {
    return this.contents[0].mimeType;
  }
}

class PromptMessages extends Outcome {
  get messages() {
    return this.raw.messages;
  }

  get text() {
    return joined(this.messages.map((message) => message.content));
  }

  get description() {
    return this.raw.description;
  }
}

class Subscription {
  #end;

  constructor(uris, accepted, end) {
    this.uris = Object.freeze([...uris]);
    this.accepted = accepted;
    this.#end = end;
  }

  async close() {
    const end = this.#end;
    this.#end = null;
    await end?.();
  }

  static {
    if (Symbol.asyncDispose) this.prototype[Symbol.asyncDispose] = this.prototype.close;
  }
}

function joined(blocks) {
  return blocks.flatMap((block) => block.text ?? []).join('\n');
}

module.exports = { CallResult, PromptMessages, ReadResult, Subscription };
