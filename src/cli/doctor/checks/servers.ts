import { mapLimited } from '../../../base/map-limited.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { openSecretStore } from '../../../config/secrets/secret-store.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { ProfileName } from '../../../schema/profiles/profile.ts';
import { chooseProfile } from '../../../schema/profiles/registry.ts';
import { countHealth, countsText, type HealthCounts } from '../../health/server-health.ts';
import { healthOf, malformedReport, type TestedServer } from '../../mcp/test/run-tests.ts';
import type { TestSubjects } from '../../mcp/test/subjects.ts';
import { testAndCache } from '../../mcp/test/test-and-cache.ts';
import type { CheckContext } from '../check-context.ts';
import type { Section } from '../finding.ts';
import { serverFindings } from './server-findings.ts';

/** Shows which servers are pending. */
export interface ServerProgress {
  started(name: string): void;
  finished(name: string): void;
}

export interface CheckedServers {
  readonly section: Section;
  readonly counts: HealthCounts;
}

/** Starts every server in parallel, as `mcp test --all` does, and explains what is wrong with each. */
export async function checkServers(
  subjects: TestSubjects,
  checkContext: CheckContext,
  progress: ServerProgress,
): Promise<CheckedServers> {
  const profile = profileOf(checkContext);
  const { timeoutMs, context } = checkContext;
  for (const { id } of subjects.entries) progress.started(id);
  const tested = await mapLimited(subjects.entries, MAX_AT_ONCE, async (entry): Promise<TestedServer> => {
    const limits = { startupTimeoutMs: timeoutMs, deadlineMs: timeoutMs };
    const report = await testAndCache(entry, { profile, ...limits, context });
    progress.finished(entry.id);
    return { subject: entry, report };
  });
  const all = [...tested, ...subjects.malformed.map(malformedReport)];
  const counts = countHealth(healthOf(all, subjects));
  const values = { ...storedValues(checkContext), ...checkContext.environment.env };
  const findings = all.flatMap((one) => serverFindings(one, { entry: entryOf(one, subjects), values, checkContext }));
  const summary = counts.servers === 0 ? 'none configured' : countsText(counts);
  return { section: { name: 'Servers', summary, findings: [...findings, ...offFindings(subjects)] }, counts };
}

/** A server that hangs must start early, because it takes its whole timeout. Many more would starve each other. */
const MAX_AT_ONCE = 24;

/** Lints tools for the installed Codex, or for a current one. The check of Codex reports why it cannot be inspected. */
async function profileOf({ inspectCodex }: CheckContext): Promise<ProfileName> {
  const facts = await inspectCodex().catch(() => undefined);
  const version = facts?.kind === 'found' ? facts.version?.text : undefined;
  return version === undefined ? 'codex' : chooseProfile({ name: 'codex', version });
}

/** Empty if the store cannot be read, which the check of the config reports. */
function storedValues({ environment }: CheckContext): Readonly<Record<string, string>> {
  try {
    return openSecretStore(environment).readAll();
  } catch {
    return {};
  }
}

function entryOf({ subject }: TestedServer, { entries }: TestSubjects): ServerEntry | undefined {
  return entries.find(({ id }) => id === subject.id);
}

function offFindings({ disabled }: TestSubjects): Section['findings'] {
  if (disabled.length === 0) return [];
  const names = disabled.map(quoteIfNeeded).join(', ');
  return [{ check: 'server.disabled', title: `Disabled: ${names}`, state: 'note' }];
}
