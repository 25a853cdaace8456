/** What a running switchboard tells of itself. It crosses a socket: plain data, secrets masked, texts fit to be shown. */
export interface RunningStatus {
  readonly v: 1;
  readonly role: Role;
  readonly pid: number;
  readonly version: string;
  /** In milliseconds since 1970, as every time here. */
  readonly startedAt: number;
  readonly cwd: string;
  /** The first file given with `--config`. */
  readonly configFile?: string;
  /** The other `--config` files, in order of precedence. */
  readonly otherConfigFiles?: readonly string[];
  /** Who calls it, as they call themselves: `codex-mcp-client 0.166.0`. */
  readonly clients: readonly string[];
  /** In the order of the config. */
  readonly servers: readonly ServerSummary[];
  /** Only of a codex server. */
  readonly sessions?: readonly SessionSummary[];
  /** What is wrong with the config as a whole. */
  readonly problems: readonly string[];
}

export type Role = 'gateway' | 'codex' | 'host';

/** One row of the table. */
export interface ServerSummary {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | undefined;
  /** Which layer its entry stands in: `project`, `global`, `mcp-json`, `codex`, `explicit`, `command-line`; or
   * `program`: given to a host by its program. */
  readonly source: string;
  readonly enabled: boolean;
  readonly state: ServerState;
  /** How many it offers now. */
  readonly tools: number;
  /** How many more it has that the config or a pin hides; undefined for none. */
  readonly hiddenTools?: number | undefined;
  /** Calls of its tools that it has answered, well or not, since the process runs. */
  readonly calls: number;
  /** Calls that are under way. */
  readonly underWay: number;
  /** The middle one of its latest calls, to a tenth; undefined before the first. */
  readonly p50Ms?: number | undefined;
  /** Why it is not well, in one line. */
  readonly note?: string | undefined;
  /** The command to type about it. */
  readonly next?: string | undefined;
}

/** `degraded`: connected, but a list of its tools, prompts or resources is missing or not whole. */
export type ServerState = 'disabled' | 'connecting' | 'auth_required' | 'ready' | 'degraded' | 'error';

/** Everything about one server. */
export interface ServerDetail extends ServerSummary {
  /** The file and the line of its entry. */
  readonly configured: string;
  /** What its entry says, each with its place; secrets masked. */
  readonly settings: readonly { readonly key: string; readonly value: string; readonly place: string }[];
  /** A process id or an address. */
  readonly where?: string;
  readonly protocolVersion?: string;
  readonly era?: 'legacy' | 'modern';
  /** As it calls itself: name, version and title. */
  readonly serverInfo?: string;
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: number };
  /** How somebody has signed in to it; never a token. */
  readonly signIn?: { readonly expiresAt?: number; readonly scopes: readonly string[] };
  /** The last lines of its stderr. */
  readonly lastWords: readonly string[];
  readonly lastConnectedAt?: number;
  readonly restarts: number;
  readonly prompts: number;
  readonly resources: number;
  readonly toolList: readonly ToolSummary[];
  /** Definitions that nobody is offered. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Lists that are missing or not whole, tools that changed. */
  readonly remarks: readonly string[];
}

export interface ToolSummary {
  /** What its server calls it. */
  readonly name: string;
  /** What clients call it, where that is another name. */
  readonly publicName?: string;
  /** `read-only`, `destructive`, `idempotent`, `open-world`: what the server says of it. */
  readonly badges: readonly string[];
  /** Why clients do not see it. */
  readonly hidden?: string;
  /** What the profile of the client, or a repair, changed in its schema. */
  readonly rewrites: readonly string[];
}

/** One conversation of a codex server. */
export interface SessionSummary {
  readonly id: string;
  readonly state: string;
  readonly cwd?: string;
  readonly title?: string;
  /** Questions that wait for somebody. */
  readonly questions: number;
}
