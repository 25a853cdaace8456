import { sha256 } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { formatLocation } from '../../config/problem.ts';
import { isObject } from '../../wire/messages.ts';
import type { Content } from './client-file.ts';
import type { Connection } from './connections.ts';
import { applyEdits, type Edit, isApplied, isSameEdit } from './edits.ts';
import { openDocument, valueAt } from './format/document-format.ts';
import { findUnrecorded, isReplaceable } from './own-entries.ts';
import { type ClientFileState, type FilePlan, withoutOurEdits } from './plan-disconnect.ts';

/** What a client's config is to contain. */
export interface WantedServers {
  /** Our servers by name, as the client writes them. */
  readonly entries: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /**
   * Names of the client's own servers to turn off, besides those that already are. Names that it does not have are
   * ignored. Undefined leaves all of its servers on.
   */
  readonly disabled: readonly string[] | undefined;
}

/** Plans the change that connects a client. The plan changes nothing if the client is already connected that way. */
export function planConnect(state: ClientFileState, wanted: WantedServers): FilePlan {
  const { target, file, format, current } = state;
  const recorded = state.connection ?? findUnrecorded(state);
  const base = withoutOurEdits({ ...state, connection: recorded });
  const document = openDocument(base?.toString('utf8') ?? '', { file, format });
  const edits = toEdits(wanted, { ...state, content: document.content, recorded });
  const now = openDocument(current?.toString('utf8') ?? '', { file, format });
  const isMade = state.connection?.edits.every((made) => edits.some((edit) => isSameEdit(made, edit))) ?? false;
  if (state.connection !== undefined && isMade && edits.every((edit) => isApplied(now.content, edit)))
    return { target, file, current, next: current, base, connection: state.connection };
  const applied = applyEdits(document, edits);
  const next = Buffer.from(applied.document.text);
  const connection: Connection = {
    client: target.client.id,
    file,
    edits: applied.edits,
    containers: applied.containers,
    written: sha256(next),
    ...(state.connection?.createdFolder === undefined ? {} : { createdFolder: state.connection.createdFolder }),
  };
  return { target, file, current, next, base, connection };
}

interface EditContext extends ClientFileState {
  /** Content without our edits. */
  readonly content: unknown;
  readonly recorded: Connection | undefined;
}

function toEdits({ entries, disabled }: WantedServers, context: EditContext): readonly Edit[] {
  const { target, content, recorded } = context;
  const servers = target.serversPath(content);
  const earlier = (recorded?.edits ?? []).filter(({ path }) => !Object.hasOwn(entries, path.at(-1) ?? ''));
  const kept = earlier.filter((edit) => edit.kind === 'entry');
  const turnedOff = earlier.flatMap((edit) => (edit.kind === 'entry' ? [] : [disabledName(edit)]));
  const unwanted = disabled === undefined ? [] : [...new Set([...turnedOff, ...disabled])];
  const names = unwanted.filter((name) => isObject(valueAt(content, [...servers, name])));
  const added = Object.entries(entries).flatMap(([name, value]) => {
    refuseForeignEntry(name, context);
    return [{ kind: 'entry', path: [...servers, name], value } as const, ...target.toAllowed(name, content)];
  });
  const switches = names.map((name) => target.toDisabled([...servers, name], content));
  // A server that the user turned off must stay off after `disconnect`.
  return [...added, ...kept, ...switches.filter((edit) => !isApplied(content, edit))];
}

function disabledName(edit: Exclude<Edit, { kind: 'entry' }>): string {
  if (edit.kind === 'listed') return edit.item;
  return (edit.kind === 'moved' ? edit.path.at(-1) : edit.path.at(-2)) ?? '';
}

/** Throws if the client has a server of this name that is neither ours nor replaced by ours. */
function refuseForeignEntry(name: string, { target, file, content }: EditContext): void {
  const existing = valueAt(content, [...target.serversPath(content), name]);
  if (existing === undefined || isReplaceable(existing, name)) return;
  throw new AppError(
    'USAGE',
    `${target.client.title} already has a server named ${quoteIfNeeded(name)} that starts something else: rename it in ${formatLocation(file, 0)} first.`,
    { data: { client: target.client.id, file } },
  );
}

/** Returns the names of the client's own servers that a plan turns off. */
export function disabledNames({ connection }: Pick<FilePlan, 'connection'>): readonly string[] {
  const edits = connection?.edits ?? [];
  return edits.flatMap((edit) => {
    if (edit.kind === 'entry' || (edit.kind === 'listed' && edit.path.at(-1) === 'allowed')) return [];
    return [disabledName(edit)];
  });
}

/** Returns whether a plan changes anything. */
export function changesFile({ current, next }: { readonly current: Content; readonly next: Content }): boolean {
  return current === undefined || next === undefined ? current !== next : !current.equals(next);
}
