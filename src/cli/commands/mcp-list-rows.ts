import type { HttpSettings, Origin, StdioSettings, Verdict } from '../../config/server-entry.ts';
import { showAddress, showArgument } from '../../config/shown-value.ts';
import { visible, visibleWord } from '../../config/visible-text.ts';
import { maskArguments, maskUrl } from './mcp-add-shown.ts';
import type { Definitions } from './mcp-sources.ts';

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
}

/** In the order of precedence, then of the file. */
export function toRows({ servers, chosen }: Definitions): readonly ServerRow[] {
  return servers.map(({ id, origin, verdict }) => {
    const content = chosen.get(id)?.entry.content;
    const settings = content === undefined || content.kind === 'broken' ? undefined : content.transport;
    const expandsVariables = content?.kind === 'on' && content.entry.expandsVariables;
    return { id, origin, ...stateOf(verdict, content?.kind === 'off'), settings, expandsVariables };
  });
}

function stateOf(verdict: Verdict, isSwitchedOff: boolean): Pick<ServerRow, 'state' | 'reason'> {
  switch (verdict.kind) {
    case 'usable':
      return { state: 'on', reason: undefined };
    case 'error':
      return { state: 'broken', reason: verdict.reason };
    case 'disabled':
      if (verdict.isUntrusted) return { state: 'untrusted', reason: verdict.reason };
      return { state: 'off', reason: isSwitchedOff ? undefined : verdict.reason };
  }
}

/** The two configs that we write by their name, every other file by its path. */
export function sourceOf({ origin: { layer, file } }: ServerRow): string {
  return layer === 'project' || layer === 'global' ? layer : visible(file);
}

/** The command line or the address, secrets masked. */
export function targetOf({ settings }: ServerRow): string {
  if (settings === undefined) return '-';
  if (settings.kind === 'http') return showAddress(settings.url);
  const { command, args } = settings;
  return [visibleWord(command), ...args.map((arg, index) => showArgument(arg, args[index - 1]))].join(' ');
}

/** The same for a program that reads it. */
export function documentOf(row: ServerRow): Readonly<Record<string, unknown>> {
  const { id, origin, state, reason, settings } = row;
  const { file, line } = origin;
  const target =
    settings?.kind === 'http'
      ? { url: maskUrl(settings.url) }
      : settings && { command: settings.command, args: maskArguments(settings.args) };
  return {
    ...{ id, transport: settings?.kind ?? null, source: sourceOf(row), file, line },
    ...{ enabled: state === 'on', state, reason: reason ?? null, ...target },
  };
}
