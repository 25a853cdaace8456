import { AppError } from '../../../base/errors.ts';
import { visibleWord } from '../../../base/text/visible-text.ts';
import { type Candidate, trustCommand } from '../../../config/merge-files.ts';
import { serverCommand } from '../../../config/next-command.ts';
import { place } from '../../../config/problem.ts';
import { definitionElsewhere, overriddenBy } from '../config/override.ts';
import { entryOf, type SwitchRequest } from './request.ts';

/** Why the change has no effect here, if so. */
export function effect(request: SwitchRequest): readonly string[] {
  const { id, source, definitions } = request;
  const [ours, counting] = [entryOf(request), definitions.chosen.get(id)];
  if (ours !== undefined && !ours.isTrusted)
    return [`the entry is untrusted and has no effect: to trust it, run ${trustCommand(ours.entry.origin)}`];
  if (counting !== undefined && counting.entry.origin.file !== source.file) {
    const { file, line } = counting.entry.origin;
    return [`this entry has no effect here, because the one in ${place(file, line)} takes precedence.`];
  }
  // Whatever only switches another one off takes the place of nothing.
  if (ours !== undefined && overriddenBy(ours, definitions.candidates) !== undefined) return [];
  const other =
    source.layer === 'project' ? definitionElsewhere(id, source.file, definitions.candidates)?.entry.origin : undefined;
  if (other === undefined) return [];
  const removal = serverCommand('mcp remove', id);
  return [`it overrides the one in ${place(other.file, other.line)}; to use that one, run ${removal}`];
}

/** Why the entry that is left, once an override is gone, is not used all the same. */
export function effectOfOther(id: string, { entry: { content, origin }, isTrusted }: Candidate): readonly string[] {
  const where = place(origin.file, origin.line);
  const next =
    origin.layer === 'global' ? `run ${serverCommand('mcp enable', id, ' --scope global')}` : 'edit it there.';
  return [
    ...(content.kind === 'off' ? [`it is switched off in ${where} too: ${next}`] : []),
    ...(isTrusted
      ? []
      : [`the entry in ${where} is untrusted and has no effect: to trust it, run ${trustCommand(origin)}`]),
  ];
}

/** An untrusted entry that says what was asked for, while the server is not as it says; undefined where there is none. */
export function entryWithoutEffect(request: SwitchRequest, state: 'on' | 'off'): Candidate | undefined {
  const { id, definitions } = request;
  const ours = entryOf(request);
  if (ours === undefined || ours.isTrusted) return undefined;
  const isOn = definitions.servers.find((server) => server.id === id)?.verdict.kind === 'usable';
  return isOn === (state === 'on') ? undefined : ours;
}

export function withoutEffect(
  { id, definitions }: SwitchRequest,
  { ours, state }: { readonly ours: Candidate; readonly state: 'on' | 'off' },
): AppError {
  const { file, line } = ours.entry.origin;
  const counting = definitions.chosen.get(id) ?? ours;
  const { origin } = counting.entry;
  const instead = counting === ours ? '' : `: the one in ${place(origin.file, origin.line)} counts`;
  const fault = `${visibleWord(id)} is ${state} in ${place(file, line)}, but that entry is untrusted and has no effect`;
  return new AppError('USAGE', `${fault}${instead}. Run: ${trustCommand(ours.entry.origin)}`, {
    data: { server: id, file, line },
  });
}
