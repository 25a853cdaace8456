import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';

export interface TrustArguments {
  /** A folder or a server. */
  readonly target: string | undefined;
  /** The only config file to read, for a server. */
  readonly config: string | undefined;
  readonly isJson: boolean;
  /** Consent without a prompt, for scripts. */
  readonly assumeYes: boolean;
}

type TrustCommand = 'trust' | 'untrust';

export function parseTrustArguments(command: TrustCommand, args: readonly string[]): TrustArguments {
  const fail = (message: string) => new AppError('USAGE', `${message} ${usageOf(command)}`);
  const positionals: string[] = [];
  let config: string | undefined;
  let assumeYes = false;
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const rest = [...own];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const isConfig = command === 'trust' && (arg === '--config' || arg.startsWith('--config='));
    if (isConfig && config !== undefined) throw fail('--config may be given only once.');
    if (isConfig) config = arg === '--config' ? (rest.shift() ?? '') : arg.slice('--config='.length);
    else if (command === 'trust' && (arg === '--yes' || arg === '-y')) assumeYes = true;
    else if (arg !== '--json') positionals.push(arg);
  }
  const option = positionals.find((word) => word.startsWith('-'));
  if (option !== undefined) throw fail(`There is no option ${quoteIfNeeded(option)}.`);
  positionals.push(...args.slice(own.length + 1));
  if (positionals.length > 1) throw fail('Give one folder at a time.');
  if (config === '') throw fail('--config needs a file.');
  if (config !== undefined && positionals.length === 0) throw fail('--config requires the name of a server.');
  return { target: positionals[0], config, isJson: own.includes('--json'), assumeYes };
}

/** Returns the real path of the folder: a process started there would read the configs of its parents too. */
export function resolveFolder(command: TrustCommand, { target = '.' }: TrustArguments, cwd: string): string {
  const folder = resolve(cwd, target);
  if (isFolder(folder)) return realpathSync.native(folder);
  // A deleted project can still be untrusted.
  if (command === 'untrust') return folder;
  throw new AppError('USAGE', `This is not a folder: ${folder}. ${usageOf(command)}`);
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing or inaccessible makes no difference to the caller.
    return false;
  }
}

export function usageOf(command: TrustCommand): string {
  if (command === 'untrust') return `Usage: ${programName()} untrust [dir] [--json]`;
  return `Usage: ${programName()} trust [dir] [--yes] [--json], or ${programName()} trust <server> [--config file] [--yes] [--json]`;
}
