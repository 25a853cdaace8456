import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** How to start the installed Codex: its native program, or its Node script where the former is not found. */
export function findCodex(): { readonly command: string; readonly args: readonly string[] } {
  const fromHere = createRequire(import.meta.url);
  const manifest = fromHere.resolve('@openai/codex/package.json');
  const native = findNative(createRequire(manifest));
  // The script costs a second process and some 400 ms for each start.
  return native === undefined
    ? { command: process.execPath, args: [join(dirname(manifest), 'bin', 'codex.js')] }
    : { command: native, args: [] };
}

function findNative(fromCodex: NodeJS.Require): string | undefined {
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex';
  try {
    const manifest = fromCodex.resolve(`@openai/codex-${process.platform}-${process.arch}/package.json`);
    const vendor = join(dirname(manifest), 'vendor');
    return readdirSync(vendor)
      .map((target) => join(vendor, target, 'bin', name))
      .find(existsSync);
  } catch {
    // Not installed for this platform, or laid out in another way: the script knows better.
    return undefined;
  }
}
