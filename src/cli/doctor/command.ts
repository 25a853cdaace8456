import { exitStatus } from '../../base/error-translation.ts';
import { parseArguments } from '../arguments/parse-arguments.ts';
import { parseTimeout } from '../arguments/values.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { readDefinitions } from '../mcp/config/definitions.ts';
import { toJson } from '../output.ts';
import { createStyle } from '../terminal/style.ts';
import { openCheckContext } from './check-context.ts';
import { doctorDocument } from './document.ts';
import type { Section } from './finding.ts';
import { openProgress } from './progress.ts';
import { repairSection } from './repair.ts';
import { DOCTOR_RULES } from './rules.ts';
import { runChecks } from './run-checks.ts';
import { chooseServers } from './subjects.ts';
import { sectionText, summaryText } from './text.ts';

/**
 * Runs `switchboard doctor`: checks the whole installation in parallel, and shows what is wrong with the command that
 * fixes it. With names, checks only these servers. `--fix` fixes what is safe to fix.
 */
export async function doctor(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, DOCTOR_RULES);
  const timeoutMs = parseTimeout(parsed.value('--timeout'), DOCTOR_RULES) ?? DEFAULT_TIMEOUT_MS;
  const definitions = await readDefinitions(environmentOf(context));
  const subjects = chooseServers(parsed.positionals, definitions);
  const { checkContext, close } = openCheckContext({ context, definitions, timeoutMs });
  const progress = openProgress(!parsed.isJson && process.stderr.isTTY === true);
  const style = createStyle({ isTerminal: context.output.screen !== undefined, env: context.env });
  const width = context.output.screen?.size().columns;
  let hasBlankEnd = false;
  const show = (section: Section) => {
    if (parsed.isJson) return;
    const text = sectionText(section, { style, width });
    hasBlankEnd = text.endsWith('\n');
    progress.above(() => context.output.answer(text));
  };
  try {
    const { sections, counts } = await runChecks(checkContext, {
      subjects,
      onlyServers: parsed.positionals.length > 0,
      progress,
      // `--fix` first repairs what it shows.
      finish: parsed.has('--fix') ? repairSection : (section) => section,
      show,
    });
    progress.close();
    if (parsed.isJson) context.output.answer(toJson(doctorDocument(sections, counts)));
    else context.output.answer(`${hasBlankEnd ? '' : '\n'}${summaryText(sections, style)}`);
    process.exitCode = worstStatus(sections);
  } finally {
    progress.close();
    await close();
  }
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Of several failures, the highest status. Warnings are not failures. */
function worstStatus(sections: readonly Section[]): number {
  const failures = sections.flatMap(({ findings }) => findings).filter(({ state }) => state === 'failure');
  return Math.max(0, ...failures.map(({ code = 'INTERNAL' }) => exitStatus(code)));
}
