import type { PermissionOptions } from './permissions/permission-options.ts';

/** Options of `createHost`. All are optional. */
export interface HostOptions {
  /** A config file, or its content. Default: the files that the command line reads. */
  readonly config?: string | object;
  /** Uses only these servers. */
  readonly only?: readonly string[];
  /** Decides which calls are allowed. Without it the host denies every call, because it cannot ask anybody. */
  readonly permissions?: PermissionOptions;
  /** Called when a server requires sign-in. Without it the host asks nobody, and such a server is `auth_required`. */
  readonly signIn?: (request: SignInRequest) => SignInAnswer | Promise<SignInAnswer>;
  /** URL of the client metadata document for OAuth. Without it, the host registers a client dynamically. */
  readonly clientMetadataUrl?: string;
  /** Answers an elicitation request of a server. Without it, servers cannot elicit. */
  readonly onElicitation?: (question: Elicitation) => ElicitationAnswer | Promise<ElicitationAnswer>;
  /** Answers a sampling request: takes the params of `sampling/createMessage`, returns its result. */
  readonly onSampling?: (question: Sampling) => unknown;
  /** Folders that servers may see, as `file:` URIs. */
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[];
  /** Prompts are for people. True: the host also offers them to the model as tools. */
  readonly promptsAsTools?: boolean;
  /** Limit on the text of one result that reaches the model; a reference gives access to the rest. Default: 48 KiB. */
  readonly maxResultBytes?: number;
  /** Name of the application, sent to servers as `clientInfo`. */
  readonly name?: string;
  readonly version?: string;
  /** Receives every log line, secrets masked. */
  readonly log?: (line: string) => void;
  /** Default: `info`, which includes every decision about a call. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** Called when tools, resources or prompts change: once per batch of changes, never after `close`. */
  readonly onChange?: (kind: 'tools' | 'resources' | 'prompts') => void;
  /** False hides this host from `switchboard mcp status`. */
  readonly isVisible?: boolean;
  /** Default: the working directory of the process. */
  readonly cwd?: string;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface SignInRequest {
  readonly server: string;
  /** URL of the server. */
  readonly url: string;
  /** The authorization server that the person signs in to. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** For a browser, on this machine or another. */
  readonly authorizationUrl: string;
  /** Aborts when nothing waits for the sign-in any more. */
  readonly signal: AbortSignal;
}

/**
 * `false`: nobody will sign in. A string: the URL at which the browser ended, when it could not redirect by itself.
 * `true` or undefined: the browser redirects by itself.
 */
export type SignInAnswer = boolean | string | undefined;

/** An elicitation request. All content comes from the server. Texts are safe to display. */
export type Elicitation = FormElicitation | UrlElicitation;

interface ElicitationBase {
  readonly server: string;
  readonly message: string;
  /** Aborts when the server cancels the request. */
  readonly signal: AbortSignal;
}

export interface FormElicitation extends ElicitationBase {
  readonly mode: 'form';
  /** Fields as the server wrote them. The server validates the answer. */
  readonly schema: FormSchema;
}

export interface FormSchema {
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

export interface UrlElicitation extends ElicitationBase {
  readonly mode: 'url';
  /** The complete http or https URL. Show it before anybody opens it. */
  readonly url: string;
  /** Host of the URL, in ASCII. */
  readonly host: string;
  /** Facts that a person should know before opening the URL. */
  readonly warnings: readonly string[];
}

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

export interface Sampling {
  readonly server: string;
  /** The params of `sampling/createMessage`, as the server wrote them. */
  readonly params: unknown;
  readonly signal: AbortSignal;
}
