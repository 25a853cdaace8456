import { resolve } from 'node:path';
import { isObject, type JsonObject } from '../../wire/messages.ts';
import { expandHome } from '../settings/check-paths.ts';

/** Makes `writable_roots` absolute: Codex accepts only absolute paths when a turn sets the sandbox. */
export function withAbsoluteRoots<Config extends JsonObject>(
  config: Config,
  { base, home }: { readonly base: string; readonly home: string },
): Config {
  const workspace = config['sandbox_workspace_write'];
  const roots = isObject(workspace) ? workspace['writable_roots'] : undefined;
  if (!isObject(workspace) || !Array.isArray(roots)) return config;
  const absolute = roots.map((root) => (typeof root === 'string' ? resolve(base, expandHome(root, home)) : root));
  return { ...config, sandbox_workspace_write: { ...workspace, writable_roots: absolute } };
}
