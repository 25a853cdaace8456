import type { FileEntry } from '../../../config/files/config-file.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { DISABLED_IN_FILE } from '../../../config/merge-files.ts';
import { formatArgument, formatUrl, maskArgument } from '../../../config/secrets/masked-value.ts';
import type { HttpSettings, Origin, StdioSettings, Verdict } from '../../../config/server-entry.ts';
import { maskArguments, maskUrl } from '../config/mask-entry.ts';
import { overriddenBy } from '../config/override.ts';

/** One server in a list. */
export interface ServerRow {
  readonly id: string;
  readonly origin: Origin;
  readonly state: 'on' | 'off' | 'untrusted' | 'broken';
  /** Why it is not on, unless the file simply disables it. */
  readonly reason: string | undefined;
  /** Its transport; undefined when the entry has none or is invalid. */
  readonly settings: StdioSettings | HttpSettings | undefined;
  readonly expandsVariables: boolean;
  /** The project entry that only disables this server; the other fields come from the defining entry. */
  readonly switchedOffBy?: Origin;
}

/** Returns the rows by precedence, then by order in the file, each from the effective entry. */
export function toRows({ servers, chosen }: Definitions): readonly ServerRow[] {
  return servers.map(({ id, origin, verdict }) => {
    const content = chosen.get(id)?.entry.content;
    return { id, origin, ...stateOf(verdict), ...transportOf(content) };
  });
}

/** Does the same, but shows a server that a project disables as its defining file has it. */
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

/** Returns the layer of the file, in the terms of `mcp status`. */
export function sourceOf({ origin: { layer } }: ServerRow): string {
  return layer;
}

/** Returns the command line or the URL, secrets masked. */
export function targetOf({ settings }: ServerRow): string {
  if (settings === undefined) return '-';
  if (settings.kind === 'http') return formatUrl(settings.url);
  const { command, args } = settings;
  return [formatArgument(command, undefined), ...args.map((arg, index) => formatArgument(arg, args[index - 1]))].join(
    ' ',
  );
}

/** Returns the row as a JSON document. */
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
