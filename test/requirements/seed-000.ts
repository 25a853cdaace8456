import type { Clause } from '../requirements.ts';

/** The gateway: many servers behind one endpoint, with schemas and errors that Codex can read. */
// biome-ignore format: a table, one clause per line
export const seed000: readonly Clause[] = [
  // One endpoint
  { id: 'gateway:aggregate:one-endpoint', state: 'done', clause: 'All servers of the config appear to the client as a single MCP server.' },
  { id: 'gateway:aggregate:parallel-start', state: 'done', clause: 'Upstreams are started in parallel: a slow one does not delay the start of another.' },
  { id: 'gateway:aggregate:only-named', state: 'done', clause: '`MCP_WRAPPER_SERVER_NAME` starts the server of that name and no other.' },
  { id: 'gateway:aggregate:failed-start', state: 'done', clause: 'A server that cannot be started, or dies while it starts, does not keep the others from serving.' },
  { id: 'gateway:aggregate:transparent', state: 'done', clause: 'Messages outside listing, routing and error texts are relayed between client and upstream without change.' },
  { id: 'gateway:aggregate:nothing-left', state: 'done', ruling: 15, clause: 'When the gateway ends, by EOF, TERM or KILL, no process of an upstream is left.' },

  // tools/list
  { id: 'gateway:list:merge', state: 'done', clause: '`tools/list` answers with the tools of all upstreams in one list.' },
  { id: 'gateway:list:parallel', state: 'done', clause: '`tools/list` asks the upstreams in parallel.' },
  { id: 'gateway:list:order', state: 'done', clause: 'Tools are listed in the order of the config, whichever upstream answers first.' },
  { id: 'gateway:list:skip-slow', state: 'done', clause: 'An upstream that has not listed its tools within the limit is skipped, and the tools of the others are returned.' },
  { id: 'gateway:list:timeout-default', state: 'done', clause: 'The limit on listing is 4000 ms when `WRAPPER_TOOLS_LIST_TIMEOUT_MS` is not set.' },
  { id: 'gateway:list:timeout-env', state: 'done', clause: '`WRAPPER_TOOLS_LIST_TIMEOUT_MS` sets the limit on listing.' },

  // initialize
  { id: 'gateway:initialize:timeout-default', state: 'done', clause: 'When upstreams do not answer `initialize`, the client is answered after 4000 ms unless `WRAPPER_INIT_TIMEOUT_MS` says otherwise.' },
  { id: 'gateway:initialize:timeout-env', state: 'done', clause: '`WRAPPER_INIT_TIMEOUT_MS` sets how long the answer to `initialize` may wait for upstreams.' },
  { id: 'gateway:initialize:minimal', state: 'done', clause: 'An `initialize` answered before the upstreams are ready declares the minimal capabilities, and the client can go on.' },

  // Names
  { id: 'gateway:names:qualified', state: 'done', ruling: 1, clause: 'In config mode a tool is listed as `server__tool`, for example `serena__list_dir`.' },
  { id: 'gateway:names:in-codex', state: 'done', ruling: 1, clause: 'Codex shows the tool of a server behind the gateway as `mcp__<gateway>__server__tool`.' },
  { id: 'gateway:names:independent', state: 'done', ruling: 1, clause: 'A public name depends on the id and the catalog of its own server only, not on other servers or on timing.' },
  { id: 'gateway:names:clean', state: 'done', ruling: 1, clause: 'A public name holds only letters, digits, `_` and `-`.' },
  { id: 'gateway:names:unique', state: 'done', ruling: 1, clause: 'Public names of one server stay distinct when case is ignored and `-` is read as `_`.' },
  { id: 'gateway:names:length', state: 'done', ruling: 1, clause: 'A public name has at most 64 characters, under the profile codex-legacy at most 40.' },
  { id: 'gateway:names:hash', state: 'done', ruling: 1, clause: 'Names that are too long or clash, and ids that contain `__` or end in `_`, take a form with 8 hex digits of a hash of id and raw name.' },
  { id: 'gateway:names:split', state: 'done', ruling: 1, clause: 'The first `__` of a public name always separates the server from the tool.' },
  { id: 'gateway:names:prefix-off', state: 'done', ruling: 1, clause: 'With `--prefix off` names are unchanged, the first server in the order keeps a name that two have, and the loser is reported.' },
  { id: 'gateway:names:single', state: 'done', ruling: 1, clause: 'With `-- <command>` tool names are unchanged.' },
  { id: 'gateway:names:prompts', state: 'done', ruling: 1, clause: 'Prompts are named by the same rule as tools.' },
  { id: 'gateway:resources:uri-kept', state: 'done', ruling: 1, clause: 'Resource URIs are listed as the upstream wrote them.' },
  { id: 'gateway:resources:route', state: 'done', ruling: 1, clause: 'Reading or subscribing to a URI goes to the server that listed it, else to the one whose template matches, else to each server with resources until one knows it.' },
  { id: 'gateway:resources:same-uri', state: 'done', ruling: 1, clause: 'Of two servers that list the same URI the first keeps it, and that of the second is listed as `switchboard://<server>/<encoded uri>`.' },

  // tools/call
  { id: 'gateway:call:route', state: 'done', clause: '`tools/call` goes to the one upstream that owns the public name.' },
  { id: 'gateway:call:raw-name', state: 'done', ruling: 1, clause: 'The upstream is called with the name it gave the tool itself.' },
  { id: 'gateway:call:arguments-unchanged', state: 'done', clause: 'The arguments of a call reach the upstream byte for byte.' },
  { id: 'gateway:call:result-unchanged', state: 'done', ruling: 4, clause: 'The result of a call reaches the client as it was, also one with `isError`.' },

  // The command line and where servers come from
  { id: 'gateway:cli:single-server', state: 'done', clause: '`switchboard -- <command> [args]` serves that one command and reads no config.' },
  { id: 'gateway:cli:config-mode', state: 'done', clause: 'Without `--` and with a pipe on stdin the gateway serves the servers of the config.' },
  { id: 'gateway:cli:codex-single', state: 'done', clause: 'A Codex whose config.toml starts `switchboard -- <command>` can call the tools of that command.' },
  { id: 'config:source:codex-home', state: 'done', clause: 'By default the servers of `~/.codex/.mcp.json` are served.' },
  { id: 'config:source:walk-up', state: 'done', clause: 'Every `.mcp.json` from the working folder up to the root of the file system is read.' },
  { id: 'config:source:nearest-wins', state: 'done', clause: 'Of two `.mcp.json` with the same server the nearer one counts, and both count before `~/.codex/.mcp.json`.' },
  { id: 'config:source:explicit', state: 'done', clause: '`CODEX_MCP_WRAPPER_CONFIG` names the only file that is read, and its servers need no trust.' },
  { id: 'config:source:explicit-missing', state: 'done', clause: 'When the file named by `CODEX_MCP_WRAPPER_CONFIG` does not exist, the gateway says so and exits with status 7.' },
  { id: 'config:source:untrusted', state: 'done', ruling: 5, clause: 'A server of a `.mcp.json` found in a project is not started before the project was trusted, and is named in the summary line and in the instructions.' },
  { id: 'config:source:trusted', state: 'done', ruling: 5, clause: 'After `switchboard trust`, or with `SWITCHBOARD_TRUST_PROJECT=1`, the servers of the project are started.' },
  { id: 'config:dialect:servers', state: 'done', clause: 'A file with servers under `servers` is read.' },
  { id: 'config:dialect:mcp-servers-snake', state: 'done', clause: 'A file with servers under `mcp_servers` is read.' },
  { id: 'config:dialect:mcp-servers-camel', state: 'done', clause: 'A file with servers under `mcpServers` is read.' },
  { id: 'config:dialect:list', state: 'done', clause: 'A file that is a list of servers, each with its name, is read.' },
  { id: 'config:dialect:list-unnamed', state: 'done', ruling: 12, clause: 'A server of a list without a name takes the base name of its command.' },
  { id: 'config:dialect:single', state: 'done', ruling: 12, clause: 'A file that is one server itself is read, and the server takes the base name of its command.' },
  { id: 'config:dialect:entry', state: 'done', clause: 'The command of an entry is started with its `args` and its `env`.' },
  { id: 'config:dialect:foreign-names', state: 'done', ruling: 12, clause: 'A server name that is not a valid id is cleaned for the prefix and reported; only empty, prototype-like or path-like names and those with control characters are refused.' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the clause is about this very notation
  { id: 'config:dialect:expand', state: 'done', ruling: 13, clause: 'In these files `${VAR}` and `${VAR:-default}` are replaced when the server is connected.' },
  { id: 'config:dialect:expand-missing', state: 'done', ruling: 13, clause: 'A variable that is not set and has no default is an error of that server which names the variable.' },
  { id: 'gateway:environment:allow-list', state: 'done', ruling: 18, clause: 'A server of a config gets the allowed variables and what its entry names, not the whole environment of the gateway.' },
  { id: 'gateway:environment:single-inherits', state: 'done', ruling: 18, clause: 'With `-- <command>` the command inherits the whole environment.' },

  // Errors
  { id: 'gateway:errors:kind', state: 'done', clause: 'A normalized error says in `data.kind` whether it is a `tool_error`, a `server_error` or a `spawn_error`.' },
  { id: 'gateway:errors:retryable', state: 'done', clause: 'A normalized error says in `data.retryable` whether trying again can help.' },
  { id: 'gateway:errors:names', state: 'done', clause: 'A normalized error names the tool in `data.toolName` and the server in `data.serverName`.' },
  { id: 'gateway:errors:original', state: 'done', clause: 'A normalized error keeps the whole original error in `data.original`.' },
  { id: 'gateway:errors:one-line', state: 'done', clause: 'The message of a normalized error is one line.' },
  { id: 'gateway:errors:code-kept', state: 'done', ruling: 4, clause: 'A normalized error keeps the code of the upstream; codes of our own lie outside -32768 to -32000.' },
  { id: 'gateway:errors:method-not-found', state: 'done', clause: '-32601 becomes `Method not found`, a server_error that is not retryable.' },
  { id: 'gateway:errors:invalid-params', state: 'done', clause: '-32602 becomes `Invalid params`, a server_error that is not retryable.' },
  { id: 'gateway:errors:internal', state: 'done', clause: '-32603 becomes `Internal error`, a server_error that is retryable.' },
  { id: 'gateway:errors:server-range', state: 'done', clause: 'A code from -32099 to -32000 becomes `Server error`, retryable when the data of the original says so.' },
  { id: 'gateway:errors:other-code', state: 'done', ruling: 4, clause: 'Any other code on `tools/call` is a tool_error.' },
  { id: 'gateway:errors:unknown-tool', state: 'done', ruling: 4, clause: 'A call of a tool that nobody offers is a tool_error.' },
  { id: 'gateway:errors:spawn', state: 'done', clause: 'A command that does not exist gives a spawn_error, not retryable, whose message begins with `Spawn error: command not found: <cmd>. Check PATH`.' },
  { id: 'gateway:errors:timeout-and-crash', state: 'done', ruling: 4, clause: 'An upstream that times out or dies during a call gives a server_error, retryable unless the upstream may have run a tool that must not run twice.' },
  { id: 'gateway:errors:sign-in', state: 'done', ruling: 4, clause: 'An upstream that needs a sign-in gives a server_error that is not retryable.' },
  { id: 'gateway:errors:codex-result', state: 'done', ruling: 4, clause: 'For a Codex client an error on `tools/call` becomes a result with `isError` true, one line of text, and the error data in `_meta`.' },
  { id: 'gateway:errors:untouched', state: 'done', ruling: 4, clause: 'The codes -32042 and -32022 to -32020 and cancellations pass as they are.' },
  { id: 'gateway:errors:passthrough', state: 'done', clause: '`WRAPPER_ERROR_PASSTHROUGH` set to `1` or `true` passes errors of upstreams on exactly as they came.' },

  // Schemas
  { id: 'schema:scope:definitions-only', state: 'done', clause: 'Only the tool definitions in `tools/list` are rewritten, never the payload of a call.' },
  { id: 'schema:scope:profile-by-client', state: 'done', ruling: 3, clause: 'Codex up to 0.92 or of unknown version gets the profile codex-legacy, newer Codex gets codex, every other client gets none, which changes nothing.' },
  { id: 'schema:scope:per-client', state: 'done', ruling: 3, clause: 'Two clients with different profiles each get the schemas of their own profile from the same catalog.' },
  { id: 'schema:legacy:integer', state: 'done', clause: 'Under codex-legacy the type `integer` becomes `number`.' },
  { id: 'schema:legacy:integer-in-list', state: 'done', clause: 'Under codex-legacy `integer` inside a list of types becomes `number`.' },
  { id: 'schema:legacy:type-from-enum', state: 'done', clause: 'Under codex-legacy a missing type is taken from the first value of `enum`.' },
  { id: 'schema:legacy:type-from-properties', state: 'done', clause: 'Under codex-legacy a missing type beside `properties` becomes `object`.' },
  { id: 'schema:legacy:type-from-items', state: 'done', clause: 'Under codex-legacy a missing type beside `items` becomes `array`.' },
  { id: 'schema:legacy:type-fallback', state: 'done', clause: 'Under codex-legacy a type that is missing without any hint becomes `string`.' },
  { id: 'schema:legacy:type-order', state: 'done', clause: 'Where several hints to a missing type are present, `enum` counts before `properties` and `properties` before `items`.' },
  { id: 'schema:legacy:nested', state: 'done', clause: 'The rules reach every schema inside `properties`, `items`, `anyOf`, `oneOf`, `allOf`, `$defs` and `definitions`, at any depth.' },
  { id: 'schema:legacy:guarantees', state: 'done', ruling: 3, clause: 'Under codex-legacy every schema has an object at the top, no tuple items and only string descriptions.' },
  { id: 'schema:legacy:narrowings-explained', state: 'done', ruling: 3, clause: 'Each place where codex-legacy narrowed a schema is listed by explain.' },
  { id: 'schema:legacy:accepted', state: 'done', clause: 'A tool with integers and missing types, which old Codex refuses, is loaded by it through the gateway.' },
  { id: 'schema:codex:widens', state: 'done', ruling: 3, clause: 'Whatever the original schema accepts, the schema rewritten by the profile codex accepts too.' },
  { id: 'schema:codex:typeless', state: 'done', ruling: 3, clause: 'Under codex a missing type becomes the list of all types, and tuple items become an anyOf of the members.' },

  // Framing
  { id: 'gateway:wire:ndjson', state: 'done', ruling: 2, clause: 'The gateway speaks one message per line to clients and upstreams.' },
  { id: 'gateway:wire:content-length-client', state: 'done', ruling: 2, clause: 'A client that begins with a `Content-Length` header is answered in that framing.' },
  { id: 'gateway:wire:content-length-upstream', state: 'done', ruling: 2, clause: 'An upstream whose config asks for `Content-Length` framing is spoken to in it.' },

  // Logs
  { id: 'gateway:log:summary', state: 'done', clause: 'After the start one line on stderr tells how many servers were started and their names, as in `Started 3 child server(s): brave_search, fetch, gcal`.' },
  { id: 'gateway:log:summary-off', state: 'done', clause: '`WRAPPER_SUMMARY=0` or `WRAPPER_NO_SUMMARY=1` leaves the summary line out.' },
  { id: 'gateway:log:debug', state: 'done', clause: '`DEBUG=1` writes details to stderr, original errors among them; without it they are not written.' },
  { id: 'gateway:log:stdout', state: 'done', clause: 'Summary and debug lines never go to stdout.' },
];
