import type { Candidate } from '../../config/merge.ts';
import { maskAddress } from '../../config/shown-value.ts';
import type { WrittenEntry } from '../../config/write-entry.ts';

/**
 * What switches another file's server off for a project: how it is reached, for whoever reads it, and that it is off.
 * Nothing that could be a secret comes along; and of what is not trusted, or not understood, nothing at all, because
 * this entry is trusted as it is written.
 */
export function overrideOf({ entry: { content }, isTrusted }: Candidate): WrittenEntry {
  const transport = content.kind === 'broken' || !isTrusted ? undefined : content.transport;
  switch (transport?.kind) {
    case 'stdio':
      if (holdsVariable(transport.command)) return OFF;
      return { transport: 'stdio', command: transport.command, ...OFF };
    case 'http':
      if (holdsVariable(transport.url)) return OFF;
      return { transport: 'http', url: bareUrl(transport.url), ...OFF };
    default:
      return OFF;
  }
}

const OFF = { enabled: false } as const;

/** In our own config it would stand for itself. */
function holdsVariable(text: string): boolean {
  return text.includes('${');
}

function bareUrl(url: string): string {
  if (maskAddress(url) === url) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
