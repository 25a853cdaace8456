import { spawn } from 'node:child_process';
import { describeErrno } from '../../base/files/errno.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { platformPath } from '../../config/files/folders.ts';
import { checkUrl } from '../../net/url-policy.ts';

export interface BrowserOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** URL of the MCP server. It decides whether a page on this machine may be opened. */
  readonly configuredUrl: string;
}

/**
 * Opens a page in the browser: with `$BROWSER` if it is set, else with the platform's default. The URL is a single
 * argument and never passes through a shell. Returns the reason if nothing could be opened.
 */
export async function openBrowser(url: string, options: BrowserOptions): Promise<string | undefined> {
  const { env, platform, configuredUrl } = options;
  // Throws for a URL that is not a web page: that is an attack, not a failure.
  const { href } = checkUrl(url, configuredUrl);
  let reason = 'no program that opens web pages was found';
  for (const [program, ...args] of commandsFor(href, env['BROWSER'], platform)) {
    const failure = await start(program, args, env);
    if (failure === undefined) return undefined;
    reason = `${escapeInvisible(program)}: ${failure}`;
  }
  return reason;
}

type CommandLine = readonly [program: string, ...args: readonly string[]];

/** Lists the commands to try, in this order. */
export function commandsFor(url: string, wanted: string | undefined, platform: NodeJS.Platform): CommandLine[] {
  if (wanted === undefined || wanted.trim() === '') return [platformCommand(url, platform)];
  const programs = wanted.split(platformPath(platform).delimiter).map((program) => program.trim());
  return programs.filter((program) => program !== '').map((program) => toCommand(program, url));
}

function platformCommand(url: string, platform: NodeJS.Platform): CommandLine {
  // Not `start`, a shell built-in that interprets `&`.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return [platform === 'darwin' ? 'open' : 'xdg-open', url];
}

/**
 * Builds the command. With `%s` in place of the URL, spaces separate arguments; without it, the text is one path, which
 * may contain spaces.
 */
function toCommand(program: string, url: string): CommandLine {
  if (!program.includes('%s')) return [program, url];
  const [name = program, ...args] = program.split(/\s+/);
  return [name, ...args.map((word) => word.replaceAll('%s', () => url))];
}

/**
 * Starts the program. A browser keeps running or hands over and exits; one that exits with an error at once has opened
 * nothing.
 */
function start(program: string, args: readonly string[], env: BrowserOptions['env']): Promise<string | undefined> {
  return new Promise<string | undefined>((resolve) => {
    const started = spawn(program, [...args], { detached: true, stdio: 'ignore', env: { ...env }, shell: false });
    const timer = setTimeout(() => resolve(undefined), STARTUP_WATCH_MS).unref();
    const settle = (failure: string | undefined) => {
      clearTimeout(timer);
      resolve(failure);
    };
    started.once('error', (error) => settle(describeErrno(error)));
    started.once('exit', (status) => settle(status === 0 ? undefined : `it exited with status ${status}`));
    started.unref();
    // Some failures are thrown synchronously: the program is a folder, or the arguments are too long.
  }).catch(describeErrno);
}

const STARTUP_WATCH_MS = 2_000;
