import { VERSION } from '../base/version.ts';
import type { ServerDescription } from '../serve/initialize-result.ts';

/** The server info of the codex server, available before the rest of the server is loaded. */
export const CODEX_SERVER_INFO: ServerDescription = {
  info: {
    name: 'switchboard-codex',
    title: 'Codex',
    version: VERSION,
    instructions:
      'Codex, a coding agent, in sessions: codex_start returns a session id, codex_wait waits for it, codex_respond answers its questions.',
  },
  resources: true,
  prompts: true,
};

/**
 * Returns the server info of the drop-in, which matches the server that it replaces member by member. `machine` is the
 * operating system and the architecture: `linux; x64`.
 */
export function compatServerInfo(machine: string): ServerDescription {
  const extra = { user_agent: `codex-mcp-server/${VERSION} (${machine})` };
  return {
    info: { name: 'codex-mcp-server', title: 'Codex', version: VERSION, extra },
    capabilities: { tools: { listChanged: true } },
  };
}
