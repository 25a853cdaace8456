import { AppError } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import { neutralize } from '../../../base/text/safe-text.ts';
import { SANDBOX_MODES } from '../../../codex/item-types.ts';
import type { ServerContext } from '../../../codex/server-context.ts';
import type { Session } from '../../../codex/sessions/session.ts';
import { sayTool } from '../../../codex/tools/say.ts';
import { startTool } from '../../../codex/tools/start.ts';
import type { CodexTool } from '../../../codex/tools/tool.ts';
import { toOutcomeView } from '../../../codex/views/outcome-view.ts';
import { finalMessage } from '../../../codex/views/status-view.ts';
import { type ArgumentRules, type Arguments, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { parseChoice } from '../../arguments/values.ts';
import type { CommandContext } from '../../command-context.ts';
import { toJson } from '../../output.ts';
import { canPrompt } from '../../terminal/confirm.ts';
import { listenForInterrupt } from '../../terminal/interrupt.ts';
import { openProgressLine } from '../../terminal/progress-line.ts';
import { createApprover } from './approver.ts';
import { withLocalSessions } from './local-sessions.ts';
import { runTurn } from './run-turn.ts';
import { toShellWords } from './shell-words.ts';

const RUN_RULES: ArgumentRules = {
  command: 'switchboard codex run',
  positionals: ['<task>'],
  requiredPositionals: 1,
  options: ['--cwd', '--sandbox', '--model', '--approve'],
  flags: ['--skip-git-repo-check'],
};
const SAY_RULES: ArgumentRules = {
  command: 'switchboard codex say',
  positionals: ['<session>', '<message>'],
  requiredPositionals: 2,
  options: ['--sandbox', '--model', '--approve'],
  flags: ['--fork'],
};

/** Runs `switchboard codex run "task"`: one turn of a new session, with the result alone on stdout. */
export async function codexRun(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RUN_RULES);
  const [prompt = ''] = parsed.positionals;
  const cwd = parsed.value('--cwd');
  const given = {
    ...{ prompt, ...turnSettings(parsed, RUN_RULES) },
    ...(cwd === undefined ? {} : { workingDirectory: cwd }),
    ...(parsed.has('--skip-git-repo-check') ? { skipGitRepoCheck: true } : {}),
  };
  await delegate({ tool: startTool, given, parsed, rules: RUN_RULES }, context);
}

/** Runs `switchboard codex say <session> "message"`: the next turn of any session. */
export async function codexSay(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, SAY_RULES);
  const [sessionId = '', message = ''] = parsed.positionals;
  const onConflict = parsed.has('--fork') ? { onConflict: 'fork' } : {};
  const given = { sessionId, message, ...turnSettings(parsed, SAY_RULES), ...onConflict };
  await delegate({ tool: sayTool, given, parsed, rules: SAY_RULES }, context);
}

function turnSettings(parsed: Arguments, rules: ArgumentRules): Readonly<Record<string, unknown>> {
  const sandbox = parseChoice(parsed, '--sandbox', { words: SANDBOX_MODES, rules });
  const model = parsed.value('--model');
  return { ...(sandbox === undefined ? {} : { sandbox }), ...(model === undefined ? {} : { model }) };
}

interface Delegation {
  readonly tool: CodexTool;
  readonly given: Readonly<Record<string, unknown>>;
  readonly parsed: Arguments;
  readonly rules: ArgumentRules;
}

async function delegate({ tool, given, parsed, rules }: Delegation, context: CommandContext): Promise<void> {
  const mode = approvalMode(parsed, rules);
  const interruption = listenForInterrupt();
  const stop = new AbortController();
  const signal = AbortSignal.any([interruption.signal, stop.signal]);
  const line = openProgressLine(parsed.isJson ? 'none' : process.stderr.isTTY ? 'terminal' : 'none');
  // With --json, stderr is for errors only.
  const quiet = parsed.isJson ? { ...line, print: () => {} } : line;
  const approver = createApprover({ mode, line: quiet, interrupt: () => stop.abort() });
  const started = ({ id }: Session) => quiet.print(`Session ${id}`);
  const options = { isVerbose: parsed.has('--verbose'), allowsDanger: given['sandbox'] === 'danger-full-access' };
  const run = async (serverContext: ServerContext) => {
    const turn = { tool, args: given, approver, line: quiet, signal, started };
    const session = await runTurn(serverContext, turn);
    line.close();
    printOutcome(session, { isJson: parsed.isJson, denied: approver.deniedCount() }, context);
  };
  try {
    await withLocalSessions(options, context, run);
  } finally {
    line.close();
    interruption.close();
  }
}

/** A denial is never an approval: without a terminal, nobody can approve. */
function approvalMode(parsed: Arguments, rules: ArgumentRules): 'ask' | 'deny' {
  const canAsk = canPrompt() && !parsed.isJson;
  const mode = parseChoice(parsed, '--approve', { words: ['ask', 'deny'], rules });
  if (mode !== 'ask' || canAsk) return mode ?? (canAsk ? 'ask' : 'deny');
  throw usageError(rules, '--approve ask needs a terminal, and cannot be used with --json.');
}

interface OutcomeOptions {
  readonly isJson: boolean;
  readonly denied: number;
}

/** Prints the result. A failed turn, or one in which something was denied, fails the command. */
function printOutcome(session: Session, { isJson, denied }: OutcomeOptions, { output }: CommandContext): void {
  const result = finalMessage(session);
  const { resultCursor: _, truncated: __, ...view } = toOutcomeView(session);
  if (isJson) output.answer(toJson({ ...view, ...(result === undefined ? {} : { result }), denied }));
  else {
    for (const warning of session.warnings) output.report(`Warning: ${toShellWords(warning)}`);
    if (result !== undefined) printResult(neutralize(result, { multiline: true }), output);
    output.report(continueText(session));
  }
  const data = { sessionId: session.id };
  const { failure, status } = session;
  if (failure !== undefined) throw new AppError('TOOL_FAILED', `The turn failed: ${failure.message}`, { data });
  if (denied > 0)
    throw new AppError(
      'DENIED',
      `${denied === 1 ? '1 request' : `${denied} requests`} of Codex ${denied === 1 ? 'was' : 'were'} denied.`,
      { data },
    );
  if (status === 'interrupted') throw new AppError('CANCELLED', 'The turn was interrupted.', { data });
}

/** Sets the result apart on a terminal, which also shows stderr. */
function printResult(text: string, { answer, notice }: CommandContext['output']): void {
  notice?.('');
  answer(text);
  notice?.('');
}

function continueText({ id }: Session): string {
  return `To continue, run: ${programName()} codex say ${id} "…"`;
}
