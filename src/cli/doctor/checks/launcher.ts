import { accessSync, constants } from 'node:fs';
import { messageOf } from '../../../base/errors.ts';
import { runCommand } from '../../../base/process/run-command.ts';
import { programName } from '../../../base/program-name.ts';
import { VERSION } from '../../../base/version.ts';
import { readCurrentCopy } from '../../../clients/launcher/app-copy.ts';
import { compareVersions } from '../../../clients/launcher/compare-versions.ts';
import { launcherFile } from '../../../clients/launcher/install-launcher.ts';
import { installOwnLauncher } from '../../connect/install-own-launcher.ts';
import type { CheckContext } from '../check-context.ts';
import type { Finding } from '../finding.ts';
import type { ClientState } from './client-state.ts';

/** Checks the launcher that connected clients start, and the copy that it runs. */
export async function checkLauncher(
  connected: readonly ClientState[],
  checkContext: CheckContext,
): Promise<readonly Finding[]> {
  const [first] = connected;
  if (first === undefined) return [];
  const { environment, context } = checkContext;
  const current = readCurrentCopy(environment);
  const failure = await findFailure(checkContext);
  const fix = { fix: `${programName()} connect ${first.target.client.id}` };
  const repair = () => {
    installOwnLauncher(context);
    return `Installed the launcher and Switchboard ${VERSION}.`;
  };
  if (failure !== undefined) {
    const title = 'Connected clients cannot start Switchboard: the launcher does not work';
    const base = { check: 'client.launcher', title, state: 'failure', code: 'SPAWN_FAILED' } as const;
    return [{ ...base, detail: [failure], ...fix, repair }];
  }
  if (current !== undefined && compareVersions(current.version, VERSION) < 0) {
    const title = `Connected clients start Switchboard ${current.version}, but this is ${VERSION}`;
    return [{ check: 'client.version', title, state: 'warning', fix: `${programName()} upgrade`, repair }];
  }
  return [
    { check: 'client.launcher', title: `The launcher starts Switchboard ${current?.version ?? VERSION}`, state: 'ok' },
  ];
}

/** Runs the launcher as a client does. Returns why it fails, or undefined. */
async function findFailure({ environment, processes }: CheckContext): Promise<string | undefined> {
  const file = launcherFile(environment);
  try {
    accessSync(file, constants.X_OK);
    const command = { command: file, args: ['--version'], env: environment.env };
    const { stdout, stderr } = await runCommand(command, { processes, cwd: environment.home });
    return /^\d+\.\d+/.test(stdout) ? undefined : stderr || `${file} printed no version.`;
  } catch (error) {
    return messageOf(error);
  }
}
