/** Hint for an empty config. */
export const NO_SERVERS: readonly string[] = [
  'no MCP servers configured',
  'Add one: switchboard mcp add <id> https://…   or   switchboard mcp add <id> -- <command> [args]',
  'Import those of Codex, Claude, Cursor and other clients: switchboard import',
];
