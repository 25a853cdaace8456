import type { Clause } from '../requirements.ts';

/** One gateway for several clients: outcomes of calls, whose message, and which process. */
// biome-ignore format: a table, one clause per line
export const manyClients: readonly Clause[] = [
  { id: 'gateway:outcome:unknown', state: 'done', clause: 'A tool call that the server received and did not answer before it crashed, was stopped or lost its connection gives `OUTCOME_UNKNOWN`, retryable only if the tool is annotated read-only or idempotent.' },
  { id: 'gateway:outcome:timeout', state: 'done', clause: 'A tool call that times out after the server received it is retryable only if the tool is annotated read-only or idempotent.' },
  { id: 'gateway:outcome:not-sent', state: 'done', clause: 'A call that never reached its server is sent again, or its error is retryable.' },
  { id: 'gateway:message:dropped', state: 'done', ruling: 21, clause: 'A log message that may be for either of two clients reaches neither and is counted in the status.' },
  { id: 'gateway:message:stream', state: 'done', ruling: 21, clause: 'A message on the HTTP response stream of a call reaches the client of that call.' },
  { id: 'gateway:message:task', state: 'done', ruling: 21, clause: 'A message about a task reaches the client that started the task.' },
  { id: 'gateway:message:roots', state: 'done', ruling: 21, clause: 'A `roots/list` request outside a call is answered with the shared folder if a process serves several clients.' },
  { id: 'gateway:message:leave', state: 'done', ruling: 21, clause: 'A client that leaves has its calls cancelled and its subscriptions dropped.' },
  { id: 'gateway:share:client', state: 'done', ruling: 22, clause: 'With `"share": "client"`, each client has its own process of the server.' },
  { id: 'gateway:share:leave', state: 'done', ruling: 22, clause: 'The process of a client that leaves is stopped, and no other client gets its state.' },
  { id: 'gateway:share:thread', state: 'done', ruling: 22, clause: 'With `"share": "client"`, each thread of a Codex client has its own process, in both eras and from every connection of its token.' },
  { id: 'gateway:share:thread-owner', state: 'done', ruling: 22, clause: 'A client does not reach the process of another token by sending its thread id.' },
  { id: 'gateway:share:thread-end', state: 'done', ruling: 22, clause: 'The process of a thread is stopped when its client leaves, or after 30 minutes without a call, except for the first thread of a connection.' },
  { id: 'gateway:share:thread-limit', state: 'done', ruling: 22, clause: 'A server has at most 101 processes. If another one is needed, the process of an idle thread is stopped; without an idle thread, the call fails with `BUSY`.' },
  { id: 'gateway:share:capabilities', state: 'done', ruling: 22, clause: 'Clients that declare different capabilities do not share a process.' },
  { id: 'gateway:share:asks', state: 'done', ruling: 21, clause: 'A server that asks by elicitation or sampling without naming a call, while it serves several clients, gets one process per client from then on, also in later runs.' },
];
