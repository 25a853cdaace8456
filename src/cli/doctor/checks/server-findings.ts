import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { tildePath } from '../../../clients/import/plan-import.ts';
import { listVariables } from '../../../config/entry/variable-uses.ts';
import {
  disableCommand,
  loginCommand,
  secretCommand,
  serverCommand,
  unsetVariableCommand,
} from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { TestReport } from '../../../upstream/entry/test-server.ts';
import { relevantStderr } from '../../mcp/test/report-text.ts';
import type { TestedServer } from '../../mcp/test/run-tests.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding } from '../finding.ts';
import { codexRegistrationFix } from './own-codex-registration.ts';

export interface ServerDetails {
  /** Undefined if the entry is invalid. */
  readonly entry: ServerEntry | undefined;
  /** Values of all variables, from the environment and the secret store. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly checkContext: CheckContext;
}

/** Returns one finding about the server, or one for each problem that it works in spite of. */
export function serverFindings(tested: TestedServer, details: ServerDetails): readonly Finding[] {
  const { report } = tested;
  const name = quoteIfNeeded(tested.subject.id);
  if (report.failed !== undefined) return [failure(tested, report.failed, details)];
  const problems = [
    ...(report.strayOutput === undefined ? [] : [strayFinding(name, report.strayOutput)]),
    ...report.warnings.map((text): Finding => entryFinding(name, text, tested)),
    ...unusableFindings(name, report),
    ...missingVariables(inheritedNames(details), details).map((variable) => variableFinding(name, variable)),
  ];
  if (problems.length > 0) return problems;
  const ms = report.steps.reduce((sum, step) => sum + step.ms, 0);
  return [{ check: 'server.works', title: `${name}: ${toolsText(report)}, ${ms} ms`, state: 'ok' }];
}

function toolsText({ tools, rewritten }: TestReport): string {
  const count = `${tools} tool${tools === 1 ? '' : 's'}`;
  // Codex would reject or drop them as they are.
  return rewritten === 0 ? count : `${count} (${rewritten} adapted for Codex)`;
}

function failure(
  { subject: { id, origin }, report }: TestedServer,
  { step, error }: NonNullable<TestReport['failed']>,
  details: ServerDetails,
): Finding {
  const name = quoteIfNeeded(id);
  const stderr = relevantStderr(report.stderrTail).map((line) => `stderr: ${line}`);
  const base = {
    check: `server.${step}`,
    title: `${name}: ${withoutPeriod(error.message)}`,
    state: 'failure',
    code: error.code,
  } as const;
  const detail = stderr.filter((line) => !error.message.includes(line.slice('stderr: '.length)));
  const subject = { id, origin };
  if (error.code === 'SIGN_IN_NEEDED') return { ...base, title: `${name}: sign-in needed`, fix: loginCommand(subject) };
  const { entry } = details;
  const missing = missingVariables(entry === undefined ? [] : listVariables(entry), details);
  const variable = missing.find((one) => error.message.includes(one));
  if (error.code === 'CONFIG_INVALID' && variable !== undefined)
    return {
      ...base,
      check: 'server.variable',
      title: `${name} needs ${variable}, which is not set`,
      fix: secretCommand(variable),
    };
  const { timeoutMs, environment } = details.checkContext;
  const codexFix = entry === undefined ? undefined : codexRegistrationFix(entry, details.checkContext);
  if (codexFix !== undefined)
    return { ...base, check: 'server.codex-mcp-server', detail, fix: disableCommand(subject), ...codexFix };
  const isSlow = error.code === 'TIMED_OUT' && timeoutMs < PATIENT_SECONDS * 1_000;
  if (isSlow) return { ...base, detail, fix: serverCommand('doctor', id, ` --timeout ${PATIENT_SECONDS}`) };
  const setCommand = unsetVariableCommand(subject, error.data);
  if (setCommand !== undefined) return { ...base, detail, fix: setCommand };
  const at = formatLocation(tildePath(origin.file, environment), origin.line);
  const [problem = '', ...advice] = withoutPeriod(error.message).split(/(?<=\.) (?=\p{Lu})/u);
  return {
    ...base,
    title: `${name}: ${withoutPeriod(problem)}`,
    detail,
    advice: [...advice.map(withPeriod), `Fix the entry at ${at}, or disable the server.`].join(' '),
    fix: disableCommand(subject),
  };
}

/** Some servers download themselves at their first start. */
const PATIENT_SECONDS = 60;

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}

function withPeriod(text: string): string {
  return `${withoutPeriod(text)}.`;
}

function strayFinding(name: string, text: string): Finding {
  return {
    check: 'server.stdout',
    title: `${name}: ${withoutPeriod(text).replace(/^It /, 'it ')}`,
    state: 'warning',
    advice: 'Switchboard ignores this text, but other clients may not. Tell the author of the server.',
  };
}

function entryFinding(name: string, text: string, { subject: { origin } }: TestedServer): Finding {
  return {
    check: 'server.entry',
    title: `${name}: ${text}`,
    state: 'warning',
    advice: `Correct ${formatLocation(origin.file, origin.line)}.`,
  };
}

function unusableFindings(name: string, { unusable }: TestReport): readonly Finding[] {
  if (unusable.length === 0) return [];
  const count = unusable.length === 1 ? '1 tool is' : `${unusable.length} tools are`;
  return [
    {
      check: 'server.schemas',
      title: `${name}: ${count} left out, because no client could use ${unusable.length === 1 ? 'it' : 'them'}`,
      state: 'warning',
      detail: unusable.map((tool) => `${quoteIfNeeded(tool.name)}: ${tool.reason}`),
      advice: 'Tell the author of the server.',
    },
  ];
}

/** A server starts without these variables. Without any other, it would have failed. */
function inheritedNames({ entry }: ServerDetails): readonly string[] {
  return entry?.transport.kind === 'stdio' ? entry.transport.envVars : [];
}

function missingVariables(names: readonly string[], { values }: ServerDetails): readonly string[] {
  return [...new Set(names)].filter((name) => (values[name] ?? '') === '');
}

function variableFinding(name: string, variable: string): Finding {
  return {
    check: 'server.variable',
    title: `${name}: its entry passes on ${variable}, which is not set`,
    state: 'warning',
    fix: secretCommand(variable),
  };
}
