import { programName } from '../../base/program-name.ts';

/** Returns the hint for an empty config. */
export function noServersLines(): readonly string[] {
  const name = programName();
  return [
    'no MCP servers configured',
    `Add one: ${name} mcp add <id> https://…   or   ${name} mcp add <id> -- <command> [args]`,
    `Import those of Codex, Claude, Cursor and other clients: ${name} import`,
  ];
}
