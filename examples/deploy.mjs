#!/usr/bin/env node
// A tool that asks a person before it acts. It deploys nothing: replace `release` with your own code.
// Any answer other than a clear yes means no. Needs `npm install zod`.
import { setTimeout as delay } from 'node:timers/promises';
import { createServer, serveStdio } from 'switchboard/kit';
import { z } from 'zod';

const deployment = z.object({ service: z.string(), version: z.string(), target: z.enum(['staging', 'production']) });

/** @type {z.infer<typeof deployment>[]} */
const deployments = [];

const server = createServer({ name: 'deploy', version: '1.0.0', instructions: 'Deploys services after asking.' });

server.tool(
  'deploy',
  {
    description: 'Deploys one version of a service. A person chooses where and has to agree.',
    input: z.object({ service: z.enum(['web', 'api']), version: z.string().regex(/^\d+\.\d+\.\d+$/) }),
    output: deployment,
    annotations: { destructiveHint: true },
  },
  async ({ service, version }, { elicit, progress, signal }) => {
    // The handler waits here for the answer, in both protocol eras.
    // Throws if the client cannot ask, the answer does not match the schema, or no answer arrives within five minutes.
    const answer = await elicit({
      message: `Deploy ${service} ${version}?`,
      schema: z.object({ target: z.enum(['staging', 'production']), sure: z.boolean() }),
    });
    if (answer.action !== 'accept' || !answer.content.sure) throw new Error('Not deployed: the person did not agree.');
    const wanted = { service, version, target: answer.content.target };
    await release(wanted, { progress, signal });
    return wanted;
  },
);

server.tool(
  'list_deployments',
  {
    description: 'Lists what was deployed, oldest first.',
    output: z.object({ deployments: z.array(deployment) }),
    annotations: { readOnlyHint: true },
  },
  () => ({ deployments }),
);

serveStdio(server);

/**
 * @param {z.infer<typeof deployment>} wanted
 * @param {Pick<import('switchboard/kit').ToolContext, 'progress' | 'signal'>} context
 */
async function release(wanted, { progress, signal }) {
  const steps = ['build', 'upload', 'switch over'];
  for (const [index, message] of steps.entries()) {
    progress({ progress: index + 1, total: steps.length, message });
    await delay(100, undefined, { signal });
  }
  deployments.push(wanted);
}
