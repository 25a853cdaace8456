import { isDeepStrictEqual } from 'node:util';
import { type Candidate, isDisableOnly } from '../../../config/merge-files.ts';
import { maskUrlSecrets } from '../../../config/secrets/masked-value.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { isObject } from '../../../wire/messages.ts';

/**
 * Entry that disables another file's server for a project. It is trusted when written, so it contains nothing that
 * could be started or reached once the disabled entry is gone.
 */
export const OVERRIDE: WrittenEntry = { enabled: false };

/** Returns the entry that a project entry only disables; undefined when the project entry does more. */
export function overriddenBy(ours: Candidate, candidates: readonly Candidate[]): Candidate | undefined {
  if (ours.entry.origin.layer !== 'project') return undefined;
  const { id, origin } = ours.entry;
  const other = definitionElsewhere(id, origin.file, candidates);
  if (other === undefined) return undefined;
  const written = ours.file.servers.find((server) => server.id === id)?.value.content;
  const isOverride =
    isDeepStrictEqual(written, legacyOverrideOf(other)) ||
    (isDisableOnly(ours.entry.content) && onlySetsEnabled(written));
  return isOverride ? other : undefined;
}

/** Returns the entry that would take effect without this project file. */
export function definitionElsewhere(
  wanted: string,
  file: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const others = candidates.filter(({ entry: { id, origin } }) => id === wanted && origin.file !== file);
  return others.find(({ isTrusted }) => isTrusted) ?? others[0];
}

/** Keys that a person added must not be lost. */
function onlySetsEnabled(written: unknown): boolean {
  return isObject(written) && Object.keys(written).every((key) => key === 'enabled' || key === 'disabled');
}

/** Returns the earlier form of an override, which also named command or URL for readers. Files still contain it. */
function legacyOverrideOf({ entry: { content }, isTrusted }: Candidate): WrittenEntry {
  const transport = content.kind === 'broken' || !isTrusted ? undefined : content.transport;
  switch (transport?.kind) {
    case 'stdio':
      if (holdsVariable(transport.command)) return OVERRIDE;
      return { transport: 'stdio', command: transport.command, ...OVERRIDE };
    case 'http':
      if (holdsVariable(transport.url)) return OVERRIDE;
      return { transport: 'http', url: bareUrl(transport.url), ...OVERRIDE };
    default:
      return OVERRIDE;
  }
}

/** Our own config does not expand variables. */
function holdsVariable(text: string): boolean {
  return text.includes('${');
}

function bareUrl(url: string): string {
  if (maskUrlSecrets(url) === url) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
