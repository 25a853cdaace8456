import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { formatLocation } from '../../config/problem.ts';
import type { ReviewedView } from '../../config/trust/trust-review.ts';

/** Formats what a view of a project shows and hides. Truncates nothing. */
export function viewText({ name, origin, limit: { servers, tools } }: ReviewedView): string {
  const lists: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['servers', servers],
    ['allow', tools.allow],
    ['deny', tools.deny.length === 0 ? undefined : tools.deny],
  ];
  const facts = lists.flatMap(([key, names]) =>
    names === undefined ? [] : [`  ${key.padEnd(12)}${names.map(quoteIfNeeded).join(', ') || 'none'}`],
  );
  return [`view ${name}, ${formatLocation(origin.file, origin.line)}`, ...facts].join('\n');
}

/** Builds the same review as a JSON document. */
export function viewDocument({ name, origin, limit: { servers, tools }, wasTrusted }: ReviewedView): object {
  const { file, line } = origin;
  return { name, file, line, ...(servers === undefined ? {} : { servers }), tools, wasTrusted };
}
