import { type CodexVersion, isAtLeast } from '../locate/codex-version.ts';

/** The first minor versions whose app-server, and whose `exec --json`, support what the engines need. */
export const APP_SERVER_MINOR = 92;
export const EXEC_MINOR = 20;
/** The first minor version without `codex mcp-server`. */
const WITHOUT_MCP_SERVER_MINOR = 154;

/** Returns the engine that a version supports; undefined if it is too old for both. */
export function engineFor(version: CodexVersion): 'app-server' | 'exec' | undefined {
  if (isAtLeast(version, APP_SERVER_MINOR)) return 'app-server';
  return isAtLeast(version, EXEC_MINOR) ? 'exec' : undefined;
}

/** Returns whether a version still has `codex mcp-server`. */
export function hasMcpServer(version: CodexVersion): boolean {
  return !isAtLeast(version, WITHOUT_MCP_SERVER_MINOR);
}
