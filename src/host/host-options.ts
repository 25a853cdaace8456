import type { PermissionOptions } from './permissions/permissions.ts';

/** What an application says when it opens a host. Everything may be left out. */
export interface HostOptions {
  /** A config file, or the content of one. Without it the files are read that the command line reads. */
  readonly config?: string | object;
  /** Only these servers. */
  readonly only?: readonly string[];
  /** Who decides about calls. Without it every call is denied: nobody can be asked. */
  readonly permissions?: PermissionOptions;
  /** Called when a server wants somebody to sign in. Without it nobody is asked, and such a server is `auth_required`. */
  readonly signIn?: (request: SignInRequest) => SignInAnswer | Promise<SignInAnswer>;
  /** Where a document stands that describes the application as an OAuth client. Without it, it registers itself. */
  readonly clientMetadataUrl?: string;
  /** A server asks the person for something. Without it no server can. */
  readonly onElicitation?: (question: Elicitation) => ElicitationAnswer | Promise<ElicitationAnswer>;
  /** A server asks for an answer of a model: the params of `sampling/createMessage`, and its result. */
  readonly onSampling?: (question: Sampling) => unknown;
  /** Folders that servers may know of, as `file:` addresses. */
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[];
  /** Prompts are for people. True: the model is offered them as tools as well. */
  readonly promptsAsTools?: boolean;
  /** How much text of one result reaches the model at once; the rest can be read by a reference. Default: 48 KiB. */
  readonly maxResultBytes?: number;
  /** Who the application is: servers are told. */
  readonly name?: string;
  readonly version?: string;
  /** Gets every line of the log, secrets masked. */
  readonly log?: (line: string) => void;
  /** Default: `info`, with every decision about a call. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** Told when tools, resources or prompts are others now: once for all changes of a moment, never after `close`. */
  readonly onChange?: (kind: 'tools' | 'resources' | 'prompts') => void;
  /** False: `switchboard mcp status` does not find this host. */
  readonly isVisible?: boolean;
  /** Default: the working folder of the process. */
  readonly cwd?: string;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface SignInRequest {
  readonly server: string;
  /** Of the server. */
  readonly url: string;
  /** Who will ask the person to sign in. */
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** To be opened in a browser, on this machine or another. */
  readonly authorizationUrl: string;
  /** Fires when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * `false`: nobody will sign in. A text: the address at which the browser ended, when it could not come back by itself.
 * Nothing: the browser comes back by itself.
 */
export type SignInAnswer = boolean | string | undefined;

/** Everything in it is the server's word. Texts are fit to be shown. */
export type Elicitation = FormElicitation | UrlElicitation;

interface ElicitationBase {
  readonly server: string;
  readonly message: string;
  /** Fires when the server no longer wants to know. */
  readonly signal: AbortSignal;
}

export interface FormElicitation extends ElicitationBase {
  readonly mode: 'form';
  /** Its fields, as the server wrote them. Whether an answer fits is for the server to judge. */
  readonly schema: FormSchema;
}

export interface FormSchema {
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

export interface UrlElicitation extends ElicitationBase {
  readonly mode: 'url';
  /** In full, and http or https. It must be shown before anybody opens it. */
  readonly url: string;
  /** Where that leads, in ASCII. */
  readonly host: string;
  /** What a person should know before opening it. */
  readonly warnings: readonly string[];
}

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' };

export interface Sampling {
  readonly server: string;
  /** Those of `sampling/createMessage`, as the server wrote them. */
  readonly params: unknown;
  readonly signal: AbortSignal;
}
