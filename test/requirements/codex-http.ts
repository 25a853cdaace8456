import type { Clause } from '../requirements.ts';

/** Codex for many clients over HTTP. */
// biome-ignore format: a table, one clause per line
export const codexHttp: readonly Clause[] = [
  { id: 'codex:http:many', state: 'done', clause: '`switchboard codex --http` serves Codex to any number of clients of both eras until a signal arrives.' },
  { id: 'codex:http:owner', state: 'done', clause: 'A Codex session belongs to the token that started it over HTTP, also after a restart. For every other token it does not exist: no tool, resource, notification, list or completion shows it.' },
  { id: 'codex:http:local', state: 'done', clause: 'Sessions that no token started belong to the local user: to stdio, and over HTTP to the token `local` and to `--auth none`.' },
  { id: 'codex:http:roles', state: 'done', clause: 'A token with the role `read`, or limited to a view, may not use Codex over HTTP.' },
  { id: 'codex:http:approval', state: 'done', clause: 'Over HTTP, a question of Codex reaches only the client whose call started the turn: in the response to a waiting call, or on its GET stream.' },
  { id: 'codex:http:killed', state: 'done', clause: 'The session of an HTTP client that was killed keeps running, and its questions are refused when their time is over.' },
  { id: 'codex:http:restart', state: 'done', clause: 'After a crash and a restart on the same port, HTTP clients continue without `initialize`, and continue their Codex sessions.' },
  { id: 'codex:http:revoked', state: 'done', clause: 'When a token is revoked or expires, the Codex turns that it started end.' },
  { id: 'codex:http:limits', state: 'done', clause: 'The operator limits of `switchboard codex` hold over HTTP, and MAX_SESSIONS counts the sessions of all tokens.' },
  { id: 'codex:http:stop', state: 'done', clause: 'After a signal, `switchboard codex --http` leaves no process, and its status names the URL and the clients until then.' },
];
