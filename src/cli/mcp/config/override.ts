import { isDeepStrictEqual } from 'node:util';
import { type Candidate, isDisableOnly } from '../../../config/merge-files.ts';
import { maskUrlSecrets } from '../../../config/secrets/masked-value.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { isObject } from '../../../wire/messages.ts';

/**
 * What switches another file's server off for a project. It is trusted as it is written, so nothing comes along that
 * could be started or reached when the entry that it switches off is gone.
 */
export const OVERRIDE: WrittenEntry = { enabled: false };

/** The entry of another file that one of the project does nothing but switch off; undefined when it says more than that. */
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

/** The one that would count without that of this file of a project. */
export function definitionElsewhere(
  wanted: string,
  file: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const others = candidates.filter(({ entry: { id, origin } }) => id === wanted && origin.file !== file);
  return others.find(({ isTrusted }) => isTrusted) ?? others[0];
}

/** What a person wrote beside it must not go. */
function onlySetsEnabled(written: unknown): boolean {
  return isObject(written) && Object.keys(written).every((key) => key === 'enabled' || key === 'disabled');
}

/** As overrides were written once: with how the server is reached, for whoever reads it. They are still in files. */
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

/** In our own config it would stand for itself. */
function holdsVariable(text: string): boolean {
  return text.includes('${');
}

function bareUrl(url: string): string {
  if (maskUrlSecrets(url) === url) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
