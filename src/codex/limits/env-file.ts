import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { platformPath } from '../../config/files/folders.ts';
import { isSafeEntry, type SafePathOptions } from './safe-path.ts';

/** Far larger than any file that is written by hand. */
const MAX_BYTES = 256 * 1024;

/**
 * Throws CONFIG_INVALID if `.env` in CODEX_HOME would undo the environment that Codex gets under limits: Codex reads
 * this file when it starts, and the variables in it replace those of its environment.
 */
export async function refuseEnvFile(codexHome: string, options: SafePathOptions): Promise<void> {
  const file = join(codexHome, '.env');
  for (const { name, value, line } of assignmentsIn(await readText(file))) {
    const where = `${escapeInvisible(file)}:${line}`;
    const known = options.platform === 'win32' ? name.toUpperCase() : name;
    if (GUARDED.test(known)) throw invalid(file, `${where} sets ${name}. ${OVERRIDE_ADVICE}`);
    const entry = known === 'PATH' ? findUnsafe(value, options) : undefined;
    if (entry !== undefined)
      throw invalid(
        file,
        `${where} puts ${escapeInvisible(entry) || 'an empty entry'} into PATH. ${UNSAFE_PATH_ADVICE}`,
      );
  }
}

/** With another HOME, `~` in `config.toml` would resolve to a folder that was not checked. */
const GUARDED = /^(?:(?:GIT|LD|DYLD)_.*|TMPDIR|TMP|TEMP|HOME|BASH_ENV|ENV|NODE_OPTIONS)$/;

const OVERRIDE_ADVICE =
  'Codex would use this value, which could undo the limits of this server. Remove the line; if Codex needs the variable, set it in the environment of this server.';
const UNSAFE_PATH_ADVICE =
  'Codex starts programs from PATH outside of the sandbox, so only $PATH and absolute paths of folders where no session may write are allowed. Correct or remove that line.';

async function readText(file: string): Promise<string> {
  // A file that this process cannot read has no effect: Codex cannot read it either.
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return '';
  if (!found.isFile() || found.size > MAX_BYTES) {
    const text = `${escapeInvisible(file)} is not a regular file of at most ${MAX_BYTES / 1024} KiB, so this server cannot check the variables that it sets. Replace it with such a file, or remove it.`;
    throw invalid(file, text);
  }
  return readFile(file, 'utf8').catch(() => '');
}

interface Assignment {
  readonly name: string;
  /** The unparsed value. */
  readonly value: string;
  readonly line: number;
}

/**
 * Finds every line that Codex might read as an assignment. Codex parses the file by the rules of dotenvy: one
 * assignment per line, and lines that do not parse are skipped. Lines inside a multi-line value are found as well.
 */
function assignmentsIn(text: string): readonly Assignment[] {
  return text.split('\n').flatMap((written, index) => {
    const [, name, value = ''] = ASSIGNMENT.exec(written) ?? [];
    return name === undefined ? [] : [{ name, value: value.replace(SURROUNDING_WHITESPACE, ''), line: index + 1 }];
  });
}

/** White space at both ends as Rust trims it: with U+0085 and without U+FEFF, the other way round than JavaScript. */
const SURROUNDING_WHITESPACE = /^(?:(?!\ufeff)[\s\u0085])+|(?:(?!\ufeff)[\s\u0085])+$/g;

/** U+0085 is white space in Rust, but not in JavaScript. */
const ASSIGNMENT = /^[\s\u0085]*(?:export[\s\u0085]+)?([A-Za-z_][\w.]*)[\s\u0085]*=(.*)$/s;

/** Finds the first entry of a PATH that cannot be shown to be safe. */
function findUnsafe(written: string, options: SafePathOptions): string | undefined {
  const [, literal, quoted, bare] = VALUE.exec(written) ?? [];
  const value = literal ?? quoted ?? bare;
  // The value has escapes or several lines, or does not parse.
  if (value === undefined) return written;
  const isKept = (entry: string) => literal === undefined && /^\$(?:PATH|\{PATH\})$/.test(entry);
  const isPlain = (entry: string) => literal !== undefined || !entry.includes('$');
  return value
    .split(platformPath(options.platform).delimiter)
    .find((entry) => !isKept(entry) && !(isPlain(entry) && isSafeEntry(entry, options)));
}

const VALUE = /^(?:'([^']*)'|"([^"\\]*)"|([^\s\u0085'"\\#]*))\s*(?:(?<=\s)#.*)?$/;

function invalid(path: string, text: string): AppError {
  return new AppError('CONFIG_INVALID', text, { data: { path } });
}
