import { spawn } from 'node:child_process';
import { describeErrno } from '../../base/files/errno.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { platformPath } from '../../config/files/folders.ts';
import { checkAddress } from '../../net/guarded-fetch.ts';

export interface BrowserOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Of the server that is signed in to: decides whether a page on this machine may be opened. */
  readonly configuredUrl: string;
}

/**
 * Shows a page to the person: with `$BROWSER` when it is set, else as the platform does. No shell sees the address, and
 * it is one argument. Gives the reason when nothing could be opened; it is never thrown.
 */
export async function openBrowser(url: string, options: BrowserOptions): Promise<string | undefined> {
  const { env, platform, configuredUrl } = options;
  // Throws for what is no web page: that is an attack, not a failure.
  const { href } = checkAddress(url, configuredUrl);
  let reason = 'no program is known that opens web pages';
  for (const [program, ...args] of commandsFor(href, env['BROWSER'], platform)) {
    const failure = await start(program, args, env);
    if (failure === undefined) return undefined;
    reason = `${escapeInvisible(program)}: ${failure}`;
  }
  return reason;
}

type CommandLine = readonly [program: string, ...args: readonly string[]];

/** What to try, one after the other. */
export function commandsFor(url: string, wanted: string | undefined, platform: NodeJS.Platform): CommandLine[] {
  if (wanted === undefined || wanted.trim() === '') return [platformCommand(url, platform)];
  const programs = wanted.split(platformPath(platform).delimiter).map((program) => program.trim());
  return programs.filter((program) => program !== '').map((program) => toCommand(program, url));
}

function platformCommand(url: string, platform: NodeJS.Platform): CommandLine {
  // Not `start`, which is a word of a shell that has its own ideas about `&`.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return [platform === 'darwin' ? 'open' : 'xdg-open', url];
}

/** `%s` stands for the address, and then blanks part words; else it is one path, which may have blanks in it. */
function toCommand(program: string, url: string): CommandLine {
  if (!program.includes('%s')) return [program, url];
  const [name = program, ...args] = program.split(/\s+/);
  return [name, ...args.map((word) => word.replaceAll('%s', () => url))];
}

/** A browser runs on, or hands over and ends; one that ends badly at once has opened nothing. */
function start(program: string, args: readonly string[], env: BrowserOptions['env']): Promise<string | undefined> {
  return new Promise<string | undefined>((resolve) => {
    const started = spawn(program, [...args], { detached: true, stdio: 'ignore', env: { ...env }, shell: false });
    const timer = setTimeout(() => resolve(undefined), STARTUP_WATCH_MS).unref();
    const settle = (failure: string | undefined) => {
      clearTimeout(timer);
      resolve(failure);
    };
    started.once('error', (error) => settle(describeErrno(error)));
    started.once('exit', (status) => settle(status === 0 ? undefined : `it ended with status ${status}`));
    started.unref();
    // Some failures are thrown at once: a program that is a folder, arguments that are too long.
  }).catch(describeErrno);
}

const STARTUP_WATCH_MS = 2_000;
