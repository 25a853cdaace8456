import { displayWidth, padToWidth } from '../../base/text/display-width.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ImportCandidate } from '../../clients/import/merge-servers.ts';

/** Formats one line for each server that was found in clients, with the clients that use it. */
export function foundTable(servers: readonly ImportCandidate[]): readonly string[] {
  const shown = servers.slice(0, MAX_LINES).map(({ id, server, duplicates }) => ({
    name: quoteIfNeeded(id),
    titles: [...new Set([server, ...duplicates].map(({ title }) => title))].join(', '),
  }));
  const width = Math.max(0, ...shown.map(({ name }) => displayWidth(name)));
  const rest = servers.length - shown.length;
  return [
    ...shown.map(({ name, titles }) => `  ${padToWidth(name, width)}  ${titles}`),
    ...(rest === 0 ? [] : [`  and ${rest} more`]),
  ];
}

const MAX_LINES = 20;
