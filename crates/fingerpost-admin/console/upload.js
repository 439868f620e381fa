// Sends a file to the server and hears of it while it works: the events of POST /v1/imports.
import { Problem, again, token } from './api.js';
import { t } from './texts.js';

/** Imports a file. `onSend(bytes)` hears what was sent, `onEvent(name, data)` every event. Gives the data of `done`; throws Problem, or an Error. */
export async function upload(path, file, { onSend, onEvent, signal }) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send(path, file, onSend, onEvent, signal);
    } catch (error) {
      if (attempt < 2 && error instanceof Problem && (await again(error))) continue;
      throw error;
    }
  }
}

function send(path, file, onSend, onEvent, signal) {
  return new Promise((resolve, reject) => {
    // fetch() does not tell how much of a file is sent.
    const request = new XMLHttpRequest();
    const events = reader((name, data) => {
      if (name === 'done') resolve(data);
      else if (name === 'failed') reject(new Problem(data.status, data));
      else onEvent(name, data);
    });
    const problem = () => {
      let body;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        /* not ours */
      }
      return new Problem(request.status, body, { get: (name) => request.getResponseHeader(name) });
    };
    request.open('POST', path);
    request.setRequestHeader('accept', 'text/event-stream, application/problem+json');
    request.setRequestHeader('content-type', 'application/octet-stream');
    if (token()) request.setRequestHeader('x-csrf-token', token());
    request.upload.addEventListener('progress', (event) => onSend(event.loaded));
    request.addEventListener('progress', () => {
      if (request.status === 200) events(request.responseText);
    });
    request.addEventListener('load', () => {
      if (request.status !== 200) {
        reject(problem());
        return;
      }
      events(request.responseText);
      reject(new Error(t('transfer.server_ended')));
    });
    request.addEventListener('error', () => reject(new Error(t('transfer.connection_lost'))));
    request.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
    if (signal.aborted) {
      reject(new DOMException('stopped', 'AbortError'));
      return;
    }
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** Reads server-sent events from a text that grows. */
function reader(handleEvent) {
  let at = 0;
  return (text) => {
    for (let end; (end = text.indexOf('\n\n', at)) >= 0; at = end + 2) {
      const lines = text.slice(at, end).split('\n');
      const value = (name) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (value('event')) handleEvent(value('event'), JSON.parse(value('data')));
    }
  };
}
