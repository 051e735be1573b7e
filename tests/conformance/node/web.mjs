// A listener for `node:http` that asks a function from web requests to web responses, and nothing else.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export function listenerOf(fetch) {
  return (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    answer(fetch, incoming, outgoing, gone.signal).catch((error) => {
      if (!gone.signal.aborted) console.error(error);
      outgoing.destroy();
    });
  };
}

async function answer(fetch, incoming, outgoing, signal) {
  const { method } = incoming;
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
  }
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, { method, headers, body, signal, duplex: 'half' });
  const response = await fetch(request);
  outgoing.writeHead(response.status, [...response.headers].flat());
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
}
