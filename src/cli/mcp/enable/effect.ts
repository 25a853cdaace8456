import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type Candidate, trustCommand } from '../../../config/merge-files.ts';
import { serverCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import { definitionElsewhere, overriddenBy } from '../config/override.ts';
import { entryToChange, type ToggleRequest } from './request.ts';

/** Explains why the change has no effect here, if so. */
export function effectWarnings(request: ToggleRequest): readonly string[] {
  const { id, source, definitions } = request;
  const [ours, effective] = [entryToChange(request), definitions.chosen.get(id)];
  if (ours !== undefined && !ours.isTrusted)
    return [`the entry is untrusted and has no effect: to trust it, run ${trustCommand(ours.entry.origin)}`];
  if (effective !== undefined && effective.entry.origin.file !== source.file) {
    const { file, line } = effective.entry.origin;
    return [`this entry has no effect here, because the one in ${formatLocation(file, line)} takes precedence.`];
  }
  // An entry that only disables another one replaces nothing.
  if (ours !== undefined && overriddenBy(ours, definitions.candidates) !== undefined) return [];
  const other =
    source.layer === 'project' ? definitionElsewhere(id, source.file, definitions.candidates)?.entry.origin : undefined;
  if (other === undefined) return [];
  const removal = serverCommand('mcp remove', id);
  return [`it overrides the one in ${formatLocation(other.file, other.line)}; to use that one, run ${removal}`];
}

/** Explains why the entry that remains after removing an override is still not used. */
export function remainingEntryWarnings(
  id: string,
  { entry: { content, origin }, isTrusted }: Candidate,
): readonly string[] {
  const where = formatLocation(origin.file, origin.line);
  const next =
    origin.layer === 'global' ? `run ${serverCommand('mcp enable', id, ' --scope global')}` : 'edit it there.';
  return [
    ...(content.kind === 'off' ? [`it is also disabled in ${where}: ${next}`] : []),
    ...(isTrusted
      ? []
      : [`the entry in ${where} is untrusted and has no effect: to trust it, run ${trustCommand(origin)}`]),
  ];
}

/** Returns an untrusted entry that has the requested state while the server does not; undefined when there is none. */
export function ineffectiveEntry(request: ToggleRequest, state: 'on' | 'off'): Candidate | undefined {
  const { id, definitions } = request;
  const ours = entryToChange(request);
  if (ours === undefined || ours.isTrusted) return undefined;
  const isOn = definitions.servers.find((server) => server.id === id)?.verdict.kind === 'usable';
  return isOn === (state === 'on') ? undefined : ours;
}

export function ineffectiveError(
  { id, definitions }: ToggleRequest,
  { ours, state }: { readonly ours: Candidate; readonly state: 'on' | 'off' },
): AppError {
  const { file, line } = ours.entry.origin;
  const effective = definitions.chosen.get(id) ?? ours;
  const { origin } = effective.entry;
  const instead = effective === ours ? '' : `: the one in ${formatLocation(origin.file, origin.line)} takes precedence`;
  const fault = `${quoteIfNeeded(id)} is ${state === 'on' ? 'enabled' : 'disabled'} in ${formatLocation(file, line)}, but that entry is untrusted and has no effect`;
  return new AppError('USAGE', `${fault}${instead}. Run: ${trustCommand(ours.entry.origin)}`, {
    data: { server: id, file, line },
  });
}
