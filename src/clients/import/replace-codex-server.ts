import type { Environment } from '../../config/files/folders.ts';
import type { ForeignServer, ForeignServers, SkippedServer } from '../../config/foreign/foreign-server.ts';
import type { WrittenEntry } from '../../config/write/write-entry.ts';
import { findCodexRegistrations } from '../connect/codex-registrations.ts';
import type { CommandLine } from '../connect/targets.ts';
import { launcherFile } from '../launcher/install-launcher.ts';

/** Returns the command of the drop-in for `codex mcp-server`. It needs the launcher to be installed. */
export function dropInCommand(environment: Environment): CommandLine {
  return { command: launcherFile(environment), args: ['codex', 'mcp-server'] };
}

/** Returns whether an entry starts the drop-in. */
export function startsDropIn({ command, args }: WrittenEntry, environment: Environment): boolean {
  const dropIn = dropInCommand(environment);
  return command === dropIn.command && Array.isArray(args) && args.join('\0') === dropIn.args.join('\0');
}

/**
 * Replaces `codex mcp-server`, which Codex removed in 0.154, by the drop-in. Skips it if it has options, which the
 * drop-in does not have: its client keeps it.
 */
export function replaceCodexServers({ servers, skipped }: ForeignServers, environment: Environment): ForeignServers {
  const replaced = servers.map((server) => replace(server, environment));
  return {
    servers: replaced.flatMap((one) => ('entry' in one ? [one] : [])),
    skipped: [...skipped, ...replaced.flatMap((one) => ('entry' in one ? [] : [one]))],
  };
}

function replace(server: ForeignServer, environment: Environment): ForeignServer | SkippedServer {
  const { name, line, entry, notCarried } = server;
  const [registration] = findCodexRegistrations({ [name]: entry });
  if (registration === undefined) return server;
  if (registration.options.length > 0) return { name, line, reason: WITH_OPTIONS };
  return { ...server, entry: { ...entry, ...dropInCommand(environment) }, notCarried: [...notCarried, REPLACED] };
}

const REPLACED = { key: 'command', reason: 'Codex 0.154 removed codex mcp-server: switchboard codex replaces it' };
const WITH_OPTIONS =
  'Codex 0.154 removed codex mcp-server, and switchboard codex does not have its options. To add it without them: switchboard add <id> -- switchboard codex mcp-server';
