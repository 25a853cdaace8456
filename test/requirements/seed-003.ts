import type { Clause } from '../requirements.ts';

/** The kit: stdio tool servers in a few lines. */
// biome-ignore format: a table, one clause per line
export const seed003: readonly Clause[] = [
  // What the package offers
  { id: 'kit:package:import', state: 'done', clause: 'A program that installed the packed package imports `switchboard/kit`, with types.' },
  { id: 'kit:package:exports', state: 'done', clause: '`switchboard/kit` exports `serve`, `StdioTransport`, `Response` and the types `Request`, `Tool`, `ToolsListResult`, `ToolCallParams`, `ToolCallResult`, `ToolResultContent`, `Transport` and the handler.' },
  { id: 'kit:package:light', state: 'done', clause: 'Importing `switchboard/kit` loads no schema library and no MCP SDK.' },
  { id: 'kit:package:no-listener', state: 'done', clause: 'A kit server on stdio opens no socket and no port.' },
  { id: 'kit:docs:examples', state: 'done', clause: 'The examples in the kit documentation compile and run as printed.' },

  // Protocol types
  { id: 'kit:protocol:request-fields', state: 'done', clause: 'A `Request` read from the wire carries `jsonrpc`, `id`, `method` and `params` as sent.' },
  { id: 'kit:protocol:request-without-id', state: 'done', clause: 'A message without `id` becomes a `Request` whose id is absent, which is how a notification is told apart.' },
  { id: 'kit:protocol:params-default-null', state: 'done', clause: 'A message without `params` becomes a `Request` whose `params` is null.' },
  { id: 'kit:protocol:response-ok', state: 'done', clause: '`Response.ok(id, result)` makes a JSON-RPC 2.0 response with this id and result and no `error`.' },
  { id: 'kit:protocol:response-err', state: 'done', clause: '`Response.err(id, code, message, data)` makes a JSON-RPC 2.0 response with this id, an `error` of code, message and data, and no `result`.' },
  { id: 'kit:protocol:version-field', state: 'done', clause: 'Every response on the wire says `"jsonrpc":"2.0"`.' },
  { id: 'kit:protocol:tool', state: 'done', ruling: 14, clause: 'A `Tool` goes out as `name`, `description` and `inputSchema`, in camelCase.' },
  { id: 'kit:protocol:tool-description-optional', state: 'done', clause: 'A `Tool` without a description is listed without a `description` field.' },
  { id: 'kit:protocol:tool-schema-arbitrary', state: 'done', clause: 'The input schema of a `Tool` may be any JSON Schema and is listed unchanged.' },
  { id: 'kit:protocol:tools-list-result', state: 'done', clause: 'The result of `tools/list` is an object whose `tools` is the list the handler returned, in its order.' },
  { id: 'kit:protocol:tool-call-params', state: 'done', clause: 'The handler of `tools/call` receives `ToolCallParams` with the `name` and the `arguments` of the request.' },
  { id: 'kit:protocol:tool-call-arguments-any', state: 'done', clause: 'At the low level `arguments` may be any JSON value, not only an object, and reaches the handler unchanged.' },
  { id: 'kit:protocol:tool-call-result', state: 'done', ruling: 14, clause: 'A `ToolCallResult` goes out as a `content` list and a boolean `isError`, in camelCase.' },
  { id: 'kit:protocol:content-text', state: 'done', clause: 'A text item of a result goes out as `{"type":"text","text":…}`.' },
  { id: 'kit:protocol:content-several', state: 'done', clause: 'A result may carry several content items and keeps their order.' },

  // initialize
  { id: 'kit:initialize:default-capabilities', state: 'done', clause: 'Without an override, `initialize` answers with the capabilities `{ "tools": {} }` and nothing else in them.' },
  { id: 'kit:initialize:default-server-info', state: 'done', clause: 'Without an override, `initialize` answers with a `serverInfo` that holds the name of the kit and the version of the package.' },
  { id: 'kit:initialize:params-any', state: 'done', clause: 'Whatever JSON is in the params of `initialize`, also an empty object, is accepted and handed to the override unchanged.' },
  { id: 'kit:initialize:override', state: 'done', clause: 'A handler that defines `initialize` decides the whole result.' },
  { id: 'kit:initialize:override-extra-fields', state: 'done', clause: 'An override may return its own `serverInfo`, further capabilities and further fields, and they reach the client as returned.' },

  // Routing
  { id: 'kit:serve:initialize', state: 'done', clause: '`serve` answers `initialize`.' },
  { id: 'kit:serve:tools-list', state: 'done', clause: '`serve` answers `tools/list` with what the handler lists.' },
  { id: 'kit:serve:tools-call', state: 'done', clause: '`serve` answers `tools/call` with what the handler returns.' },
  { id: 'kit:serve:unknown-method', state: 'done', clause: 'A request for a method that is not served gets the error -32601 with the message `Method not found`.' },
  { id: 'kit:serve:invalid-method', state: 'done', clause: 'A request whose method is not a usable name gets the error -32601 as well.' },
  { id: 'kit:serve:resolves-at-eof', state: 'done', clause: '`serve` returns without an error once its transport reports the end of input.' },
  { id: 'kit:serve:continues-after-error', state: 'done', clause: 'A failed or unknown request does not end the loop: the next request is answered.' },

  // Scope
  { id: 'kit:scope:not-declared', state: 'done', clause: 'A kit server with the default `initialize` declares no resources, no prompts and no sampling.' },
  { id: 'kit:scope:not-served', state: 'done', clause: 'Requests such as `resources/list`, `prompts/list` and `sampling/createMessage` get -32601 from the low level `serve`.' },

  // Ids and notifications
  { id: 'kit:ids:echo', state: 'done', clause: 'The response carries the id of its request, in the same type, be it a number or a string, 0 and the empty string among them.' },
  { id: 'kit:ids:notification-runs', state: 'done', clause: 'A request without an id runs the handler.' },
  { id: 'kit:ids:notification-silent', state: 'done', ruling: 14, clause: 'A request without an id gets no response.' },
  { id: 'kit:ids:null-id', state: 'done', ruling: 14, clause: 'A request with a null id is treated as a notification: its handler runs and nothing is answered.' },
  { id: 'kit:ids:notification-failure-silent', state: 'done', ruling: 14, clause: 'A notification whose handler throws, or whose method is unknown, gets no response and does not end the loop.' },

  // Errors of the low level
  { id: 'kit:errors:initialize-failed', state: 'done', ruling: 14, clause: 'A throwing `initialize` handler gives the error -32000 with the message `initialize failed`.' },
  { id: 'kit:errors:tools-list-failed', state: 'done', ruling: 14, clause: 'A throwing `tools/list` handler gives the error -32000 with the message `tools/list failed`.' },
  { id: 'kit:errors:tools-call-failed', state: 'done', ruling: 14, clause: 'A throwing `tools/call` handler gives the error -32000 with the message `tools/call failed`.' },
  { id: 'kit:errors:data', state: 'done', ruling: 14, clause: 'The error of a failed handler carries `data.error`, the text of what was thrown, and the message itself stays fixed.' },
  { id: 'kit:errors:params-undecodable', state: 'done', clause: 'A `tools/call` whose params cannot be decoded, for instance without a name, gets -32000 with `tools/call failed` and `data.error` that tells what was wrong.' },
  { id: 'kit:errors:tool-level', state: 'done', clause: 'A result that the handler marked as an error is sent as a result with `isError` true and not as a JSON-RPC error.' },
  { id: 'kit:errors:low-level-unvalidated', state: 'done', clause: 'The low level `serve` does not check arguments against the input schema: the handler sees what was sent.' },
  { id: 'kit:errors:high-level-validates', state: 'done', ruling: 14, clause: 'A server made by the high level checks the arguments and answers bad ones with an `isError` result, without running the tool.' },
  { id: 'kit:errors:high-level-throw', state: 'done', ruling: 14, clause: 'A tool of the high level that throws gives an `isError` result with the text of what was thrown.' },
  { id: 'kit:errors:structured', state: 'done', clause: 'A tool can put an error code of its own into its result beside `isError`, and it reaches the client.' },

  // Tool names
  { id: 'kit:tools:name-kept', state: 'done', clause: 'A tool is listed and called under exactly the name it was given, a dotted one such as `fs.read_file` included.' },
  { id: 'kit:tools:unknown-tool', state: 'done', clause: 'A call for a tool that the server does not have gets an `isError` result whose text begins with `unknown tool: <name>`.' },

  // Transport
  { id: 'kit:transport:swap', state: 'done', clause: '`serve` runs unchanged on any object that carries messages as text, for instance one in memory or on a socket.' },
  { id: 'kit:transport:end', state: 'done', clause: 'A transport tells the end of input once, and `serve` then finishes.' },
  { id: 'kit:transport:wrap', state: 'done', clause: 'A transport can be wrapped by another one that sees, changes or drops each response.' },
  { id: 'kit:stdio:line-in', state: 'done', clause: '`StdioTransport` reads one request per line of stdin, however the bytes are cut into chunks.' },
  { id: 'kit:stdio:line-out', state: 'done', clause: '`StdioTransport` writes each response as one line of JSON followed by a line feed, also when a text in it contains line breaks.' },
  { id: 'kit:stdio:flush', state: 'done', clause: 'A response is delivered as soon as it is written, while stdin is still open.' },
  { id: 'kit:stdio:empty-lines', state: 'done', clause: 'Empty lines on stdin are ignored and get no response.' },
  { id: 'kit:stdio:eof', state: 'done', clause: 'At the end of stdin the server finishes what it has begun, writes those responses and exits with status 0.' },
  { id: 'kit:stdio:multi-line', state: 'done', clause: 'A request spread over several lines is not understood as a request: its handler never runs, and a later request on one line is answered.' },
  { id: 'kit:stdio:clean-stdout', state: 'done', clause: 'Nothing but JSON-RPC messages is written to stdout, from start to exit.' },

  // Logging
  { id: 'kit:logging:silent', state: 'done', clause: 'The kit writes no logs of its own unless the program gives it a logger.' },
  { id: 'kit:logging:stderr', state: 'done', clause: 'A tool that logs to stderr while it runs does not disturb the protocol.' },

  // The examples
  { id: 'kit:example:smoke', state: 'done', clause: 'Three lines piped into the echo server (initialize, tools/list, tools/call) give three lines back with the ids 1, 2 and 3.' },
  { id: 'kit:example:echo', state: 'done', clause: 'The echo server lists one tool `echo` with its description and schema and answers a call with the message as text and `isError` false.' },
  { id: 'kit:example:echo-without-message', state: 'done', clause: 'The low level echo server answers a call without a message with an empty text.' },
  { id: 'kit:example:typed-arguments', state: 'done', clause: 'A handler can decode its arguments into a type of its own and use them as such.' },
  { id: 'kit:example:typed-arguments-refused', state: 'done', clause: 'A low level handler whose decoding throws gives -32000 with `tools/call failed` and the text of the decoder in `data.error`.' },
  { id: 'kit:example:ten-lines', state: 'done', clause: 'The quickstart of the kit is a complete server in at most ten lines besides its imports.' },

  // Codex
  { id: 'kit:codex:config', state: 'done', clause: 'A kit server that is written into the settings of Codex as a stdio command has its tools called by Codex.' },
  { id: 'kit:codex:mcp-add', state: 'done', clause: 'A kit server added by `codex mcp add <name> -- <command>` has its tools called by Codex.' },
  { id: 'kit:codex:server-name', state: 'done', clause: 'The name under which the kit server was added is the server named in the tool call events of Codex.' },
];
