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

/** Makes a response: `Response.ok(1, { tools: [] })`, `Response.err(1, -32601, 'Method not found')`. */
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

/** An image or a sound, as base64. */
export interface MediaContent {
  readonly type: 'image' | 'audio';
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A resource by its address, or with its content. */
export type ResourceContent =
  | Readonly<{ type: 'resource_link'; uri: string; name: string; [member: string]: unknown }>
  | Readonly<{ type: 'resource'; resource: Readonly<Record<string, unknown>>; [member: string]: unknown }>;

/** What can be read, as a list shows it. */
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

/** Many resources under one pattern: `notes://{id}`. */
export interface ResourceTemplate extends Omit<Resource, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

/** What reading one resource gives: itself, or several that it is made of. */
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

export type ToolResultContent = TextContent | MediaContent | ResourceContent;

/** A result as a client reads it: `type` tells what kind of content a block is. */
export interface ToolCallResult {
  readonly content: readonly ToolResultContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A result as a handler may write it: any block with a type, known to us or not. */
export interface AnyToolCallResult extends Omit<ToolCallResult, 'content'> {
  readonly content: readonly (ToolResultContent | Readonly<{ type: string; [member: string]: unknown }>)[];
}
