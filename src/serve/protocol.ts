import type { RequestId } from '../wire/messages.ts';

/** The small part of JSON-RPC and MCP that a tool server needs, under the names it has on the wire. */

export interface Request {
  readonly jsonrpc: '2.0';
  /** Undefined for a notification. */
  readonly id?: RequestId;
  readonly method: string;
  /** Null when the message had none. */
  readonly params: unknown;
}

export interface Response {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Creates a response: `Response.ok(1, { tools: [] })`, `Response.err(1, -32601, 'Method not found')`. */
export const Response = {
  ok: (id: RequestId | null, result: unknown): Response => ({ jsonrpc: '2.0', id, result }),
  err: (id: RequestId | null, code: number, message: string, data?: unknown): Response => ({
    jsonrpc: '2.0',
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  }),
};

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ToolsListResult {
  readonly tools: readonly Tool[];
  readonly nextCursor?: string;
}

export interface ToolCallParams {
  readonly name: string;
  readonly arguments: unknown;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** An image or audio, as base64. */
export interface MediaContent {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A link to a resource, or an embedded resource. */
export type ResourceContent =
  | Readonly<{ type: 'resource_link'; uri: string; name: string; [member: string]: unknown }>
  | Readonly<{ type: 'resource'; resource: Readonly<Record<string, unknown>>; [member: string]: unknown }>;

/** A readable resource as listed in `resources/list`. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** In bytes, before any encoding. */
  readonly size?: number;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A URI pattern for many resources: `notes://{id}`. */
export interface ResourceTemplate extends Omit<Resource, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

/** The result of reading a resource: its own contents, or those of its parts. */
export interface ResourceContents {
  readonly contents: readonly (TextResource | BlobResource)[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface TextResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Bytes, as base64. */
export interface BlobResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A prompt as listed in `prompts/list`. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ToolResultContent;
}

export type ToolResultContent = TextContent | MediaContent | ResourceContent;

/** A result as a client reads it. `type` identifies the kind of a content block. */
export interface ToolCallResult {
  readonly content: readonly ToolResultContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A result as a handler may return it: any block with a type, known to us or not. */
export interface AnyToolCallResult extends Omit<ToolCallResult, 'content'> {
  readonly content: readonly (ToolResultContent | Readonly<{ type: string; [member: string]: unknown }>)[];
}
