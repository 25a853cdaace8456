// @ts-check
import { isRarelyUsed } from './rarely-used.mjs';

/**
 * Parts with a file of their own, which contains everything they need. Commands and servers start with them, so a start
 * loads little else. All other parts of the command line share a file, because most of their code is the same.
 */
const OWN_FILES = new Set([
  'src/cli/main.ts',
  'src/cli/startup/save-code.ts',
  'src/cli/command-line.ts',
  'src/cli/completion/shell.ts',
  'src/cli/codex/command.ts',
  'src/cli/gateway/command.ts',
  // Loads a module of Node that only gateways with many servers need.
  'src/cli/gateway/limit-heap-growth.ts',
  'src/cli/mcp/command.ts',
  'src/cli/mcp/call/command.ts',
  'src/cli/mcp/list/command.ts',
  'src/cli/mcp/status/command.ts',
]);

/**
 * A file that holds several parts.
 * @typedef {object} SharedFile
 * @property {string} path
 * @property {boolean} isEager evaluates all its parts at once; otherwise each when it is first loaded
 */

/** Servers run for days, while an update may replace their files. So they load all parts at once. */
const GATEWAY = { path: 'gateway/gateway.js', isEager: true };
const CODEX = { path: 'codex/codex.js', isEager: true };
/** What only servers over HTTP need. Both kinds of servers load it at once. */
const HTTP = { path: 'http/http.js', isEager: true };
/** A command uses few of the parts. Code that is evaluated later takes V8 longer to compile, but most never is. */
const COMMANDS = { path: 'commands.js', isEager: false };

/**
 * Returns the file that this part shares with others, or undefined if it has its own.
 * @param {string} part @returns {SharedFile | undefined}
 */
export function sharedFileOf(part) {
  // Only commands load these on their own, and the shared file contains most of their code.
  if (part.startsWith('src/clients/')) return COMMANDS;
  if (!part.startsWith('src/cli/') || OWN_FILES.has(part) || isRarelyUsed(part)) return undefined;
  if (part.startsWith('src/cli/http/')) return HTTP;
  if (part.startsWith('src/cli/gateway/')) return GATEWAY;
  if (part.startsWith('src/cli/codex/')) return CODEX;
  return COMMANDS;
}

/**
 * Returns the source of a shared file. It exports a function for each part, which loads the part.
 * @param {readonly string[]} parts @param {{ isEager: boolean }} how
 */
export function sharedFileSource(parts, { isEager }) {
  if (!isEager) return parts.map((part) => `exports['${part}'] = () => require('./${part}');`).join('\n');
  const imports = parts.map((part, index) => `import * as part${index} from './${part}';`);
  const exports = parts.map(
    (part, index) => `const load${index} = () => part${index}; export { load${index} as '${part}' };`,
  );
  return [...imports, ...exports].join('\n');
}
