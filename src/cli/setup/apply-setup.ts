import { sha256 } from '../../base/digest.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ConnectTarget } from '../../clients/connect/targets.ts';
import { type ImportPlan, usesLauncher } from '../../clients/import/plan-import.ts';
import { importRecorded, recordStart } from '../../clients/setup/record-import.ts';
import type { ReviewedEntry } from '../../config/trust/trust-review.ts';
import { installOwnLauncher } from '../connect/install-own-launcher.ts';
import { neededVariables, offerUnset, splitVariables } from '../import/offer-variables.ts';
import { summaryText } from '../import/text.ts';
import { loadEveryServer } from '../load-every-server.ts';
import { toJson } from '../output.ts';
import { callReadOnlyTool, type SetupCall } from './call-tool.ts';
import { type ConnectedClient, connectClients } from './connect-clients.ts';
import { setupDocument } from './document.ts';
import { missingVariables } from './missing-variables.ts';
import { callText, clientText, closingText, leftOnText, shellVariableText, testText } from './outcome-text.ts';
import type { Overview } from './overview.ts';
import { offerTrust } from './project-trust.ts';
import { CANCEL_HINT } from './questions.ts';
import { countText, type SetupRun } from './setup-run.ts';
import { needsSignIn, offerSignIns } from './sign-in.ts';
import { type SetupTest, testServersLive } from './test-servers.ts';

/** Everything that a setup did. */
export interface SetupResult {
  readonly plan: ImportPlan;
  readonly clients: readonly ConnectedClient[];
  readonly trusted: readonly string[];
  readonly tests: readonly SetupTest[];
  readonly call: SetupCall;
}

/** Applies a setup that the user has agreed to, step by step, and shows each outcome. */
export async function applySetup(
  overview: Overview,
  targets: readonly ConnectTarget[],
  { run, isJson }: { readonly run: SetupRun; readonly isJson: boolean },
): Promise<void> {
  const { plan, findings, review } = overview;
  recordStart(run.journal, run.environment);
  run.showHeading('Setting up');
  if (usesLauncher(plan, run.environment)) installOwnLauncher(run.context);
  importRecorded(plan, { ...findings, journal: run.journal, environment: run.environment });
  run.showOutcome('good', summaryText(plan, { environment: run.environment, isDryRun: false }));
  const trusted = await offerTrust(review, run);
  await offerMissing(plan, trusted, run);
  const tests = await testAll(run);
  const clients = await connectAll(targets, tests, run);
  const call = await callOnce(tests, { clients, run });
  const result = { plan, clients, trusted: trusted.map(({ id }) => id), tests, call };
  if (isJson) run.context.output.answer(toJson(setupDocument(overview, result)));
  run.show(closingText(result));
  // A failed server failed before, too. A client that could not be connected is a failure of setup.
  if (clients.some(({ error }) => error !== undefined)) process.exitCode = CONFIG_INVALID;
}

/** Exit status when a client's file cannot be used. */
const CONFIG_INVALID = 7;

/** Offers to store variables without a value before the servers that need them are tested. Undo removes them again. */
async function offerMissing(plan: ImportPlan, trusted: readonly ReviewedEntry[], run: SetupRun): Promise<void> {
  const { context, environment, journal } = run;
  const ofProject = trusted.flatMap((entry) => missingVariables(entry, environment));
  const needed = [...new Set([...neededVariables(plan, context), ...ofProject])];
  const { inShell, unset } = splitVariables(needed, context);
  for (const name of inShell) run.showOutcome('warning', shellVariableText(name));
  if (!run.isInteractive) return;
  await offerUnset(unset, {
    context,
    onInterrupt: CANCEL_HINT,
    beforeStore: (name, value) =>
      journal.change((before) => ({ ...before, secrets: { ...before.secrets, [name]: sha256(value) } })),
  });
}

async function testAll(run: SetupRun): Promise<readonly SetupTest[]> {
  const { servers } = await loadEveryServer(run.context);
  const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
  if (entries.length === 0) return [];
  run.throwIfInterrupted();
  run.showHeading(`Testing ${countText(entries.length, 'server')}`);
  const width = Math.max(...entries.map(({ id }) => quoteIfNeeded(id).length));
  const show = ({ entry, report }: SetupTest) => {
    const tone = report.failed === undefined ? 'good' : needsSignIn({ entry, report }) ? 'warning' : 'bad';
    run.showOutcome(tone, `${quoteIfNeeded(entry.id).padEnd(width)}  ${testText({ entry, report }, run)}`);
  };
  const tests = await testServersLive(entries, run, show);
  run.throwIfInterrupted();
  const after = await offerSignIns(tests, run);
  for (const [index, test] of after.entries()) if (test !== tests[index]) show(test);
  run.throwIfInterrupted();
  return after;
}

/** Connects the clients. Turns off in a client only what is known to work here, or would after a sign-in. */
async function connectAll(
  targets: readonly ConnectTarget[],
  tests: readonly SetupTest[],
  run: SetupRun,
): Promise<readonly ConnectedClient[]> {
  if (targets.length === 0) return [];
  run.showHeading(`Connecting ${countText(targets.length, 'client')}`);
  const width = Math.max(...targets.map(({ client }) => client.title.length));
  const failed = tests.filter((test) => test.report.failed !== undefined && !needsSignIn(test));
  return connectClients(targets, run, {
    failing: new Set(failed.map(({ entry }) => entry.id)),
    onDone(client) {
      const tone = client.error === undefined ? 'good' : 'bad';
      run.showOutcome(tone, `${client.title.padEnd(width)}  ${clientText(client)}`);
      if (client.leftOn.length > 0) run.showOutcome('warning', leftOnText(client));
    },
  });
}

async function callOnce(
  tests: readonly SetupTest[],
  { clients, run }: { readonly clients: readonly ConnectedClient[]; readonly run: SetupRun },
): Promise<SetupCall> {
  if (tests.length === 0) return { kind: 'none', reason: 'there is no server' };
  run.showHeading('Calling one tool');
  const call = await callReadOnlyTool(tests, { connected: clients, run });
  run.showOutcome(call.kind === 'none' ? 'warning' : call.isError ? 'bad' : 'good', callText(call));
  run.throwIfInterrupted();
  return call;
}
