import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodexAge } from './codex-binary.ts';
import { mergeToml, type TomlTable, toToml } from './toml.ts';

/** A private world for Codex: nothing in it comes from, or goes to, the user's own Codex. */
export type CodexHome = {
  /** Which Codex lives here. */
  readonly age: CodexAge;
  /** The folder for `CODEX_HOME`. */
  readonly codexDir: string;
  /** The folder in which Codex works. */
  readonly workDir: string;
  /** Where a run may make folders of its own; holds the two above. */
  readonly rootDir: string;
  /** Deletes everything. Close what runs in it first. May be called twice. */
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Tables of `[mcp_servers.<name>]`, with Codex's own keys: command, args, env, cwd, default_tools_approval_mode …
 * Each is `required` unless it says otherwise: Codex gives other servers about a second and then goes on without them.
 */
type McpServers = { readonly [name: string]: TomlTable };

type HomeOptions = {
  readonly modelUrl: string;
  readonly age?: CodexAge;
  /** Decides which tools Codex shows to the model, see surface.ts. */
  readonly model?: string;
  readonly mcpServers?: McpServers;
  /** Further configuration, laid over ours. */
  readonly extra?: TomlTable;
};

/**
 * Not the system's temporary folder: Codex warns about a CODEX_HOME there, and its sandbox lets commands write to it,
 * so that nothing could be seen to be outside. A clone may lie there; then each user has a folder of their own elsewhere.
 */
const TEMPORARY =
  [fileURLToPath(new URL('../.tmp/', import.meta.url)), `/var/tmp/switchboard-tests-${userInfo().uid}`].find(
    (folder) => ![tmpdir(), '/tmp'].some((temporary) => folder.startsWith(`${temporary}/`)),
  ) ?? homedir();

export async function createCodexHome(options: HomeOptions): Promise<CodexHome> {
  const rootDir = join(TEMPORARY, randomUUID());
  const codexDir = join(rootDir, 'codex');
  const workDir = join(rootDir, 'work');
  await mkdir(codexDir, { recursive: true });
  await mkdir(workDir);
  await makeRepository(rootDir);
  const config = mergeToml(mergeToml(baseConfig(options), ofAge(options.age ?? 'today')), options.extra ?? {});
  await writeFile(join(codexDir, 'config.toml'), toToml(config), { mode: 0o600 });
  const remove = () => rm(rootDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return { age: options.age ?? 'today', codexDir, workDir, rootDir, remove, [Symbol.asyncDispose]: remove };
}

/** `codex exec` refuses to work outside a repository. This is the least that Git takes for one; Git itself may be missing. */
async function makeRepository(folder: string): Promise<void> {
  await mkdir(join(folder, '.git', 'objects'), { recursive: true });
  await mkdir(join(folder, '.git', 'refs'));
  await writeFile(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
}

function baseConfig({ modelUrl, model = 'gpt-5.5', mcpServers = {} }: HomeOptions): TomlTable {
  return {
    model,
    model_provider: 'scripted',
    check_for_update_on_startup: false,
    // The working folder lies in our repository; Codex must not take that for its project and read our AGENTS.md.
    project_root_markers: [],
    analytics: { enabled: false },
    // Both would look for public hosts.
    features: { plugins: false, apps: false },
    model_providers: {
      scripted: {
        name: 'scripted',
        base_url: modelUrl,
        wire_api: 'responses',
        request_max_retries: 0,
        stream_max_retries: 0,
      },
    },
    mcp_servers: Object.fromEntries(
      Object.entries(mcpServers).map(([name, server]) => [name, { required: true, ...server }]),
    ),
  };
}

/** What only the old Codex understands: it would ask a public host for its models. */
function ofAge(age: CodexAge): TomlTable {
  return age === 'old' ? { features: { remote_models: false } } : {};
}
