// @ts-check
import { withSwitchboard } from '../programs.mjs';

/** The scenarios that name no tool, prompt or resource of the suite's own fixture server. */
const NAME_INDEPENDENT = [
  'server-initialize',
  'server-session-lifecycle',
  'server-stateless',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'logging-set-level',
  'dns-rebinding-protection',
  'caching',
  'http-header-validation',
  'sep-2164-resource-not-found',
];

/** The checks of `server-stateless` that call tools of the fixture server. */
const CHECKS_WITH_NAMES = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-sends-prompts-list-changed-on-subscription',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
]);

/** `switchboard codex --http`. Needs no Codex: the scenarios call no tool. @type {import('./targets.mjs').Target} */
export const codexTarget = {
  name: 'codex',
  side: 'server',
  scenarios: NAME_INDEPENDENT,
  judge: async (run) => {
    const toArgs = () => ['codex', '--tools', 'all', '--http', '0', '--auth', 'none'];
    const results = await withSwitchboard(toArgs, (url) => run.all(['--url', url]));
    return results.map((result) => ({
      ...result,
      checks: result.checks.filter(({ id }) => !CHECKS_WITH_NAMES.has(id)),
    }));
  },
};
