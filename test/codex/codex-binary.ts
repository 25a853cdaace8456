import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runsCodex } from './releases.ts';

/**
 * `current` is the version that the product targets. `previous` is 0.150.0, with an older app-server. `old` is 0.92.0,
 * which many users still run.
 */
export type CodexRelease = 'current' | 'previous' | 'old';

const JUDGES = new URL('../judges/install.mjs', import.meta.url);
const PACKAGES = {
  current: { neighbor: import.meta.url, name: '@openai/codex' },
  previous: { neighbor: JUDGES, name: 'codex-0.150' },
  old: { neighbor: JUDGES, name: '@openai/codex' },
};
const CPUS = new Map([
  ['x64', 'x86_64'],
  ['arm64', 'aarch64'],
]);
const SYSTEMS = new Map<string, string>([
  ['linux', 'linux'],
  ['darwin', 'apple-darwin'],
  ['win32', 'windows'],
]);

/** Returns how to start an installed Codex: its native binary or, if that is missing, its Node script. */
export function findCodex(release: CodexRelease = 'current'): {
  readonly command: string;
  readonly args: readonly string[];
} {
  const manifest = codexManifest(release);
  const native = findNative(manifest);
  // The script costs a second process and some 400 ms for each start.
  return native === undefined
    ? { command: process.execPath, args: [join(dirname(manifest), 'bin', 'codex.js')] }
    : { command: native, args: [] };
}

/** The package.json of an installed Codex. */
export function codexManifest(release: CodexRelease): string {
  if (release !== 'current' && !runsCodex(release))
    throw new Error(
      `The ${release} Codex belongs to the judges: name the test *.judges.test.ts or *.releases.test.ts.`,
    );
  const { neighbor, name } = PACKAGES[release];
  const manifest = createRequire(neighbor).resolve(`${name}/package.json`);
  // If test/judges is not installed, Node finds the package of the same name in a folder above.
  if (neighbor === JUDGES && !manifest.startsWith(dirname(fileURLToPath(JUDGES))))
    throw new Error('The older versions of Codex are not installed: run node test/judges/install.mjs');
  return manifest;
}

function findNative(manifest: string): string | undefined {
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex';
  try {
    const vendor = join(dirname(packageOfPlatform(manifest)), 'vendor');
    return readdirSync(vendor)
      .filter(isForThisMachine)
      .flatMap((target) => [join(vendor, target, 'bin', name), join(vendor, target, 'codex', name)])
      .find(existsSync);
  } catch {
    // Not installed for this platform, or installed with a different layout. The script handles both.
    return undefined;
  }
}

/** Codex has one package per platform. The old one contains the binaries for all platforms. */
function packageOfPlatform(manifest: string): string {
  if (existsSync(join(dirname(manifest), 'vendor'))) return manifest;
  return createRequire(manifest).resolve(`@openai/codex-${process.platform}-${process.arch}/package.json`);
}

/** Targets have Rust's names, such as `x86_64-unknown-linux-musl`. */
function isForThisMachine(target: string): boolean {
  return target.startsWith(`${CPUS.get(process.arch)}-`) && target.includes(`-${SYSTEMS.get(process.platform)}`);
}
