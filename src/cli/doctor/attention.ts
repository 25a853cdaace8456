import { type CommandContext, environmentOf } from '../command-context.ts';
import { readDefinitions } from '../mcp/config/definitions.ts';
import { createStyle } from '../terminal/style.ts';
import { openCheckContext } from './check-context.ts';
import { worstFirst } from './finding.ts';
import { runOfflineChecks } from './run-checks.ts';
import { findingLines } from './text.ts';

/**
 * Returns the known problems, each with the command that fixes it. Reads only files and starts no server. `working`
 * names the servers that run, whose earlier failures no longer matter. Undefined if there are none.
 */
export async function attentionText(
  context: CommandContext,
  working: ReadonlySet<string> = new Set(),
): Promise<string | undefined> {
  const definitions = await readDefinitions(environmentOf(context));
  const { checkContext, close } = openCheckContext({ context, definitions, timeoutMs: 0 });
  try {
    const findings = (await runOfflineChecks(checkContext, working)).flatMap((section) => section.findings);
    const urgent = findings.filter(
      ({ state, check }) => state === 'warning' || state === 'failure' || check === NEW_SERVERS,
    );
    if (urgent.length === 0) return undefined;
    const style = createStyle({ isTerminal: context.output.screen !== undefined, env: context.env });
    const format = { style, width: context.output.screen?.size().columns };
    return [
      style.paint('Needs attention:', 'heading'),
      ...worstFirst(urgent).flatMap((finding) => findingLines(finding, format)),
    ].join('\n');
  } finally {
    await close();
  }
}

/** Nothing is wrong, but the user wants to know. */
const NEW_SERVERS = 'client.new-servers';
