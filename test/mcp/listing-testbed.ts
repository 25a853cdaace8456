import type { CommandLine } from '../interop/programs.ts';
import type { Testbed } from './testbed.ts';

/** A server built on `mcp-base.mjs`. `options` is the source code of the options for `serve`. */
export function scripted(options: string): CommandLine {
  const base = new URL('../fixtures/mcp-base.mjs', import.meta.url).href;
  const program = `import { serve, text } from ${JSON.stringify(base)}; serve(${options});`;
  return { command: process.execPath, args: ['--input-type=module', '-e', program] };
}

/** A text with every attack: colors, window title, clipboard, bidi characters, tags and line breaks. */
export const HOSTILE = 'a\u001b[31m\u001b]0;gone\u0007\u001b]52;c;cm0=\u0007\u009b2J\u202eb\r\u2066c\u{e0041}\u200bd';

/** Characters that must not reach the output: controls except tab and newline, and invisible characters. */
export const STEERING = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;

/** `mcp <args> --json`: the document on stdout and the one on stderr, undefined where there is none. */
export async function runAsJson(testbed: Testbed, ...args: readonly string[]) {
  const { status, stdout, stderr } = await testbed.mcp(...args, '--json');
  const parse = (text: string) => (text === '' ? undefined : JSON.parse(text));
  return { status, answer: parse(stdout), error: parse(stderr)?.error };
}
