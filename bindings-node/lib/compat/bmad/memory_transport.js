'use strict';

/** A transport within the process: `receive` hands messages in, and `inbox` has those that the server sent. */
class MemoryTransport {
  inbox = [];
  messageHandler = null;

  start() {}

  stop() {}

  send(message) {
    this.inbox.push(message);
  }

  onMessage(handler) {
    this.messageHandler = handler;
  }

  receive(message) {
    if (this.messageHandler === null) {
      console.warn('No message handler registered: call server.start() first');
      return;
    }
    this.messageHandler(message);
  }
}

module.exports = { MemoryTransport };
