import type { Clause } from '../requirements.ts';

/** One gateway for many clients of both eras. */
// biome-ignore format: a table, one clause per line
export const gatewayHttp: readonly Clause[] = [
  { id: 'gateway:http:many', state: 'done', clause: '`switchboard gateway --http` serves any number of clients of both eras until a signal arrives, and running calls finish.' },
  { id: 'gateway:http:own-names', state: 'done', clause: '`/mcp/<server>` is one server under its own names, with its own description, across reloads of the config.' },
  { id: 'gateway:http:crossing', state: 'done', clause: 'Everything that relates to a request reaches only the client of that request, whatever ids and tokens the clients chose.' },
  { id: 'gateway:http:slow-client', state: 'done', clause: 'A client that does not read its responses delays no other client.' },
  { id: 'gateway:http:restored', state: 'done', clause: 'A session of an earlier process continues without `initialize`, with its log level and subscriptions.' },
  { id: 'gateway:http:planned-restart', state: 'done', clause: 'SIGUSR2 restarts the gateway: no connection is refused, no request is lost, and no client initializes again.' },
  { id: 'gateway:http:killed', state: 'done', clause: 'After the gateway was killed under load and started again, every call gets an answer when its client connects again, and no client gets 404.' },
  { id: 'gateway:http:real-clients', state: 'done', clause: 'Codex, the official SDK clients, the Inspector and mcporter use one gateway at the same time, and continue without a new `initialize` when it is restarted.' },
  { id: 'gateway:http:stopped-call', state: 'done', clause: 'A call that does not finish before the gateway stops or restarts fails as retryable if its server never got it, otherwise with the advice to check before repeating.' },
  { id: 'gateway:http:health', state: 'done', clause: '`/health` answers 200 or 503 without a token, also for one server, and contains no names or reasons.' },
  { id: 'gateway:http:status', state: 'done', clause: '`switchboard mcp status` names the URL of the gateway and its HTTP clients.' },
  { id: 'gateway:http:repeated-header', state: 'done', clause: 'A request that repeats a header which must be unique, such as `Host`, `Authorization` or `Mcp-Session-Id`, is refused.' },
  { id: 'gateway:http:smuggling', state: 'done', clause: 'A request whose length a proxy could read differently is refused, and nothing after it is read.' },
  { id: 'gateway:http:session-owner', state: 'done', clause: 'A session id counts only with the token and the path that opened it, and nobody can choose it.' },
  { id: 'gateway:http:revoked', state: 'done', clause: 'When a token is revoked, its calls are cancelled, its streams and sessions end, and no others.' },
  { id: 'gateway:http:authorization', state: 'done', clause: 'Headers of a client, `Authorization` included, reach no server.' },
  { id: 'gateway:http:limits', state: 'done', clause: 'Above the limits of bodies, sessions, requests per client and in all, connections and time, a request gets 413, 503, 429, 503, 503 or 408. The refusals are counted in the status.' },
  { id: 'gateway:http:idle', state: 'done', clause: 'Ten thousand idle connections, and clients that send their requests slowly, do not keep others from being served.' },
  { id: 'gateway:modern:discover', state: 'done', clause: 'A modern client discovers the gateway and uses all servers, on stdio and over HTTP, whichever era the servers speak.' },
  { id: 'gateway:modern:input', state: 'done', clause: 'Elicitation, sampling and roots of a legacy server reach a modern client as required input. The state works once, and only for the same token, tool and arguments.' },
  { id: 'gateway:modern:input-keys', state: 'done', clause: 'Input requests of a modern server keep their keys. Input responses without a state start a new request.' },
  { id: 'gateway:modern:cache-hints', state: 'done', clause: 'A list may be cached for as long as every server in it permits, and may be shared only if every server permits that and no token was needed. A legacy server permits neither.' },
  { id: 'gateway:modern:expired', state: 'done', clause: 'If a modern server announces no list changes, its list is requested again when a client requests it after its `ttlMs` has passed.' },
  { id: 'gateway:modern:listen', state: 'done', clause: '`subscriptions/listen` reports changed lists and resources, and its end ends the subscriptions at the servers.' },
  { id: 'gateway:http:restored-lists', state: 'done', clause: 'A session of an earlier process is told that its lists may have changed since it read them.' },
  { id: 'http:session:lost-response', state: 'done', clause: 'A client that resumes the stream of a request which an earlier process received gets `OUTCOME_UNKNOWN` for it.' },
];
