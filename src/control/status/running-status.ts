/**
 * The status of a running switchboard. It crosses a socket, so it is plain data with secrets masked and text safe to
 * display.
 */
export interface RunningStatus {
  readonly v: 1;
  readonly role: Role;
  readonly pid: number;
  readonly version: string;
  /** Milliseconds since the Unix epoch, like every time here. */
  readonly startedAt: number;
  readonly cwd: string;
  /** The first file given with `--config`. */
  readonly configFile?: string;
  /** The other `--config` files, in order of precedence. */
  readonly otherConfigFiles?: readonly string[];
  /** The URL for clients, if they connect over HTTP. */
  readonly url?: string;
  readonly http?: HttpStatus;
  /** The names and versions that its clients report: `codex-mcp-client 0.166.0`. */
  readonly clients: readonly string[];
  /** In config order. */
  readonly servers: readonly ServerSummary[];
  /** Only for a codex server. */
  readonly sessions?: readonly SessionSummary[];
  /** Problems that concern the config as a whole. */
  readonly problems: readonly string[];
}

/** The clients of a gateway that serves HTTP, and what it refused since it was started. */
export interface HttpStatus {
  readonly connections: number;
  /** Sessions of clients up to 2025-11-25. */
  readonly sessions: number;
  /** Clients of 2026-07-28, which have no session. */
  readonly modernClients: number;
  /** Requests that are running. */
  readonly requests: number;
  readonly streams: number;
  /** Refused requests and connections, by HTTP status. */
  readonly refused: Readonly<Record<string, number>>;
}

export type Role = 'gateway' | 'codex' | 'host';

/** One row of the server table. */
export interface ServerSummary {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | undefined;
  /**
   * The layer that defines the config entry: `project`, `global`, `mcp-json`, `codex`, `explicit`, `command-line`; or
   * `program` if a host program passed it.
   */
  readonly source: string;
  readonly enabled: boolean;
  readonly state: ServerState;
  /** The number of tools that clients can see now. */
  readonly tools: number;
  /** The number of tools that the config or a pin hides, or undefined for none. */
  readonly hiddenTools?: number | undefined;
  /** The number of completed tool calls, successful or not, since the process started. */
  readonly calls: number;
  /** The number of pending tool calls. */
  readonly underWay: number;
  /** The median duration of the latest calls, to a tenth of a millisecond. Undefined before the first call. */
  readonly p50Ms?: number | undefined;
  /** The number of its processes, if there are several because clients cannot share one. */
  readonly processes?: number | undefined;
  /** Messages of the server that were dropped because they could have been for either of two clients. */
  readonly droppedMessages?: number | undefined;
  /** Why the server is not healthy, in one line. */
  readonly note?: string | undefined;
  /** The command to run next. */
  readonly next?: string | undefined;
}

/** `degraded` means connected, but with a missing or incomplete list of tools, prompts or resources. */
export type ServerState = 'disabled' | 'connecting' | 'auth_required' | 'ready' | 'degraded' | 'error';

/** Everything about one server. */
export interface ServerDetail extends ServerSummary {
  /** The file and line of the config entry. */
  readonly configured: string;
  /** The settings of the config entry, each with its location. Secrets are masked. */
  readonly settings: readonly { readonly key: string; readonly value: string; readonly place: string }[];
  /** A pid or a URL. */
  readonly where?: string;
  readonly protocolVersion?: string;
  readonly era?: 'legacy' | 'modern';
  /** The name, version and title that the server reports. */
  readonly serverInfo?: string;
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: number };
  /** The current sign-in. Never contains a token. */
  readonly signIn?: { readonly expiresAt?: number; readonly scopes: readonly string[] };
  /** The stderr tail. */
  readonly lastWords: readonly string[];
  readonly lastConnectedAt?: number;
  readonly restarts: number;
  readonly prompts: number;
  readonly resources: number;
  readonly toolList: readonly ToolSummary[];
  /** Definitions that are quarantined and offered to no client. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Warnings, for example about incomplete lists and changed tools. */
  readonly remarks: readonly string[];
}

export interface ToolSummary {
  /** The tool name on its server. */
  readonly name: string;
  /** The name that clients use, if different. */
  readonly publicName?: string;
  /** The annotations that the server declares: `read-only`, `destructive`, `idempotent`, `open-world`. */
  readonly badges: readonly string[];
  /** Why the tool is hidden from clients. */
  readonly hidden?: string;
  /** Changes that a repair or the client's profile made to its schema. */
  readonly rewrites: readonly string[];
}

/** One session of a codex server. */
export interface SessionSummary {
  readonly id: string;
  readonly state: string;
  readonly cwd?: string;
  readonly title?: string;
  /** The number of pending approvals and other requests to the user. */
  readonly questions: number;
}
