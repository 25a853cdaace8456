import type { Clause } from '../requirements.ts';

/** The drop-in for the MCP server that Codex used to have: its framing, tools, events and results. */
// biome-ignore format: a table, one clause per line
export const seed001: readonly Clause[] = [
  // Transport
  { id: 'compat:wire:ndjson', state: 'done', clause: 'The drop-in speaks one JSON-RPC message per line on stdio.' },
  { id: 'compat:wire:content-length', state: 'done', ruling: 2, clause: 'A client whose first bytes are a `Content-Length` header is understood and answered in the same framing, with the same results.' },
  { id: 'compat:wire:stdout', state: 'done', clause: 'What Codex says on its stderr, warnings and failed sign-ins among it, never reaches stdout of the drop-in.' },
  { id: 'compat:wire:codex-home', state: 'done', clause: 'The drop-in works with the Codex home folder that `CODEX_HOME` names.' },

  // Handshake
  { id: 'compat:initialize:version', state: 'done', clause: 'An `initialize` that asks for protocol version 2024-11-05 is answered with that version.' },
  { id: 'compat:initialize:capabilities', state: 'done', clause: 'The drop-in declares the capability `tools` with `listChanged` true.' },
  { id: 'compat:initialize:server-info', state: 'done', clause: 'The `serverInfo` of the drop-in is named `codex-mcp-server`, titled `Codex`, and carries a version.' },
  { id: 'compat:initialize:bare-initialized', state: 'done', clause: 'A notification called `initialized`, without the prefix of today, is accepted without an answer.' },

  // Tools
  { id: 'compat:tools:two', state: 'done', clause: 'With the tool set `compat`, `tools/list` shows exactly `codex` and `codex-reply`.' },
  { id: 'compat:tools:codex-prompt', state: 'done', clause: '`codex` requires `prompt` and nothing else.' },
  { id: 'compat:tools:codex-approval-policy', state: 'done', ruling: 7, clause: '`codex` takes `approval-policy` as one of untrusted, on-failure, on-request and never; on-failure is run as on-request and the result warns of it.' },
  { id: 'compat:tools:codex-instructions', state: 'done', clause: '`codex` takes `base-instructions`, `developer-instructions` and `compact-prompt`, and they reach the session.' },
  { id: 'compat:tools:codex-config', state: 'done', clause: '`codex` takes `config`, an object of config overrides that hold for this session.' },
  { id: 'compat:tools:codex-cwd', state: 'done', clause: '`codex` takes `cwd` and the session works in that folder.' },
  { id: 'compat:tools:codex-model', state: 'done', clause: '`codex` takes `model` and `profile`, and the session uses them.' },
  { id: 'compat:tools:codex-sandbox', state: 'done', clause: '`codex` takes `sandbox` and the session runs in that sandbox mode.' },
  { id: 'compat:tools:codex-danger', state: 'done', ruling: 16, clause: '`codex` with sandbox danger-full-access is refused unless the operator allowed danger, and the refusal names `--allow-dangerous`.' },
  { id: 'compat:tools:reply-thread', state: 'done', clause: '`codex-reply` continues the session named by `threadId` with the required `prompt`.' },
  { id: 'compat:tools:reply-conversation', state: 'done', clause: '`codex-reply` accepts the old `conversationId` in place of `threadId`; when both are given, `threadId` counts.' },
  { id: 'compat:tools:output-schema', state: 'done', clause: 'Both tools declare an output schema with the strings `threadId` and `content`.' },

  // Events
  { id: 'compat:events:method', state: 'done', clause: 'A running `codex` call sends notifications with the method `codex/event`, the first of them before the result.' },
  { id: 'compat:events:meta', state: 'done', clause: 'Each `codex/event` carries `_meta.requestId`, the id of the call as the client sent it, and `_meta.threadId`.' },
  { id: 'compat:events:envelope', state: 'done', clause: 'Each `codex/event` carries an `id` and a `msg` with a `type` beside its `_meta`.' },
  { id: 'compat:events:session', state: 'done', clause: 'The first events of a session are `session_configured`, `mcp_startup_complete` and `task_started`.' },
  { id: 'compat:events:items', state: 'done', clause: 'The prompt and the steps of the turn arrive as `user_message`, `item_started`, `item_completed` and `raw_response_item`.' },
  { id: 'compat:events:stream-error', state: 'done', clause: 'A broken or refused connection to the model that Codex retries arrives as `stream_error`.' },

  // Results
  { id: 'compat:result:content', state: 'done', clause: 'The result of a call has a `content` list of text items with the last message of Codex.' },
  { id: 'compat:result:structured', state: 'done', clause: 'The result of a call has `structuredContent` with `threadId` and the same text as `content`, so that it fits the declared output schema.' },
  { id: 'compat:result:thread-handle', state: 'done', clause: 'The `threadId` of a result continues the same session in a later `codex-reply`.' },
  { id: 'compat:result:error', state: 'done', clause: 'A turn that fails, for instance by a 401 from the model, gives a result with `isError` true, the message as text, and `structuredContent` that still holds the `threadId`.' },

  // What the notes ask of whoever reads such a server
  { id: 'compat:tolerant:notifications', state: 'done', clause: 'Notifications of an upstream between a call and its result, known or unknown, do not disturb the result.' },
  { id: 'compat:tolerant:result-shape', state: 'done', clause: 'A result of an upstream that does not match its own output schema still reaches the client unchanged.' },
  { id: 'compat:console:line', state: 'done', clause: 'A notification of an upstream is shown in the debug log as one line that begins with `[mcp <method>]`.' },
  { id: 'compat:console:codex-event', state: 'done', clause: 'The debug line of a `codex/event` shows the type of its message when it can be read.' },
  { id: 'compat:console:truncated', state: 'done', clause: 'Long params of a notification are cut in the debug line.' },
];
