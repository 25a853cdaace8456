import type { ToolContext } from '../../serve/context.ts';
import type { AnyToolCallResult } from '../../serve/protocol.ts';
import type { ToolDefinition } from '../../serve/tool-definition.ts';
import { sessionUri } from '../uris.ts';
import type { Workplace } from '../workplace.ts';

type Members = Readonly<Record<string, unknown>>;

/** One tool of the codex server. Its arguments have been checked against its input schema when `run` is called. */
export interface CodexTool {
  readonly name: string;
  readonly definition: ToolDefinition<Members, Members>;
  run(args: Members, context: ToolContext, workplace: Workplace): Promise<ToolAnswer>;
}

export type ToolAnswer = AnyToolCallResult & { readonly structuredContent: Members };

/** The value as structured content and, for clients that know nothing of it, as text; links lead to the rest. */
export function toAnswer(value: Members, links: readonly Members[] = []): ToolAnswer {
  const text = { type: 'text', text: JSON.stringify(value) };
  return { content: [text, ...links.map((link) => ({ type: 'resource_link', ...link }))], structuredContent: value };
}

/** Where everything about a session can be read. */
export function linksTo(sessionId: string): readonly Members[] {
  const session = { uri: sessionUri(sessionId), name: 'session', mimeType: 'application/json' };
  const transcript = { uri: sessionUri(sessionId, 'transcript'), name: 'transcript', mimeType: 'text/markdown' };
  const diff = { uri: sessionUri(sessionId, 'diff'), name: 'diff', mimeType: 'text/x-diff' };
  return [session, transcript, diff];
}
