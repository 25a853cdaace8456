import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { visibleWord } from '../../config/visible-text.ts';

export interface TrustArguments {
  /** The folder or the server. */
  readonly word: string | undefined;
  /** The file that alone is read, for a server. */
  readonly config: string | undefined;
  readonly isJson: boolean;
}

type TrustCommand = 'trust' | 'untrust';

export function readTrustArguments(command: TrustCommand, args: readonly string[]): TrustArguments {
  const words: string[] = [];
  let config: string | undefined;
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (command === 'trust' && arg === '--config') config = rest.shift() ?? '';
    else if (command === 'trust' && arg.startsWith('--config=')) config = arg.slice('--config='.length);
    else if (arg !== '--json') words.push(arg);
  }
  const option = words.find((word) => word.startsWith('-'));
  const fail = (message: string) => new AppError('USAGE', `${message} ${usageOf(command)}`);
  if (option !== undefined) throw fail(`There is no option ${visibleWord(option)}.`);
  if (words.length > 1) throw fail('One folder at a time.');
  if (config === '') throw fail('--config needs a file.');
  if (config !== undefined && words.length === 0) throw fail('--config goes with the name of a server.');
  return { word: words[0], config, isJson: args.includes('--json') };
}

/** The folder that is meant: where a process started in it would be, since the folders above it are read too. */
export function toFolder(command: TrustCommand, { word = '.' }: TrustArguments, cwd: string): string {
  const folder = resolve(cwd, word);
  if (isFolder(folder)) return realpathSync.native(folder);
  // A project that is gone can still be untrusted.
  if (command === 'untrust') return folder;
  throw new AppError('USAGE', `This is not a folder: ${folder}. ${usageOf(command)}`);
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there or not to be reached: the same for whoever named it.
    return false;
  }
}

export function usageOf(command: TrustCommand): string {
  const usage = `Usage: switchboard ${command} [dir] [--json]`;
  return command === 'untrust' ? usage : `${usage}, or switchboard trust <server> [--config file] [--json]`;
}
