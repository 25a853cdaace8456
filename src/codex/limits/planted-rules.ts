import { lstatSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { type CodexVersion, isAtLeast } from '../locate/codex-version.ts';
import { realPathOf } from '../real-folder.ts';
import { ancestorFolders } from './folder-rules.ts';

/** The first version known to ignore rules of untrusted folders. 0.118 applies them; 0.119 to 0.127 are untested. */
const IGNORES_RULES_MINOR = 128;

/**
 * Throws DENIED if an old Codex would apply rules that a session may have written: a command that `.codex/rules` allows
 * runs outside of the sandbox. A Codex of unknown version counts as old.
 */
export function refusePlantedRules(
  cwd: string,
  { version, codexHome }: { readonly version: CodexVersion | undefined; readonly codexHome: string },
): void {
  if (version !== undefined && isAtLeast(version, IGNORES_RULES_MINOR)) return;
  const own = [realPathOf(codexHome), join(realPathOf(dirname(codexHome)), basename(codexHome))];
  const found = ancestorFolders(realPathOf(cwd), parse(cwd).root)
    .map((folder) => join(folder, '.codex'))
    .filter((folder) => !own.includes(folder))
    .map(findRules)
    .find((path) => path !== undefined);
  if (found === undefined) return;
  const path = escapeInvisible(found);
  const text = `Codex ${version?.text ?? 'of unknown version'} might apply the rules in ${path}, which a session may have written, and run commands outside of the sandbox. Remove ${path}, or update Codex to 0.128 or newer: npm install -g @openai/codex@latest`;
  throw new AppError('DENIED', text, { data: { path: found } });
}

/**
 * Returns whether a session can plant rules in its own folder, which Codex would read for an agent of the same turn.
 * 0.118 keeps `.codex` in the working folder from being written, 0.92 does not; the versions between are untested.
 */
export function appliesUntrustedRules(version: CodexVersion | undefined): boolean {
  return version === undefined || !isAtLeast(version, PROTECTS_RULES_MINOR);
}

const PROTECTS_RULES_MINOR = 118;

/** A `.codex` that is a link counts as well: rules can appear in its target without a session in this folder. */
function findRules(folder: string): string | undefined {
  if (mayBeLink(folder)) return folder;
  const rules = join(folder, 'rules');
  return mayExist(rules) ? rules : undefined;
}

function mayBeLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // The path cannot be read, so it may be a link.
    return true;
  }
}

function mayExist(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It cannot be read now, but its permissions may change before Codex reads it.
    return true;
  }
}
