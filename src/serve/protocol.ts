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
}

/** Text, or any other content block of MCP: image, audio, resource, resource_link. */
export type ToolResultContent = TextContent | Readonly<{ type: string; [member: string]: unknown }>;

export interface ToolCallResult {
  readonly content: readonly ToolResultContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}
