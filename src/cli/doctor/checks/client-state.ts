import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { clients } from '../../../clients/clients.ts';
import { readClientFile } from '../../../clients/connect/client-file.ts';
import type { Connection } from '../../../clients/connect/connections.ts';
import { readCommandLine } from '../../../clients/connect/entry-command.ts';
import { openDocument, valueAt } from '../../../clients/connect/format/document-format.ts';
import { GATEWAY_ENTRY } from '../../../clients/connect/own-entries.ts';
import {
  type CommandLine,
  type ConnectTarget,
  findTarget,
  isInstalled,
  userFile,
} from '../../../clients/connect/targets.ts';
import { launcherFile } from '../../../clients/launcher/install-launcher.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { toProblem } from '../../../config/problem.ts';
import { isOwnGateway } from '../../../config/resolve/own-gateway.ts';
import type { ConfigProblem } from '../../../config/server-entry.ts';
import { isObject } from '../../../wire/messages.ts';
import { loadFormat } from '../../connect/choose-targets.ts';

/** An installed client, and how its config for all projects refers to us. */
export interface ClientState {
  readonly target: ConnectTarget;
  readonly file: string;
  readonly connection: ConnectionState;
  /** All servers in that file by name, as the client writes them. */
  readonly entries: Readonly<Record<string, unknown>>;
}

type ConnectionState =
  | { readonly kind: 'unreadable'; readonly problem: ConfigProblem }
  | { readonly kind: 'none' }
  /** `connect` added our entry, but the file no longer has it. */
  | { readonly kind: 'lost' }
  /** Our entry starts something other than the launcher. */
  | { readonly kind: 'foreign'; readonly line: CommandLine; readonly isMissing: boolean }
  | { readonly kind: 'connected' };

/** Reads the config of every installed client. Changes nothing. */
export async function readClientStates(
  environment: Environment,
  recorded: readonly Connection[],
): Promise<readonly ClientState[]> {
  const targets = clients.flatMap(({ id }) => findTarget(id) ?? []).filter((one) => isInstalled(one, environment));
  return Promise.all(targets.map((target) => readClientState(target, { environment, recorded })));
}

interface Place {
  readonly environment: Environment;
  readonly recorded: readonly Connection[];
}

async function readClientState(target: ConnectTarget, place: Place): Promise<ClientState> {
  const { file, format: formatName } = userFile(target, place.environment);
  try {
    const format = await loadFormat(formatName);
    const { content } = openDocument(readClientFile(file)?.toString('utf8') ?? '', { file, format });
    const servers = valueAt(content, target.serversPath(content));
    const entries = isObject(servers) ? servers : {};
    return { target, file, entries, connection: connectionIn(entries, { target, file, ...place }) };
  } catch (error) {
    return { target, file, entries: {}, connection: { kind: 'unreadable', problem: toProblem(error) } };
  }
}

function connectionIn(
  entries: ClientState['entries'],
  { target, file, environment, recorded }: Place & Pick<ClientState, 'target' | 'file'>,
): ConnectionState {
  const line = readCommandLine(entries[GATEWAY_ENTRY]);
  const record = recorded.find((one) => one.client === target.client.id && one.file === file);
  const hasEntry = record?.edits.some(({ kind, path }) => kind === 'entry' && path.at(-1) === GATEWAY_ENTRY) === true;
  if (line === undefined || !isOwnGateway(line)) return { kind: hasEntry ? 'lost' : 'none' };
  if (line.command === launcherFile(environment)) return { kind: 'connected' };
  return { kind: 'foreign', line, isMissing: isAbsolute(line.command) && !existsSync(line.command) };
}
