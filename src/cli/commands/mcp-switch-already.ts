import { place } from '../../config/problem.ts';
import type { Origin } from '../../config/server-entry.ts';
import { visibleWord } from '../../config/visible-text.ts';
import { answerChange } from './mcp-answers.ts';
import { namedFileNote } from './mcp-sources.ts';
import type { SwitchRequest } from './mcp-switch-request.ts';

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
