import { visibleWord } from '../../../base/text/visible-text.ts';
import { place } from '../../../config/problem.ts';
import type { Origin } from '../../../config/server-entry.ts';
import { answerChange } from '../config/change-result.ts';
import { namedFileNote } from '../config/definitions.ts';
import type { SwitchRequest } from './request.ts';

/** Nothing has to be done, which is no failure: it is as it was asked for, and nothing was written. */
export function answerAlready(
  { id, scope, source, isJson, context, surroundings }: SwitchRequest,
  {
    state,
    origin = { ...source, line: 0 },
    warnings,
  }: { readonly state: 'on' | 'off'; readonly origin: Origin | undefined; readonly warnings: readonly string[] },
): void {
  const { file, line, layer } = origin;
  answerChange(context.output, {
    isJson,
    answer: { action: 'unchanged', id, scope: layer === 'global' ? layer : scope, file, line, state },
    sentence: `${visibleWord(id)} is ${state} already (${place(file, line)}).`,
    warnings: [...warnings, ...namedFileNote(surroundings)],
  });
}
