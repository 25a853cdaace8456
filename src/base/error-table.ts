export type ErrorCode = keyof typeof TABLE;

interface ErrorMeaning {
  readonly exit: number;
  readonly rpc: number;
  readonly retryable: boolean;
  readonly hint: string;
}

/** Returns the meaning of each code. A function, so that the command line loads the table only after an error. */
export function errorTable(): typeof TABLE {
  return TABLE;
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(TABLE, code);
}

/** Our own `rpc` codes are outside -32768…-32000, the range reserved for JSON-RPC and MCP. */
const TABLE = {
  INTERNAL: {
    exit: 1,
    rpc: -32603,
    retryable: false,
    hint: 'This is a bug in Switchboard. Report it with the message above.',
  },
  USAGE: { exit: 2, rpc: -32602, retryable: false, hint: 'Run switchboard --help for a list of commands.' },
  CONFIG_INVALID: {
    exit: 7,
    rpc: 1007,
    retryable: false,
    hint: 'Fix the file and line shown above.',
  },
  PARSE_FAILED: {
    exit: 1,
    rpc: -32700,
    retryable: false,
    hint: 'Send one JSON-RPC message per line, without line breaks inside it.',
  },
  INVALID_REQUEST: {
    exit: 1,
    rpc: -32600,
    retryable: false,
    hint: 'Send a JSON-RPC 2.0 object with a method, a result or an error.',
  },
  METHOD_NOT_FOUND: {
    exit: 5,
    rpc: -32601,
    retryable: false,
    hint: 'Call a method that the server declares in its capabilities.',
  },
  INVALID_PARAMS: { exit: 2, rpc: -32602, retryable: false, hint: 'Correct the parameters named in the message.' },
  BAD_ARGUMENTS: {
    exit: 5,
    rpc: -32602,
    retryable: false,
    hint: "Correct the arguments to match the tool's input schema.",
  },
  TOOL_NOT_FOUND: { exit: 5, rpc: -32602, retryable: false, hint: 'Call a tool that tools/list returns.' },
  RESOURCE_NOT_FOUND: {
    exit: 5,
    rpc: -32002,
    retryable: false,
    hint: 'Read a resource that resources/list returns.',
  },
  PROMPT_NOT_FOUND: {
    exit: 5,
    rpc: -32602,
    retryable: false,
    hint: 'Get a prompt that prompts/list returns.',
  },
  NOT_IN_VIEW: {
    exit: 9,
    rpc: 1019,
    retryable: false,
    hint: 'Use what the lists of this view offer, or change the view in config.json.',
  },
  SIGN_IN_NEEDED: {
    exit: 3,
    rpc: 1003,
    retryable: false,
    hint: 'Sign in with the command named in the message, then try again.',
  },
  CODEX_MISSING: {
    exit: 4,
    rpc: 1054,
    retryable: false,
    hint: 'Install Codex, or set CODEX_CLI_PATH to its executable.',
  },
  SESSION_NOT_FOUND: {
    exit: 2,
    rpc: 1002,
    retryable: false,
    hint: 'Use a session id returned by codex_start or codex_list.',
  },
  SESSION_HELD: {
    exit: 4,
    rpc: 1064,
    retryable: true,
    hint: 'Another Codex process has the session open. Close it there, or continue in a fork.',
  },
  DENIED: {
    exit: 9,
    rpc: 1009,
    retryable: false,
    hint: 'The message explains why this is not allowed.',
  },
  TOOL_FAILED: { exit: 5, rpc: 1005, retryable: false, hint: 'The tool failed. The message explains why.' },
  TOOL_INVALID: { exit: 6, rpc: 1006, retryable: false, hint: 'Correct the definition named in the message.' },
  SPAWN_FAILED: {
    exit: 4,
    rpc: 1004,
    retryable: false,
    hint: 'Check that the command exists, is on PATH and is executable.',
  },
  START_FAILED: {
    exit: 4,
    rpc: 1044,
    retryable: true,
    hint: 'The server is running but did not become ready. Check its output.',
  },
  PROCESS_EXITED: {
    exit: 4,
    rpc: 1014,
    retryable: true,
    hint: 'Check the last stderr lines. If there are none, run the command in a shell.',
  },
  CONNECTION_CLOSED: {
    exit: 4,
    rpc: 1024,
    retryable: true,
    hint: 'The peer closed the connection. Reconnect.',
  },
  OUTCOME_UNKNOWN: {
    exit: 4,
    rpc: 1104,
    retryable: false,
    hint: 'The server received the call and did not answer it. It may have done this; check before repeating.',
  },
  UNREACHABLE: {
    exit: 4,
    rpc: 1074,
    retryable: true,
    hint: 'Check that the server is running and that its URL is correct.',
  },
  HTTP_FAILED: {
    exit: 4,
    rpc: 1084,
    retryable: false,
    hint: 'The server refused the request. Check the URL and the headers. The message contains the status and the response text.',
  },
  LIST_FAILED: {
    exit: 4,
    rpc: 1094,
    retryable: true,
    hint: 'The server is running but a list request failed. Check its settings and its network access.',
  },
  TIMED_OUT: { exit: 8, rpc: 1008, retryable: true, hint: 'Try again, or allow more time.' },
  CANCELLED: { exit: 130, rpc: -32800, retryable: false, hint: 'The caller cancelled the operation.' },
  BUSY: { exit: 4, rpc: 1034, retryable: true, hint: 'Try again in a moment.' },
  MESSAGE_TOO_LARGE: {
    exit: 4,
    rpc: 1013,
    retryable: false,
    hint: 'Send less at once, or raise the message size limit.',
  },
  BAD_FRAME: {
    exit: 1,
    rpc: 1011,
    retryable: false,
    hint: 'The stream is neither NDJSON nor Content-Length framed. Check what writes to it.',
  },
  BAD_ANSWER: {
    exit: 4,
    rpc: 1012,
    retryable: false,
    hint: 'The peer violated the protocol. Report this to its authors.',
  },
  REQUEST_FAILED: {
    exit: 5,
    rpc: 1015,
    retryable: false,
    hint: 'The peer refused the request. Its code and message explain why.',
  },
  UNSUPPORTED_VERSION: {
    exit: 4,
    rpc: -32022,
    retryable: false,
    hint: 'Use one of the protocol versions listed in data.supported.',
  },
  HEADER_MISMATCH: {
    exit: 4,
    rpc: -32020,
    retryable: false,
    hint: 'Send the header named in the message with the same value as in the body.',
  },
  HTTP_SESSION_UNKNOWN: {
    exit: 4,
    rpc: 1124,
    retryable: false,
    hint: 'Send initialize again to start a new session.',
  },
  PORT_IN_USE: {
    exit: 4,
    rpc: 1114,
    retryable: false,
    hint: 'Stop the process named in the message, or choose another port.',
  },
  CAPABILITY_MISSING: {
    exit: 4,
    rpc: -32021,
    retryable: false,
    hint: 'Use a client that declares the capability named in the message.',
  },
} as const satisfies Readonly<Record<string, ErrorMeaning>>;
