import { programName } from '../../base/program-name.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { loginCommand, serverCommand, unsetVariableCommand } from '../../config/next-command.ts';
import { toolsText } from '../connect/tool-counts.ts';
import type { SetupResult } from './apply-setup.ts';
import type { SetupCall } from './call-tool.ts';
import type { ConnectedClient } from './connect-clients.ts';
import { missingText, missingVariables } from './missing-variables.ts';
import { countText, joinNames, type SetupRun } from './setup-run.ts';
import { needsSignIn } from './sign-in.ts';
import type { SetupTest } from './test-servers.ts';

export function clientText({ client, title, sees, disabled, error }: ConnectedClient): string {
  if (error !== undefined)
    return `${title} was not connected: ${escapeInvisible(error.message)} Next: ${programName()} connect ${client}`;
  const off = disabled.length === 0 ? '' : ` Turned off there: ${disabled.map(escapeInvisible).join(', ')}.`;
  return `Connected ${title}. ${toolsText(client, sees)}${off}`;
}

/** Explains which servers were not turned off in a client, and what to type when they work. */
export function leftOnText({ client, title, leftOn }: ConnectedClient): string {
  const [stay, work, when] =
    leftOn.length === 1 ? ['stays', 'it does not work', 'it does'] : ['stay', 'they do not work', 'they do'];
  const names = joinNames(leftOn.map(quoteIfNeeded));
  return `${names} ${stay} on in ${title}, because ${work} through Switchboard yet. When ${when}, run: ${programName()} connect ${client}`;
}

/** It works in the tests of setup, but the client may start the gateway without it. */
export function shellVariableText(name: string): string {
  const quoted = quoteForShell(name);
  return `${name} is set in this shell, but clients may not pass it on. Next: printenv ${quoted} | ${programName()} secret set ${quoted}`;
}

/** Describes the outcome of a test in one line, with the next command after a failure. */
export function testText(test: SetupTest, { environment }: SetupRun): string {
  const { entry, report } = test;
  if (needsSignIn(test)) return `needs a sign-in. Next: ${loginCommand(entry, report.failed?.error.message)}`;
  if (report.failed !== undefined) {
    const missing = missingText(missingVariables(entry, environment));
    if (missing !== undefined && report.failed.error.code === 'CONFIG_INVALID') return missing;
    const { message, data } = report.failed.error;
    const reason = escapeInvisible(oneLine(message, MAX_REASON)).replace(/ *Run: .*$/, '');
    const next = unsetVariableCommand(entry, data) ?? serverCommand('doctor', entry.id);
    return `${reason}${/[.!?]$/.test(reason) ? '' : '.'} Next: ${next}`;
  }
  const tools = report.steps.find(({ name }) => name === 'tools')?.result ?? '';
  const ms = report.steps.reduce((sum, step) => sum + step.ms, 0);
  return `${tools}, ${ms} ms`;
}

const MAX_REASON = 300;

export function callText(call: SetupCall): string {
  if (call.kind === 'none') return `No call was made: ${escapeInvisible(call.reason)}.`;
  const way = call.client === undefined ? '' : ` through the gateway of ${call.client}`;
  return `${quoteIfNeeded(call.tool)}${way} (${call.ms} ms): ${call.result}`;
}

/** Ends a setup: what works, what to do about the rest, and what to type next. */
export function closingText({ clients, tests, call }: SetupResult): string {
  const connected = clients.filter(({ error }) => error === undefined);
  const working = tests.filter(({ report }) => report.failed === undefined).length;
  const own = programName();
  return [
    '',
    ...(tests.length === 0 ? [] : [workingText(working, tests.length)]),
    ...(connected.length === 0 ? [] : nextInClients(connected, call)),
    '',
    ...(tests.length === working ? [] : [`See what is wrong:  ${own} doctor`]),
    `Undo everything:    ${own} setup --undo`,
  ].join('\n');
}

function workingText(working: number, all: number): string {
  if (working < all) return `${working} of ${countText(all, 'server')} work.`;
  return all === 1 ? 'The server works.' : `All ${all} servers work.`;
}

function nextInClients(connected: readonly ConnectedClient[], call: SetupCall): readonly string[] {
  const titles = connected.map(({ title }) => title);
  const [first] = connected;
  const example =
    call.kind === 'called'
      ? `Call ${call.tool} and tell me what it returns.`
      : 'Which tools do you have from switchboard?';
  return [
    `Restart ${joinNames(titles)}, so that ${titles.length === 1 ? 'it starts' : 'they start'} Switchboard. Then type in ${first?.title}:`,
    '',
    ...(SLASH_COMMANDS.includes(first?.client ?? '') ? ['  /mcp'] : []),
    `  ${example}`,
  ];
}

/** Clients in which `/mcp` lists the servers. */
const SLASH_COMMANDS: readonly string[] = ['codex', 'claude', 'gemini', 'copilot'];
