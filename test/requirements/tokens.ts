import type { Clause } from '../requirements.ts';

/** Who may connect over HTTP, and as whom. */
// biome-ignore format: a table, one clause per line
export const tokens: readonly Clause[] = [
  { id: 'token:create:shown-once', state: 'done', clause: 'A token is shown when it is created, and by no command afterward.' },
  { id: 'token:create:arguments', state: 'done', clause: 'A token never appears in the arguments or the environment of a process.' },
  { id: 'token:store:hashed', state: 'done', clause: 'Tokens are stored as hashes, in a file that only their owner can read.' },
  { id: 'token:revoke:second', state: 'done', clause: 'A running server stops accepting a token about a second after it was revoked or has expired.' },
  { id: 'token:revoke:call', state: 'done', clause: 'When a token is revoked during a call through the gateway, the client learns that the outcome of the call is unknown, and its session and processes end.' },
  { id: 'token:local:file', state: 'done', clause: 'The token for the programs of this user is in a file that only this user can read.' },
  { id: 'token:none:loopback', state: 'done', clause: '`--auth none` is refused where other machines can connect, and the error names the next step.' },
  { id: 'token:sign-in:withheld', state: 'done', clause: 'Where other machines can connect, servers with a personal sign-in are left out unless their entry says `shareSignIn`.' },
  { id: 'token:sign-in:late', state: 'done', clause: 'A sign-in that is added while others can use the gateway is never used for them, and its server is left out from then on.' },
  { id: 'token:exposed:hosts', state: 'done', clause: 'Where other machines can connect, the `Host` of a request must be an IP address or a loopback name. A page from an IP address may call only that address.' },
  { id: 'token:exposed:public-url', state: 'done', clause: '`--public-url` adds the name of its URL as `Host` and exactly its `Origin`, and there is no warning if it is https.' },
  { id: 'token:role:endpoints', state: 'done', clause: 'Tokens with the role `use` or `admin` may call servers. Tokens with the role `read` get 403 at every endpoint.' },
  { id: 'token:view:ceiling', state: 'done', clause: 'A token with a view is limited to that view at every endpoint. Another view, or a server outside of it, is 403.' },
  { id: 'token:authorization:kept', state: 'done', clause: 'No header that a client sends as credentials reaches a server.' },
  { id: 'token:tls:served', state: 'done', clause: '`--tls-cert` and `--tls-key` serve HTTPS. An error in one of these files names the file.' },
  { id: 'token:tls:renewed', state: 'done', clause: 'A renewed certificate is used without a restart. If it cannot be used, the previous one stays in use.' },
];
