import type { Source } from '../../../config/files/sources.ts';
import { trustEntry } from '../../../config/trust/trust-project.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { changedConcurrentlyError } from './entry-errors.ts';

/** Trust belongs to the old content. An entry that was trusted stays trusted: its user typed the change. */
export function keepTrust(
  id: string,
  { source, isTrusted, written }: { readonly source: Source; readonly isTrusted: boolean; readonly written: unknown },
  context: CommandContext,
): void {
  if (!source.needsTrust || !isTrusted) return;
  if (!trustEntry(source, { id, written }, environmentOf(context))) throw changedConcurrentlyError(source, id);
}
