import { chmodSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import { tildePath } from '../../../clients/import/plan-import.ts';
import { dataFolder, type Environment } from '../../../config/files/folders.ts';
import { globalSource } from '../../../config/files/sources.ts';
import { isOwnedByUser, lstatIfExists, socketFolders } from '../../../control/socket/socket-paths.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding, Section } from '../finding.ts';

/** Checks that only the user can read secrets, and that nobody else can change what Switchboard starts. */
export function checkFiles({ environment }: Pick<CheckContext, 'environment'>): Section {
  if (environment.platform === 'win32') return { name: 'Files', summary: 'not checked on Windows', findings: [] };
  const folder = dataFolder(environment);
  const secrets = PRIVATE_FILES.map((name) => join(folder, name)).filter((path) => lstatIfExists(path) !== undefined);
  const folders = [...(secrets.length === 0 ? [] : [folder, join(folder, 'backups')]), ...socketFolders(environment)];
  const privateFindings = [
    ...secrets.flatMap((path) => privateFinding(path, { mode: 0o600, environment })),
    ...folders.flatMap((path) => privateFinding(path, { mode: 0o700, environment })),
  ];
  const findings = [...privateFindings, ...configFinding(globalSource(environment).file, environment)];
  const summary = findings.length === 0 ? 'only you can read your secrets' : 'other users have access';
  return { name: 'Files', summary, findings };
}

const PRIVATE_FILES: readonly string[] = [
  ...['secrets.json', 'mcp-auth.json', 'trust.json', 'trust.key', 'pins.json', 'connections.json', 'clients.json'],
  ...['tokens.json', 'http-token'],
];

interface Wanted {
  readonly mode: 0o600 | 0o700;
  readonly environment: Environment;
}

function privateFinding(path: string, { mode, environment }: Wanted): readonly Finding[] {
  const stats = lstatIfExists(path);
  if (stats === undefined) return [];
  const shown = escapeInvisible(tildePath(path, environment));
  if (!isOwnedByUser(stats)) return [ownerFinding(shown, { path, stats })];
  const isOpen = (stats.mode & GROUP_AND_OTHERS) !== 0 && !stats.isSymbolicLink();
  if (!isOpen) return [];
  const digits = mode.toString(8);
  return [
    {
      check: 'files.permissions',
      title: `Other users can read ${shown} (${(stats.mode & 0o777).toString(8)})`,
      state: 'warning',
      fix: `chmod ${digits} ${quoteForShell(path)}`,
      repair() {
        chmodSync(path, mode);
        return `Set the permissions of ${shown} to ${digits}.`;
      },
    },
  ];
}

const GROUP_AND_OTHERS = 0o077;

/** The config decides which programs run. */
function configFinding(path: string, environment: Environment): readonly Finding[] {
  const stats = lstatIfExists(path);
  if (stats === undefined) return [];
  const shown = escapeInvisible(tildePath(path, environment));
  if (!isOwnedByUser(stats)) return [ownerFinding(shown, { path, stats })];
  if ((stats.mode & WRITE_BY_OTHERS) === 0 || stats.isSymbolicLink()) return [];
  return [
    {
      check: 'files.permissions',
      title: `Other users can change ${shown}, which decides what Switchboard starts`,
      state: 'failure',
      code: 'DENIED',
      fix: `chmod go-w ${quoteForShell(path)}`,
      repair() {
        chmodSync(path, stats.mode & ~WRITE_BY_OTHERS);
        return `Removed write access for other users from ${shown}.`;
      },
    },
  ];
}

const WRITE_BY_OTHERS = 0o022;

function ownerFinding(shown: string, { path, stats }: { readonly path: string; readonly stats: Stats }): Finding {
  return {
    check: 'files.owner',
    title: `${shown} belongs to another user (uid ${stats.uid})`,
    state: 'failure',
    code: 'DENIED',
    fix: `sudo chown "$(id -u)" ${quoteForShell(path)}`,
  };
}
