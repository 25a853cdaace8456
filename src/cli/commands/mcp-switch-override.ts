import { isDeepStrictEqual } from 'node:util';
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

/** The entry of another file that one of the project does nothing but switch off; undefined when it says more than that. */
export function overriddenBy(ours: Candidate, candidates: readonly Candidate[]): Candidate | undefined {
  if (ours.entry.origin.layer !== 'project') return undefined;
  const other = definitionElsewhere(ours.entry.id, candidates);
  if (other === undefined) return undefined;
  const written = ours.file.servers.find(({ id }) => id === ours.entry.id)?.value.content;
  const isOverride = isDeepStrictEqual(written, overrideOf(other)) || isDeepStrictEqual(written, OFF);
  return isOverride ? other : undefined;
}

/** The one that would count without that of the project. */
export function definitionElsewhere(wanted: string, candidates: readonly Candidate[]): Candidate | undefined {
  const others = candidates.filter(({ entry: { id, origin } }) => id === wanted && origin.layer !== 'project');
  return others.find(({ isTrusted }) => isTrusted) ?? others[0];
}

/** In our own config it would stand for itself. */
function holdsVariable(text: string): boolean {
  return text.includes('${');
}

function bareUrl(url: string): string {
  if (maskAddress(url) === url) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
