import { baseName, readCommandLine } from './entry-command.ts';

/** An entry of a client that starts the MCP server that Codex had until 0.153. */
export interface CodexRegistration {
  readonly name: string;
  /** Options of that server, which our drop-in does not have. */
  readonly options: readonly string[];
}

/** Finds the entries that start `codex mcp-server`, directly or with a package runner. */
export function findCodexRegistrations(entries: Readonly<Record<string, unknown>>): readonly CodexRegistration[] {
  return Object.entries(entries).flatMap(([name, entry]) => {
    const options = optionsOf(entry);
    return options === undefined ? [] : [{ name, options }];
  });
}

/** Returns whether an entry starts that server. */
export function startsCodexServer(entry: unknown): boolean {
  return optionsOf(entry) !== undefined;
}

/** Returns undefined if the entry starts something else. */
function optionsOf(entry: unknown): readonly string[] | undefined {
  const line = readCommandLine(entry);
  if (line === undefined) return undefined;
  const words = [line.command, ...line.args];
  const program = words.findIndex(isCodex);
  // Before the program there is only a package runner with its options: `npx -y @openai/codex`.
  const hasRunner = words
    .slice(0, program)
    .every((word, index) => (index === 0 ? RUNNERS.has(baseName(word)) : word.startsWith('-')));
  if (program === -1 || !hasRunner) return undefined;
  const rest = words.slice(program + 1);
  const verb = rest.findIndex((word) => word === 'mcp-server' || word === 'mcp');
  // `codex mcp list` is not a server. Until 0.40, `codex mcp` alone was one.
  if (verb === -1 || (rest[verb] === 'mcp' && rest.length > verb + 1 && rest[verb + 1] !== 'serve')) return undefined;
  return [...rest.slice(0, verb), ...rest.slice(verb + 1)].filter((word) => word !== 'serve');
}

const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx']);

function isCodex(word: string): boolean {
  return baseName(word) === 'codex' || /^@openai\/codex(@[^@]*)?$/.test(word);
}
