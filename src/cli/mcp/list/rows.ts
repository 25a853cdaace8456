import type { FileEntry } from '../../../config/files/config-file.ts';
import { DISABLED_IN_FILE } from '../../../config/merge-files.ts';
import { formatArgument, formatUrl, maskArgument } from '../../../config/secrets/masked-value.ts';
import type { HttpSettings, Origin, StdioSettings, Verdict } from '../../../config/server-entry.ts';
import type { Definitions } from '../config/definitions.ts';
import { maskArguments, maskUrl } from '../config/mask-entry.ts';
import { overriddenBy } from '../config/override.ts';

/** One server as a list shows it. */
export interface ServerRow {
  readonly id: string;
  readonly origin: Origin;
  readonly state: 'on' | 'off' | 'untrusted' | 'broken';
  /** Why it is not on, unless the file simply says so. */
  readonly reason: string | undefined;
  /** How it is reached; undefined when its entry does not say, or could not be understood. */
  readonly settings: StdioSettings | HttpSettings | undefined;
  readonly expandsVariables: boolean;
  /** The entry of the project that switches it off, where that is all it does; the rest is of where it is defined. */
  readonly switchedOffBy?: Origin;
}

/** In the order of precedence, then of the file; each as the entry says that counts. */
export function toRows({ servers, chosen }: Definitions): readonly ServerRow[] {
  return servers.map(({ id, origin, verdict }) => {
    const content = chosen.get(id)?.entry.content;
    return { id, origin, ...stateOf(verdict), ...transportOf(content) };
  });
}

/** The same, for whoever asks what there is: one that a project switches off is shown as the file has it that defines it. */
export function toDefinedRows(definitions: Definitions): readonly ServerRow[] {
  const { chosen, candidates } = definitions;
  return toRows(definitions).map((row) => {
    const counting = row.state === 'off' ? chosen.get(row.id) : undefined;
    const defined = counting && overriddenBy(counting, candidates)?.entry;
    if (defined === undefined) return row;
    return { ...row, origin: defined.origin, ...transportOf(defined.content), switchedOffBy: row.origin };
  });
}

function transportOf(content: FileEntry['content'] | undefined): Pick<ServerRow, 'settings' | 'expandsVariables'> {
  return {
    settings: content === undefined || content.kind === 'broken' ? undefined : content.transport,
    expandsVariables: content?.kind === 'on' && content.entry.expandsVariables,
  };
}

function stateOf(verdict: Verdict): Pick<ServerRow, 'state' | 'reason'> {
  switch (verdict.kind) {
    case 'usable':
      return { state: 'on', reason: undefined };
    case 'error':
      return { state: 'broken', reason: verdict.reason };
    case 'disabled':
      if (verdict.isUntrusted) return { state: 'untrusted', reason: verdict.reason };
      return { state: 'off', reason: verdict.reason === DISABLED_IN_FILE ? undefined : verdict.reason };
  }
}

/** The layer of its file, in the word that `mcp status` has for it. */
export function sourceOf({ origin: { layer } }: ServerRow): string {
  return layer;
}

/** The command line or the address, secrets masked. */
export function targetOf({ settings }: ServerRow): string {
  if (settings === undefined) return '-';
  if (settings.kind === 'http') return formatUrl(settings.url);
  const { command, args } = settings;
  return [formatArgument(command, undefined), ...args.map((arg, index) => formatArgument(arg, args[index - 1]))].join(
    ' ',
  );
}

/** The same for a program that reads it. */
export function documentOf(row: ServerRow): Readonly<Record<string, unknown>> {
  const { id, origin, state, reason, settings, switchedOffBy } = row;
  const { file, line } = origin;
  const target =
    settings?.kind === 'http'
      ? { url: maskUrl(settings.url) }
      : settings && { command: maskArgument(settings.command, undefined), args: maskArguments(settings.args) };
  return {
    ...{ id, transport: settings?.kind ?? null, source: sourceOf(row), file, line },
    ...{ enabled: state === 'on', state, reason: reason ?? null, ...target },
    ...(switchedOffBy === undefined ? {} : { switchedOffBy: { file: switchedOffBy.file, line: switchedOffBy.line } }),
  };
}
