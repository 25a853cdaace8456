import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOrphans } from '../../../base/process/orphans.ts';
import { programName } from '../../../base/program-name.ts';
import { truncate } from '../../../base/text/truncate.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import { tildePath } from '../../../clients/import/plan-import.ts';
import { appFolder } from '../../../clients/launcher/app-copy.ts';
import { cacheFolder, dataFolder, type Environment } from '../../../config/files/folders.ts';
import { globalSource } from '../../../config/files/sources.ts';
import { findDeadSockets } from '../../../control/socket/running-instances.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding, Section } from '../finding.ts';

/** Finds what killed processes left behind: sockets, locks, half-written files, and processes of servers. */
export async function checkLeftovers({ environment }: Pick<CheckContext, 'environment'>): Promise<Section> {
  const old = findOldFiles(environment, Date.now());
  const kinds = [
    { check: 'leftovers.sockets', what: 'socket', paths: findDeadSockets(environment) },
    { check: 'leftovers.locks', what: 'lock', paths: old.filter((path) => path.endsWith('.lock')) },
    { check: 'leftovers.temporary', what: 'half-written file', paths: old.filter((path) => path.endsWith('.tmp')) },
  ];
  const findings = [
    ...kinds.filter(({ paths }) => paths.length > 0).map((kind) => fileFinding(kind, environment)),
    ...(await findOrphans(environment.home)).map(orphanFinding),
  ];
  const summary = findings.length === 0 ? 'nothing was left behind' : 'left behind by processes that were killed';
  return { name: 'Leftovers', summary, findings };
}

function fileFinding(
  { check, what, paths }: { readonly check: string; readonly what: string; readonly paths: readonly string[] },
  environment: Environment,
): Finding {
  const count = paths.length === 1 ? `1 ${what}` : `${paths.length} ${what}s`;
  return {
    check,
    title: `${count} left by killed processes`,
    state: 'warning',
    detail: paths.map((path) => escapeInvisible(tildePath(path, environment))),
    fix: `${programName()} doctor --fix`,
    repair() {
      for (const path of paths) rmSync(path, { recursive: true, force: true });
      return `Removed ${count}.`;
    },
  };
}

/** Ending a process is left to the user: it may still do something useful. */
function orphanFinding({ pid, command }: { readonly pid: number; readonly command: string }): Finding {
  return {
    check: 'leftovers.process',
    title: `Process ${pid} outlived the Switchboard that started it`,
    state: 'warning',
    detail: [escapeInvisible(truncate(command, MAX_COMMAND))],
    fix: `kill ${pid}`,
  };
}

const MAX_COMMAND = 120;

/** Returns locks and temporary files in our folders that no running process can still use. */
function findOldFiles(environment: Environment, now: number): readonly string[] {
  const places = [dataFolder(environment), cacheFolder(environment), dirname(globalSource(environment).file)];
  const folders = new Set([...places, appFolder(environment), join(dataFolder(environment), 'bin')]);
  return [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => OURS.test(name))
      .map((name) => join(folder, name))
      .filter((path) => now - changedAt(path) > ABANDONED_AFTER_MS),
  );
}

/** `<file>.lock`, and `<file>.<random>.tmp` of a file that was about to be replaced. */
const OURS = /^[\w.-]+(?:\.lock|\.[0-9a-f]{12}\.tmp)$/;
/** A process holds a lock and writes a file for milliseconds, or renews the lock twice a second. A copy takes longer. */
const ABANDONED_AFTER_MS = 10 * 60_000;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist, or the check of files reports why it cannot be read.
    return [];
  }
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}
