import { toAppError } from '../../base/errors.ts';
import type { HealthCounts } from '../health/server-health.ts';
import type { TestSubjects } from '../mcp/test/subjects.ts';
import type { Check, CheckContext } from './check-context.ts';
import { checkServers, type ServerProgress } from './checks/servers.ts';
import { SECTION_NAMES, type Section, type SectionName } from './finding.ts';

export interface CheckOptions {
  readonly subjects: TestSubjects;
  /** Skips everything but the servers. */
  readonly onlyServers: boolean;
  readonly progress: ServerProgress;
  /** Called with each section as soon as it is complete. */
  finish(section: Section): Section | Promise<Section>;
  /** Called with each finished section in display order, as early as possible. */
  show(section: Section): void;
}

export interface CheckResults {
  readonly sections: readonly Section[];
  readonly counts: HealthCounts | undefined;
}

/** Runs all checks in parallel, so that the slowest server decides how long it takes. */
export async function runChecks(checkContext: CheckContext, options: CheckOptions): Promise<CheckResults> {
  const { subjects, onlyServers, progress, finish, show } = options;
  let counts: HealthCounts | undefined;
  const servers: Check = async () => {
    const checked = await checkServers(subjects, checkContext, progress);
    counts = checked.counts;
    const { section } = checked;
    if (!onlyServers || subjects.skipped.length === 0) return section;
    // Otherwise they are findings about the config.
    const { untrustedFindings } = await import('./checks/config.ts');
    const named = new Set(subjects.skipped.map(({ server }) => server));
    const untrusted = checkContext.definitions.servers.filter(({ id }) => named.has(id));
    return { ...section, findings: [...section.findings, ...untrustedFindings(untrusted)] };
  };
  const names = SECTION_NAMES.filter((name) => name === 'Servers' || !onlyServers);
  const running = names.map(async (name) => {
    const check = name === 'Servers' ? servers : await OTHER_CHECKS[name]();
    return finish(await runCheck(name, () => check(checkContext)));
  });
  const sections: Section[] = [];
  for (const section of running) {
    sections.push(await section);
    show(await section);
  }
  return { sections, counts };
}

/** Loaded lazily, so that the servers start first. */
const OTHER_CHECKS: Readonly<Record<Exclude<SectionName, 'Servers'>, () => Promise<Check>>> = {
  Node: async () => {
    const { checkNode } = await import('./checks/node.ts');
    return () => checkNode();
  },
  Codex: async () => (await import('./checks/codex.ts')).checkCodex,
  Config: async () => (await import('./checks/config.ts')).checkConfig,
  Clients: async () => (await import('./checks/clients.ts')).checkClients,
  Leftovers: async () => (await import('./checks/leftovers.ts')).checkLeftovers,
  Files: async () => (await import('./checks/files.ts')).checkFiles,
};

/** Runs the checks that are fast and start no server. */
export async function runOfflineChecks(
  checkContext: CheckContext,
  working: ReadonlySet<string>,
): Promise<readonly Section[]> {
  const { checkKnownServers } = await import('./checks/known-servers.ts');
  const names = ['Clients', 'Leftovers', 'Files'] as const;
  return Promise.all([
    runCheck('Servers', () => checkKnownServers(checkContext, working)),
    ...names.map(async (name) => {
      const check = await OTHER_CHECKS[name]();
      return runCheck(name, () => check(checkContext));
    }),
  ]);
}

/** Turns an error of a check into a finding, so that all others are still shown. */
async function runCheck(name: SectionName, check: () => Section | Promise<Section>): Promise<Section> {
  try {
    return await check();
  } catch (error) {
    const { code, message } = toAppError(error);
    const finding = { check: `${name.toLowerCase()}.check`, title: message, state: 'failure', code } as const;
    return { name, summary: 'could not be checked', findings: [finding] };
  }
}
