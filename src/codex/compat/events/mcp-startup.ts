type Members = Readonly<Record<string, unknown>>;

/** How the MCP servers of a session get on. */
export interface McpStartup {
  update(params: Members): void;
  /** None of those that were heard of is still starting. */
  isOver(): boolean;
  /** As the old event told it. */
  outcome(): Members;
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
