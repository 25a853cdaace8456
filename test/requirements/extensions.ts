import type { Clause } from '../requirements.ts';

/** Extensions of the protocol through a gateway for many servers: apps, skills, tasks and unknown ones. */
// biome-ignore format: a table, one clause per line
export const extensions: readonly Clause[] = [
  { id: 'gateway:apps:uris', state: 'done', clause: 'With prefixes, `ui://` and `skill://` URIs in lists and in the `_meta` of tools carry the id of their server; the scheme and all other URIs stay the same.' },
  { id: 'gateway:apps:read', state: 'done', clause: 'Two servers may use the same `ui://` URIs: each is read from its own server, and the result has the URI of the list.' },
  { id: 'gateway:apps:results', state: 'done', clause: 'Resource links, embedded resources and `_meta` in results name apps under the URIs of the list.' },
  { id: 'gateway:apps:updates', state: 'done', clause: 'Subscriptions to apps and their updates use the URIs of the list.' },
  { id: 'gateway:apps:plain', state: 'done', clause: 'Without prefixes, URIs of apps stay the same, and the first server with a URI keeps it.' },
  { id: 'gateway:apps:tools', state: 'done', clause: 'An app calls a tool of its server by the name there; if several servers with apps have such a tool, the error names them.' },
  { id: 'gateway:tasks:same-id', state: 'done', clause: 'Tasks of two servers with the same id stay apart, in both forms of tasks.' },
  { id: 'gateway:tasks:own', state: 'done', clause: 'A client reaches only its own tasks.' },
  { id: 'gateway:tasks:notifications', state: 'done', clause: 'Notifications about a task reach only the client that started it.' },
  { id: 'gateway:skills:list', state: 'done', clause: '`skills/list` returns the skills of all servers.' },
  { id: 'gateway:skills:get', state: 'done', clause: '`skills/get` and `resources/directory/read` go to the server of the skill.' },
  { id: 'gateway:extensions:declared', state: 'done', clause: 'The gateway declares the extensions and capabilities of its servers; of unknown ones, those that exactly one server offers.' },
  { id: 'gateway:extensions:unknown', state: 'done', clause: 'Requests of an unknown extension go to the only server that offers it.' },
];
