/** Where the entry of a server stands, so that every message about it can name the place. */
export interface Origin {
  readonly layer: Layer;
  /** Absolute; empty for the command line. */
  readonly file: string;
  /** Counted from 1; 0 where there is no line. */
  readonly line: number;
}

/** Where a value came from. High to low: the explicit file alone, else project, `.mcp.json`, global, Codex. */
export type Layer = 'command-line' | 'explicit' | 'project' | 'mcp-json' | 'global' | 'codex';

/** One server as its file describes it. Values are as written: variables are put in when it is connected. */
export interface ServerEntry {
  /** As written in the file; made fit for a prefix elsewhere. */
  readonly id: string;
  readonly origin: Origin;
  readonly transport: StdioSettings | HttpSettings;
  readonly tools: ToolFilter;
  readonly startupTimeoutMs: number | undefined;
  readonly requestTimeoutMs: number | undefined;
  readonly start: 'eager' | 'lazy';
  /** Tools that are new or changed wait until somebody has looked at them. */
  readonly pin: boolean;
  /** After a change of its entry: the new one beside the old one until that has finished, or only after it. */
  readonly restart: 'overlap' | 'stop-first';
  /** Whether `${VAR}` in values stands for a variable: a property of the file's dialect. */
  readonly expandsVariables: boolean;
}

export interface StdioSettings {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Variables of our own environment that it gets by name. */
  readonly envVars: readonly string[];
  /** It gets our whole environment. */
  readonly inheritEnv: boolean;
  readonly framing: 'ndjson' | 'content-length';
}

export interface HttpSettings {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By the name of a header: the variable of our own environment that holds its value. */
  readonly headerEnv: Readonly<Record<string, string>>;
  /** The variable of our own environment that holds the token of `Authorization: Bearer …`. */
  readonly bearerTokenEnv: string | undefined;
  readonly oauth: OAuthSettings | undefined;
  /** The file says that the server speaks the older protocol of two addresses. */
  readonly isSse: boolean;
}

/** What is known beforehand about signing in; the rest is found out when it is needed. */
export interface OAuthSettings {
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  readonly registrationUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The variable of our own environment that holds the client secret. */
  readonly clientSecretEnv: string | undefined;
  /** Words with a blank between them. */
  readonly scope: string | undefined;
}

/** By the server's own tool names. Without `allow` every tool is allowed; `deny` wins. */
interface ToolFilter {
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** What became of one entry of a file. */
export interface ConfiguredServer {
  readonly id: string;
  readonly origin: Origin;
  readonly verdict: Verdict;
}

export type Verdict =
  | { readonly kind: 'usable'; readonly entry: ServerEntry }
  /** Switched off, untrusted, not selected, or ourselves. */
  | {
      readonly kind: 'disabled';
      readonly reason: string;
      readonly isUntrusted: boolean;
      /** How it would be reached, where its entry says so. */
      readonly transport?: 'stdio' | 'http' | undefined;
      /** The layer that defines it, where the entry that counts only switches it off. */
      readonly definedIn?: Layer | undefined;
    }
  | { readonly kind: 'error'; readonly reason: string };

/** A file that could not be used at all, or something in it that concerns no single server. */
export interface ConfigProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface LoadedConfig {
  /** In the order of precedence, then of the file. One per id. */
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly ConfigProblem[];
  /** Every file that was looked for, in the order of precedence. */
  readonly files: readonly ConfigFileState[];
}

export interface ConfigFileState {
  readonly file: string;
  readonly layer: Layer;
  /** `broken` as a whole: a file with a broken entry is usable. */
  readonly state: 'usable' | 'broken' | 'absent';
  /** Of the moment before it was read: another one whenever its content may be another. */
  readonly signature: string;
}
