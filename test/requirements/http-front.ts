import type { Clause } from '../requirements.ts';

/** MCP over HTTP, as the kit, the Codex server and the gateway serve it. */
// biome-ignore format: a table, one clause per line
export const httpFront: readonly Clause[] = [
  { id: 'kit:http:serve', state: 'done', clause: '`serveHttp(server, { port })` serves both eras on loopback and returns the URL.' },
  { id: 'kit:http:loopback', state: 'done', clause: 'A kit server that other machines can reach needs a token, and does not start without one.' },
  { id: 'http:origin:refused', state: 'done', clause: 'A request whose `Host` or `Origin` is not allowed gets 403, even with a valid token and session.' },
  { id: 'http:token:revoked', state: 'done', clause: 'When a token is revoked, its running calls, streams and sessions end at once, and no others.' },
  { id: 'http:session:bound', state: 'done', clause: 'A session id is valid only with the token and the path that it was created for. Any other id is unknown.' },
  { id: 'http:session:alive', state: 'done', clause: 'A session does not expire while a request of its client is on the way, even if the machine is too busy to read it.' },
  { id: 'http:exchange:own', state: 'done', clause: 'Progress of a call arrives only in the response of that call, whatever ids and tokens the clients chose.' },
  { id: 'http:resume:lossless', state: 'done', clause: 'A client that loses its connection continues each stream after the last event that it received.' },
  { id: 'http:clients:dead', state: 'done', clause: 'The session, the streams and the calls of a client that was killed are freed within a limit.' },
  { id: 'http:stop:graceful', state: 'done', clause: 'A server that stops accepts no new session, finishes its running calls within a limit, and ends its streams properly.' },
  { id: 'http:idle:no-block', state: 'done', clause: 'Idle connections never keep another client from being served.' },
  { id: 'http:port:owner', state: 'done', clause: 'The error for a port in use names the process that uses it.' },
];
