import type { ConfiguredViews } from './views/view.ts';

/** The location of a server's entry, which every message about it can name. */
export interface Origin {
  readonly layer: Layer;
  /** Absolute; empty for the command line. */
  readonly file: string;
  /** Counted from 1; 0 if there is no line. */
  readonly line: number;
  /** A server that was typed, to type it again: `https://host/mcp`, `-- node server.js`. It has no entry in any file. */
  readonly target?: string;
}

/** The origin of a value. Precedence: the explicit file alone, else project, `.mcp.json`, global, Codex. */
export type Layer = 'command-line' | 'explicit' | 'project' | 'mcp-json' | 'global' | 'codex';

/** One server as its file describes it. Values are as written: variables are expanded when the server is connected. */
export interface ServerEntry {
  /** As written in the file; sanitized for use as a prefix elsewhere. */
  readonly id: string;
  readonly origin: Origin;
  readonly transport: StdioSettings | HttpSettings;
  readonly tools: ToolFilter;
  readonly startupTimeoutMs: number | undefined;
  readonly requestTimeoutMs: number | undefined;
  readonly start: 'eager' | 'lazy';
  /** Whether new and changed tools are quarantined until the user has reviewed them. */
  readonly pin: boolean;
  /** Whether others with a token may use this server with the sign-in of this user. */
  readonly sharesSignIn: boolean;
  /** After a config change, the new process starts while the old one drains, or only after the old one has stopped. */
  readonly restart: 'overlap' | 'stop-first';
  /** Which clients of one gateway share a process of the server. `folder` and `user` are the same within one gateway. */
  readonly share: 'client' | 'folder' | 'user';
  /** Whether `${VAR}` in values is a variable: a property of the file's dialect. */
  readonly expandsVariables: boolean;
}

export interface StdioSettings {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Variables of our own environment that the server inherits by name. */
  readonly envVars: readonly string[];
  /** Whether the server inherits our whole environment. */
  readonly inheritEnv: boolean;
  readonly framing: 'ndjson' | 'content-length';
}

export interface HttpSettings {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Variables of our own environment that hold header values, by header name. */
  readonly headerEnv: Readonly<Record<string, string>>;
  /** The variable of our own environment that holds the token of `Authorization: Bearer …`. */
  readonly bearerTokenEnv: string | undefined;
  readonly oauth: OAuthSettings | undefined;
  /** Whether the file declares the older SSE protocol with two endpoints. */
  readonly isSse: boolean;
}

/** Configured sign-in settings; the rest is discovered when it is needed. */
export interface OAuthSettings {
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  readonly registrationUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The variable of our own environment that holds the client secret. */
  readonly clientSecretEnv: string | undefined;
  /** Separated by spaces. */
  readonly scope: string | undefined;
}

/** A filter on the server's own tool names. Without `allow`, every tool is allowed; `deny` wins. */
export interface ToolFilter {
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** One entry of a file with its verdict. */
export interface ConfiguredServer {
  readonly id: string;
  readonly origin: Origin;
  readonly verdict: Verdict;
}

export type Verdict =
  | { readonly kind: 'usable'; readonly entry: ServerEntry }
  /** Switched off, untrusted, not selected, or our own gateway. */
  | {
      readonly kind: 'disabled';
      readonly reason: string;
      readonly isUntrusted: boolean;
      /** The transport, if the entry defines one. */
      readonly transport?: 'stdio' | 'http' | undefined;
      /** The layer that defines the server, if the effective entry only disables it. */
      readonly definedIn?: Layer | undefined;
    }
  | { readonly kind: 'error'; readonly reason: string };

/** A file that cannot be used at all, or a problem in it that concerns no single server. */
export interface ConfigProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface ConfigFileState {
  readonly file: string;
  readonly layer: Layer;
  /** `broken` applies to the whole file: a file with a broken entry is usable. */
  readonly state: 'usable' | 'broken' | 'absent';
  /** Taken before the file was read. It differs whenever the content may differ. */
  readonly signature: string;
}

export interface LoadedConfig {
  /** In order of precedence, then in file order. One per id. */
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly ConfigProblem[];
  /** Every candidate file, in order of precedence. */
  readonly files: readonly ConfigFileState[];
  /** Undefined without views. */
  readonly views?: ConfiguredViews | undefined;
}
