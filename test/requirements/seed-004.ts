import type { Clause } from '../requirements.ts';

/** The host: config, command line, HTTP with OAuth, tool adapters, permissions. */
// biome-ignore format: a table, one clause per line
export const seed004: readonly Clause[] = [
  // Lifecycle of a connection
  { id: 'host:connect:initialize', state: 'done', clause: 'A connection begins with `initialize`, and `notifications/initialized` follows its answer before any other request.' },
  { id: 'host:connect:version', state: 'done', clause: 'In the legacy era `initialize` asks for protocol version 2025-11-25.' },
  { id: 'host:connect:client-info', state: 'done', clause: '`initialize` carries the name and the version of the client.' },
  { id: 'host:connect:capabilities', state: 'done', clause: 'The host declares the least: no roots, and nothing for which the application has no handler, so neither sampling nor elicitation nor tasks by itself.' },
  { id: 'host:connect:version-unsupported', state: 'done', clause: 'An upstream that answers with a protocol version we do not support is disconnected, and its state tells why.' },
  { id: 'host:connect:no-tools', state: 'done', clause: 'An upstream without the tools capability is never asked for tools and offers none.' },
  { id: 'host:connect:json-rpc', state: 'done', clause: 'All messages to an upstream are JSON-RPC 2.0.' },
  { id: 'host:connect:list-pages', state: 'done', clause: 'The catalog of tools is read over all pages by following the cursor.' },
  { id: 'host:connect:same-config', state: 'done', clause: 'Upstreams on stdio and on HTTP are configured in the same map and used in the same way.' },
  { id: 'host:connect:lost', state: 'done', clause: 'A lost connection concerns its own upstream only: other upstreams and local tools go on.' },
  { id: 'host:connect:lost-during-call', state: 'done', clause: 'A call under way when its connection is lost ends with an error.' },
  { id: 'host:connect:reconnect', state: 'done', clause: 'A lost upstream is connected again, and its tools can be called afterwards.' },
  { id: 'host:connect:close', state: 'done', ruling: 15, clause: 'Closing the host ends every connection and every process it started.' },

  // Config entries
  { id: 'config:own:version', state: 'done', clause: '`config.json` carries `version` 1 and its servers under `mcp.servers`, keyed by id.' },
  { id: 'config:own:http', state: 'done', clause: 'An entry with transport `http` needs `url`.' },
  { id: 'config:own:stdio', state: 'done', clause: 'An entry with transport `stdio` needs `command` and may have `args`, `cwd` and `env`.' },
  { id: 'config:own:transport', state: 'done', clause: 'The transport of an entry is `stdio` or `http`; anything else is an invalid entry.' },
  { id: 'config:own:stdio-started', state: 'done', clause: 'The command of a stdio entry is started with its `args`, in its `cwd`, with its `env`.' },
  { id: 'config:own:headers', state: 'done', clause: 'The `headers` of an http entry are sent with every request to it.' },
  { id: 'config:own:env-anywhere', state: 'done', clause: '`env` is allowed in entries of both transports.' },
  { id: 'config:own:environment', state: 'done', ruling: 18, clause: 'A stdio entry gets the allowed variables, its `env`, the variables named in `env_vars`, and everything only with `inherit_env`.' },
  { id: 'config:own:enabled-default', state: 'done', ruling: 12, clause: 'An entry without `enabled` is enabled.' },
  { id: 'config:own:disabled', state: 'done', ruling: 12, clause: 'An entry with `enabled: false` is not connected.' },
  { id: 'config:own:timeout-default', state: 'done', clause: 'A request to an upstream may take 30000 ms when `request_timeout_ms` is not set.' },
  { id: 'config:own:timeout', state: 'done', clause: '`request_timeout_ms` sets how long a request to this upstream may take.' },
  { id: 'config:own:oauth', state: 'done', clause: 'An http entry may have `oauth` with `authorization_url`, `token_url`, `registration_url`, `client_id`, `client_secret` and `scope`, each optional.' },
  { id: 'config:own:examples', state: 'done', clause: 'The example configs of the documentation, http alone, stdio alone, with OAuth and with its URLs given, load without a complaint.' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the clause is about this very notation
  { id: 'config:own:no-expansion', state: 'done', ruling: 13, clause: '`${…}` in our own `config.json` is not expanded; a key that ends in `_env` names a variable instead.' },
  { id: 'config:own:invalid-entry', state: 'done', clause: 'An invalid entry disables its own server only and is reported; all others work.' },

  // Ids
  { id: 'config:id:pattern', state: 'done', ruling: 12, clause: 'An id in our own config has 1 to 64 characters, all of them letters, digits, `_` or `-`; any other id is refused.' },
  { id: 'config:id:duplicate', state: 'done', clause: 'The same id twice in one file is refused, not settled silently.' },

  // Layers
  { id: 'config:layers:global-path', state: 'done', clause: 'The global config is the file that `SWITCHBOARD_CONFIG_PATH` names, else `config.json` in the config folder of the platform.' },
  { id: 'config:layers:project-path', state: 'done', clause: 'The project config is `.switchboard/config.json`, from the working folder upwards, nearest first.' },
  { id: 'config:layers:merge', state: 'done', clause: 'Layers are merged by server id: servers of both layers are available.' },
  { id: 'config:layers:project-wins', state: 'done', clause: 'Of two layers with the same id the whole entry of the project counts.' },
  { id: 'config:layers:project-disables', state: 'done', clause: 'A trusted project entry with `enabled: false` switches off the global server of the same id.' },
  { id: 'config:layers:untrusted', state: 'done', ruling: 5, clause: 'An untrusted project entry neither starts, nor replaces, nor disables a server, and is listed as `disabled (untrusted)`.' },
  { id: 'config:layers:trust-bound', state: 'done', ruling: 5, clause: 'Trust covers the exact command, url, headers, environment and file: any change asks again.' },
  { id: 'config:layers:trust-add', state: 'done', ruling: 5, clause: 'What `mcp add` writes into a project is trusted as it is written.' },

  // mcp add
  { id: 'host:cli:add-http', state: 'done', clause: '`mcp add <id> --transport http --url <url>` writes an http entry.' },
  { id: 'host:cli:add-http-needs-url', state: 'done', clause: '`mcp add --transport http` without `--url` fails as wrong usage and writes nothing.' },
  { id: 'host:cli:add-stdio', state: 'done', clause: '`mcp add <id> --transport stdio --command <cmd>` writes a stdio entry.' },
  { id: 'host:cli:add-stdio-needs-command', state: 'done', clause: '`mcp add --transport stdio` without `--command` fails as wrong usage and writes nothing.' },
  { id: 'host:cli:add-id', state: 'done', clause: '`mcp add` refuses an id that breaks the rule for ids.' },
  { id: 'host:cli:add-enabled', state: 'done', clause: '`--enabled true|false` of `mcp add` is written to the entry.' },
  { id: 'host:cli:add-timeout', state: 'done', clause: '`--request-timeout-ms` of `mcp add` is written to the entry.' },
  { id: 'host:cli:add-header', state: 'done', clause: '`--header key=value` of `mcp add` may be repeated, and each header is written.' },
  { id: 'host:cli:add-oauth', state: 'done', clause: '`mcp add` takes the authorization, token and registration URL, client id, client secret and scope as `--oauth-…` options and writes them under `oauth`.' },
  { id: 'host:cli:add-arg', state: 'done', clause: '`--arg` of `mcp add` may be repeated and keeps its order.' },
  { id: 'host:cli:add-cwd', state: 'done', clause: '`--cwd` of `mcp add` is written to the entry.' },
  { id: 'host:cli:add-env', state: 'done', clause: '`--env key=value` of `mcp add` may be repeated, and each variable is written.' },
  { id: 'host:cli:add-existing', state: 'done', clause: '`mcp add` of an id that exists in the same scope fails and changes nothing.' },
  { id: 'host:cli:add-replace', state: 'done', clause: '`mcp add --replace` overwrites the entry of that id in the same scope.' },
  { id: 'host:cli:add-other-scope', state: 'done', clause: '`mcp add` of an id that exists only in the other scope succeeds.' },
  { id: 'host:cli:add-scope', state: 'done', clause: '`mcp add` writes to the project unless `--scope global` is given.' },

  // mcp list, remove, enable, disable, test
  { id: 'host:cli:list', state: 'done', clause: '`mcp list` shows the effective servers unless `--scope` asks for those of `project` or `global`.' },
  { id: 'host:cli:list-source', state: 'done', clause: '`mcp list` shows for each effective server whether it comes from the project or from the global config.' },
  { id: 'host:cli:list-static', state: 'done', clause: '`mcp list` reads the config only and connects to nothing.' },
  { id: 'host:cli:remove', state: 'done', clause: '`mcp remove` deletes the entry in the config that has it, the project first, or in the scope that `--scope` names, and in no other.' },
  { id: 'host:cli:remove-leaves-global', state: 'done', clause: 'After a removal from the project the global server of the same id is effective again.' },
  { id: 'host:cli:remove-unknown', state: 'done', clause: '`mcp remove` of an id that its scope does not have fails with status 2.' },
  { id: 'host:cli:enable', state: 'done', clause: '`mcp enable` sets `enabled` to true in the config that defines the server, or in the scope that `--scope` names.' },
  { id: 'host:cli:disable', state: 'done', clause: '`mcp disable` sets `enabled` to false in the config that defines the server, or in the scope that `--scope` names.' },
  { id: 'host:cli:enable-unknown', state: 'done', clause: '`mcp enable` and `mcp disable` of an id that their scope does not have fail with status 2.' },
  { id: 'host:cli:test', state: 'done', clause: '`mcp test <id>` connects, initializes and lists tools, and tells success or failure by text and by exit status.' },
  { id: 'host:cli:test-scope', state: 'done', clause: '`mcp test` takes the effective entry unless `--scope` asks for that of `project` or `global`.' },
  { id: 'host:cli:test-untrusted', state: 'done', ruling: 5, clause: '`mcp test` on an untrusted entry asks on a terminal, and exits with status 9 without one.' },

  // mcp status
  { id: 'host:status:live', state: 'done', clause: '`mcp status` shows what a running switchboard knows of its servers now, not what is configured.' },
  { id: 'host:status:columns', state: 'done', clause: '`mcp status` shows for every server its id, transport, source, whether it is enabled, its state and the number of tools it offers now.' },
  { id: 'host:status:states', state: 'done', clause: 'The state of a server is one of `disabled`, `connecting`, `auth_required`, `ready` and `error`.' },
  { id: 'host:status:detail', state: 'done', clause: '`mcp status <id>` shows one server with its last error, if any, and when it was last connected.' },
  { id: 'host:status:none', state: 'done', clause: 'Without any server `mcp status` says `no MCP servers configured`.' },
  { id: 'host:status:during-call', state: 'done', clause: 'The status can be asked while calls are pending and is answered at once.' },
  { id: 'host:status:library', state: 'done', clause: 'An application can ask the host for the same status by a function call.' },

  // Tool adapters
  { id: 'host:adapter:name', state: 'done', clause: 'An upstream tool is offered as `mcp_<server>_<slug>_<hash8>`.' },
  { id: 'host:adapter:name-limits', state: 'done', clause: 'The name of an adapted tool fits what model providers allow: 64 characters of letters, digits, `_` and `-`, whatever the tool was called.' },
  { id: 'host:adapter:name-unique', state: 'done', clause: 'Tools whose names become the same slug get different adapter names, and none can clash with a local tool.' },
  { id: 'host:adapter:resolve', state: 'done', clause: 'An adapter name leads back to its server and to the original tool name, which is what the upstream is called with.' },
  { id: 'host:adapter:description', state: 'done', clause: 'The description of an adapted tool names the MCP server and the tool it comes from.' },
  { id: 'host:adapter:schema', state: 'done', clause: 'The input schema of the upstream tool becomes the parameters of the adapted tool.' },
  { id: 'host:adapter:schema-fallback', state: 'done', clause: 'A missing or invalid input schema becomes an object schema that allows any properties.' },
  { id: 'host:adapter:schema-limit', state: 'done', clause: 'An input schema above the size limit is not passed on.' },
  { id: 'host:adapter:plain', state: 'done', clause: 'An adapted tool is run like any local tool; the application needs to know nothing of transports or MCP.' },
  { id: 'host:adapter:result', state: 'done', clause: 'The answer of the upstream becomes the result of the adapted tool.' },
  { id: 'host:adapter:tool-error', state: 'done', clause: 'An answer with `isError` becomes a failed tool result that contains what the server said.' },

  // Cancel and time out
  { id: 'host:call:timeout', state: 'done', clause: 'Every request has a time limit; a hanging upstream gives an error and not an endless wait.' },
  { id: 'host:call:cancel-http', state: 'done', clause: 'Cancelling a run sends `notifications/cancelled` for each of its calls under way on HTTP.' },
  { id: 'host:call:cancel-stdio', state: 'done', clause: 'Cancelling a run sends `notifications/cancelled` for each of its calls under way on stdio.' },
  { id: 'host:call:late-answer', state: 'done', clause: 'An answer that comes after a cancel or a timeout is ignored without harm.' },
  { id: 'host:call:logged', state: 'done', clause: 'Requests to upstreams, their timeouts and their cancellations can be followed in the debug log.' },

  // Permissions and safety
  { id: 'host:permission:default', state: 'done', clause: 'Without a rule of the application a call of an upstream tool needs confirmation.' },
  { id: 'host:permission:before-call', state: 'done', clause: 'The permission is decided before anything of the call is sent to the upstream.' },
  { id: 'host:permission:shown', state: 'done', clause: 'The question for permission shows server, tool and arguments.' },
  { id: 'host:permission:denied', state: 'done', clause: 'A denied call gives a tool error, and the upstream is not called.' },
  { id: 'host:safety:metadata', state: 'done', clause: 'Descriptions and annotations of an upstream are untrusted: they cannot lower the permission that is needed, and are shown harmless.' },
  { id: 'host:safety:payload-limit', state: 'done', clause: 'A result above the size limit is cut, and the result tells what was left out and where it can be had.' },
  { id: 'host:safety:secrets-masked', state: 'done', clause: 'Tokens, client secrets and secret headers are masked in logs, errors and listings.' },

  // Resources and prompts
  { id: 'host:resources:list', state: 'done', clause: 'The resources of an upstream can be listed, by the host and by the model tool `mcp_resources_list`.' },
  { id: 'host:resources:templates', state: 'done', clause: 'The resource templates of an upstream can be listed.' },
  { id: 'host:resources:read', state: 'done', clause: 'A resource can be read, by the host and by the model tool `mcp_resource_read`.' },
  { id: 'host:resources:list-changed', state: 'done', clause: 'After `notifications/resources/list_changed` the next run sees the new resources.' },
  { id: 'host:prompts:list', state: 'done', clause: 'The prompts of an upstream can be listed.' },
  { id: 'host:prompts:get', state: 'done', clause: 'A prompt can be had with its arguments filled in.' },
  { id: 'host:prompts:list-changed', state: 'done', clause: 'After `notifications/prompts/list_changed` the next run sees the new prompts.' },
  { id: 'host:prompts:for-people', state: 'done', ruling: 19, clause: 'Prompts are offered to people, by the library and the command line, and to the model as tools only when the application asks for it.' },

  // HTTP
  { id: 'host:http:post', state: 'done', clause: 'A request to an http upstream is a POST and may be answered by JSON or by an event stream.' },
  { id: 'host:http:get', state: 'done', clause: 'Messages that an http upstream sends on its own arrive over a GET event stream.' },
  { id: 'host:http:protocol-version', state: 'done', clause: 'After `initialize` every request carries `MCP-Protocol-Version` with the version agreed on.' },
  { id: 'host:http:session-id', state: 'done', clause: 'When the upstream gave an `MCP-Session-Id`, every later request carries it.' },
  { id: 'host:http:open-server', state: 'done', clause: 'An http upstream without protection works without any sign-in.' },

  // Sign-in
  { id: 'auth:discovery:protected-resource', state: 'done', clause: 'Without URLs in the config the authorization server is found by the protected resource metadata of the upstream and its own metadata.' },
  { id: 'auth:discovery:explicit', state: 'done', clause: 'URLs given under `oauth` are used in place of discovered ones.' },
  { id: 'auth:discovery:none', state: 'done', clause: 'A protected upstream whose OAuth metadata cannot be found shows a plain connection error and starts no sign-in.' },
  { id: 'auth:discovery:header', state: 'done', clause: 'An upstream that wants an API key works with an `Authorization` header in its entry, without OAuth.' },
  { id: 'auth:flow:pkce', state: 'done', clause: 'Signing in is an authorization code flow with PKCE, after which the upstream can be used; nobody types a token.' },
  { id: 'auth:flow:registration', state: 'done', clause: 'Without a client id the client is registered at the registration endpoint.' },
  { id: 'auth:flow:client', state: 'done', clause: 'A configured client id, client secret and scope are used in the flow.' },
  { id: 'auth:flow:who-starts', state: 'done', ruling: 17, clause: 'Only `mcp login` and the `signIn` callback of an application start a browser flow, the latter after the person agreed.' },
  { id: 'auth:flow:required', state: 'done', ruling: 17, clause: 'A server whose token is missing or cannot be refreshed is `auth_required`, and a call to it says which command to run.' },
  { id: 'auth:flow:stdio', state: 'done', clause: 'A stdio upstream never takes part in OAuth.' },
  { id: 'auth:store:format', state: 'done', clause: '`mcp-auth.json` has `version` 1 and per server the access token, refresh token, expiry in milliseconds, token type, scope, client id and client secret.' },
  { id: 'auth:store:kept', state: 'done', clause: 'A sign-in is kept: another process connects with the stored token.' },
  { id: 'auth:store:refresh', state: 'done', clause: 'An expired token is renewed by its refresh token, without a person, and the new one is stored.' },
  { id: 'auth:store:private', state: 'done', clause: '`mcp-auth.json` can be read by its owner only.' },
];
