import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodexRelease } from './codex-binary.ts';
import { mergeToml, type TomlTable, toToml } from './toml.ts';

/** An isolated home for Codex. It shares nothing with the user's own Codex. */
export type CodexHome = {
  /** The version of Codex. */
  readonly release: CodexRelease;
  /** The folder for `CODEX_HOME`. */
  readonly codexDir: string;
  /** The folder in which Codex works. */
  readonly workDir: string;
  /** The parent of both folders, where a run may create more. */
  readonly rootDir: string;
  /** Deletes everything. Close what runs in it first. May be called twice. */
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Tables of `[mcp_servers.<name>]`, with Codex's own keys: command, args, env, cwd, default_tools_approval_mode …
 * Each is `required` by default, because Codex continues without other servers after about a second.
 */
type McpServers = { readonly [name: string]: TomlTable };

type HomeOptions = {
  readonly modelUrl: string;
  readonly release?: CodexRelease;
  /** Decides which tools Codex shows to the model, see surface.ts. */
  readonly model?: string;
  readonly mcpServers?: McpServers;
  /** Configuration that overrides ours. */
  readonly extra?: TomlTable;
};

/**
 * Not the system's temporary folder: Codex warns about a CODEX_HOME there, and its sandbox lets commands write to it,
 * so no path would be outside the sandbox. If the clone itself is there, each user has a separate folder elsewhere.
 */
const TEMPORARY =
  [fileURLToPath(new URL('../.tmp/', import.meta.url)), `/var/tmp/switchboard-tests-${process.getuid?.() ?? 0}`].find(
    (folder) => ![tmpdir(), '/tmp'].some((temporary) => folder.startsWith(`${temporary}/`)),
  ) ?? homedir();

export async function createCodexHome(options: HomeOptions): Promise<CodexHome> {
  const rootDir = join(TEMPORARY, randomUUID());
  const codexDir = join(rootDir, 'codex');
  const workDir = join(rootDir, 'work');
  await mkdir(codexDir, { recursive: true });
  await mkdir(workDir);
  await makeRepository(rootDir);
  const config = mergeToml(
    mergeToml(baseConfig(options), configFor(options.release ?? 'current')),
    options.extra ?? {},
  );
  await writeFile(join(codexDir, 'config.toml'), toToml(config), { mode: 0o600 });
  const remove = () => rm(rootDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  return { release: options.release ?? 'current', codexDir, workDir, rootDir, remove, [Symbol.asyncDispose]: remove };
}

/** `codex exec` refuses to work outside a repository. This is the minimum that Git accepts. Git itself may be missing. */
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
    // The working folder is in our repository. Codex must not treat that as its project and read our AGENTS.md.
    project_root_markers: [],
    analytics: { enabled: false },
    // Both would contact public hosts.
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

/** A setting of the old Codex, which would otherwise request its models from a public host. */
function configFor(release: CodexRelease): TomlTable {
  return release === 'old' ? { features: { remote_models: false } } : {};
}
