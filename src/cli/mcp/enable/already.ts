import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { Origin } from '../../../config/server-entry.ts';
import { printChange } from '../config/change-result.ts';
import { explicitFileWarning } from '../config/definitions.ts';
import type { ToggleRequest } from './request.ts';

/** Reports that nothing had to change. This is not a failure, and nothing was written. */
export function printUnchanged(
  { id, scope, source, isJson, context, environment }: ToggleRequest,
  {
    state,
    origin = { ...source, line: 0 },
    warnings,
  }: { readonly state: 'on' | 'off'; readonly origin: Origin | undefined; readonly warnings: readonly string[] },
): void {
  const { file, line, layer } = origin;
  printChange(context.output, {
    isJson,
    answer: { action: 'unchanged', id, scope: layer === 'global' ? layer : scope, file, line, state },
    sentence: `${quoteIfNeeded(id)} is ${state} already (${formatLocation(file, line)}).`,
    warnings: [...warnings, ...explicitFileWarning(environment)],
  });
}
