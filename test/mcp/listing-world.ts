import type { CommandLine } from '../interop/programs.ts';
import type { World } from './world.ts';

/** A server of the fixtures' own making; `options` is the source of what `serve` of `mcp-base.mjs` takes. */
export function scripted(options: string): CommandLine {
  const base = new URL('../fixtures/mcp-base.mjs', import.meta.url).href;
  const program = `import { serve, text } from ${JSON.stringify(base)}; serve(${options});`;
  return { command: process.execPath, args: ['--input-type=module', '-e', program] };
}

/** Texts in which everything is tried: colours, the title of the window, the clipboard, bidi, tags, line breaks. */
export const HOSTILE = 'a\u001b[31m\u001b]0;gone\u0007\u001b]52;c;cm0=\u0007\u009b2J\u202eb\r\u2066c\u{e0041}\u200bd';

/** What none of it may leave in an answer: controls but for tabs and line breaks, and what cannot be seen. */
export const STEERING = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;

/** `mcp <args> --json`: the document on stdout and the one on stderr, undefined where there is none. */
export async function runAsJson(world: World, ...args: readonly string[]) {
  const { status, stdout, stderr } = await world.mcp(...args, '--json');
  const parse = (text: string) => (text === '' ? undefined : JSON.parse(text));
  return { status, answer: parse(stdout), error: parse(stderr)?.error };
}
