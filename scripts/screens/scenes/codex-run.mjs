// @ts-check
import { mkdirSync } from 'node:fs';
import { useScriptedModel } from '../scripted-model.mjs';

const deploys = {
  shell: './deploy.sh staging',
  options: {
    sandbox_permissions: 'require_escalated',
    justification: 'May I use the network to deploy the shop to staging?',
  },
};

/** Codex asks for approval before it leaves its sandbox. @type {import('../scene.mjs').Scene} */
export const codexRun = {
  project: 'shop',
  async prepare(home) {
    // The minimum that Codex accepts as a repository.
    home.write('shop/.git/HEAD', 'ref: refs/heads/main\n');
    for (const name of ['objects', 'refs']) mkdirSync(home.path('shop/.git', name));
    home.write('shop/deploy.sh', '#!/bin/sh\necho "deployed to $1"\n', { mode: 0o755 });
    await useScriptedModel(home, [
      deploys,
      { message: 'The shop is deployed to staging. I changed no other environment.' },
    ]);
  },
  screens: [
    {
      name: 'codex-run',
      args: ['codex', 'run', 'Deploy the shop to staging'],
      steps: [{ wait: /Decide: (.*: )?/s, type: 'y\r' }],
    },
  ],
};
