import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findPackageManager } from './package-manager.ts';
import { findPackageScript, type PackageScript } from './package-script.ts';

interface NativeBinary {
  readonly command: string;
  readonly env: EnvVariables;
}

interface PlatformInfo {
  readonly env: EnvVariables;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

type EnvVariables = Readonly<Record<string, string | undefined>>;

/**
 * Finds the native Codex behind the Node script of the npm package, and the environment in which the script would start
 * it. Returns undefined if the file is something else, or the package has no program for this platform.
 */
export async function findNativeBinary(
  file: string,
  { env, platform, arch }: PlatformInfo,
): Promise<NativeBinary | undefined> {
  const script = await findPackageScript(file);
  const target = TARGETS[`${platform === 'android' ? 'linux' : platform}-${arch}`];
  if (script === undefined || target === undefined) return undefined;
  for (const vendor of await vendorFolders(script, target)) {
    const found = await findProgram(join(vendor, target.triple), { script, platform });
    if (found === undefined) continue;
    const manager = await findPackageManager({ ...script, env });
    const managed = { ...withoutManagers(env), ...found.variables, [manager]: '1' };
    const isThere = found.pathFolder !== undefined && (await exists(found.pathFolder));
    return { command: found.program, env: isThere ? withFolder(managed, found.pathFolder, platform) : managed };
  }
  return undefined;
}

interface Target {
  /** The Rust target triple of the platform. */
  readonly triple: string;
  readonly platformPackage: string;
}

const TARGETS: Readonly<Record<string, Target>> = {
  'linux-x64': { triple: 'x86_64-unknown-linux-musl', platformPackage: '@openai/codex-linux-x64' },
  'linux-arm64': { triple: 'aarch64-unknown-linux-musl', platformPackage: '@openai/codex-linux-arm64' },
  'darwin-x64': { triple: 'x86_64-apple-darwin', platformPackage: '@openai/codex-darwin-x64' },
  'darwin-arm64': { triple: 'aarch64-apple-darwin', platformPackage: '@openai/codex-darwin-arm64' },
  'win32-x64': { triple: 'x86_64-pc-windows-msvc', platformPackage: '@openai/codex-win32-x64' },
  'win32-arm64': { triple: 'aarch64-pc-windows-msvc', platformPackage: '@openai/codex-win32-arm64' },
};

/** Returns the folders that may contain the programs: a package per platform, or the package itself up to 0.98. */
async function vendorFolders({ root, manifest }: PackageScript, target: Target): Promise<readonly string[]> {
  const own = join(root, 'vendor');
  // An older Codex does not depend on such a package. If one is installed, it belongs to another Codex.
  const listsPlatformPackage = Object.hasOwn(Object(manifest['optionalDependencies']), target.platformPackage);
  const folder = listsPlatformPackage ? await findPackage(root, target.platformPackage) : undefined;
  return folder === undefined ? [own] : [join(folder, 'vendor'), own];
}

/** Resolves a package as Node does from `from`, but without a cache: Codex may be updated while this server runs. */
async function findPackage(from: string, name: string): Promise<string | undefined> {
  const candidate = join(from, 'node_modules', name);
  if (await exists(join(candidate, 'package.json'))) return candidate;
  const above = dirname(from);
  return above === from ? undefined : findPackage(above, name);
}

interface FoundProgram {
  readonly program: string;
  /** A folder that must be in PATH if it exists. */
  readonly pathFolder: string | undefined;
  readonly variables: EnvVariables;
}

async function findProgram(
  folder: string,
  { script, platform }: { readonly script: PackageScript; readonly platform: NodeJS.Platform },
): Promise<FoundProgram | undefined> {
  const name = platform === 'win32' ? 'codex.exe' : 'codex';
  const program = join(folder, 'bin', name);
  const variables = { CODEX_MANAGED_PACKAGE_ROOT: script.root };
  // The scripts of about 0.135 add this folder to PATH; in later versions the program does so itself.
  const pathFolder = script.text.includes('codex-path') ? join(folder, 'codex-path') : undefined;
  if (await exists(program)) return { program, pathFolder, variables };
  const old = join(folder, 'codex', name);
  return (await exists(old)) ? { program: old, pathFolder: join(folder, 'path'), variables: {} } : undefined;
}

/** Removes variables that may come from the Codex that started this server. */
function withoutManagers(env: EnvVariables): EnvVariables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CODEX_MANAGED_BY_')));
}

function withFolder(env: EnvVariables, folder: string, platform: NodeJS.Platform): EnvVariables {
  const onWindows = platform === 'win32';
  const name = Object.keys(env).find((key) => (onWindows ? key.toUpperCase() : key) === 'PATH') ?? 'PATH';
  const separator = onWindows ? ';' : ':';
  const folders = (env[name] ?? '').split(separator).filter((entry) => entry !== '');
  return { ...env, [name]: [folder, ...folders].join(separator) };
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
