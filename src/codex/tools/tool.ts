import type { ToolContext } from '../../serve/context.ts';
import type { AnyToolCallResult } from '../../serve/protocol.ts';
import type { ToolDefinition } from '../../serve/tools/tool-definition.ts';
import type { JsonObject } from '../../wire/messages.ts';
import type { ServerContext } from '../server-context.ts';
import { sessionUri } from '../views/session-uris.ts';

/** One tool of the codex server. Its arguments are already validated against its input schema when `run` is called. */
export interface CodexTool {
  readonly name: string;
  readonly definition: ToolDefinition<JsonObject, JsonObject>;
  run(args: JsonObject, context: ToolContext, serverContext: ServerContext): Promise<StructuredResult>;
}

export type StructuredResult = AnyToolCallResult & { readonly structuredContent: JsonObject };

/**
 * Returns the value both as structured content and as text, because a client shows its model only one of them. The
 * links lead to truncated parts.
 */
export function toStructuredResult(value: JsonObject, links: readonly JsonObject[] = []): StructuredResult {
  const text = { type: 'text', text: JSON.stringify(value) };
  return { content: [text, ...links.map((link) => ({ type: 'resource_link', ...link }))], structuredContent: value };
}

/** Returns the view of one session. Only truncated views have links: a link costs as many tokens as a sentence. */
export function toSessionResult(view: JsonObject): StructuredResult {
  return toStructuredResult(view, resourceLinks(view));
}

/** Returns links to the full resources of a session if its view is truncated. */
export function resourceLinks({ sessionId, truncated }: JsonObject): readonly JsonObject[] {
  if (truncated !== true) return [];
  const id = String(sessionId);
  return [
    { uri: sessionUri(id, 'result'), name: 'result', mimeType: 'text/markdown' },
    { uri: sessionUri(id, 'transcript'), name: 'transcript', mimeType: 'text/markdown' },
    { uri: sessionUri(id, 'diff'), name: 'diff', mimeType: 'text/x-diff' },
  ];
}
