import type { Environment } from '../config/files/folders.ts';
import type { Output } from './output.ts';

/** The environment of a command. Commands read it from here and not from the process. */
export interface CommandContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory. */
  readonly cwd: string;
  readonly home: string;
  /** The files that several `--config` options name. */
  readonly configFiles?: readonly string[];
  /** Root folder of the package, which contains the examples. */
  readonly packageRoot: URL;
}

/** Returns the part of the context that config code reads. */
export function environmentOf({
  cwd,
  home,
  env,
  configFiles,
}: Pick<CommandContext, 'cwd' | 'home' | 'env' | 'configFiles'>): Environment {
  return { cwd, home, env, platform: process.platform, ...(configFiles === undefined ? {} : { configFiles }) };
}
