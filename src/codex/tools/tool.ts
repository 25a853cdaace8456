import type { ToolContext } from '../../serve/context.ts';
import type { AnyToolCallResult } from '../../serve/protocol.ts';
import type { ToolDefinition } from '../../serve/tools/tool-definition.ts';
import type { ServerContext } from '../server-context.ts';
import { sessionUri } from '../views/session-uris.ts';

type Members = Readonly<Record<string, unknown>>;

/** One tool of the codex server. Its arguments have been checked against its input schema when `run` is called. */
export interface CodexTool {
  readonly name: string;
  readonly definition: ToolDefinition<Members, Members>;
  run(args: Members, context: ToolContext, serverContext: ServerContext): Promise<StructuredResult>;
}

export type StructuredResult = AnyToolCallResult & { readonly structuredContent: Members };

/**
 * The value as structured content, and the same as text: a client shows its model one or the other. Links lead to what
 * was cut.
 */
export function toStructuredResult(value: Members, links: readonly Members[] = []): StructuredResult {
  const text = { type: 'text', text: JSON.stringify(value) };
  return { content: [text, ...links.map((link) => ({ type: 'resource_link', ...link }))], structuredContent: value };
}

/** What is told of one session. Each link costs a caller as much as a sentence: only what was cut has links. */
export function toSessionResult(view: Members): StructuredResult {
  return toStructuredResult(view, resourceLinks(view));
}

/** Where the whole of a session is read, when something of it was cut. */
export function resourceLinks({ sessionId, truncated }: Members): readonly Members[] {
  if (truncated !== true) return [];
  const id = String(sessionId);
  return [
    { uri: sessionUri(id, 'result'), name: 'result', mimeType: 'text/markdown' },
    { uri: sessionUri(id, 'transcript'), name: 'transcript', mimeType: 'text/markdown' },
    { uri: sessionUri(id, 'diff'), name: 'diff', mimeType: 'text/x-diff' },
  ];
}
