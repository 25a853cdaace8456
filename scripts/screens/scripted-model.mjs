// @ts-check
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './home.mjs';

/**
 * Opens the scripted model of the tests, makes it the model of Codex in this home, and closes it with the home. The
 * script is in the user's instructions for Codex, so that commands contain only what a user types.
 *
 * @param {import('./home.mjs').Home} home @param {readonly import('../../test/codex/steps.ts').Step[]} steps
 */
export async function useScriptedModel({ cwd, write, onClose }, steps) {
  const { openModel } = await importBundled('test/codex/model.ts');
  const { script } = await importBundled('test/codex/script.ts');
  const model = await openModel();
  onClose(() => model.close());
  write('.codex/AGENTS.md', script(steps));
  const provider = { wire_api: 'responses', request_max_retries: 0, stream_max_retries: 0 };
  write('.codex/config.toml', {
    model: 'gpt-5.5',
    model_provider: 'scripted',
    approval_policy: 'on-request',
    check_for_update_on_startup: false,
    analytics: { enabled: false },
    // The first two would contact public hosts, the third starts many processes.
    features: { plugins: false, apps: false, shell_snapshot: false },
    projects: { [cwd]: { trust_level: 'trusted' } },
    model_providers: { scripted: { name: 'scripted', base_url: model.url, ...provider } },
  });
}

/** Node 20 does not run TypeScript. @param {string} file */
async function importBundled(file) {
  const options = /** @type {const} */ ({ bundle: true, platform: 'node', format: 'esm', write: false });
  const { outputFiles } = await build({ entryPoints: [join(root, file)], ...options });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`);
}
