import { type Environment, platformPath } from '../files/folders.ts';

/** The client whose file this is, here or in another home or project. */
export interface PathOwner {
  readonly client: KnownClient;
  /** The project that contains the file; undefined for the file of a home folder. */
  readonly project: string | undefined;
}

type KnownClient = (typeof PLACES)[number][1];

/** Returns the client to which a path belongs by its last parts; undefined if none is known. */
export function ownerOfPath(file: string, { home, platform }: Environment): PathOwner | undefined {
  const { dirname } = platformPath(platform);
  const path = file.replaceAll('\\', '/');
  const [, client] = PLACES.find(([place]) => place.test(path)) ?? [];
  if (client === undefined) return undefined;
  const folder = /\/\.(?:cursor|vscode|gemini|codex|zed)\/[^/]+$/.test(path) ? dirname(dirname(file)) : undefined;
  return { client, project: folder === home ? undefined : folder };
}

const PLACES = [
  [/\/\.codex\/config\.toml$/, 'codex'],
  [/\/\.claude\.json$/, 'claude'],
  [/\/claude_desktop_config\.json$/, 'claude-desktop'],
  [/\/\.cursor\/mcp\.json$/, 'cursor'],
  [/\/(?:\.vscode|Code\/User)\/mcp\.json$/, 'vscode'],
  [/\/\.gemini\/settings\.json$/, 'gemini'],
  [/\/windsurf\/mcp_config\.json$/, 'windsurf'],
  [/\/\.?zed\/settings\.json$/, 'zed'],
  [/\/opencode\.jsonc?$/, 'opencode'],
  [/\/\.copilot\/mcp-config\.json$/, 'copilot'],
] as const;
