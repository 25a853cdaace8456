import type { JsonObject } from '../../../wire/messages.ts';
/** The startup state of a session's MCP servers. */
export interface McpStartup {
  update(params: JsonObject): void;
  /** Returns whether none of the reported servers is still starting. */
  isOver(): boolean;
  /** Returns the outcome in the format of the old event. */
  outcome(): JsonObject;
}

export function createMcpStartup(): McpStartup {
  const servers = new Map<string, { readonly status: unknown; readonly error: unknown }>();
  const named = (status: string) => [...servers].filter(([, server]) => server.status === status);
  return {
    update({ name, status, error }) {
      servers.set(String(name), { status, error });
    },
    isOver: () => named('starting').length === 0,
    outcome: () => ({
      ready: named('ready').map(([name]) => name),
      failed: named('failed').map(([name, { error }]) => ({ server: name, error: String(error ?? '') })),
      cancelled: named('cancelled').map(([name]) => name),
    }),
  };
}
